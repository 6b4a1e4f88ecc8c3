"""A game without a table of six holes: table tennis, and section 6 of the language on a vocabulary of five words.

`second_domain/` holds a vocabulary of rally sports, a rulebook in English, the same book in Turkish, and a league that
extends it. What a statement means is tested on `tiny`, a vocabulary with nothing but cells and yes-or-no fields.
"""

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tefter import Book, Verdict, load
from tefter.dsl import ast
from tefter.dsl.load import load_book
from tefter.interpreter.examples import run_examples
from tefter.interpreter.log import Options, run
from tefter.interpreter.views import rows

FOLDER = Path(__file__).parent / "second_domain"
BOOKS = ("table_tennis", "masa_tenisi", "club_rules", "league_night")
LOG = (FOLDER / "evening.log.jsonl").read_text("utf-8").splitlines()


def book(name: str) -> Book:
    return load(str(FOLDER / f"{name}.rules"))


def judged(of: Book, lines: list[str]) -> list[dict[str, Any]]:
    return [o.as_dict() for o in run(of, lines)]  # type: ignore[union-attr]


# ---- table tennis


@pytest.mark.parametrize("name", BOOKS)
def test_the_books_are_clean_and_their_examples_pass(name: str) -> None:
    found = load_book(str(FOLDER / f"{name}.rules"))
    assert [d.message() for d in found.report.sorted()] == []
    results = run_examples(book(name))
    assert [(r.title, r.failures, r.diagnostics) for r in results if not r.passed] == []
    assert results or name == "club_rules"


def test_an_evening_of_table_tennis() -> None:
    """Toss, choice, faults, let, replay, correction, dispute, ruling, delay, retract, position, deuce, match."""
    header, *verdicts = json.loads(json.dumps(judged(book("table_tennis"), LOG)))
    assert header.pop("hash") == book("table_tennis").fingerprint
    expected = [json.loads(line) for line in (FOLDER / "evening.verdicts.jsonl").read_text("utf-8").splitlines()]
    for found, wanted in zip([header, *verdicts], expected, strict=True):
        assert found == wanted


def test_the_turkish_book_rules_alike() -> None:
    log = [LOG[0].replace('"table_tennis"', '"masa_tenisi"'), *LOG[1:]]
    assert judged(book("masa_tenisi"), log)[1:] == judged(book("table_tennis"), LOG)[1:]


def test_the_turkish_book_is_the_same_tree() -> None:
    english, turkish = (book(n).resolved.documents[-1] for n in ("table_tennis", "masa_tenisi"))
    assert isinstance(english, ast.Rulebook) and isinstance(turkish, ast.Rulebook)
    assert turkish.items == english.items


def test_dated_parameters_follow_the_date() -> None:
    bump = {"type": "rally", "by": "A", "moments": [{"bump": ["A", "B"]}]}
    fines = {}
    for date in (None, "2026-06-30", "2026-07-01", "2025-01-01"):
        match = book("table_tennis").start("AB", date=date)
        match.submit({"type": "position", "set": {"server": "A"}})
        fines[date] = match.submit(bump).state["fines"]["B"]
    assert fines == {None: "15 EUR", "2026-06-30": "10 EUR", "2026-07-01": "15 EUR", "2025-01-01": "10 EUR"}


def test_a_setting_and_a_reading_change_the_ruling() -> None:
    rally = {"type": "rally", "by": "A", "disturbed": True, "moments": [{"miss": ["B"]}]}
    state = {"server": "A"}
    tt = book("table_tennis")
    replayed = tt.judge(state, rally, "AB")
    counted = tt.judge(state, rally, "AB", readings={"TT-A1": "counts"})
    assert [v.name for v in replayed.void] == ["replay"] and replayed.readings == {"TT-A1": "replayed"}
    assert counted.state["points"] == {"A": 1, "B": 0} and counted.readings == {"TT-A1": "counts"}


