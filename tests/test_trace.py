"""Why a statement stood, and why another did not."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tefter import Match, UsageError, load
from tefter.cli.main import tefter
from tefter.interpreter.trace import Explanation, Trace, statement_name

BAKERY = """\
# language: en
vocabulary bakery "Baking"
entity baker
entity loaf: rye, wheat, 1..3
event burnt (loaf: loaf): loaf burnt-black
event smelt (loaf: loaf): loaf smelly
levels day
episode shift (by: baker, early: yes-no = false, moments: events = {})
episode correction (n: number, early-after-all "early": yes-no) corrects early early-after-all
state mood: {calm, angry} = calm each day
state rested: yes-no = unknown each day
finding fault against by
prepare waking when shift and mood = angry:
  mood becomes calm
"""

RULES = """\
# language: en
rulebook shop "The bakery"
  use bakery
  authoritative en
clause burning "Burnt loaves"
  source B-1
  | Loaves may not burn.
  reading B-A1 = every-loaf among every-loaf, no-loaf
    | Either.
  define bad-day = (some burnt or some smelt) and not early
  fault burnt-loaf when shift and bad-day unless rested
  fault smelly-loaf when shift and some smelt and B-A1 = every-loaf
  for every loaf as x where (x burnt-black): fault each-loaf when shift and x ≠ rye unless x = 1
  change worse when shift and some burnt:
    mood becomes angry
  change named when bad-day and 2 burnt-black:
    mood becomes angry
clause pardon "Pardon"
  source B-2
  | Sometimes.
  exception pardoned when shift and 3 burnt-black overrides burnt-loaf
  exception tired when shift and rested overrides smelly-loaf
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    (folder / "bakery.rules").write_text(BAKERY, "utf-8")
    (folder / "shop.rules").write_text(RULES, "utf-8")
    return folder / "shop.rules"


def shift(*burnt: str, smelt: tuple[str, ...] = (), **fields: Any) -> dict[str, Any]:
    moments = [*({"burnt": [b]} for b in burnt), *({"smelt": [s]} for s in smelt)]
    return {"type": "shift", "by": "Ana", **fields, "moments": moments}


def started(shop: Path, rested: bool | None = False, **options: Any) -> Match:
    match = load(str(shop)).start(["Ana"], **options)
    match.submit_all({"type": "position", "set": {"rested": rested}}, 2)
    return match


def why(
    shop: Path, name: str, line: dict[str, Any], rested: bool | None = False, **options: Any
) -> tuple[Explanation, ...]:
    match = started(shop, rested, **options)
    match.submit(line)
    return Trace(match).why_not(3, name)


def parts(e: Explanation) -> list[tuple[str, str, bool | None]]:
    return [(c.role, c.text, c.value) for c in e.conjuncts]


def test_everything_that_stood_is_explained_with_its_text(shop: Path) -> None:
    match = started(shop)
    match.submit(shift("2"))
    found = {e.name: e for e in Trace(match).explain(3)}
    assert set(found) == {"burnt_loaf", "each_loaf", "worse", "named"}
    e = found["burnt_loaf"]
    assert (e.reason, e.held, e.stands, e.clause, e.sources) == ("stands", True, True, "burning", ("B-1",))
    assert parts(e) == [("condition", "shift", True), ("condition", "bad-day", True), ("unless", "rested", False)]
    inside = [(c.text, c.value) for c in e.conjuncts[1].parts]
    assert inside == [("some burnt or some smelt", True), ("not early", True)]


def test_what_held_but_was_defeated_is_explained_too(shop: Path) -> None:
    match = started(shop)
    match.submit(shift("3"))
    found = {e.name: e for e in Trace(match).explain(3)}
    assert (found["burnt_loaf"].reason, found["burnt_loaf"].stands) == ("defeated", False)
    assert found["burnt_loaf"].defeated_by == ("pardoned",)
    assert found["pardoned"].reason == "stands"


def test_a_condition_that_fails(shop: Path) -> None:
    (e,) = why(shop, "burnt-loaf", shift("2", early=True))
    assert (e.reason, e.held, e.stands) == ("condition", False, False)
    assert ("condition", "bad-day", False) in parts(e)


def test_an_exception_of_its_own(shop: Path) -> None:
    (e,) = why(shop, "burnt-loaf", shift("2"), rested=True)
    assert e.reason == "unless" and ("unless", "rested", True) in parts(e)


def test_an_unknown_cell(shop: Path) -> None:
    (e,) = why(shop, "burnt-loaf", shift("2"), rested=None)
    assert (e.reason, e.held, e.stands, e.cells) == ("unknown", None, None, ("rested",))
    (e,) = why(shop, "smelly-loaf", shift(smelt=("1",)), rested=None)
    assert (e.reason, e.held, e.stands, e.cells) == ("defeat-unknown", True, None, ("rested",))


def test_events_that_are_not_observed(shop: Path) -> None:
    (e,) = why(shop, "smelly-loaf", shift(), observes=["burnt"])
    assert (e.reason, e.events) == ("unobserved", ("smelt",))
    assert [c.events for c in e.conjuncts if c.text == "some smelt"] == [("smelt",)]


def test_readings_are_named(shop: Path) -> None:
    (e,) = why(shop, "smelly-loaf", shift(smelt=("1",)))
    assert (e.reason, e.readings) == ("stands", ("B-A1",))


