"""Verdicts in words: three languages, catalogues, texts for programs, views."""

import json
import re
import string
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tefter import UsageError, load
from tefter.cli.main import tefter
from tefter.interpreter.catalogs import CatalogueError, default_language, dialect_for
from tefter.interpreter.labels import Labels
from tefter.interpreter.sentences import localise
from tefter.interpreter.views import aligned, rows

ROOT = Path(__file__).parents[1]
SENTENCES = ROOT / "interpreter" / "sentences"
LANGUAGES = ("en", "sr", "tr")

BAKERY = """\
# language: en
vocabulary bakery "Baking"
entity baker
entity loaf: rye, wheat, 1..5
entity shade: red, green
event burnt (loaf: loaf): loaf burnt-black
event sold (loaf: loaf): loaf sold-out
levels season, day
episode shift (by: baker, early: yes-no = false, sign: {lit: yes-no, hue: shade} or none = none, moments: events = {})
episode holiday
state shelf: set of loaf = {rye, wheat, 1..5} each season
state mood: {calm, angry} or none = calm each day
state owner: baker or none = none each season
state points of baker: number = 0 each season
state purse of baker: money = 0 EUR each season
finding fault against by
finding praise for by
require loaf-on-shelf for shift: no loaf as x where (x sold-out and not x in shelf)
require open-day for holiday: mood ≠ angry
change selling when shift and some sold:
  shelf loses all loaf where (it sold-out)
names
  fault
    en fault "A mistake of the baker."
    sr greška f "Propust pekara."
    tr ihmal "Fırıncının kusuru."
  shift
    sr smena f "Smena."
    tr iş-günü "Vardiya."
  burnt-too-much
    sr zagorelo "Zagorelo."
    tr istenenden-yanık "Yanmış."
  mood
    sr raspoloženje n "Raspoloženje."
    tr ruh-hâli "Ruh hâli."
  calm
    sr mirno "Mirno."
    tr sakin "Sakin."
  loaf-on-shelf
    sr vekna-je-na-polici "Prodaje se samo vekna koja je na polici."
    tr ekmek-rafta "Yalnızca raftaki ekmek satılır."
"""

RULES = """\
# language: en
rulebook shop "The bakery"
  use bakery
  authoritative en
  edition "2026" after 2026-01-01
part "Baking"
  clause burning "Burnt loaves"
    source B-1, B-2
    | No more than {most} loaves may burn.
    parameter most = 1 piece
    setting strict-boss: yes-no = false
    reading B-A1 = lenient among lenient, severe
      | Either.
    define too-many = count of burnt > most
    fault burnt-too-much when shift and too-many unless early
    for every loaf as x where (x burnt-black): fault burnt-one when shift and B-A1 = severe
    change points-lost when burnt-too-much:
      points[by] increases by 1
    choice amends for by when burnt-too-much and strict-boss
      option again
        | bake up to {most} again.
        owner becomes by
      option pay
        purse[by] becomes 2.50 EUR
    praise well-baked when shift and no burnt unless too-many
  clause anger "Anger" label "7"
    source B-3
    | The boss.
    silent boss-decides when shift and 5 burnt-black
      option shout
        | shout.
        mood becomes angry
      option laugh
        mood becomes calm
    deferred wages when shift and 4 burnt-black decides owner
    void spilt when shift and 3 burnt-black
    change one when shift and 2 burnt-black:
      owner becomes by
    change another when shift and 2 burnt-black:
      owner becomes none
  clause grace "Grace"
    source B-4
    | Early shifts.
    exception forgiven when shift and early and 1 burnt-black overrides points-lost, well-baked
  clause board "Board"
    source B-5
    | The table.
    view board for every baker as b
      column name = b
      column points = points[b]
      column purse = purse[b]
      ordered by points[b] descending then by b
"""