def test_an_extending_book_replaces_fills_and_adopts() -> None:
    night = book("league_night")
    resolved = night.resolved
    assert resolved.parameters["to-win"].values[0].value == "7"
    assert resolved.statements["game-closed"].clause.id == "short-games"
    assert "the-game" not in {c.id for c, _ in resolved.clauses}
    assert resolved.statements["lights-out"].clause.book == "club_rules"
    assert resolved.statements["rally-won"].clause.book == "table_tennis"
    delay = night.judge({"server": "A"}, {"type": "delay", "by": "A"}, "AB")
    assert delay.deferred == () and delay.state["fines"] == {"A": "5 EUR", "B": "0 EUR"}
    assert [(a.name, a.clause) for a in delay.applied] == [("delay_fined", "cost_of_delay")]
    assert [(d.name, d.by) for d in delay.defeated] == [("delay_penalty", ("delay_fined",))]


def test_adopting_a_clause_takes_nothing_else_of_its_book() -> None:
    resolved = book("league_night").resolved
    assert "late-member-loses" not in resolved.statements
    assert {c.id for c, info in resolved.clauses if info.book == "club_rules"} == {"the-lights"}


def test_the_base_alone_leaves_open_what_the_extension_decides() -> None:
    verdict = book("table_tennis").judge({"server": "A"}, {"type": "delay", "by": "A"}, "AB")
    assert [(d.name, d.cells) for d in verdict.deferred] == [("delay_penalty", ("fines",))]
    assert verdict.state["fines"] is None and verdict.status == "ruled"


def test_the_scoreboard() -> None:
    match = book("table_tennis").start(["Ana", "Mira", "Zoe"])
    match.submit({"type": "position", "set": {"games": {"Mira": 1, "Zoe": 1}, "points": {"Ana": 9, "Zoe": 2}}})
    assert rows(match, "scoreboard") == [
        {"name": "Zoe", "games_won": 1, "points_won": 2},
        {"name": "Mira", "games_won": 1, "points_won": 0},
        {"name": "Ana", "games_won": 0, "points_won": 9},
    ]


def test_an_impossible_position_is_refused() -> None:
    from tefter import Malformed

    match = book("table_tennis").start("AB")
    with pytest.raises(Malformed, match="points not negative"):
        match.submit({"type": "position", "set": {"points": {"A": -1}}})


# ---- what statements mean

TINY = """# language: en
vocabulary tiny "Tiny"
entity player
entity stone: 1..5
levels match, round, turn
event tick (player: player): player ticked
event tock (player: player): player tocked
episode go (by: player, a: yes-no = false, b: yes-no = false, c: yes-no = false, d: yes-no = false,
  n: number = 0, some-stones: set of stone = {}, moments: events = {})
state x: number = 0 each match
state y: number = 0 each round
state z: number = 0 each turn
state kept: number = 7
state who: player or none = none
state tally of player: number = 0 each round
state bag: set of stone = {1} each round
state row: list of stone = {3, 1}
state purse: money = 0 EUR
finding mark
finding flaw against by
define other-one of player p = first player where (it ≠ p)
"""


class Memory:
    """Files that are not on any disk."""

    def __init__(self, **files: str) -> None:
        self.files = {f"{name}.rules": text for name, text in files.items()}

    def find(self, name: str, beside: str) -> str | None:
        return f"{name}.rules" if f"{name}.rules" in self.files else None

    def read(self, path: str) -> bytes:
        return self.files[path].encode()


def tiny(*statements: str, more: str = "") -> Book:
    """A book of one clause a statement, each with a source of its own: S-1, S-2 ..."""
    clauses = "".join(
        f'clause c{n} "C{n}"\n  source S-{n}\n' + "".join(f"  {line}\n" for line in s.strip("\n").split("\n"))
        for n, s in enumerate(statements, 1)
    )
    return load("b", Memory(b=f'# language: en\nrulebook b "B"\n  use tiny\n{clauses}', tiny=TINY + more))


