"""Wording and its placeholders.

`{p}`, `{p term}`, `{p term:acc}`, `{term:gen}`, `{p:-DAn}`, `{@clause}`, `{set.first}`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from . import core
from .diagnostics import Report, near_names
from .lexicon import TAGS
from .source import Span

PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
LITERAL = re.compile(r"(?<![\w.-])\d+(?:[.,]\d+)?\s?%?(?![\w])")
SET_PARTS = ("first", "last", "count")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """`value` a parameter or set part, `term` a name, `case` a tag, `suffix` Turkish, `clause` a reference."""

    text: str
    offset: int
    value: str = ""
    term: str = ""
    case: str = ""
    suffix: str = ""
    clause: str = ""


def placeholders(wording: str, book: core.Resolved) -> Iterator[Placeholder]:
    """The placeholders of a wording, in order; unreadable ones come back with no part set."""
    for match in PLACEHOLDER.finditer(wording):
        body = match.group(1)
        if body is None:
            continue
        yield _read(body.strip(), match.start(), book)


def _read(body: str, offset: int, book: core.Resolved) -> Placeholder:
    if body.startswith("@"):
        return Placeholder(body, offset, clause=body[1:])
    head, _, case = body.partition(":")
    words = head.split()
    if len(words) == 2:
        return Placeholder(body, offset, value=words[0], term=words[1], case=case)
    if len(words) != 1:
        return Placeholder(body, offset)
    if case.startswith("-"):
        return Placeholder(body, offset, value=words[0], suffix=case[1:])
    name = words[0].split(".")[0]
    if name in book.parameters or "." in words[0]:
        return Placeholder(body, offset, value=words[0], case=case)
    return Placeholder(body, offset, term=words[0], case=case)


def check_wording(wording: str, span: Span, book: core.Resolved, report: Report) -> None:
    """Report unknown names, cases and clauses, and numbers written out by hand."""
    if not wording:
        return
    known_terms = {name for name, _ in book.lexicon.entries}
    clause_ids = {clause.id for clause, _ in book.clauses}
    for item in placeholders(wording, book):
        name, _, part = item.value.partition(".")
        if not (item.value or item.term or item.clause):
            report.error("R0250", span, text=item.text)
        if item.clause and item.clause not in clause_ids:
            report.error("R0251", span, near_names(item.clause, clause_ids), name=item.clause)
        if part and (name not in book.sets or part not in SET_PARTS):
            report.error("R0252", span, near_names(name, set(book.sets)), name=item.value)
        elif name and not part and name not in book.parameters:
            report.error("R0253", span, near_names(name, set(book.parameters)), name=name)
        if item.term and item.term not in known_terms:
            report.error("R0254", span, near_names(item.term, known_terms), name=item.term)
        if item.case and item.case not in TAGS:
            report.error("R0255", span, name=item.case)
    stray = re.search(r"[{}]", PLACEHOLDER.sub("", wording))
    if stray:
        report.error("R0250", span, text=stray.group())
    for number in LITERAL.findall(PLACEHOLDER.sub(" ", wording)):
        report.warning("R0260", span, number=number.strip())


def render(wording: str, book: core.Resolved, lang: str, values: dict[str, object]) -> str:
    """The wording with its placeholders filled; `values` gives parameters by name."""

    def fill(match: re.Match[str]) -> str:
        if match.group(1) is None:
            return match.group()[0]
        return _fill(_read(match.group(1).strip(), match.start(), book), book, lang, values)

    return PLACEHOLDER.sub(fill, wording)


def _fill(item: Placeholder, book: core.Resolved, lang: str, values: dict[str, object]) -> str:
    if item.clause:
        found = next((c for c, _ in book.clauses if c.id == item.clause), None)
        return (found.label or found.title) if found else item.clause
    if not item.value:
        return book.lexicon.term(item.term, lang, *((item.case,) if item.case else ()))
    name, _, part = item.value.partition(".")
    value = _set_part(name, part, book) if part else values[name]
    if item.term:
        return f"{value} {_counted(item, book, lang, value)}"
    return f"{value}"


def _set_part(name: str, part: str, book: core.Resolved) -> object:
    declared = book.sets[name]
    members = [i.value for i in declared.items if isinstance(i, core.Const)] if isinstance(declared, core.SetOf) else []
    return len(members) if part == "count" else members[0 if part == "first" else -1]


def _counted(item: Placeholder, book: core.Resolved, lang: str, value: object) -> str:
    """The form of the term that the number asks for in this language (CLDR plural categories)."""
    from babel import Locale

    if item.case:
        return book.lexicon.term(item.term, lang, item.case)
    category = Locale.parse(lang).plural_form(int(str(value))) if str(value).isdigit() else "other"
    tag = {"one": None, "few": "few", "other": "many"}.get(category)
    if lang == "tr" or tag is None:
        return book.lexicon.term(item.term, lang)
    if book.lexicon.has_form(item.term, lang, tag):
        return book.lexicon.term(item.term, lang, tag)
    return book.lexicon.term(item.term, lang, "pl")