CATALOGUE = """\
msgid ""
msgstr ""
"Language: {lang}\\n"
"Content-Type: text/plain; charset=UTF-8\\n"

msgctxt "burning title"
msgid "Burnt loaves"
msgstr "{title}"

msgctxt "amends.again wording"
msgid "bake up to {{most}} again."
msgstr "{again}"

#, fuzzy
msgctxt "anger title"
msgid "Anger"
msgstr "guessed"
"""


def texts(path: Path) -> dict[str, dict[str, str]]:
    return tomllib.loads(path.read_text("utf-8"))


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "bakery.rules").write_text(BAKERY, "utf-8")
    (tmp_path / "shop.rules").write_text(RULES, "utf-8")
    catalogs = tmp_path / "catalogs"
    catalogs.mkdir()
    again = {"tr": "en çok {most} tane daha pişirmek", "sr": "ispeći ponovo najviše {most}"}
    titles = {"tr": "Yanık ekmekler", "sr": "Zagorele vekne"}
    for lang in ("tr", "sr"):
        text = CATALOGUE.format(lang=lang, title=titles[lang], again=again[lang])
        (catalogs / f"shop.{lang}.po").write_text(text, "utf-8")
    return tmp_path / "shop.rules"


def log(folder: Path, *lines: dict[str, Any], **start: Any) -> Path:
    path = folder / "log.jsonl"
    first = {"type": "start", "players": ["Ana", "İbrahim"], **start}
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in (first, *lines)), "utf-8")
    return path


def shift(*burnt: str, **fields: Any) -> dict[str, Any]:
    return {"type": "shift", "by": "Ana", **fields, "moments": [{"burnt": [b]} for b in burnt]}


def judge(book: str | Path, path: Path, *options: str) -> Result:
    return CliRunner().invoke(tefter, ["judge", str(book), str(path), *options])


def said(book: Path, *lines: dict[str, Any], lang: str = "en", **start: Any) -> str:
    result = judge(book, log(book.parent, *lines, **start), "--lang", lang)
    assert result.exit_code == 0, result.output
    return result.stdout


# --- the phrases ----------------------------------------------------------------------------------------------------


def test_the_three_languages_have_the_same_phrases_with_the_same_holes() -> None:
    def shape(lang: str) -> dict[tuple[str, str], set[str]]:
        phrases = [(s, k, text) for s, found in texts(SENTENCES / f"{lang}.toml").items() for k, text in found.items()]
        return {(s, k): {hole for _, hole, _, _ in string.Formatter().parse(text) if hole} for s, k, text in phrases}

    assert shape("sr") == shape("en") == shape("tr")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_suffix_is_glued_to_what_is_put_in(lang: str) -> None:
    for section, phrases in texts(SENTENCES / f"{lang}.toml").items():
        for key, text in phrases.items():
            assert not re.search(r"\}['’]?\w|\w['’]\{", text), f"{section}.{key}: {text}"


def test_every_refusal_of_the_engine_has_its_sentence() -> None:
    code = "".join((ROOT / "interpreter" / f"{name}.py").read_text("utf-8") for name in ("judge", "match", "book"))
    codes = set(re.findall(r"refuse\([\w.,\s]*\bn, \"([a-z-]+)\"", code))
    assert {"unknown-member", "decision-due", "impossible", "wrong-player", "nothing-to-correct"} <= codes
    for lang in LANGUAGES:
        assert codes == set(texts(SENTENCES / f"{lang}.toml")["refused"])


def test_quotes_and_capitals_follow_the_language(shop: Path) -> None:
    book = load(str(shop))
    assert [Labels(book, lang).quoted("x") for lang in ("en", "tr", "sr", "sr-Latn")] == ["“x”", "“x”", "„x“", "„x“"]
    assert [Labels(book, lang).start("iki ışık") for lang in ("en", "tr")] == ["Iki ışık", "İki ışık"]
    assert Labels(book, "tr").start("ısı") == "Isı"


# --- a book of another trade ----------------------------------------------------------------------------------------


