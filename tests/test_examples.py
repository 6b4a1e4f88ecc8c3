"""The examples of a book: every form of `given`, `happens` and `expect`, met and not met."""

from pathlib import Path

import pytest

from tefter import Book, load
from tefter.interpreter.examples import MARKS, ExampleResult, covered, run_examples

VOCABULARY = """\
# language: en
vocabulary library "Lending"

entity reader
entity official: official
entity book: atlas, novel, 1..4
entity shelf: red, green "g"
levels season, call

event taken (book: book, shelf: shelf): book taken-from shelf
event noise {by: reader, loud "how_loud": number = 1} alone
event side-by-side "beside" pair of book: a beside b
episode call (by: reader, card: {shelf: shelf, paid: yes-no = false} or none = none, late: yes-no = false, \
wish: list of book = {}, tied: pairs of book = {}, tip: money = 0 RSD, moments: events = {})
episode amend (n: number, really-late "late": yes-no) corrects late really-late

state turn: reader or none = none each season
state mood: {calm, angry} = calm each season
state home of reader: shelf or none = none each season
state away: set of book = {} each season
state queue: list of book = {} each season
state calls of reader: number = 0 each season
state closed: yes-no = false each season
state debt: yes-no or none = none each season

finding reproach against by
finding praise for by
finding remark

define other-reader of reader r = first reader where (it ≠ r)

change count-call when call:
  calls[by] increases by 1
change lend when call and some taken:
  away gains all book where (it taken-from)
change queued when call and size(wish) > 0:
  queue becomes wish

require open-house for call: not closed
require one-heavy-book for position: not (atlas in away and novel in away)
"""

BOOK = """\
# language: en
rulebook house "House rules"
  use library
  authoritative en
  edition "1" after 2026-01-01

part "Calls"
  clause lateness "Being late" label "1"
    source H-1
    | Who comes late is reproached, and may take {limit}.
    parameter limit = 2 book
    setting strict-house: yes-no = false
    reading H-A1 = kind among kind, harsh
      | Kind.
    reproach late-call when call and late and (strict-house or not by = turn)
    praise tipped when call and tip > 100 RSD
    exception host when call and mood = calm and by = turn overrides late-call
    void alarm when call and some noise
    silent novel-gone when novel taken-from
      option keep
        debt becomes false
      option give-back
        debt becomes true
    deferred red-shelf when atlas taken-from (red) decides turn
    choice apology for other-reader(by) when late-call
      option accept
        mood becomes calm
      option refuse when H-A1 = harsh
        mood becomes angry
    remark pair-of-books when some side-by-side
    for every book as b where (b taken-from (green)): remark from-green
    change angry-one when call and mood = angry and atlas taken-from:
      debt becomes true
    change angry-two when call and mood = angry and atlas taken-from:
      debt becomes false
"""

LATE = "happens call by=A late=true"
GONE = "happens call by=B: taken novel green; taken atlas red"


def house(tmp_path: Path, *steps: str) -> Book:
    """The book with one example of these steps."""
    lines = "".join(f"      {step}\n" for step in steps)
    (tmp_path / "library.rules").write_text(VOCABULARY, "utf-8")
    (tmp_path / "house.rules").write_text(f'{BOOK}    example "it"\n{lines}', "utf-8")
    return load(str(tmp_path / "house.rules"))


def outcome(tmp_path: Path, *steps: str) -> ExampleResult:
    (result,) = run_examples(house(tmp_path, *steps))
    return result


