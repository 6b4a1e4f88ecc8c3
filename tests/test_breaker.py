"""What broke Tefter once: each kind of fault, so that it stays mended."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tefter import load
from tefter.cli.main import tefter
from tefter.cli.schema import write_whole
from tefter.interpreter.codec import Malformed
from tefter.interpreter.log import LineProblem, run

START = '{"type":"start","players":["A","B"]}'
OPEN = {"choice": "after_illegal_break", "for": "B"}


def command(*arguments: str, text: str = START) -> Result:
    return CliRunner().invoke(tefter, list(arguments), input=text + "\n")


def outputs(*lines: Any) -> list[Any]:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return list(run(load("osmica"), [START, *texts]))


def position(*entries: Any) -> dict[str, Any]:
    return {"type": "position", "set": {"shooter": "A", "open": list(entries)}}


def accept(*change: Any) -> dict[str, Any]:
    return {**OPEN, "options": {"accept": [list(change)]}}


BAD_OPEN: dict[str, Any] = {
    "unknown key": {**OPEN, "foo": 1},
    "no player": {**OPEN, "for": "Z"},
    "a list for a player": {**OPEN, "for": ["B"]},
    "about an object": {**OPEN, "about": {"x": 1}},
    "two decisions": {**OPEN, "silent": "eight_and_ball_off"},
    "options a number": {**OPEN, "options": 5},
    "an option that is not": {**OPEN, "options": ["zzz"]},
    "an invented option": {**OPEN, "options": {"zzz": []}},
    "gains of what is no set": accept("gains", "shooter", "none", "B"),
    "increases of what is no number": accept("increases", "shooter", "none", "B"),
    "no place": accept("increases", "score", "none", 1),
    "the place of a stranger": accept("increases", "score", "Z", 1),
    "a place where there is none": accept("becomes", "shooter", "A", "B"),
}


@pytest.mark.parametrize("entry", BAD_OPEN.values(), ids=BAD_OPEN)
def test_an_open_decision_of_a_position_is_checked(entry: Any) -> None:
    found = outputs(position(entry))[-1]
    assert isinstance(found, LineProblem) and found.line == 2 and len(found.reason) < 200


def test_an_open_decision_stands_once() -> None:
    found = outputs(position("after_illegal_break", "after_illegal_break"))[-1]
    assert isinstance(found, LineProblem) and "twice" in found.reason


@pytest.mark.parametrize("depth", [60, 480, 950, 20_000])
def test_a_line_nested_deeply_is_a_diagnostic(depth: int) -> None:
    found = outputs('{"type":"shot","by":"Z","moments":%s}' % ("[" * depth + "]" * depth))[-1]
    assert found == LineProblem(2, 1, "nested too deeply")


def test_a_line_nested_deeply_leaves_the_match_as_it_was() -> None:
    match = load("osmica").start(("A", "B"))
    deep: Any = "x"
    for _ in range(900):
        deep = [deep]
    with pytest.raises(Malformed, match="nested too deeply"):
        match.submit({"type": "shot", "by": "Z", "moments": deep})
    assert match.entries == []


def test_the_reason_of_a_retract_is_a_text() -> None:
    assert isinstance(outputs({"type": "retract", "n": 2, "reason": [1]})[-1], LineProblem)


@pytest.mark.parametrize("value", ["9" * 5_000, "[" * 20_000, "NaN", "maybe"])
def test_a_setting_that_is_no_value_is_wrong_usage(value: str) -> None:
    assert command("judge", "osmica", "--set", f"referee={value}").exit_code == 2


@pytest.mark.parametrize("option", [("--set", "zz=1"), ("--set", "SR-A3=zz"), ("--observes", "zz")])
def test_what_is_wrong_on_the_command_line_is_no_fault_of_the_log(option: tuple[str, str]) -> None:
    done = command("judge", "osmica", *option)
    assert done.exit_code == 2 and done.stdout == ""


@pytest.mark.parametrize("lang", ["xx", "", "../dialects/en"])
@pytest.mark.parametrize(
    "words",
    [("check", "osmica"), ("test", "osmica"), ("explain", "R0203"), ("observe", "osmica", "--source", "contact")],
)
def test_a_language_that_is_not_spoken_is_wrong_usage(words: tuple[str, ...], lang: str) -> None:
    assert command(*words, "--lang", lang).exit_code == 2


def test_what_is_no_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe, link, file = tmp_path / "pipe", tmp_path / "link", tmp_path / "file"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, "text")
    assert os.read(reader, 10) == b"text" and pipe.is_fifo()
    os.close(reader)
    file.write_text("old")
    link.symlink_to(file)
    write_whole(link, "new")
    assert link.is_symlink() and file.read_text() == "new"


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="a device that is always full")
def test_output_that_cannot_be_written_is_no_bug_of_ours() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tefter.cli.main", "books"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1 and "Traceback" not in done.stderr and "cannot be written" in done.stderr


@pytest.mark.parametrize(("closed", "status"), [("<&-", 1), (">&-", 0)])
def test_a_closed_stream_is_no_bug_of_ours(closed: str, status: int, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(START)
    where = "-" if closed == "<&-" else str(log)
    line = f'"{sys.executable}" -m tefter.cli.main judge osmica {where} {closed}'
    done = subprocess.run(line, shell=True, capture_output=True, text=True)
    assert done.returncode == status and "Traceback" not in done.stderr