def test_header_line_finding_and_what_is_next(shop: Path) -> None:
    lines = said(shop, shift("1", "rye"), settings={"strict_boss": True}, readings={"B-A1": "severe"}).split("\n")
    assert lines[0].startswith("The bakery, edition 2026 (")
    assert lines[1:3] == ["Players: Ana, İbrahim", "Settings: strict boss: yes"]
    assert lines[3:5] == ["Readings: B-A1: severe", "2. shift: Ana – burnt: 1, rye"]
    assert "   Fault: burnt too much; against: Ana. “Burnt loaves” (B-1, B-2)" in lines


def test_choices_show_their_options(shop: Path) -> None:
    given = [shift("1", "rye"), {"type": "choice", "by": "Ana", "choice": "amends", "option": "pay"}]
    text = said(shop, *given, settings={"strict_boss": True})
    assert "   Choice for Ana: amends: bake up to 1 again | pay. “Burnt loaves” (B-1, B-2)\n" in text
    assert "3. choice: amends: pay; by: Ana\n" in text
    assert "   Next: purse (Ana): 2.5 EUR.\n" in text
    assert "2,5 EUR" in said(shop, *given, lang="sr", settings={"strict_boss": True})


@pytest.mark.parametrize(
    ("lang", "finding", "choice"),
    [
        ("tr", "İhmal: istenenden yanık; aleyhine: Ana. “Yanık ekmekler” (B-1, B-2)", "en çok 1 tane daha pişirmek"),
        ("sr", "Greška: zagorelo; na teret: Ana. „Zagorele vekne“ (B-1, B-2)", "ispeći ponovo najviše 1"),
    ],
)
def test_other_languages_read_their_catalogue(shop: Path, lang: str, finding: str, choice: str) -> None:
    text = said(shop, shift("1", "rye"), lang=lang, settings={"strict_boss": True})
    assert f"   {finding}\n" in text
    assert choice in text
    assert "Burnt" not in text


def test_serbian_latin_has_two_codes(shop: Path) -> None:
    assert said(shop, shift("1"), lang="sr") == said(shop, shift("1"), lang="sr-Latn")


def test_a_missing_translation_falls_back(shop: Path) -> None:
    text = said(shop, shift("5"), lang="tr")
    assert "“Anger”" in text and "guessed" not in text  # the author's title; a fuzzy one counts as absent
    assert "verilebilecek kararlar: shout | laugh" in text


def test_silent_deferred_void_and_conflict(shop: Path) -> None:
    text = said(shop, shift("5"), {"type": "ruling", "on": "boss_decides", "option": "laugh"})
    due = "   Undecided, to be ruled by official: boss decides; may be ruled: shout | laugh. “Anger” (7; B-3)\n"
    assert due in text
    assert "mood: unknown" in text and "3. ruling: boss decides: laugh\n" in text
    assert "   Left to another rulebook: wages; left open: owner. “Anger” (7; B-3)\n" in said(shop, shift("4"))
    assert "   Does not count: spilt. “Anger” (7; B-3)\n" in said(shop, shift("3"))
    conflict = "   Conflict over owner; between: another “Anger” (7; B-3); one “Anger” (7; B-3).\n"
    assert conflict in said(shop, shift("2"))


def test_what_was_set_aside_is_told(shop: Path) -> None:
    text = said(shop, shift("1", early=True))
    assert "early: yes" in text and "Set aside" not in text
    text = said(shop, shift("3", "1", early=True))
    assert "Set aside: forgiven; by: spilt. “Grace” (B-4)" in text


def test_refusals_name_the_reason_in_every_language(shop: Path) -> None:
    sold = {"type": "shift", "by": "Ana", "moments": [{"sold": ["1"]}]}
    text = said(shop, sold, sold, {"type": "shift", "by": "Ana", "moments": [{"sold": ["9"]}]}, lang="tr")
    assert "   Reddedildi: Yalnızca raftaki ekmek satılır.\n" in text
    assert "   Reddedildi: satırda var olmayan bir şey anılıyor: “9”.\n" in text
    assert "Prodaje se samo vekna" in said(shop, sold, sold, lang="sr")
    decided = {"type": "choice", "by": "İbrahim", "choice": "amends", "option": "pay"}
    text = said(shop, shift("1", "rye"), sold, decided, settings={"strict_boss": True})
    assert "Refused: a decision is due first: amends (Ana)." in text
    assert "Refused: the decision belongs to Ana." in text