MET = {
    "a finding": (LATE, "expect reproach late-call; reproach late-call (A); reproach; some reproach; late-call"),
    "no finding": (LATE, "expect no remark; not praise; no praise tipped; not reproach late-call (B)"),
    "a choice": (LATE, "expect offered apology; offered apology (accept); not offered apology (accept, refuse)"),
    "an applied change": (LATE, "expect applied count-call; not applied lend; ruled"),
    "cells": (LATE, "expect calls[A] = 1; turn = none; home[A] ≠ red; not closed; calls[A] + calls[B] = 1"),
    "and, or": (LATE, "expect not known(turn) or mood = calm; mood = calm and not closed"),
    "a choice by whom it waits for": (
        *(LATE, "happens choice apology option accept"),
        "expect applied apology (accept); not offered apology; mood = calm",
    ),
    "a reading, a wrong chooser": (
        *("given reading H-A1 = harsh", LATE, "happens choice apology option refuse for A"),
        *("expect refused; refused wrong-player", "happens choice apology option refuse for B", "expect mood = angry"),
    ),
    "givens of every form": (
        "given turn = A; setting strict-house = true; home[A] = green; home[B] = red; away = {1..3}; queue = {4, 1..2}",
        "expect away = {1, 2, 3}; home[A] = green; queue = {4, 1, 2}; queue ≠ {1, 2, 4}; ruled",
        LATE,
        "expect no reproach; defeated late-call; defeated late-call (host); 2 in away; not 4 in away; 4 not in away",
    ),
    "an unknown cell": ("given turn = unknown; debt = none", "expect turn = unknown; debt ≠ unknown; debt = none"),
    "a void": (
        *("happens call by=A: taken 1 red; noise by=A loud=3", "expect voided alarm; away = {}"),
        "expect defeated lend (alarm)",
    ),
    "silence and what is left open": (
        GONE,
        "expect undecided; undecided novel-gone; undecided novel-gone (keep, give-back); left-open red-shelf (turn)",
        "expect turn = unknown; debt = unknown; remark from-green (novel); away = {atlas, novel}",
    ),
    "a ruling": (GONE, "happens silent novel-gone option keep", "expect debt = false; no undecided"),
    "a conflict": (
        *("given mood = angry", "happens call by=A: taken atlas green"),
        "expect conflict; conflict angry-one; debt = none; not ruled",
    ),
    "a refusal": ("given closed = true", "happens call by=A", "expect refused; refused open-house; no reproach"),
    "lists, records, pairs, money": (
        "happens call by=A card={shelf=green, paid=true} wish={3, 1} tied={{1, 2}} tip=500 RSD: "
        "side-by-side 1 2; taken 1 shelf=green",
        "expect queue = {3, 1}; remark pair-of-books; praise tipped (A)",
    ),
    "a correction": (
        *("happens call by=A late=false", "happens call by=B", "happens amend n=2 really-late=true"),
        "expect reproach late-call",
    ),
    "later givens": (
        *("given home[A] = red", "happens call by=A", "given mood = angry; home[B] = green", "happens call by=A"),
        "expect calls[A] = 2; home[A] = red; home[B] = green; mood = angry",
    ),
    "an event alone": ("happens noise by=B loud=2", "expect ruled; calls[B] = 0"),
    "a third player": ("given home[C] = red", "happens call by=C", "expect calls[C] = 1; home[C] = red"),
}


@pytest.mark.parametrize("steps", MET.values(), ids=MET.keys())
def test_what_is_so_passes(tmp_path: Path, steps: tuple[str, ...]) -> None:
    result = outcome(tmp_path, *steps)
    assert result.failures == () and [d.message() for d in result.diagnostics] == []
    assert result.passed and (result.clause, result.title) == ("lateness", "it")


@pytest.mark.parametrize(
    ("steps", "failure"),
    [
        (("happens call by=A", "expect reproach late-call"), "late-call, but nothing is there under `reproach`"),
        ((LATE, "expect no reproach"), "no reproach, but reproach: late-call (A)"),
        ((LATE, "expect reproach late-call (B)"), "reproach late-call (B), but reproach: late-call (A)"),
        ((LATE, "expect offered apology (accept, refuse)"), "(accept, refuse), but offered: apology (accept)"),
        ((LATE, "expect calls[A] = 7"), "calls[A] = 7, but calls[A] is 1"),
        ((LATE, "expect 1 in away"), "1 in away, but away is {}"),
        ((LATE, "expect turn ≠ none"), "turn ≠ none, but turn is none"),
        ((LATE, "expect mood = unknown"), "mood = unknown, but mood is calm"),
        ((LATE, "expect closed"), "closed, but that is not so"),
        (("given queue = {1, 2}", "expect queue = {2, 1}"), "queue = {2, 1}, but queue is {1, 2}"),
        ((GONE, "expect turn = A"), "turn = A, but turn is unknown"),
        ((GONE, "expect turn ≠ A"), "turn ≠ A, but turn is unknown"),
        ((GONE, "expect undecided novel-gone (keep)"), "but undecided: novel-gone (keep, give-back)"),
        (("given closed = true", LATE, "expect reproach late-call"), "but the verdict is refused (open house)"),
        ((LATE, "expect refused"), "expected refused, but the verdict is ruled"),
        ((LATE, "happens call by=B", "expect ruled"), "after step 2: expected ruled, but the verdict is refused"),
        (("happens call late=true", "expect ruled"), "step 1 cannot be submitted: `call` needs `by`"),
        (("given away = {atlas, novel}", "happens call by=A"), "step 0 cannot be submitted: the position"),
    ],
)  # fmt: skip
def test_what_is_not_so_fails_and_says_how_it_is(tmp_path: Path, steps: tuple[str, ...], failure: str) -> None:
    result = outcome(tmp_path, *steps)
    assert not result.passed and len(result.failures) == 1
    assert failure in result.failures[0]