def go(of: Book, state: Mapping[str, Any] = {}, **fields: Any) -> Verdict:
    """One episode, from the initial state but for `state`. Judged twice: nothing may depend on what went before."""
    line = {"type": "go", "by": "A", **fields}
    verdict = of.judge(dict(state), line, "AB")
    assert of.judge(dict(state), line, "AB") == verdict
    return verdict


def names(verdict: Verdict, what: str = "findings") -> list[str]:
    return [getattr(item, "name", None) or item.choice for item in getattr(verdict, what)]


def defeats(verdict: Verdict) -> dict[str, tuple[str, ...]]:
    return {d.name: d.by for d in verdict.defeated}


CHAIN = (
    "mark m1 when go",
    "exception e1 when a overrides m1",
    "exception e2 when b overrides e1",
    "exception e3 when c overrides e2",
)


@pytest.mark.parametrize(
    ("given", "stands", "lost"),
    [
        ("", True, {}),
        ("a", False, {"m1": ("e1",)}),
        ("ab", True, {"e1": ("e2",)}),
        ("abc", False, {"e2": ("e3",), "m1": ("e1",)}),
        ("ac", False, {"m1": ("e1",)}),
        ("bc", True, {"e2": ("e3",)}),
    ],
)
def test_what_is_overridden_returns_when_its_overrider_falls(
    given: str, stands: bool, lost: dict[str, tuple[str, ...]]
) -> None:
    verdict = go(tiny(*CHAIN), **dict.fromkeys(given, True))
    assert names(verdict) == (["m1"] if stands else [])
    assert defeats(verdict) == lost


def test_everything_that_defeated_is_listed() -> None:
    of = tiny(
        "mark m1 when go", "exception e2 when a overrides m1", "exception e1 when a overrides m1", "void v when a"
    )
    verdict = go(of, a=True)
    assert defeats(verdict) == {"m1": ("v",), "e1": ("v",), "e2": ("v",)} and names(verdict, "void") == ["v"]
    assert defeats(go(tiny("mark m1 when go", *(f"exception e{n} when a overrides m1" for n in (2, 1))), a=True)) == {
        "m1": ("e1", "e2")
    }


def test_unless_is_part_of_the_condition() -> None:
    of = tiny("mark m1 when go unless a unless b")
    assert [names(go(of, **f)) for f in ({}, {"a": True}, {"b": True})] == [["m1"], [], []]
    assert go(of, a=True).defeated == ()


def test_in_a_condition_a_name_or_kind_means_that_it_stands() -> None:
    of = tiny(
        "mark m1 when a", "exception e when b overrides m1", "flaw f1 when m1", "flaw f2 when some mark",
        "flaw f3 when mark", "flaw f4 when no mark and a", "flaw f5 when e",
    )  # fmt: skip
    assert names(go(of, a=True)) == ["f1", "f2", "f3", "m1"]
    assert names(go(of, a=True, b=True)) == ["f4", "f5"]


def test_another_of_a_kind_is_not_oneself() -> None:
    of = tiny("flaw f1 when a", "flaw f2 when b and some other flaw")
    assert [names(go(of, **f)) for f in ({"b": True}, {"a": True, "b": True})] == [[], ["f1", "f2"]]


@pytest.mark.parametrize(("count", "held"), [("at least 2", [1, 0]), ("at most 1", [0, 1]), ("exactly 2", [1, 0])])
def test_findings_of_a_kind_can_be_counted(count: str, held: list[int]) -> None:
    of = tiny("flaw f1 when a", "flaw f2 when b", f"mark m when {count} flaw")
    both, one = go(of, a=True, b=True), go(of, a=True)
    assert [names(both).count("m"), names(one).count("m")] == held


def test_targets_may_be_a_clause_or_every_one_of_a_kind() -> None:
    of = tiny(
        "flaw f1 when go\nchange x1 when go:\n  x becomes 1", "flaw f2 when go",
        "exception whole when a overrides clause c1", "flaw f3 when b overrides every flaw",
    )  # fmt: skip
    assert defeats(go(of, a=True)) == {"f1": ("whole",), "x1": ("whole",)}
    assert go(of, a=True).state["x"] == 0
    assert names(go(of, b=True)) == ["f3"], "a statement does not override itself"


