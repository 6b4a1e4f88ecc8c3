"""The mutation run: it tells what examples notice from what they do not, and the shipped book survives nothing unexplained."""

import os
from pathlib import Path

import pytest
from mutation import Subject, killer, mutants, reasons, run, subject

SHIPPED = ("osmica",)
MOST_SURVIVE = 0.03  # of all mutants

VOCABULARY = """\
# language: en
vocabulary gate "A gate"

entity guest
levels day
episode arrival (by: guest, age: number = 0, ticket: yes-no = true)
state inside: set of guest = {} each day
state refusals: number = 0 each day
finding refusal against by
"""

BOOK = """\
# language: en
rulebook entrance "Entrance"
  use gate
  authoritative en

part "All"
  clause entry "Entry"
    source E-1
    | Only who has a ticket and is old enough may enter.
    parameter least-age = 18
    setting strict: yes-no = true
    reading E-A1 = turned-away among turned-away, warned
      | Turned away.
    define grown-up = age >= least-age
    refusal too-young when arrival and strict and not grown-up
    refusal no-ticket when arrival and not ticket unless not strict
    change enters when arrival and no refusal:
      inside gains {by}
    change counted when arrival and some refusal and E-A1 = turned-away:
      refusals increases by 1
    example "seventeen"
      happens arrival by=A age=17
      expect refusal too-young; inside = {}; refusals = 1
    example "eighteen"
      happens arrival by=A age=18
      expect no refusal; inside = {A}; refusals = 0
"""

KILLED = (
    "entry/too-young/delete",
    "entry/too-young/negate@strict",
    "entry/too-young/drop@not grown-up",
    "entry/grown-up/negate@age >= least-age",
    "entry/least-age/value@19",
    "entry/least-age/value@17",
    "entry/strict/default@false",
    "entry/E-A1/default@warned",
    "entry/enters/delete@inside gains {by}",
    "entry/no-ticket/negate@not ticket",
)
UNNOTICED = (
    "entry/no-ticket/delete",
    "entry/no-ticket/drop@unless not strict",
    "entry/too-young/drop@strict",
    "entry/too-young/drop@arrival",
    "entry/counted/drop@E-A1 = turned-away",
)


@pytest.fixture
def entrance(tmp_path: Path) -> Subject:
    (tmp_path / "gate.rules").write_text(VOCABULARY, "utf-8")
    (tmp_path / "entrance.rules").write_text(BOOK, "utf-8")
    return subject(str(tmp_path / "entrance.rules"))


def test_a_killed_and_a_surviving_mutant_are_told_apart(entrance: Subject) -> None:
    by_id = {mutant.id: mutant for mutant in mutants(entrance.book)}
    assert len(by_id) == len(mutants(entrance.book)), "two mutants have one id"
    assert {name: bool(killer(entrance, by_id[name])) for name in (*KILLED, *UNNOTICED)} == {
        **dict.fromkeys(KILLED, True),
        **dict.fromkeys(UNNOTICED, False),
    }


def test_a_mutant_tells_what_killed_it(entrance: Subject) -> None:
    by_id = {mutant.id: mutant for mutant in mutants(entrance.book)}
    assert killer(entrance, by_id["entry/least-age/value@17"]) == "example: entry: seventeen"
    assert killer(entrance, by_id["entry/too-young/delete"]).startswith("unreadable example")


def test_processes_give_the_same_results_in_order(entrance: Subject) -> None:
    todo = mutants(entrance.book)
    results = run(entrance, todo, jobs=2)
    assert [result.id for result in results] == [mutant.id for mutant in todo]
    assert [result.by for result in results] == [killer(entrance, mutant) for mutant in todo]


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_the_examples_of_a_shipped_book_notice_every_change(name: str) -> None:
    made = subject(name)
    todo = mutants(made.book)
    survivors = {result.id for result in run(made, todo, jobs=os.cpu_count() or 1) if not result.by}
    known = reasons(name)
    print(f"{len(todo)} mutants, {len(survivors)} survive")
    assert sorted(survivors - known.keys()) == [], "write an example that notices these"
    assert sorted(known.keys() - survivors) == [], "listed in mutation_survivors.toml, but killed or gone"
    assert len(survivors) <= MOST_SURVIVE * len(todo)
