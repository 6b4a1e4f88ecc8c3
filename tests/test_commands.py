"""The commands about rulebooks: check, test, explain, books, observe. Exit status, and what goes to which stream."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tefter.cli.main import tefter

GARDEN = """\
# language: en
vocabulary garden "Gardening"
entity gardener
entity bed: north, south
event watered (bed: bed): bed watered
event trampled (bed: bed): bed trampled-on
episode day (by: gardener, moments: events = {})
state wet: set of bed = {}
finding blame against by
change water when day and some watered:
  wet gains all bed where (it watered)
"""
RULES = """\
# language: en
rulebook plot "The plot"
  use garden
  authoritative en
  edition "2" after 2026-01-01

clause care "Care of the beds" label "4.1"
  source G-1, G-2
  | At most {most} beds a day.
  parameter most = 2
  blame dry when day and no watered
  blame trampling when day and some trampled
  exception forgiven when dry and day overrides trampling
  example "a dry day"
    happens day by=A
    expect blame dry; wet = {}
"""
FAILING = """\
  example "a wet day"
    happens day by=A: watered north
    expect blame dry; wet = {north}
"""


@pytest.fixture
def plot(tmp_path: Path) -> Path:
    (tmp_path / "garden.rules").write_text(GARDEN, "utf-8")
    (tmp_path / "plot.rules").write_text(RULES, "utf-8")
    return tmp_path / "plot.rules"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(tefter, [str(a) for a in arguments])


def test_test_says_what_passed(plot: Path) -> None:
    result = run("test", plot)
    assert result.exit_code == 0
    assert result.stdout == "care  4.1  Care of the beds\n  ok      a dry day\n1 passed, 0 failed\n"


def test_test_says_why_an_example_fails(plot: Path) -> None:
    plot.write_text(RULES + FAILING, "utf-8")
    result = run("test", plot)
    assert result.exit_code == 1
    assert "  FAILED  a wet day\n          expected blame dry, but nothing is there under `blame`\n" in result.stdout
    assert result.stdout.endswith("1 passed, 1 failed\n") and result.stderr == ""


def test_test_shows_diagnostics_of_examples_apart(plot: Path) -> None:
    plot.write_text(RULES.replace("expect blame dry", "expect blame drie"), "utf-8")
    result = run("test", plot)
    assert result.exit_code == 1 and "0 passed, 1 failed" in result.stdout
    assert "R0270" in result.stderr and "R0270" not in result.stdout


def test_coverage_has_a_row_for_each_statement(plot: Path) -> None:
    lines = [line for line in run("test", plot, "--coverage").stdout.split("\n") if "│" in line]
    rows = {line.split("│")[2].strip(): line for line in lines}
    assert rows.keys() == {"water", "dry", "trampling", "forgiven"}
    assert "care: a dry day" in rows["dry"] and "no example" in rows["trampling"]


def test_check_of_a_folder_is_clean(plot: Path) -> None:
    result = run("check", plot.parent)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "2 files: 0 errors, 0 warnings\n", "")


def test_warnings_do_not_fail(plot: Path) -> None:
    plot.write_text(RULES.replace("{most}", "2"), "utf-8")
    result = run("check", plot)
    assert result.exit_code == 0 and "R0260" in result.stderr
    assert result.stdout == "1 file: 0 errors, 1 warning\n"


def test_check_finds_errors_also_in_examples_and_tells_each_once(plot: Path) -> None:
    plot.write_text(RULES.replace("expect blame dry", "expect blame drie"), "utf-8")
    result = run("check", plot, plot.parent, "--json")
    assert result.exit_code == 1
    (told,) = [json.loads(line) for line in result.stdout.splitlines()]
    assert (told["code"], told["severity"], told["line"], told["column"]) == ("R0270", "error", 16, 12)
    assert told["file"] == str(plot)


def test_check_of_what_is_not_there() -> None:
    assert "R0001" in run("check", "no-such-book").stderr
    assert run("check", "no-such-book").exit_code == 1
    assert run("check").exit_code == 2


def test_check_of_a_folder_without_rules(tmp_path: Path) -> None:
    assert run("check", tmp_path).exit_code == 2


def test_explain_a_code() -> None:
    result = run("explain", "r0203")
    assert result.exit_code == 0
    assert result.stdout.startswith("R0203: there is no statement or clause `{name}`") and "name one" in result.stdout
    assert run("explain", "R9999").exit_code == 1


def test_explain_a_clause(plot: Path) -> None:
    result = run("explain", "care", "--book", plot)
    assert result.exit_code == 0
    assert result.stdout == (
        "plot: care  4.1  Care of the beds\nsources: G-1, G-2\n\nAt most 2 beds a day.\n\n"
        "  parameter most = 2\n  blame dry\n  blame trampling\n  exception forgiven\n"
    )
    missing = run("explain", "no-clause", "--book", plot)
    assert (missing.exit_code, missing.stdout, missing.stderr) == (1, "", "nothing is called no-clause\n")


def test_explain_takes_both_spellings_of_an_id(plot: Path) -> None:
    plot.write_text(RULES.replace("clause care", "clause care-of-beds"), "utf-8")
    pages = {run("explain", name, "--book", plot).stdout for name in ("care-of-beds", "care_of_beds")}
    assert len(pages) == 1 and "" not in pages


def test_books_lists_rulebooks_and_no_vocabularies() -> None:
    result = run("books", "--json")
    told = {entry["id"]: entry for entry in map(json.loads, result.stdout.splitlines())}
    assert result.exit_code == 0 and "osmica" in told and "pool" not in told
    assert told["osmica"].keys() == {"id", "title", "edition", "hash", "clauses"}
    assert len(told["osmica"]["hash"]) == 16 and told["osmica"]["clauses"] > 0
    assert any(line.startswith("osmica ") for line in run("books").stdout.splitlines())


def test_observe_tells_what_a_source_cannot_decide(plot: Path) -> None:
    result = run("observe", plot, "--source", "watered")
    assert result.exit_code == 0
    assert result.stdout == (
        "garden  Gardening\n  yes  water\ncare  4.1  Care of the beds\n  yes  dry\n"
        "  no   trampling: needs trampled\n  yes  forgiven\n3 can be judged, 1 cannot\n"
    )


def test_observe_tells_what_is_assumed_and_follows_what_a_condition_names(plot: Path) -> None:
    lines = run("observe", plot, "--source", "trampled").stdout.splitlines()
    assert "  no   forgiven: needs watered" in lines, "it asks for `dry`"
    assert "  yes  trampling (assuming no watered)" in lines, "`forgiven` may defeat it"


def test_observe_refuses_unknown_kinds(plot: Path) -> None:
    result = run("observe", plot, "--source", "waterd")
    assert result.exit_code == 2 and "did you mean watered" in result.stderr
