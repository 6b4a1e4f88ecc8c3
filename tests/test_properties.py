"""Properties that hold for every log: of plausible play, and of nonsense."""

import copy
import dataclasses
import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tefter import Book, Malformed, Match, UsageError, load
from tefter.dsl import ast
from tefter.dsl.diagnostics import Report, render_people
from tefter.dsl.load import finish, load_book, shipped_folder
from tefter.interpreter.book import judge_line
from tefter.interpreter.schema import schema

FAST = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
OFTEN = settings(FAST, max_examples=300)
Line = dict[str, Any]
Log = list[Line]


@cache
def book() -> Book:
    return load("osmica")


# ---- lines of play

BALLS = ["cue", *map(str, range(1, 16))]
POCKETS = ["head-left", "head-right", "side-left", "side-right", "foot-left", "foot-right"]
CUSHIONS = ["head", "foot", "left", "right"]
TOOLS = ["stick", "tip", "clothing", "body", "chalk", "hand"]
PLAYERS = ["A", "B"]
flags = st.booleans()
seldom = st.integers(0, 9).map(lambda n: n == 0)
players = st.sampled_from(PLAYERS)
pockets = st.sampled_from(POCKETS)


def moments(balls: list[str]) -> st.SearchStrategy[Line]:
    """One moment about these balls; every kind that the vocabulary has."""
    ball = st.sampled_from(balls)
    pairs = st.lists(ball, min_size=2, max_size=2, unique=len(balls) > 1)
    touch = st.fixed_dictionaries(
        {"by": players, "ball": ball},
        optional={"with": st.sampled_from(TOOLS), "when": st.sampled_from(["before", "during", "after", "placing"]),
                  "deliberate": flags, "affects": flags, "moved": flags},
    )  # fmt: skip
    outside = st.fixed_dictionaries(
        {}, optional={"by": st.sampled_from(["external", "A"]), "affects": flags, "restorable": flags,
                      "balls": st.lists(ball, max_size=2)},
    )  # fmt: skip
    drop = st.fixed_dictionaries(
        {"ball": ball, "pocket": pockets}, optional={"still": st.sampled_from([0, 4.9, 5, 60.0]), "about_to_be_hit": flags}
    )
    usual = [
        st.builds(lambda pair: {"contact": pair}, pairs),
        st.builds(lambda b, c: {"cushion": [b, c]}, ball, st.sampled_from(CUSHIONS)),
        st.builds(lambda b, p: {"pocketed": [b, p]}, ball, pockets),
    ]
    rare = [
        st.builds(lambda k, b, p: {k: [b, p]}, st.sampled_from(["jaw", "rebound"]), ball, pockets),
        st.builds(lambda k, b: {k: [b]}, st.sampled_from(["off_table", "left_bed", "moved", "passed"]), ball),
        st.builds(lambda b, w: {"crossed": [b, "head-string", w]}, ball, st.sampled_from(["out", "back"])),
        st.builds(lambda x: {"touch": x}, touch),
        st.builds(lambda x: {"interference": x}, outside),
        st.builds(lambda x: {"drop": x}, drop),
    ]
    return st.one_of(*usual, *usual, *usual, *rare)


def possible(found: list[Line]) -> list[Line]:
    """Without a second departure of a ball from the table."""
    gone: set[str] = set()
    kept = []
    for moment in found:
        kind, value = next(iter(moment.items()))
        if kind in ("pocketed", "off_table"):
            if value[0] in gone:
                continue
            gone.add(value[0])
        kept.append(moment)
    return kept