@pytest.mark.parametrize(
    ("step", "code", "message"),
    [
        ("expect reproach late-cal", "R0270", "`late-cal` cannot be expected here"),
        ("expect scolding late-call", "R0270", "`scolding` cannot be expected here"),
        ("expect praise late-call", "R0270", "`late-call` cannot be expected here"),
        ("expect not offered late-call", "R0270", "`late-call` cannot be expected here"),
        ("expect offered apology (acept)", "R0270", "`acept` cannot be expected here"),
        ("expect refused one-heavy-boook", "R0270", "`one-heavy-boook` cannot be expected here"),
        ("expect moood = none", "R0201", "nothing is called `moood`"),
        ("expect mood = D", "R0222", "`=` cannot join"),
        ("given moood = calm", "R0215", "there is no state cell `moood`"),
        ("given home = red", "R0206", "`home` has a value for each `reader`"),
        ("given away = {7}", "R0204", "`7` is no member of `book`"),
        ("given reading H-A1 = mild", "R0233", "`mild` is not among the alternatives: kind, harsh"),
        ("given setting strict = true", "R0201", "nothing is called `strict`"),
        ("happens cal by=A", "R0214", "there is no episode `cal`"),
        ("happens call by=A layt=true", "R0205", "`call` has no field `layt`"),
        ("happens call by=A: takn 1 red", "R0201", "nothing is called `takn`"),
        ("happens call by=A: taken 7 red", "R0204", "`7` is no member of `book`"),
        ("happens choice apologie option accept", "R0203", "there is no statement or clause `apologie`"),
    ],
)  # fmt: skip
def test_names_that_mean_nothing_are_diagnostics(tmp_path: Path, step: str, code: str, message: str) -> None:
    result = outcome(tmp_path, step)
    assert not result.passed and result.failures == ()
    assert [d.code for d in result.diagnostics] == [code]
    assert message in result.diagnostics[0].message()


def test_coverage_tells_how_every_statement_fared(tmp_path: Path) -> None:
    book = house(tmp_path, "given turn = A", LATE, "expect ruled")
    told = covered(book, run_examples(book, coverage=True))
    shown = {name: {mark for mark in MARKS if marks[mark]} for name, marks in told.items()}
    assert shown.keys() == book.resolved.statements.keys()
    assert shown["host"] == {"held", "stood"}
    assert shown["late-call"] == {"not-held"}, "not strict: the host is not late"
    assert told["host"]["stood"] == ("lateness: it",)
    strict = house(tmp_path, "given turn = A; setting strict-house = true", LATE)
    assert {m for m in MARKS if covered(strict, run_examples(strict, True))["late-call"][m]} == {"held", "defeated"}
    assert run_examples(strict)[0].marks == {}, "without coverage nothing is noted"


def test_verdicts_of_an_example_are_kept(tmp_path: Path) -> None:
    result = outcome(tmp_path, LATE, "happens choice apology option accept")
    assert [v.status for v in result.verdicts] == ["ruled", "ruled"] and result.passed


def test_only_the_books_own_examples_run(tmp_path: Path) -> None:
    house(tmp_path, LATE)
    extended = '# language: en\nrulebook more "More"\n  extends house\n\nclause x "X"\n  informative\n'
    (tmp_path / "more.rules").write_text(extended, "utf-8")
    assert run_examples(load(str(tmp_path / "more.rules"))) == []
