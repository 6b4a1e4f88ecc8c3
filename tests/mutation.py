"""The mutation run: every clause of a book is changed in one place at a time, and its examples must notice.

    python tests/mutation.py osmica [--jobs 2] [--list] [--only CLAUSE]

A mutant is killed when it does not resolve, when an example of the book fails on it, or when a shared case differs.
What survives must stand in mutation_survivors.toml with the reason why no play can tell it from the book.
"""

import argparse
import importlib.util
import json
import multiprocessing
import os
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from tefter.dsl import ast
from tefter.dsl.diagnostics import Report
from tefter.dsl.lexicon import Lexicon
from tefter.dsl.load import FileHost, Loader, finish
from tefter.dsl.source import Source
from tefter.interpreter.book import Book
from tefter.interpreter.examples import run_example
from tefter.interpreter.scenario import Prepared, prepare

HERE = Path(__file__).parent
REASONS = HERE / "mutation_survivors.toml"
CASES = HERE / "cases"

DELETED = (ast.Finding, ast.Change, ast.Choice, ast.Silent, ast.Exception_, ast.Void, ast.Deferred)
JOINTS = ("and", "or")
CRASH = "the judge breaks off: "

Variant = tuple[str, Any]  # what was done, and what is left


@dataclass(frozen=True)
class Mutant:
    """`renames` tells that a name of the book is gone, so that the examples must be read anew."""

    id: str
    clause: str
    book: ast.Rulebook
    renames: bool


@dataclass(frozen=True)
class Result:
    """`by` is what killed it; empty where it survived."""

    id: str
    by: str


# ---- conditions: each yields a name of the change and the changed expression


def variants(node: ast.Expr) -> Iterator[Variant]:
    """A condition negated as a whole, each of its atoms negated or dropped, and what its atoms hold changed."""
    yield f"negate@{show(node)}", negated(node)
    yield from within(node)


def within(node: ast.Expr) -> Iterator[Variant]:
    """Changes of the parts of a condition."""
    if isinstance(node, ast.Not):
        yield from wrapped(node, "operand", within(node.operand))
    elif isinstance(node, ast.Binary) and node.op in JOINTS:
        parts = operands(node, node.op)
        for i, part in enumerate(parts):
            rest = [*parts[:i], *parts[i + 1 :]]
            yield f"drop@{show(part)}", joined(node, rest)
            for label, new in variants(part):
                yield label, joined(node, [*parts[:i], new, *parts[i + 1 :]])
    else:
        yield from inside(node)


def inside(node: Any) -> Iterator[Variant]:
    """Changes of the conditions that an expression, act or modifier holds somewhere below."""
    for slot in fields(node):
        held = getattr(node, slot.name)
        if isinstance(node, ast.Sequence | ast.SetDeclaration) and slot.name == "where" and held is not None:
            yield from wrapped(node, slot.name, variants(held))
        elif isinstance(node, ast.Conditional) and slot.name == "cases":
            yield from wrapped(node, slot.name, cases(held, inside))
        elif slot.name != "span":
            yield from wrapped(node, slot.name, anywhere(held))


def anywhere(held: Any) -> Iterator[Variant]:
    """Changes below a field: a node, a tuple of what may hold nodes, or a plain value."""
    if isinstance(held, ast.Not) or isinstance(held, ast.Binary) and held.op in JOINTS:
        yield from within(held)
    elif isinstance(held, ast.Node):
        yield from inside(held)
    elif isinstance(held, tuple):
        for i, item in enumerate(held):
            for label, new in anywhere(item):
                yield label, (*held[:i], new, *held[i + 1 :])


def cases(held: tuple[tuple[Any, Any], ...], of_value: Callable[[Any], Iterator[Variant]]) -> Iterator[Variant]:
    """Changes of (value, condition) pairs."""
    for i, (value, condition) in enumerate(held):
        pairs = [(label, (new, condition)) for label, new in of_value(value)]
        pairs += [(label, (value, new)) for label, new in (variants(condition) if condition is not None else ())]
        for label, pair in pairs:
            yield label, (*held[:i], pair, *held[i + 1 :])