def test_a_void_defeats_all_that_it_does_not_keep_and_makes_its_own_changes() -> None:
    more = "change every-go when go:\n  x increases by 1\n"
    of = tiny(
        "flaw f1 when go", "flaw f2 when go", "mark m when go",
        "choice ask for by when go\n  option one\n    y becomes 1\n  option two\n    y becomes 2",
        "void again when a keeps f1, clause c3:\n  kept becomes 8", more=more,
    )  # fmt: skip
    verdict = go(of, a=True)
    assert names(verdict) == ["f1", "m"]
    assert defeats(verdict) == dict.fromkeys(("ask", "every_go", "f2"), ("again",))
    assert verdict.choices == () and (verdict.state["x"], verdict.state["kept"]) == (0, 8)
    assert names(verdict, "applied") == ["again"]


def test_voids_do_not_defeat_each_other_and_can_be_overridden() -> None:
    of = tiny("mark m when go", "void v1 when a", "void v2 when b")
    kept = tiny("mark m when go", "void v1 when a keeps e", "exception e when c overrides v1")
    assert names(go(of, a=True, b=True), "void") == ["v1", "v2"]
    assert names(go(kept, a=True, c=True)) == ["m"] and go(kept, a=True, c=True).void == ()


# ---- changes

ORDERS = list(itertools.permutations(range(3)))


@pytest.mark.parametrize("order", ORDERS)
def test_a_conflict_cites_all_parties_in_a_fixed_order_and_changes_nothing(order: tuple[int, ...]) -> None:
    statements = (
        "change c1 when a:\n  x becomes 1; y becomes 5",
        "change c2 when a:\n  x becomes 2",
        "change c3 when a:\n  x becomes 1",
    )
    clauses = [
        f'clause k{n} "K"\n  source S-{n}\n  ' + s.replace("\n", "\n  ") + "\n" for n, s in enumerate(statements)
    ]
    text = '# language: en\nrulebook b "B"\n  use tiny\n' + "".join(clauses[i] for i in order)
    verdict = go(load("b", Memory(b=text, tiny=TINY)), {"x": 9}, a=True)
    assert verdict.status == "conflict"
    (problem,) = verdict.problems
    assert (problem.code, problem.statements) == ("conflict", ("c1", "c2", "c3"))
    assert problem.sources == ("S-0", "S-1", "S-2")
    assert (verdict.state["x"], verdict.state["y"]) == (9, 0)


def test_a_conflict_undoes_also_what_was_prepared() -> None:
    of = tiny(
        "change c1 when a:\n  x becomes 1", "change c2 when a:\n  x becomes 2", "prepare p when go:\n  kept becomes 0"
    )
    assert go(of, a=True).state["kept"] == 7
    assert go(of).state["kept"] == 0


def test_conflicts_are_looked_for_only_among_what_stands() -> None:
    of = tiny("change c1 when a:\n  x becomes 1", "change c2 when a overrides c1:\n  x becomes 2")
    assert (go(of, a=True).status, go(of, a=True).state["x"]) == ("ruled", 2)


def test_equal_values_merge_and_every_clause_is_cited() -> None:
    verdict = go(tiny("change c1 when a:\n  x becomes 1", "change c2 when a:\n  x becomes 1"), a=True)
    assert (verdict.status, verdict.state["x"]) == ("ruled", 1)
    assert [(a.name, a.sources) for a in verdict.applied] == [("c1", ("S-1",)), ("c2", ("S-2",))]


def test_a_define_may_not_have_two_values() -> None:
    of = tiny(
        "define d\n  when a: 1\n  when b: 2\n  when c: 1\n  otherwise: 0", "mark m when d = 1", "mark o when d = 0"
    )
    assert names(go(of, a=True)) == names(go(of, a=True, c=True)) == ["m"]
    assert names(go(of)) == ["o"]
    both = go(of, a=True, b=True)
    assert both.status == "conflict" and both.findings == ()