@st.composite
def shots(draw: st.DrawFn, state: Line, wild: bool) -> Line:
    """A shot from a state; a wild one may be by anyone and of any balls."""
    balls = BALLS if wild or len(state["on_table"] or ()) < 2 else state["on_table"]
    by = state["shooter"] if not wild and state["shooter"] in PLAYERS else draw(players)
    found = draw(st.lists(moments(balls), max_size=7))
    others = [b for b in balls if b != "cue"] or balls
    if draw(st.integers(0, 3)) and not wild:
        found = [{"contact": ["cue", draw(st.sampled_from(others))]}, *found]
    line: Line = {"type": "shot", "by": by, "moments": found if wild else possible(found)}
    target = st.fixed_dictionaries({"ball": st.sampled_from(others), "pocket": pockets})
    made = [m["pocketed"] for m in line["moments"] if "pocketed" in m and m["pocketed"][0] != "cue"]
    if made and draw(flags):
        line["called"] = dict(zip(("ball", "pocket"), draw(st.sampled_from(made)), strict=True))
    elif draw(flags):
        line[draw(st.sampled_from(["called", "obvious"]))] = draw(target)
    zones = st.sampled_from(["as-lies", "behind-head-string", "outside", "anywhere"])
    extras: dict[str, st.SearchStrategy[Any]] = {
        "safety": flags, "announced": flags, "feet_on_floor": flags, "balls_moving": flags, "miscue": flags,
        "stroke": st.sampled_from(["normal", "jump", "massé", "scoop"]),
        "behind_head_string": st.lists(st.sampled_from(others), max_size=3),
        "placed": st.fixed_dictionaries({"zone": zones}, optional={"struck": flags, "after_warning": flags}),
        "frozen": st.lists(st.tuples(st.sampled_from(balls), st.sampled_from(["cue", *CUSHIONS])).map(list), max_size=2),
    }  # fmt: skip
    for key in draw(st.lists(st.sampled_from(sorted(extras)), max_size=3, unique=True)):
        line[key] = draw(extras[key])
    return line


def others(lines: int) -> st.SearchStrategy[Line]:
    """Every kind of episode but a shot; `lines` is how many lines there are to speak of."""
    result = st.fixed_dictionaries(
        {"player": players, "cushions": st.lists(st.sampled_from(CUSHIONS), max_size=2), "distance": st.sampled_from([0.1, 0.2, 1])}
    )
    numbered = BALLS[1:]
    kinds: dict[str, dict[str, st.SearchStrategy[Any]]] = {
        "lag": {"results": st.lists(result, max_size=2), "together": flags},
        "rack": {"order": st.one_of(st.just([]), st.permutations(numbered)), "apex_on_spot": flags},
        "mark": {"by": players, "with": st.sampled_from(["chalk", "cube", "other"]), "for_aiming": flags},
        "measure": {"by": players, "device": st.sampled_from(["cue-in-hand", "cue-laid-down", "ball", "triangle", "other"])},
        "announce": {"n": st.integers(1, lines + 2), "in_time": flags},
        "call_request": {"by": players},
        "agree": {"what": st.sampled_from(["stalemate", "next-rack-lag"])},
        "stalemate": {"declared_by": st.sampled_from(["referee", "players"]), "step": st.sampled_from(["announced", "declared"])},
        "concede": {"by": players, "scope": st.sampled_from(["rack", "match"])},
        "touch": {"by": players, "ball": st.sampled_from(BALLS), "with": st.sampled_from(TOOLS), "moved": flags},
        "interference": {"affects": flags, "balls": st.lists(st.sampled_from(BALLS), max_size=2)},
        "drop": {"ball": st.sampled_from(numbered), "pocket": pockets, "still": st.sampled_from([1, 5, 9])},
    }  # fmt: skip
    return st.one_of(*(st.fixed_dictionaries({"type": st.just(k), **fields}) for k, fields in kinds.items()))


@st.composite
def decisions(draw: st.DrawFn, match: Match, wild: bool) -> Line:
    """A choice or ruling that is due; a wild one may be by the wrong player, of a wrong option."""
    item = draw(st.sampled_from(match.current.open))
    names = [name for name, _ in item.options] or ["accept"]
    option = "nonsense" if wild and draw(flags) else draw(st.sampled_from(names)).replace("-", "_")
    about = {} if item.about is None else {"about": item.about}
    name = item.name.replace("-", "_")
    if item.silent or draw(seldom):
        return {"type": "ruling", "on": name, "option": option, **about}
    by = draw(players) if wild else item.whom
    return {"type": "choice", "by": by, "choice": name, "option": option, **about}