def wrapped(node: Any, slot: str, found: Iterator[Variant]) -> Iterator[Variant]:
    for label, new in found:
        yield label, replace(node, **{slot: new})


def negated(node: ast.Expr) -> ast.Expr:
    return node.operand if isinstance(node, ast.Not) else ast.Not(node.span, node)


def operands(node: ast.Expr, op: str) -> list[ast.Expr]:
    """`a and b and c` as its three parts."""
    if isinstance(node, ast.Binary) and node.op == op:
        return [*operands(node.left, op), *operands(node.right, op)]
    return [node]


def joined(node: ast.Binary, parts: list[Any]) -> ast.Expr:
    first, *rest = parts
    for part in rest:
        first = ast.Binary(node.span, node.op, first, part)
    return first


def show(node: Any) -> str:
    """An expression in ids, whatever the dialect of its file."""
    match node:
        case ast.Path(parts=parts):
            return "" if parts == ("@",) else ".".join(parts)  # the element of the enclosing quantifier
        case ast.Number(value=value) | ast.Text(value=value) | ast.Date(value=value) | ast.Amount(value=value):
            return value
        case ast.Truth() | ast.Nothing() | ast.Unknown():
            return "none" if isinstance(node, ast.Nothing) else str(getattr(node, "value", "unknown")).lower()
        case ast.Binary():
            left, right = (
                f"({show(x)})" if isinstance(x, ast.Binary) and x.op in JOINTS and x.op != node.op else show(x)
                for x in (node.left, node.right)
            )
            return f"{left} {node.op} {right}".strip()
        case ast.Not(operand=operand):
            return f"not ({show(operand)})" if isinstance(operand, ast.Binary) else f"not {show(operand)}"
        case ast.Call(name=name, arguments=arguments):
            return f"{name}({', '.join(map(show, arguments))})"
        case ast.Index(name=name, key=key):
            return f"{name}[{show(key)}]"
        case ast.Sequence():
            alias = f"as {node.alias}" if node.alias else ""
            where = f"where ({show(node.where)})" if node.where is not None else ""
            return words("other" if node.other else "", node.path, alias, where)
        case ast.Anchor():
            return words(node.relation, node.event)
        case ast.Holds():
            return words(node.subject, node.predicate, *node.objects, node.anchor)
        case ast.Quantified():
            body = node.body
            if isinstance(body, ast.Holds):  # its subject is the element
                body = words(body.predicate, *body.objects, body.anchor)
            return words(node.quantifier, node.amount, node.sequence, body, node.anchor)
        case ast.Assign():
            key = f"[{show(node.place.key)}]" if node.place.key is not None else ""
            return words(node.place.cell + key, node.op, node.value)
        case ast.Restart(level=level):
            return f"{level} restarts"
        case ast.Perform(effect=effect, arguments=arguments):
            return f"{effect}({', '.join(map(show, arguments))})"
        case ast.Node():
            return words(*(getattr(node, slot.name) for slot in fields(node) if slot.name != "span"))
        case tuple():
            return "{" + ", ".join(map(show, node)) + "}"
    return "" if node is None else str(node)


def words(*parts: Any) -> str:
    return " ".join(text for part in parts if (text := show(part)))


# ---- statements and declarations: each yields what was done and what stands instead (None: nothing)


def statement_variants(s: ast.Statement) -> Iterator[Variant]:
    if isinstance(s, DELETED):
        yield "delete", None
    if s.condition is not None:
        if not isinstance(s.condition, ast.Binary) or s.condition.op not in JOINTS:
            yield "drop@when", replace(s, condition=ast.Truth(s.span, True))
        yield from wrapped(s, "condition", variants(s.condition))
    for slot in ("each", "whom", "member"):
        if getattr(s, slot, None) is not None:
            yield from wrapped(s, slot, inside(getattr(s, slot)))
    yield from wrapped(s, "modifiers", modifier_variants(s.modifiers))
    for slot, change in (("acts", act_variants), ("options", option_variants)):
        yield from wrapped(s, slot, change(getattr(s, slot, ())))