def test_defaults_are_not_told_and_sets_show_what_came_and_went(shop: Path) -> None:
    sale = {"type": "shift", "by": "Ana", "moments": [{"sold": ["rye"]}]}
    text = said(shop, shift(sign={"lit": True, "hue": "red"}), sale)
    assert "2. shift: Ana – sign (lit: yes, hue: red)\n" in text
    assert "Next: shelf: − rye." in text
    many = said(shop, shift("1", "2", "3", "4"))
    assert "burnt ×4" in many


def test_a_retracted_line_is_told(shop: Path) -> None:
    text = said(shop, shift("1", "rye"), shift(), {"type": "retract", "n": 2}, {"type": "retract", "n": 2})
    assert "Line 2 is taken back; the later lines are judged again.\n3. shift: Ana\n" in text
    assert "Refused: line 2 holds nothing to take back." in text


def test_what_is_not_observed_is_told_once(shop: Path) -> None:
    path = log(shop.parent, shift(), observes=["sold"])
    assert judge(shop, path).stdout.count("Not observed, taken as not having happened: burnt") == 1
    strict = judge(shop, path, "--strict").stdout
    assert "Undecided: it rests on events that are not observed: burnt." in strict


# --- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("lang", "text"), [("sr-Cyrl", "not supported"), ("SR", "unknown language"), ("", "unknown")])
def test_a_language_that_is_not_spoken_is_wrong_usage(shop: Path, lang: str, text: str) -> None:
    result = judge(shop, log(shop.parent), "--lang", lang)
    assert (result.exit_code, result.stdout) == (2, "") and text in result.stderr


def test_a_bad_line_ends_the_run_with_what_was_judged(shop: Path) -> None:
    result = judge(shop, log(shop.parent, shift("1"), {"type": "shfit"}, shift()), "--lang", "en")
    assert result.exit_code == 1
    assert "2. shift: Ana" in result.stdout and "4. " not in result.stdout
    assert ":3:1: error R0401 unknown type `shfit`; did you mean shift" in result.stderr


def test_a_broken_catalogue_is_an_error_of_its_own(shop: Path) -> None:
    (shop.parent / "catalogs" / "shop.tr.po").write_bytes(b'msgid "x"\nmsgstr "\xff"\n')
    result = judge(shop, log(shop.parent, shift("1", "rye")), "--lang", "tr")
    assert result.exit_code == 1 and "shop.tr.po" in result.stderr
    with pytest.raises(CatalogueError):
        Labels(load(str(shop)), "tr").citation(load(str(shop)).resolved.statements["burnt-too-much"].clause)


def test_the_language_of_the_book_is_the_default(shop: Path) -> None:
    assert default_language(load(str(shop))) == "en"
    assert default_language(load("osmica")) == "sr"
    assert dialect_for("sr-Latn") == "sr"
    with pytest.raises(UsageError):
        dialect_for("sr-Cyrl")


# --- for programs ---------------------------------------------------------------------------------------------------


def test_json_with_a_language_has_texts_and_without_none(shop: Path) -> None:
    path = log(shop.parent, shift("1", "5"), settings={"strict_boss": True})
    _, plain = map(json.loads, judge(shop, path, "--json").stdout.splitlines())
    _, told = map(json.loads, judge(shop, path, "--json", "--lang", "tr").stdout.splitlines())
    assert "text" not in json.dumps(plain)
    assert told["findings"][0]["text"] == "İhmal: istenenden yanık; aleyhine: Ana"
    assert told["choices"][0]["text"] == "Seçim; seçecek olan: Ana; “Yanık ekmekler”"
    assert told["choices"][0]["option_texts"] == {"again": "en çok 1 tane daha pişirmek", "pay": "pay"}
    assert told["undecided"][0]["option_texts"] == {"shout": "shout", "laugh": "laugh"}
    for item in (*told["findings"], *told["choices"], *told["undecided"]):
        assert item.pop("text")
        item.pop("option_texts", None)
    assert told == plain