def test_members_are_told_apart(shop: Path) -> None:
    found = why(shop, "each-loaf", shift("rye", "1", "2"))
    assert [(e.about, e.reason) for e in found] == [("rye", "condition"), ("1", "unless"), ("2", "stands")]
    (nobody,) = why(shop, "each-loaf", shift())
    assert nobody.reason == "no-member" and nobody.conjuncts[0].text == "loaf as x where (x burnt-black)"


def test_a_preparation_is_judged_by_the_state_before(shop: Path) -> None:
    match = started(shop)
    match.submit(shift("2"))
    match.submit(shift())
    assert Trace(match).why_not(3, "waking")[0].reason == "condition"
    assert Trace(match).why_not(4, "waking")[0].reason == "stands"


def test_a_correction_is_explained_by_the_line_that_it_corrects(shop: Path) -> None:
    match = started(shop)
    match.submit(shift("2"))
    match.submit({"type": "correction", "n": 3, "early": True})
    assert Trace(match).why_not(4, "burnt-loaf")[0].reason == "condition"
    assert "burnt_loaf" not in {e.name for e in Trace(match).explain(3)}


def test_where_nothing_was_judged(shop: Path) -> None:
    (e,) = why(shop, "burnt-loaf", shift("nothing"))
    assert (e.reason, e.held, e.conjuncts) == ("refused", None, ())


def test_names_are_taken_in_any_spelling(shop: Path) -> None:
    book = load(str(shop))
    assert statement_name(book, "burnt_loaf") == statement_name(book, "burnt-loaf") == "burnt-loaf"
    with pytest.raises(UsageError, match="did you mean burnt-loaf"):
        statement_name(book, "burnt-loav")


# --- the command ----------------------------------------------------------------------------------------------------


def judge(shop: Path, *options: str, line: dict[str, Any] | None = None) -> Result:
    path = shop.parent / "log.jsonl"
    start = {"type": "start", "players": ["Ana"], "observes": ["burnt"]}
    position = {"type": "position", "set": {"rested": False}}
    path.write_text("\n".join(map(json.dumps, (start, position, line or shift("2")))), "utf-8")
    return CliRunner().invoke(tefter, ["judge", str(shop), str(path), *options])


def test_explain_prints_below_the_verdict(shop: Path) -> None:
    lines = judge(shop, "--explain").stdout.split("\n")
    at = lines.index("   Stands: burnt loaf. “Burnt loaves” (B-1)")
    assert lines[at + 1 : at + 4] == ["      everything holds:", "         yes: shift", "         yes: bad-day"]
    assert "         no: unless: rested" in lines
    assert judge(shop).stdout.count("Stands:") == 0


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", ("Does not stand: smelly loaf.", "as far as is observed, this does not hold:", "no: some smelt")),
        ("tr", ("Geçerli değil: smelly loaf.", "izlenebildiği kadarıyla bu sağlanmıyor:", "hayır: some smelt")),
        ("sr", ("Ne važi: smelly loaf.", "koliko se prati, ovo nije ispunjeno:", "ne: some smelt")),
    ],
)
def test_why_not_prints_the_first_reason(shop: Path, lang: str, words: tuple[str, ...]) -> None:
    text = judge(shop, "--why-not", "smelly_loaf", "--lang", lang).stdout
    assert all(part in text for part in words), text


def test_json_has_the_explanations_only_when_asked(shop: Path) -> None:
    plain = json.loads(judge(shop, "--json").stdout.splitlines()[1])
    told = json.loads(judge(shop, "--json", "--explain").stdout.splitlines()[1])
    assert "explain" not in plain
    explained = told.pop("explain")
    assert told == plain
    assert {e["name"] for e in explained} == {"burnt_loaf", "each_loaf", "worse", "named"}
    assert explained[0]["conjuncts"][0] | {"text": "shift", "value": True} == explained[0]["conjuncts"][0]
    asked = json.loads(judge(shop, "--json", "--why-not", "smelly-loaf").stdout.splitlines()[1])
    assert [e["reason"] for e in asked["why_not"]] == ["unobserved"]


def test_an_unknown_name_is_wrong_usage(shop: Path) -> None:
    result = judge(shop, "--why-not", "burnt_loav")
    assert (result.exit_code, result.stdout) == (2, "") and "did you mean burnt-loaf" in result.stderr


def test_every_statement_of_a_recorded_match_can_be_asked_for() -> None:
    path = Path(__file__).parent / "data" / "rack_1.log.jsonl"
    start, *lines = map(json.loads, path.read_text("utf-8").splitlines())
    book = load("osmica")
    match = book.start(start["players"], observes=start["observes"])
    for line in lines:
        match.submit(line)
    trace = Trace(match)
    for entry in match.entries:
        assert entry.judgement is not None
        stood = {e.name for e in trace.explain(entry.n) if e.stands}
        assert {f.name for f in entry.judgement.verdict.findings} <= stood
        assert {a.name for a in entry.judgement.verdict.applied} <= stood
        assert not {x.name for x in entry.judgement.verdict.not_judged} & stood
    for name in book.resolved.statements:
        for e in trace.why_not(match.entries[-1].n, name):
            assert e.reason == "stands" or e.stands is not True
            assert e.conjuncts or e.reason == "stands"