def modifier_variants(m: ast.Modifiers) -> Iterator[Variant]:
    for i, condition in enumerate(m.unless):
        rest = (*m.unless[:i], *m.unless[i + 1 :])
        yield f"drop@unless {show(condition)}", replace(m, unless=rest)
        for label, new in variants(condition):
            yield f"unless/{label}", replace(m, unless=(*m.unless[:i], new, *m.unless[i + 1 :]))
    for slot in ("overrides", "keeps"):
        held = getattr(m, slot)
        for i, target in enumerate(held):
            yield f"drop@{slot} {target.form} {'.'.join(target.parts)}", replace(m, **{slot: (*held[:i], *held[i + 1 :])})


def act_variants(acts: tuple[ast.Act, ...]) -> Iterator[Variant]:
    for i, act in enumerate(acts):
        yield f"delete@{show(act)}", (*acts[:i], *acts[i + 1 :])
        for label, new in inside(act):
            yield label, (*acts[:i], new, *acts[i + 1 :])


def option_variants(options: tuple[ast.Option, ...]) -> Iterator[Variant]:
    for i, option in enumerate(options):
        found: list[Variant] = []
        if option.condition is not None:
            found.append(("drop@when", replace(option, condition=None)))
            found += wrapped(option, "condition", variants(option.condition))
        found += wrapped(option, "acts", act_variants(option.acts))
        yield f"{option.name}/delete", (*options[:i], *options[i + 1 :])
        for label, new in found:
            yield f"{option.name}/{label}", (*options[:i], new, *options[i + 1 :])


def declaration_variants(d: ast.Declaration, base: Book) -> Iterator[Variant]:
    match d:
        case ast.Require():
            yield "delete", None
            yield from wrapped(d, "condition", variants(d.condition))
        case ast.Define():
            yes_no = base.resolved.defines[d.name].type.kind == "yes-no"
            turned = tuple((value, condition) for condition, value in d.cases)
            for label, pairs in cases(turned, variants if yes_no else inside):
                yield label, replace(d, cases=tuple((condition, value) for value, condition in pairs))
        case ast.SetDeclaration():
            yield from inside(d)
        case ast.Parameter():
            for i, dated in enumerate(d.values):
                for value in other_values(dated, base.resolved.parameter_types[d.name], base):
                    changed = replace(dated, value=value)
                    yield f"value@{value}", replace(d, values=(*d.values[:i], changed, *d.values[i + 1 :]))
        case ast.Reading():
            place = d.alternatives.index(d.default) + 1
            other = d.alternatives[place % len(d.alternatives)]
            yield f"default@{other}", replace(d, default=other)
        case ast.Setting():
            other = other_default(d, base)
            yield f"default@{show(other)}", replace(d, default=other)


def other_values(dated: ast.Dated, kind: Any, base: Book) -> list[str]:
    if kind.kind == "entity":
        members = [name for name, _ in base.resolved.entities[kind.name] or ()]
        place = members.index(dated.value)
        return [members[place - 1], members[(place + 1) % len(members)]]
    return [str(Decimal(dated.value) + step) for step in (1, -1)]


def other_default(d: ast.Setting, base: Book) -> ast.Expr:
    kind = d.type.item if isinstance(d.type, ast.OptionalType) else d.type
    match d.default:
        case ast.Truth(value=value):
            return ast.Truth(d.span, not value)
        case ast.Number(value=number):
            return ast.Number(d.span, str(Decimal(number) + 1))
        case ast.Path(parts=(name,)) if isinstance(kind, ast.EnumType):
            return ast.Path(d.span, (kind.values[(kind.values.index(name) + 1) % len(kind.values)],))
        case ast.Nothing() if isinstance(kind, ast.EnumType):
            return ast.Path(d.span, (kind.values[0],))
    return ast.Number(d.span, "1")


