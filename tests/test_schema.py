"""The JSON Schema of a rulebook: what the contract allows validates, and nothing else does."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from tefter import Book, load
from tefter.cli.main import tefter
from tefter.interpreter.log import run
from tefter.interpreter.schema import schema

HERE = Path(__file__).parent
CASES = [json.loads(line) for line in (HERE / "cases" / "cases.jsonl").read_text("utf-8").splitlines()]
CASES = [case for case in CASES if case["book"] == "osmica"]
SHOT = {"type": "shot", "by": "A", "moments": [{"contact": ["cue", "3"], "t": 0.5}]}


@pytest.fixture(scope="module")
def book() -> Book:
    return load("osmica")


@pytest.fixture(scope="module")
def document(book: Book) -> dict[str, Any]:
    return schema(book)


@pytest.fixture(scope="module")
def lines(document: dict[str, Any]) -> Draft202012Validator:
    Draft202012Validator.check_schema(document)
    return Draft202012Validator(document)


@pytest.fixture(scope="module")
def verdicts(document: dict[str, Any]) -> Draft202012Validator:
    return Draft202012Validator({"$ref": "#/$defs/verdict", "$defs": document["$defs"]})


def faults(validator: Draft202012Validator, value: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_logs_of_the_cases_and_the_verdicts_on_them_validate(
    case: dict[str, Any], book: Book, lines: Draft202012Validator, verdicts: Draft202012Validator
) -> None:
    for line in case["log"]:
        assert faults(lines, line) == []
    for output in run(book, map(json.dumps, case["log"])):
        assert faults(verdicts, json.loads(json.dumps(output.as_dict()))) == []


@pytest.mark.parametrize("path", sorted((HERE / "data").glob("rack_*.log.jsonl")), ids=lambda path: path.stem)
def test_recorded_racks_validate(
    path: Path, book: Book, lines: Draft202012Validator, verdicts: Draft202012Validator
) -> None:
    log = path.read_text("utf-8").splitlines()
    for line in log:
        assert faults(lines, json.loads(line)) == []
    for output in run(book, log):
        assert faults(verdicts, json.loads(json.dumps(output.as_dict()))) == []


GOOD = [
    {"type": "start", "players": ["A", "B"]},
    {"type": "start", "players": ["A", "B"], "rulebook": "osmica", "observes": ["contact"], "date": "2026-12-01"},
    {"type": "start", "players": ["A", "B"], "settings": {"referee": True, "race_to": "none"}},
    {"type": "position"},
    {"type": "position", "set": {"shooter": None, "groups": {"A": "none", "B": None}, "winner": "none"}},
    {"type": "position", "set": {"open": ["stalemate", {"choice": "eight_on_break", "for": "A"}]}},
    {"type": "choice", "by": "B", "choice": "after_illegal_break", "option": "rerack"},
    {"type": "ruling", "on": "eight_and_ball_off", "option": "spot"},
    {"type": "ruling", "on": "after_illegal_break", "option": "accept"},
    {"type": "retract", "n": 3, "reason": "typed twice"},
    {"type": "lag", "results": [{"player": "A", "cushions": ["foot"], "distance": 0.2}]},
    {"type": "announce", "n": 7, "in_time": False},
    {"type": "touch", "by": "A", "ball": "3"},
    SHOT,
    {**SHOT, "frozen": [["cue", "4"], ["7", "left"]], "placed": {"zone": "anywhere"}, "called": "none"},
]
BAD = [
    {},
    [],
    {"type": "nothing"},
    {"type": "start"},
    {"type": "start", "players": "A"},
    {"type": "start", "players": ["A", "A"]},
    {"type": "start", "players": ["A", "B"], "rulebook": "other"},
    {"type": "start", "players": ["A", "B"], "settings": {"refere": True}},
    {"type": "start", "players": ["A", "B"], "settings": {"referee": "yes"}},
    {"type": "start", "players": ["A", "B"], "readings": {"SR-A3": "nonsense"}},
    {"type": "start", "players": ["A", "B"], "observes": ["contacts"]},
    {"type": "position", "set": {"phase": "break-time"}},
    {"type": "position", "set": {"on_table": ["cue", "16"]}},
    {"type": "position", "set": {"tabel": "open"}},
    {"type": "choice", "by": "B", "choice": "after_illegal_break", "option": "spot"},
    {"type": "choice", "by": "B", "choice": "eight_and_ball_off", "option": "spot"},
    {"type": "choice", "choice": "after_illegal_break", "option": "rerack"},
    {"type": "ruling", "on": "nobody_knows", "option": "rerack"},
    {"type": "retract"},
    {"type": "retract", "n": "3"},
    {"type": "announce", "n": 7},
    {**SHOT, "n": 3},
    {**SHOT, "safe": True},
    {**SHOT, "safety": None},
    {**SHOT, "safety": "yes"},
    {**SHOT, "called": {"ball": "3"}},
    {**SHOT, "frozen": [["cue"]]},
    {**SHOT, "stroke": "curve"},
    {**SHOT, "moments": [{}]},
    {**SHOT, "moments": [{"contact": ["cue", "cue"]}]},
    {**SHOT, "moments": [{"contact": ["cue", "left"]}]},
    {**SHOT, "moments": [{"contact": ["cue", "3"], "pocketed": ["3", "foot-left"]}]},
    {**SHOT, "moments": [{"pocketed": ["3"]}]},
    {**SHOT, "moments": [{"touch": {"by": "A", "ball": "3", "tool": "stick"}}]},
]  # fmt: skip


@pytest.mark.parametrize("line", GOOD, ids=json.dumps)
def test_what_the_contract_allows_validates(line: Any, lines: Draft202012Validator) -> None:
    assert faults(lines, line) == []


@pytest.mark.parametrize("line", BAD, ids=json.dumps)
def test_what_the_contract_forbids_does_not(line: Any, lines: Draft202012Validator) -> None:
    assert faults(lines, line) != []


def test_an_unknown_key_anywhere_in_a_case_does_not_validate(lines: Draft202012Validator) -> None:
    for line in (line for case in CASES for line in case["log"]):
        assert faults(lines, {**line, "comment": "mine"}) != []


def test_a_verdict_with_a_wrong_word_does_not_validate(book: Book, verdicts: Draft202012Validator) -> None:
    verdict = book.start(["A", "B"]).submit({"type": "shot", "by": "A"}).as_dict()
    good = json.loads(json.dumps(verdict))
    assert faults(verdicts, good) == []
    for wrong in ({"status": "maybe"}, {"rulings": []}, {"state": {}}, {"findings": [{"kind": "sin", "name": "x"}]}):
        assert faults(verdicts, {**good, **wrong}) != []


def test_defaults_are_written_down(document: dict[str, Any]) -> None:
    shot = document["$defs"]["line.shot"]["properties"]
    assert shot["safety"]["default"] is False and shot["announced"]["default"] is True
    assert shot["called"]["default"] == "none" and shot["frozen"]["default"] == []
    assert document["$defs"]["line.start"]["properties"]["settings"]["properties"]["referee"]["default"] is False
    assert document["$defs"]["event.touch"]["properties"]["with"]["default"] == "body"


def test_the_schema_is_the_same_twice_and_plain_json(book: Book, document: dict[str, Any]) -> None:
    assert json.dumps(schema(book)) == json.dumps(document)


def test_a_vocabulary_alone_has_a_schema() -> None:
    found = schema(load("pool"))
    Draft202012Validator.check_schema(found)
    assert faults(Draft202012Validator(found), SHOT) == []
    assert "line.choice" not in found["$defs"]


def test_the_command_prints_the_schema(document: dict[str, Any]) -> None:
    done = CliRunner().invoke(tefter, ["schema", "osmica"])
    assert done.exit_code == 0 and json.loads(done.stdout) == document


def test_the_command_writes_whole_files_only(tmp_path: Path, document: dict[str, Any]) -> None:
    target = tmp_path / "osmica.schema.json"
    target.write_text("old")
    done = CliRunner().invoke(tefter, ["schema", "osmica", "-o", str(target)])
    assert (done.exit_code, done.output) == (0, "")
    assert json.loads(target.read_text("utf-8")) == document
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


def test_the_command_says_why_it_cannot(tmp_path: Path) -> None:
    unknown = CliRunner().invoke(tefter, ["schema", "osmicaa"])
    assert unknown.exit_code == 1 and "R0001" in unknown.stderr
    nowhere = CliRunner().invoke(tefter, ["schema", "osmica", "-o", str(tmp_path / "none" / "x.json")])
    assert nowhere.exit_code == 1 and "cannot be written" in nowhere.stderr