@st.composite
def next_line(draw: st.DrawFn, match: Match) -> Line:
    wild = draw(seldom)
    due = match.choices or match.current.open and draw(flags)
    if due and not draw(seldom):
        return draw(decisions(match, wild))
    if draw(st.integers(0, 3)) == 0:
        return draw(others(len(match.entries)))
    return draw(shots(match.state, wild))


@st.composite
def positions(draw: st.DrawFn) -> Line:
    """A rack in some state of play."""
    balls = draw(st.lists(st.sampled_from(BALLS[1:]), unique=True, max_size=15))
    cells: Line = {"shooter": draw(players), "on_table": ["cue", *balls]}
    cells["breaker"] = draw(players)
    if draw(flags):
        first, second = draw(st.permutations(["solids", "stripes"]))
        cells |= {"table": "closed", "groups": {"A": first, "B": second}}
    if draw(flags):
        cells["ball_in_hand"] = draw(st.sampled_from(["none", "anywhere", "behind-head-string"]))
    if draw(seldom):
        cells |= {"phase": "break", "on_table": list(BALLS), "table": "open", "groups": {"A": "none", "B": "none"}}
    return {"type": "position", "set": cells}


@cache
def known_logs() -> list[Log]:
    """The lines of the shared cases: what the random ones seldom come to."""
    text = (Path(__file__).parent / "cases" / "cases.jsonl").read_text("utf-8")
    cases = [json.loads(line) for line in text.splitlines()]
    return [case["log"][1:] for case in cases if case["book"] == "osmica"]


@st.composite
def logs(draw: st.DrawFn, length: int = 5) -> Log:
    """The lines of a log after its start: from the lag, a position or a known case on."""
    beginning = st.one_of(st.just([]), positions().map(lambda line: [line]), st.sampled_from(known_logs()))
    lines: Log = list(draw(beginning))
    match = play(book(), lines)
    for _ in range(draw(st.integers(1, length))):
        lines.append(draw(next_line(match)))
        match.submit(lines[-1])
    return lines


def play(of: Book, log: Log, names: list[str] = PLAYERS) -> Match:
    match = of.start(names)
    for line in log:
        match.submit(line)
    return match


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


def written(match: Match) -> list[Line]:
    return [as_json(verdict.as_dict()) for verdict in match.verdicts]


# ---- the properties


def check_the_state_of_a_verdict_is_a_position(log: Log) -> None:
    match, before = book().start(PLAYERS), None
    for line in log:
        alone = line["type"] not in ("position", "announce")
        verdict = match.submit(line)
        if before is not None and alone:
            other = book().start(PLAYERS)
            other.submit({"type": "position", "set": before})
            assert as_json({**other.submit(line).as_dict(), "n": verdict.n}) == as_json(verdict.as_dict())
        before = as_json(match.state)


def check_lines_and_their_retracts_leave_no_trace(log: Log, seed: int) -> None:
    dice = random.Random(seed)
    gone = {n for n in range(2, len(log) + 2) if dice.random() < 0.4}
    match, other = book().start(PLAYERS), book().start(PLAYERS)
    waiting: list[int] = []
    for n, line in enumerate(log, 2):
        match.submit_all(line, n)
        if n in gone:
            waiting.append(n)
        else:
            other.submit_all(line, n)
        while waiting and (n == len(log) + 1 or dice.random() < 0.5):
            target = waiting.pop(dice.randrange(len(waiting)))
            match.submit_all({"type": "retract", "n": target}, 1_000 + target)
    assert match.state == other.state
    assert written(match) == written(other)


RENAMED = {"A": "Želimir İnce", "B": "A"}