# ---- the mutants of a book


def mutants(base: Book) -> list[Mutant]:
    """Every mutant of the clauses of the book itself, with ids that stay the same as long as the clause does."""
    book = base.resolved.documents[-1]
    assert isinstance(book, ast.Rulebook)
    found: list[Mutant] = []
    seen: dict[str, int] = {}
    for clause in ast.clauses(book.items):
        for name, label, renames, changed in clause_variants(clause, base):
            key = f"{clause.id}/{name}/{label}"
            seen[key] = seen.get(key, 0) + 1
            mutant_id = key if seen[key] == 1 else f"{key} #{seen[key]}"
            gone = name if renames and label == "delete" else None
            items = tuple(rebuilt(item, clause, changed, gone) for item in book.items)
            found.append(Mutant(mutant_id, clause.id, replace(book, items=items), renames))
    return found


def clause_variants(clause: ast.Clause, base: Book) -> Iterator[tuple[str, str, bool, ast.Clause]]:
    """Statement, what was done, whether a name is gone, and the clause as it is then."""
    for slot in ("declarations", "statements"):
        held = getattr(clause, slot)
        for i, item in enumerate(held):
            found = statement_variants(item) if slot == "statements" else declaration_variants(item, base)
            for label, new in found:
                kept = () if new is None else (new,)
                changed = replace(clause, **{slot: (*held[:i], *kept, *held[i + 1 :])})
                yield item.name, label, label.endswith("delete"), changed


def rebuilt(item: Any, clause: ast.Clause, changed: ast.Clause, gone: str | None) -> Any:
    """A part or clause with one clause changed; a statement that is gone is overridden no more."""
    if isinstance(item, ast.Part):
        return replace(item, items=tuple(rebuilt(x, clause, changed, gone) for x in item.items))
    below = tuple(rebuilt(x, clause, changed, gone) for x in item.clauses)
    new = replace(changed if item.id == clause.id else item, clauses=below)
    if gone is None:
        return new
    return replace(new, statements=tuple(without(s, gone) for s in new.statements))


def without(s: ast.Statement, gone: str) -> ast.Statement:
    kept = tuple(t for t in s.modifiers.overrides if t.form != "statement" or t.parts[-1] != gone)
    return s if kept == s.modifiers.overrides else replace(s, modifiers=replace(s.modifiers, overrides=kept))


# ---- judging a mutant


@dataclass(frozen=True)
class Subject:
    """What mutants are made of and judged by."""

    book: Book
    lexicon: Lexicon
    sources: dict[str, Source]
    examples: list[Prepared]
    cases: list[dict[str, Any]]


def subject(name: str) -> Subject:
    """A shipped book, or one at a path, that passes all its examples and cases."""
    report = Report()
    loader = Loader(FileHost(), report)
    path = loader.host.find(name, "")
    documents = loader.chain(path) if path is not None else None
    loaded = finish(documents, loader.lexicon, report, lint=False) if documents is not None else None
    if loaded is None or loaded.book is None:
        raise SystemExit(f"{name} does not load: {[d.code for d in report.sorted()]}")
    book = Book(loaded.book, report.sources)
    lines = (CASES / "cases.jsonl").read_text("utf-8").splitlines()
    own = [case for case in map(json.loads, lines) if case["book"] == book.id]
    made = Subject(book, loader.lexicon, report.sources, prepare(book), own)
    wrong = killer(made, Mutant("", "", documents[-1], False))  # type: ignore[index, arg-type]
    if wrong:
        raise SystemExit(f"{name} itself fails: {wrong}")
    return made