def test_increments_and_memberships_commute() -> None:
    of = tiny(
        "change c1 when a:\n  x increases by 2; bag gains {2}; tally[by] increases by 1",
        "change c2 when a:\n  x increases by 2; bag loses {1}; tally[other-one(by)] increases by 1",
        "change c3 when b:\n  x increases by n; bag gains {2, 3}; tally[by] increases by 1",
    )
    verdict = go(of, a=True, b=True, n=-1)
    assert verdict.status == "ruled"
    assert (verdict.state["x"], verdict.state["bag"], verdict.state["tally"]) == (3, ["2", "3"], {"A": 2, "B": 1})


@pytest.mark.parametrize(
    ("first", "second", "clash"),
    [
        ("bag gains {2}", "bag loses {2}", True),
        ("bag gains {2}", "bag loses {3}", False),
        ("bag gains {2}", "bag becomes {2}", True),
        ("x increases by 1", "x becomes 1", True),
        ("x increases by 1", "x becomes x + 1", True),
        ("tally[A] becomes 1", "tally[B] becomes 2", False),
        ("tally[by] becomes 1", "tally[other-one(other-one(by))] becomes 2", True),
        ("tally[by] becomes 1", "tally[by] increases by 1", True),
        ("x becomes y", "y becomes x", False),
    ],
)
def test_what_clashes(first: str, second: str, clash: bool) -> None:
    first, second = (t.replace("[A]", "[by]").replace("[B]", "[other-one(by)]") for t in (first, second))
    verdict = go(tiny(f"change c1 when go:\n  {first}", f"change c2 when go:\n  {second}"))
    assert (verdict.status == "conflict") is clash
    if clash:
        assert [p.statements for p in verdict.problems] == [("c1", "c2")]


def test_changes_read_the_state_before() -> None:
    of = tiny("change c1 when go:\n  x becomes y; y becomes x", "mark m when x = 1")
    verdict = go(of, {"x": 1, "y": 2})
    assert (verdict.state["x"], verdict.state["y"], names(verdict)) == (2, 1, ["m"])


def test_money_adds_up_and_a_list_keeps_its_order() -> None:
    of = tiny(
        "change c2 when go:\n  purse increases by 5 EUR; row gains {2}",
        "change c1 when go:\n  purse increases by 10 EUR; row gains {5, 4}; row loses {3}",
    )
    assert go(of).state["purse"] == "15 EUR"
    assert go(of).state["row"] == ["1", "5", "4", "2"], "by the name of the statement, never by its place"
    assert go(of, {"row": ["2", "3"]}).state["row"] == ["2", "5", "4", "2"]
    assert names(go(tiny("mark m when row = {3, 1}", "mark o when row = {1, 3}"))) == ["m"]


@pytest.mark.parametrize(
    ("acts", "after"),
    [
        ("round restarts", {"x": 5, "y": 0, "z": 0, "kept": 5, "tally": {"A": 0, "B": 0}}),
        ("turn restarts", {"x": 5, "y": 5, "z": 0, "kept": 5, "tally": {"A": 5, "B": 5}}),
        ("match restarts", {"x": 0, "y": 0, "z": 0, "kept": 5, "tally": {"A": 0, "B": 0}}),
        ("round restarts; y becomes 3", {"y": 3, "z": 0}),
        ("y becomes 3; round restarts; z increases by 1", {"y": 3, "z": 6}),
        ("round restarts; tally[by] becomes 3", {"tally": {"A": 3, "B": 0}}),
        ("round restarts; turn restarts", {"y": 0, "z": 0}),
    ],
)
def test_restarting_a_level_restarts_those_inside_it_and_yields_to_explicit_changes(
    acts: str, after: dict[str, Any]
) -> None:
    five = {"x": 5, "y": 5, "z": 5, "kept": 5, "tally": {"A": 5, "B": 5}}
    verdict = go(tiny(f"change c1 when go:\n  {acts}"), five)
    assert {cell: verdict.state[cell] for cell in after} == after