def renamed(value: Any) -> Any:
    if isinstance(value, dict):
        return {renamed(key): renamed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [renamed(item) for item in value]
    return RENAMED.get(value, value) if isinstance(value, str) else value


def without_messages(verdicts: list[Line]) -> list[Line]:
    return [{**v, "problems": [{**p, "message": ""} for p in v.get("problems", [])]} for v in verdicts]


def check_renaming_players_changes_names_only(log: Log) -> None:
    plain = written(play(book(), log))
    other = written(play(book(), renamed(log), [RENAMED[name] for name in PLAYERS]))
    assert without_messages(renamed(plain)) == without_messages(other)


def shuffled_node(node: Any, dice: random.Random) -> Any:
    """A document, part or clause with its clauses, declarations and statements in another order."""
    changed: dict[str, Any] = {}
    for name in ("items", "clauses", "statements", *(() if isinstance(node, ast.Vocabulary) else ("declarations",))):
        if hasattr(node, name):
            inside = [shuffled_node(n, dice) if isinstance(n, ast.Clause | ast.Part) else n for n in getattr(node, name)]
            dice.shuffle(inside)
            changed[name] = tuple(inside)
    return dataclasses.replace(node, **changed)


@cache
def shuffled(seed: int) -> Book:
    resolved, dice = book().resolved, random.Random(seed)
    documents = tuple(shuffled_node(document, dice) for document in resolved.documents)
    loaded = finish(documents, resolved.lexicon, Report(), lint=False)
    assert loaded.book is not None, loaded.report.sorted()[:3]
    return Book(loaded.book)


def check_the_order_of_clauses_and_statements_decides_nothing(log: Log, seed: int) -> None:
    assert written(play(shuffled(seed), log)) == written(play(book(), log))


@cache
def verdict_validator() -> Draft202012Validator:
    return Draft202012Validator({"$ref": "#/$defs/verdict", "$defs": schema(book())["$defs"]})


@cache
def line_validator() -> Draft202012Validator:
    return Draft202012Validator(schema(book()))


def check_lines_and_verdicts_fit_the_schema(log: Log) -> None:
    for line in log:
        if "nonsense" not in line.values():
            assert [e.message for e in line_validator().iter_errors(line)] == []
    for verdict in written(play(book(), log)):
        assert [f"{e.json_path}: {e.message}" for e in verdict_validator().iter_errors(verdict)] == []


def check_judging_is_pure(log: Log) -> None:
    match = play(book(), log[:-1])
    state, line = match.current, log[-1]
    if line["type"] in ("position", "announce"):
        return
    kept = copy.deepcopy((state, line))
    first, second = (judge_line(match.setup, state, line, 9) for _ in range(2))
    assert (first.verdict, first.state) == (second.verdict, second.state)
    assert (state, line) == kept


WORDS = ["type", "shot", "by", "A", "moments", "contact", "cue", "3", "none", "set", "on_table", "open", "choice", "position", "n"]
scalars = st.one_of(st.none(), flags, st.integers(), st.floats(), st.text(max_size=5), st.sampled_from(WORDS))
nonsense = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.one_of(st.sampled_from(WORDS), st.text(max_size=5)), inner, max_size=4)
    ),
    max_leaves=12,
)


@st.composite
def broken(draw: st.DrawFn, value: Any) -> Any:
    """A line with one thing in it replaced by nonsense."""
    if isinstance(value, dict) and value and draw(st.integers(0, 3)):
        key = draw(st.sampled_from(sorted(value)))
        return {**value, key: draw(broken(value[key]))}
    if isinstance(value, list) and value and draw(st.integers(0, 3)):
        place = draw(st.integers(0, len(value) - 1))
        return [*value[:place], draw(broken(value[place])), *value[place + 1 :]]
    return draw(nonsense)


def check_nonsense_is_malformed_or_refused(log: Log, data: st.DataObject) -> None:
    match = play(book(), log)
    line = data.draw(broken(data.draw(st.sampled_from([*log, {"type": "position", "set": match.state}]))))
    before = match.state
    if not isinstance(line, dict):
        return
    try:
        verdict = match.submit(line)
    except (Malformed, UsageError) as error:
        assert str(error) and match.state == before  # noqa: PT017
    else:
        json.dumps(verdict.as_dict(), allow_nan=False)


POOL = (shipped_folder() / "pool.rules").read_bytes()
OSMICA = (shipped_folder() / "osmica.rules").read_bytes()
SHORT_POOL = POOL[: POOL.index(b"\nnames\n") + 1]


