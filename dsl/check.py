"""Checks of a resolved book: each a function of the book that reports what it finds."""

import re
from collections.abc import Callable

from . import ast, core
from .diagnostics import Report
from .source import Span
from .strata import cycle_in, dependencies, ranks
from .wording import check_wording

MAX_CHAIN = 60  # statements, defines and sets that build on each other
Check = Callable[[core.Resolved, Report], None]


def check(book: core.Resolved, report: Report, lint: bool = True) -> None:
    """Run every check, in the order of the table below."""
    for function in CHECKS if lint else CHECKS[:1]:
        function(book, report)


def check_cycles(book: core.Resolved, report: Report) -> None:
    """A statement may not depend on itself, through findings, defines or overriding."""
    graph = dependencies(book)
    members = cycle_in(graph)
    if members:
        report.error("R0301", _span_of(members[0], book), members=" → ".join(members))
        return
    for name, length in sorted(ranks(graph).items()):
        if length > MAX_CHAIN:
            report.error("R0302", _span_of(name, book), name=name, limit=MAX_CHAIN)
            return


def _span_of(name: str, book: core.Resolved) -> Span:
    """Where a statement, define or set is written."""
    known = book.statements.get(name) or book.defines.get(name)
    if known is not None:
        return known.span
    nodes = (node for document in book.documents for node in ast.walk(document))
    return next(node.span for node in nodes if isinstance(node, ast.SetDeclaration) and node.name == name)


def check_substance(book: core.Resolved, report: Report) -> None:
    """A clause with wording must carry something that can be executed, or say that it has nothing."""
    for clause, _ in book.clauses:
        if clause.statements or clause.declarations or clause.informative is not None or clause.clauses:
            continue
        if clause.wording:
            report.error("R0241", clause.span, name=clause.id)


def check_sources(book: core.Resolved, report: Report) -> None:
    """No paragraph of the reference text is carried twice."""
    seen: dict[tuple[str, str], str] = {}
    for clause, info in book.clauses:
        for source in clause.sources:
            if (info.book, source) in seen:
                report.error("R0242", clause.span, source=source, first=seen[info.book, source])
            seen[info.book, source] = clause.id


def check_all_wording(book: core.Resolved, report: Report) -> None:
    """Placeholders name things that exist; numbers are not written out by hand."""
    for clause, _ in book.clauses:
        check_wording(clause.wording, clause.span, book, report)
        for statement in clause.statements:
            if isinstance(statement, ast.Choice | ast.Silent):
                for option in statement.options:
                    check_wording(option.wording, option.span, book, report)


def check_options(book: core.Resolved, report: Report) -> None:
    """A decision offers something, and no option twice."""
    for statement in book.statements.values():
        if statement.form in ("choice", "silent"):
            names = [o.name for o in statement.options]
            if not names or len(set(names)) < len(names):
                report.error("R0243", statement.span, name=statement.name)


def check_names(book: core.Resolved, report: Report) -> None:
    """No name is spelt like a keyword of its dialect."""
    from .dialect import DIALECTS, reserved

    for document in book.documents:
        for entry in document.names:
            if entry.dialect not in DIALECTS:
                report.error("R0235", entry.span, name=entry.dialect, known=", ".join(DIALECTS))
                continue
            for form in entry.forms:
                if form.text in reserved(entry.dialect):
                    report.error("R0236", entry.span, name=form.text)
                if _mixed_scripts(form.text):
                    report.error("R0237", entry.span, name=form.text)


def _mixed_scripts(text: str) -> bool:
    return bool(re.search(r"[\u0400-\u04ff]", text)) and bool(re.search(r"[A-Za-z\u00c0-\u024f]", text))


CHECKS: tuple[Check, ...] = (
    check_cycles,
    check_substance,
    check_sources,
    check_options,
    check_names,
    check_all_wording,
)