def test_for_every_makes_one_finding_or_change_a_member() -> None:
    of = tiny(
        "for every player as p: flaw f against p when p ticked",
        "for every player as p: change c when p ticked:\n  tally[p] increases by 2",
    )
    verdict = go(of, moments=[{"tick": ["B"]}, {"tick": ["A"]}, {"tick": ["A"]}])
    assert [(f.against, f.about) for f in verdict.findings] == [("A", "A"), ("B", "B")]
    assert verdict.state["tally"] == {"A": 2, "B": 2}
    assert names(go(of, moments=[{"tick": ["B"]}])) == ["f"]


def test_for_says_for_and_against_says_against() -> None:
    verdict = go(
        tiny("mark m1 for by when a", "mark m2 against by when a", "mark m3 when a", "flaw f for other-one(by) when a"),
        a=True,
    )
    assert [(f.name, f.against, f.whom) for f in verdict.findings] == [
        ("f", None, "B"), ("m1", None, "A"), ("m2", "A", None), ("m3", None, None)
    ]  # fmt: skip


# ---- decisions

ASK = """
choice ask for other-one(by) when a
  option one
    x becomes 1
  option two when b
    x becomes 2; who becomes by
"""


def test_an_open_choice_is_decided_by_the_one_who_may() -> None:
    match = tiny(ASK, "change c when go:\n  y increases by 1").start("AB")
    offered = match.submit({"type": "go", "by": "A", "a": True, "b": True})
    assert [(c.choice, c.whom, c.options) for c in offered.choices] == [("ask", "B", ("one", "two"))]
    assert (offered.state["x"], offered.state["y"]) == (0, 1), "the cells that it will set keep their value"
    refusals = [
        ({"type": "go", "by": "A"}, "decision-due"),
        ({"type": "choice", "by": "A", "choice": "ask", "option": "one"}, "wrong-player"),
        ({"type": "choice", "by": "B", "choice": "ask", "option": "three"}, "no-such-option"),
        ({"type": "choice", "by": "B", "choice": "other", "option": "one"}, "not-due"),
    ]
    for line, code in refusals:
        verdict = match.submit(line)
        assert (verdict.status, verdict.problems[0].code) == ("refused", code)
        assert verdict.state == offered.state
    done = match.submit({"type": "choice", "by": "B", "choice": "ask", "option": "two"})
    assert [(a.name, a.option, a.cells) for a in done.applied] == [("ask", "two", ("who", "x"))]
    assert (done.state["x"], done.state["who"], match.choices) == (2, "A", ())
    again = match.submit({"type": "choice", "by": "B", "choice": "ask", "option": "two"})
    assert again.problems[0].code == "not-due"


def test_an_option_whose_condition_is_false_is_not_offered() -> None:
    match = tiny(ASK).start("AB")
    assert match.submit({"type": "go", "by": "A", "a": True}).choices[0].options == ("one",)
    refused = match.submit({"type": "choice", "by": "B", "choice": "ask", "option": "two"})
    assert refused.problems[0].code == "no-such-option"


def test_an_official_may_rule_on_a_choice() -> None:
    match = tiny(ASK).start("AB")
    match.submit({"type": "go", "by": "A", "a": True})
    assert match.submit({"type": "ruling", "on": "ask", "option": "one"}).state["x"] == 1


def test_a_choice_of_every_member_is_one_decision_each() -> None:
    match = tiny(
        "choice each-one for by of every stone as s where (s in some-stones) when a\n"
        "  option out\n    bag gains {s}\n  option stay"
    ).start("AB")
    verdict = match.submit({"type": "go", "by": "A", "a": True, "some_stones": ["4", "2"]})
    assert [c.about for c in verdict.choices] == ["2", "4"]
    which = match.submit({"type": "choice", "by": "A", "choice": "each_one", "option": "out"})
    assert which.problems[0].code == "which"
    match.submit({"type": "choice", "by": "A", "choice": "each_one", "about": "4", "option": "out"})
    assert [c.about for c in match.choices] == ["2"]
    done = match.submit({"type": "choice", "by": "A", "choice": "each_one", "about": "2", "option": "stay"})
    assert done.state["bag"] == ["1", "4"] and match.choices == ()