def killer(made: Subject, mutant: Mutant) -> str:
    """What tells a mutant from the book, or nothing."""
    documents = (*made.book.resolved.documents[:-1], mutant.book)
    report = Report()
    loaded = finish(documents, made.lexicon, report, lint=False)
    if loaded.book is None:
        return f"does not resolve: {next(d.code for d in report.sorted() if d.severity == 'error')}"
    book = Book(loaded.book, made.sources)
    examples = prepare(book) if mutant.renames else made.examples
    for example in sorted(examples, key=lambda e: e.clause != mutant.clause):
        if example.diagnostics:
            return f"unreadable example: {example.clause}: {example.title}"
        if not run_example(book, example).passed:
            return f"example: {example.clause}: {example.title}"
    for case in made.cases:
        if case_differs(book, case):
            return f"case: {case['id']}"
    return ""


def case_differs(book: Book, case: dict[str, Any]) -> bool:
    start, *lines = case["log"]
    match = book.start(start["players"], start.get("settings"), start.get("readings"), start.get("observes"))
    verdict = [match.submit(line) for line in lines][-1].as_dict()
    return bool(differences(case["expect"], verdict))


def _shared_runner() -> Any:
    spec = importlib.util.spec_from_file_location("shared_cases_run", CASES / "run.py")
    assert spec is not None and spec.loader is not None
    runner = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(runner)
    return runner


differences = _shared_runner().differences


# ---- the run


_work: tuple[Subject, list[Mutant]] | None = None  # what the forked workers inherit


def _judge(index: int) -> Result:
    assert _work is not None
    made, todo = _work
    try:
        return Result(todo[index].id, killer(made, todo[index]))
    except Exception as error:  # a mutant is a rulebook too: what it meets in the judge is a fault of the judge
        return Result(todo[index].id, f"{CRASH}{type(error).__name__}: {error}")


def run(made: Subject, todo: list[Mutant], jobs: int, say: Callable[[Result], None] = lambda _: None) -> list[Result]:
    """Judge the mutants, in as many processes; results in the order of the mutants."""
    global _work
    _work = made, todo
    found: list[Result] = []
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        for result in pool.imap(_judge, range(len(todo)), chunksize=4):
            say(result)
            found.append(result)
    _work = None
    return found


def reasons(book: str) -> dict[str, str]:
    """Survivors that cannot be told from the book: id -> why."""
    return dict(tomllib.loads(REASONS.read_text("utf-8")).get(book, {})) if REASONS.is_file() else {}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("book")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--list", action="store_true", help="print the ids of the mutants and stop")
    parser.add_argument("--only", metavar="CLAUSE", help="the mutants of one clause, or one mutant by its id")
    parser.add_argument("--killers", action="store_true", help="print what killed each mutant too")
    options = parser.parse_args()

    started = time.monotonic()
    made = subject(options.book)
    todo = [m for m in mutants(made.book) if options.only in (None, m.clause, m.id)]
    if options.list:
        print(*(m.id for m in todo), sep="\n")
        return 0
    known = reasons(made.book.id)

    def say(result: Result) -> None:
        if options.killers or result.by.startswith(CRASH):
            print(f"{result.id}  <-  {result.by or 'nothing'}", flush=True)
        elif not result.by and result.id not in known:
            print(f"SURVIVES  {result.id}", flush=True)

    results = run(made, todo, options.jobs, say)
    survivors = {r.id for r in results if not r.by}
    unexplained = survivors - known.keys()
    print(
        f"{len(results)} mutants, {len(results) - len(survivors)} killed, {len(survivors) - len(unexplained)} survive "
        f"with a reason, {len(unexplained)} without; {time.monotonic() - started:.0f} s"
    )
    stale = known.keys() - survivors if options.only is None else set()
    for name in sorted(stale):
        print(f"listed, but no survivor: {name}")
    return 1 if unexplained or stale else 0


if __name__ == "__main__":
    sys.exit(main())