class Memory:
    """The files of one run."""

    def __init__(self, **files: bytes) -> None:
        self.files = files

    def find(self, name: str, beside: str) -> str | None:
        return name if name in self.files else None

    def read(self, path: str) -> bytes:
        return self.files[path]


def mutated(raw: bytes, dice: random.Random) -> bytes:
    """Bytes flipped, cut out or doubled, lines swapped or lost, words exchanged."""
    text = bytearray(raw)
    for _ in range(dice.randint(1, 3)):
        at, length = dice.randrange(len(text)), dice.randint(1, 30)
        lines = bytes(text).split(b"\n")
        one, two = dice.randrange(1, len(lines)), dice.randrange(1, len(lines))
        kind = dice.randrange(7)
        if kind == 0:
            text[at] = dice.randrange(256)
        elif kind == 1:
            del text[at : at + length]
        elif kind == 2:
            text[at:at] = text[(start := dice.randrange(len(text))) : start + length]
        elif kind == 3:
            lines[one], lines[two] = lines[two], lines[one]
            text = bytearray(b"\n".join(lines))
        elif kind == 4:
            text = bytearray(b"\n".join(lines[:one] + lines[one + 1 :]))
        else:
            words, more = lines[one].split(b" "), lines[two].split(b" ")
            words[dice.randrange(len(words))] = more[dice.randrange(len(more))]
            lines[one] = b" ".join(words)
            text = bytearray(b"\n".join(lines))
        if not text:
            return b""
    return bytes(text)


def only_diagnostics(raw: bytes) -> None:
    found = load_book("x", Memory(x=raw, pool=POOL))
    assert (found.book is None) == found.report.failed
    for diagnostic in found.report.sorted():
        assert render_people(diagnostic, found.report.sources.get(diagnostic.span.file))


def check_a_mutated_vocabulary_gives_only_diagnostics(seed: int) -> None:
    only_diagnostics(mutated(SHORT_POOL, random.Random(seed)))


def check_a_mutated_rulebook_gives_only_diagnostics(seed: int) -> None:
    only_diagnostics(mutated(OSMICA, random.Random(seed)))


# ---- each of them a few times in the fast suite, often in the slow one

seeds = st.integers(0, 2**32 - 1)
orders = st.integers(1, 4)
PROPERTIES: list[tuple[Callable[..., None], tuple[st.SearchStrategy[Any], ...]]] = [
    (check_the_state_of_a_verdict_is_a_position, (logs(),)),
    (check_lines_and_their_retracts_leave_no_trace, (logs(), seeds)),
    (check_renaming_players_changes_names_only, (logs(),)),
    (check_the_order_of_clauses_and_statements_decides_nothing, (logs(), orders)),
    (check_lines_and_verdicts_fit_the_schema, (logs(),)),
    (check_judging_is_pure, (logs(),)),
    (check_nonsense_is_malformed_or_refused, (logs(2), st.data())),
    (check_a_mutated_vocabulary_gives_only_diagnostics, (seeds,)),
    (check_a_mutated_rulebook_gives_only_diagnostics, (seeds,)),
]
named = pytest.mark.parametrize(
    ("check", "strategies"), PROPERTIES, ids=[check.__name__.removeprefix("check_") for check, _ in PROPERTIES]
)


def hold(check: Callable[..., None], strategies: tuple[st.SearchStrategy[Any], ...], chosen: settings) -> None:
    if check is check_a_mutated_rulebook_gives_only_diagnostics:  # loads a book each time: a second
        chosen = settings(chosen, max_examples=chosen.max_examples // 3)
    chosen(given(*strategies)(check))()


@named
def test_property(check: Callable[..., None], strategies: tuple[st.SearchStrategy[Any], ...]) -> None:
    hold(check, strategies, FAST)


@pytest.mark.deep
@named
def test_property_often(check: Callable[..., None], strategies: tuple[st.SearchStrategy[Any], ...]) -> None:
    hold(check, strategies, OFTEN)