def test_a_reserved_cell_may_not_be_set_and_decisions_may_not_share_one() -> None:
    other = "choice second for by when b\n  option one\n    {cell} becomes 3\n  option two\n    {cell} becomes 4"
    assert go(tiny(ASK, "change c when go:\n  x becomes 8"), a=True).problems[0].statements == ("ask", "c")
    shared = go(tiny(ASK, other.format(cell="x")), a=True, b=True)
    assert shared.status == "conflict" and shared.problems[0].statements == ("ask", "second") and shared.state["x"] == 0
    apart = go(tiny(ASK, other.format(cell="y")), a=True, b=True)
    assert apart.status == "ruled" and [c.choice for c in apart.choices] == ["ask", "second"]


def test_a_level_that_restarts_leaves_a_reserved_cell_alone() -> None:
    ask = "choice ask for by when a\n  option one\n    y becomes 1\n  option two\n    y becomes 2"
    verdict = go(tiny(ask, "change c when a:\n  round restarts"), {"y": 5, "tally": {"A": 5}}, a=True)
    assert verdict.status == "ruled"
    assert (verdict.state["y"], verdict.state["tally"]["A"]) == (5, 0)


# ---- silence, deferral, the unknown

SILENT = "silent gap when a\n  option one\n    x becomes 1; tally[by] becomes 4\n  option two\n    x becomes 2"


def test_silence_makes_only_its_cells_wait_and_play_goes_on() -> None:
    match = tiny(SILENT, "change c when go:\n  y increases by 1", "mark m when x = 1", "mark o when x = 1 or b").start(
        "AB"
    )
    first = match.submit({"type": "go", "by": "A", "a": True})
    assert (first.status, first.undecided[0].whom, first.undecided[0].options) == (
        "undecided",
        "official",
        ("one", "two"),
    )
    assert (first.state["x"], first.state["y"], first.state["tally"]) == (None, 1, {"A": None, "B": 0})
    second = match.submit({"type": "go", "by": "B", "b": True})
    assert second.status == "ruled" and second.state["y"] == 2 and names(second) == ["o"]
    assert [(n.name, n.needs) for n in second.not_judged] == [("m", ("x",))]
    assert match.submit({"type": "choice", "by": "A", "choice": "gap", "option": "one"}).problems[0].code == "not-due"
    ruled = match.submit({"type": "ruling", "on": "gap", "option": "one"})
    assert (ruled.state["x"], ruled.state["tally"]["A"]) == (1, 4)
    third = match.submit({"type": "go", "by": "B"})
    assert names(third) == ["m", "o"] and third.not_judged == ()


def test_a_cell_that_waits_for_a_ruling_may_not_be_set() -> None:
    match = tiny(SILENT, "change c when b:\n  x becomes 8").start("AB")
    match.submit({"type": "go", "by": "A", "a": True})
    verdict = match.submit({"type": "go", "by": "A", "b": True})
    assert verdict.status == "conflict" and verdict.problems[0].statements == ("c", "gap")


def test_without_officials_the_first_ruling_is_taken_and_marked() -> None:
    lines = ['{"type":"start","players":["A","B"]}', '{"type":"go","by":"A","a":true}']
    _, verdict = run(tiny(SILENT), lines, Options(silent_first=True))
    assert isinstance(verdict, Verdict)
    assert (verdict.status, verdict.undecided[0].ruled, verdict.state["x"]) == ("ruled", "one", 1)