def test_localise_changes_nothing_but_texts(shop: Path) -> None:
    book = load(str(shop))
    verdict = book.start(["Ana", "İbrahim"]).submit(shift("1", "rye"))
    told = localise(verdict, book, "sr")
    assert verdict.findings[0].text is None
    assert told.findings[0].text == "Greška: zagorelo; na teret: Ana"
    assert told.state == verdict.state


def test_a_name_from_a_log_cannot_break_the_output(shop: Path) -> None:
    name = "a\n99. \x1b[1m\ud800"
    line = json.dumps({**shift(), "by": name})
    path = shop.parent / "log.jsonl"
    path.write_text(json.dumps({"type": "start", "players": [name]}) + "\n" + line, "utf-8")
    assert "2. shift: a�99. �[1m�" in judge(shop, path).stdout.split("\n")
    assert json.loads(judge(shop, path, "--json").stdout.splitlines()[1])["state"]["points"] == {name: 0}


# --- views ----------------------------------------------------------------------------------------------------------


def test_a_view_is_printed_after_the_last_line(shop: Path) -> None:
    path = log(shop.parent, {**shift("1", "rye"), "by": "İbrahim"})
    text = judge(shop, path, "--view", "board").stdout
    assert text.endswith("\nName     Points  Purse\nİbrahim       1  0 EUR\nAna           0  0 EUR\n")
    last = judge(shop, path, "--view", "board", "--json").stdout.splitlines()[-1]
    assert json.loads(last) == {
        "type": "view", "name": "board",
        "rows": [{"name": "İbrahim", "points": 1, "purse": "0 EUR"}, {"name": "Ana", "points": 0, "purse": "0 EUR"}],
    }  # fmt: skip


def test_a_view_is_of_the_state_as_it_stands(shop: Path) -> None:
    match = load(str(shop)).start(["Ana", "İbrahim"])
    assert [row["name"] for row in rows(match, "board")] == ["Ana", "İbrahim"]
    with pytest.raises(UsageError, match="did you mean board"):
        rows(match, "bord")
    assert judge(shop, log(shop.parent), "--view", "bord").exit_code == 2


def test_columns_are_aligned() -> None:
    assert aligned(["a", "bb"], [["xx", "1"], ["y", "10"]], [False, True]) == ["a   bb", "xx   1", "y   10"]


# --- pool -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGUAGES)
def test_recorded_play_is_told_whole(lang: str) -> None:
    path = ROOT / "tests" / "data" / "rack_1.log.jsonl"
    result = judge("osmica", path, "--lang", lang)
    heads = re.findall(r"^(\d+)\. ", result.stdout, re.MULTILINE)
    assert result.exit_code == 0, result.output
    assert heads == [str(n) for n in range(2, len(path.read_text("utf-8").splitlines()) + 1)]
    assert "SR-" in result.stdout and "_" not in result.stdout and "{" not in result.stdout


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", ("Choice for B: after illegal break", "re-rack and break")),
        ("tr", ("Seçim; seçecek olan: B; geçersiz açılıştan sonra", "topları yeniden dizdirip kendisi açmak")),
        ("sr", ("Izbor; bira: B; posle neispravnog razbijanja", "ponovo složiti kugle i sam razbijati")),
    ],
)
def test_an_illegal_break_offers_a_choice(tmp_path: Path, lang: str, words: tuple[str, str]) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"type":"start","players":["A","B"]}\n{"type":"shot","by":"A","moments":[]}\n', "utf-8")
    text = judge("osmica", path, "--lang", lang).stdout
    assert all(part in text for part in words), text
