"""The shared cases, judged in this process by the public library; `cases/run.py` runs them through a command."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from tefter import Book, Verdict, load
from tefter.interpreter.log import run

CASES = Path(__file__).parent / "cases"
SHIPPED = ("osmica",)  # the books of the cases that are shipped so far

spec = importlib.util.spec_from_file_location("shared_cases_run", CASES / "run.py")
assert spec is not None and spec.loader is not None
runner = importlib.util.module_from_spec(spec)
spec.loader.exec_module(runner)


def shipped_cases() -> list[dict[str, Any]]:
    cases = [json.loads(line) for line in (CASES / "cases.jsonl").read_text("utf-8").splitlines()]
    return [case for case in cases if case["book"] in SHIPPED]


@pytest.fixture(scope="module")
def books() -> dict[str, Book]:
    return {name: load(name) for name in SHIPPED}


def last_verdict(book: Book, log: list[dict[str, Any]]) -> Verdict:
    """The verdict on the last line of a log."""
    start, *lines = log
    match = book.start(start["players"], start.get("settings"), start.get("readings"), start.get("observes"))
    return [match.submit(line) for line in lines][-1]


@pytest.mark.parametrize("case", shipped_cases(), ids=lambda case: case["id"])
def test_case(case: dict[str, Any], books: dict[str, Book]) -> None:
    verdict = last_verdict(books[case["book"]], case["log"]).as_dict()
    assert runner.differences(case["expect"], verdict) == [], case["title"]


def test_every_case_of_the_serbian_game_runs() -> None:
    assert len([case for case in shipped_cases() if case["book"] == "osmica"]) == 26


def referee_cases() -> list[dict[str, Any]]:
    """Hard cases that a reader of the texts made without seeing the rulebook or the code."""
    return [json.loads(line) for line in (CASES / "referee.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("case", referee_cases(), ids=lambda case: case["id"])
def test_referee_case(case: dict[str, Any], books: dict[str, Book]) -> None:
    outputs = [json.loads(json.dumps(o.as_dict())) for o in run(books["osmica"], map(json.dumps, case["log"]))]
    last = [output for output in outputs if output["type"] == "verdict"][-1]
    assert runner.differences(case["expect"], last) == [], case["title"]