def test_what_is_deferred_is_unknown_not_false() -> None:
    more = tiny(
        "deferred later when a decides x, who",
        "mark m when x = 0",
        "mark n when not x = 0",
        "mark o when who = none or go",
        "change c when go:\n  y becomes x + 1",
    )
    match = more.start("AB")
    first = match.submit({"type": "go", "by": "A", "a": True})
    assert [(d.name, d.cells, d.sources) for d in first.deferred] == [("later", ("x", "who"), ("S-1",))]
    assert names(first) == ["m", "o"] and first.state["y"] == 1, "conditions read the state before"
    second = match.submit({"type": "go", "by": "A"})
    assert names(second) == ["o"]
    assert [(n.name, n.needs) for n in second.not_judged] == [("m", ("x",)), ("n", ("x",))]
    assert second.state["y"] is None


def test_known_asks_whether_a_cell_is_known() -> None:
    of = tiny("mark m when known(x)", "mark n when not known(x)")
    assert [names(go(of, {"x": value})) for value in (0, None)] == [["m"], ["n"]]


# ---- observation

WATCH = (
    "flaw f when by ticked", "mark none-ticked when no player ticked", "mark sure when a or no player ticked",
    "mark tock-only when by tocked", "change c when b and no player ticked:\n  x becomes 1",
)  # fmt: skip


def watched(observes: list[str] | None, strict: bool = False, **fields: Any) -> Verdict:
    match = tiny(*WATCH).start("AB", observes=observes, strict=strict)
    return match.submit({"type": "go", "by": "A", **fields})


def test_by_default_everything_is_observed() -> None:
    verdict = watched(None, moments=[{"tock": ["A"]}])
    assert names(verdict) == ["none_ticked", "sure", "tock_only"]
    assert verdict.assumes == () and verdict.not_judged == ()


def test_what_is_not_observed_counts_as_none_on_assumption() -> None:
    verdict = watched(["tock"], moments=[{"tock": ["A"]}])
    assert names(verdict) == ["none_ticked", "sure", "tock_only"]
    assert verdict.assumes == ("tick",)
    assert [(n.name, n.needs) for n in verdict.not_judged] == [("f", ("tick",))]


def test_an_assumption_that_makes_no_difference_is_not_one() -> None:
    of = tiny(WATCH[2], WATCH[3])
    match = of.start("AB", observes=["tock"])
    assert match.submit({"type": "go", "by": "A", "a": True}).assumes == ()
    assert match.submit({"type": "go", "by": "A"}).assumes == ("tick",)


def test_a_kind_that_was_reported_all_the_same_is_not_assumed() -> None:
    verdict = watched(["tock"], moments=[{"tick": ["A"]}])
    assert names(verdict) == ["f"] and verdict.assumes == ()


def test_strict_leaves_undecided_what_rests_on_an_assumption() -> None:
    verdict = watched(["tock"], strict=True, b=True)
    assert (verdict.status, verdict.assumes, verdict.state["x"]) == ("undecided", ("tick",), 0)
    assert watched(["tock"], b=True).state["x"] == 1
    certain = watched(["tick"], strict=True, b=True)
    assert (certain.status, certain.state["x"]) == ("ruled", 1)


# ---- order


def test_the_order_of_statements_decides_nothing() -> None:
    statements = [
        *CHAIN,
        *WATCH[:4],
        ASK.replace("when a", "when d"),
        SILENT.replace("x becomes", "z becomes"),
        "void v when n = 3",
    ]
    books = [tiny(*statements), tiny(*reversed(statements))]
    for given in itertools.product((False, True), repeat=4):
        fields = dict(zip("abcd", given, strict=True))
        for n in (0, 3):
            one, two = (go(b, **fields, n=n) for b in books)
            assert meaning(one) == meaning(two)


def meaning(verdict: Verdict) -> dict[str, Any]:
    """A verdict without its citations: clauses are numbered by place."""

    def bare(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: bare(v) for k, v in value.items() if k not in ("clause", "sources", "label")}
        return [bare(v) for v in value] if isinstance(value, list | tuple) else value

    return bare(verdict.as_dict())  # type: ignore[no-any-return]
