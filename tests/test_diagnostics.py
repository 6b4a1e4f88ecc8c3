"""The catalogue of messages is its own test: the bad text of every code gives that code, the good one gives nothing.

A text that names its language is a whole file; any other is the content of a clause, in the frame below. What needs
other bytes, another file or more lines than anyone wants to read is made by the tests at the end.
"""

import json
import re
import string
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from tefter import Book
from tefter.cli.main import tefter
from tefter.dsl.diagnostics import Diagnostic, Report, as_json, catalogue, near_names, render_line, render_people
from tefter.dsl.load import FileHost, Loaded, load_book
from tefter.interpreter.log import LineProblem, run
from tefter.interpreter.scenario import prepare

ENGLISH = catalogue("en")
CODES = sorted(code for code in ENGLISH if code != "words")

FRAME = """# language: en
rulebook book "Book"
  authoritative en

clause frame "A game of cards"
  entity player
  entity card: ace, king, 2..10
  levels game, hand
  event play (player: player, card: card): player played card
  event fold (player: player): player folded
  episode trick (by: player, lead: card or none = none, moments: events = {})
  state score of player: number = 0 each hand
  state dealer: player or none = none
  state bid: number or none = none
  state pile: set of card = {}
  finding warning
  effect award (p player)
    score[p] increases by 1

clause example-clause "The example"
"""

MADE: dict[str, tuple[str, str]] = {  # what `…` stands for
    "R0105": ("  …", "  authoritative en\n" + "# a comment\n" * 200_000),
    "R0106": ("(((… true …)))", "(" * 61 + "true" + ")" * 61),
    "R0108": ("not not not …", "not " * 200),
    "R0302": ("…", "\n".join(f"define step-{n} = step-{n - 1}" for n in range(3, 100))),
}
ELSEWHERE = {"R0001", "R0004", "R0010", "R0011", "R0012", "R0401"}  # their examples are commands or logs
IN_PLACE = set(CODES) - ELSEWHERE


class Memory:
    """Files that are not on any disk."""

    def __init__(self, **files: str | bytes | OSError) -> None:
        self.files = {f"{name}.rules": content for name, content in files.items()}

    def find(self, name: str, beside: str) -> str | None:
        path = name if name.endswith(".rules") else f"{name}.rules"
        return path if path in self.files else None

    def read(self, path: str) -> bytes:
        content = self.files[path]
        if isinstance(content, OSError):
            raise content
        return content.encode() if isinstance(content, str) else content


def whole(text: str) -> str:
    """The file that an example stands for."""
    if not text.strip() or re.search(r"(?m)^(# language|rulebook)", text):
        return text
    return FRAME + "".join(f"  {line}\n" for line in text.strip("\n").split("\n"))


def loaded(content: str | bytes | OSError, **others: str) -> Loaded:
    return load_book("book", Memory(book=content, **others))


def diagnostics(text: str) -> tuple[list[Diagnostic], Loaded]:
    """Everything that is reported of a text, also by the examples in it."""
    found = loaded(whole(text))
    more = [d for e in prepare(Book(found.book, found.report.sources)) for d in e.diagnostics] if found.book else []
    return [*found.report.sorted(), *more], found


def example(code: str, part: str) -> str:
    text = ENGLISH[code][part]
    return text.replace(*MADE[code]) if part == "bad" and code in MADE else text


# ---- the catalogue


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_its_page(code: str) -> None:
    entry = ENGLISH[code]
    assert set(entry) == {"message", "hint", "bad", "good"}
    assert all(entry.values()) and entry["bad"] != entry["good"]
    for part in ("message", "hint"):
        assert entry[part][0] != " " and not entry[part].endswith(".") and "\n" not in entry[part]
    assert ("…" in entry["bad"]) == (code in MADE)


@pytest.mark.parametrize("code", CODES)
def test_nothing_is_glued_to_a_word_of_the_user(code: str) -> None:
    """Before and after a hole stands a space, a quote or an end: other languages inflect."""
    text = ENGLISH[code]["message"] + "\n" + ENGLISH[code]["hint"]
    for before, _, after in re.findall(r"(^|.)(\{\w+\})(.|$)", text, re.MULTILINE):
        assert before in ("", " ", "`", "@") and after in ("", " ", "`", ",", ":", ";"), text


def test_every_code_that_is_reported_has_a_page_and_no_page_is_for_nothing() -> None:
    root = Path(__file__).parents[1]
    code = "".join(
        p.read_text("utf-8") for folder in ("dsl", "interpreter", "cli") for p in sorted((root / folder).glob("*.py"))
    )
    assert set(re.findall(r"\bR0\d{3}\b", code)) == set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_explain_prints_the_page(code: str) -> None:
    done = CliRunner().invoke(tefter, ["explain", code])
    assert done.exit_code == 0
    assert ENGLISH[code]["message"] in done.output and ENGLISH[code]["hint"] in done.output


@pytest.mark.parametrize("code", sorted(IN_PLACE))
def test_the_bad_text_gives_its_code(code: str) -> None:
    found, of = diagnostics(example(code, "bad"))
    mine = [d for d in found if d.code == code]
    assert mine, [(d.code, d.message()) for d in found]
    source = of.report.sources[mine[0].span.file]
    line, column = source.position(mine[0].span.start)
    assert re.match(rf"book\.rules:{line}:{column}: (error|warning) {code} \S", render_line(mine[0], source))
    if whole(example(code, "bad")).startswith(FRAME):
        assert mine[0].span.start >= len(FRAME) - len('clause example-clause "The example"\n'), (
            "the place is the mistake"
        )
    for text in (mine[0].message(), mine[0].hint()):
        assert text and not re.search(r"\{\w+\}", text.replace("{{", "")), "every hole is filled"


@pytest.mark.parametrize("code", sorted(IN_PLACE))
def test_the_good_text_gives_nothing(code: str) -> None:
    found, of = diagnostics(example(code, "good"))
    assert [(d.code, d.message()) for d in found] == []
    assert of.book is not None


@pytest.mark.parametrize("code", sorted(IN_PLACE))
def test_the_arguments_are_those_of_the_message(code: str) -> None:
    asked = {f for part in ("message", "hint") for _, f, _, _ in string.Formatter().parse(ENGLISH[code][part]) if f}
    for d in diagnostics(example(code, "bad"))[0]:
        if d.code == code:
            assert asked <= {name for name, _ in d.arguments}


# ---- what needs files or bytes

GOOD = FRAME.replace('clause example-clause "The example"\n', "")


@pytest.mark.parametrize(
    ("code", "make"),
    [
        ("R0010", lambda text: text.encode("utf-16")),
        ("R0010", lambda text: b"\xfe\xff" + text.encode("utf-16-be")),
        ("R0011", lambda text: text.encode() + b"\x00\x01\x02"),
        ("R0012", lambda text: text.replace("cards", "kártyák").encode("cp1250")),
        ("R0012", lambda text: text.replace("cards", "ığş").encode("cp1254")),
    ],
)
def test_other_bytes(code: str, make: Callable[[str], bytes], tmp_path: Path) -> None:
    path = tmp_path / "book.rules"
    path.write_bytes(make(GOOD))
    (diagnostic,) = load_book(str(path)).report.sorted()
    assert (diagnostic.code, diagnostic.span.file) == (code, str(path))
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert load_book(str(path)).report.sorted() == []


def test_the_place_of_a_foreign_letter(tmp_path: Path) -> None:
    found = loaded(GOOD.replace("cards", "kártyák").encode("cp1250"))
    (diagnostic,) = found.report.sorted()
    assert found.report.sources["book.rules"].position(diagnostic.span.start) == (5, 26)


def test_no_such_book_no_such_file_and_one_that_cannot_be_read(tmp_path: Path) -> None:
    assert [d.code for d in load_book("no-such-book").report.sorted()] == ["R0001"]
    assert [d.code for d in load_book(str(tmp_path / "none.rules")).report.sorted()] == ["R0001"]
    found = loaded(OSError(13, "Permission denied"))
    assert [(d.code, d.message()) for d in found.report.sorted()] == [
        ("R0004", "the file `book.rules` cannot be read: Permission denied")
    ]


def test_a_book_finds_its_vocabulary_beside_it(tmp_path: Path) -> None:
    text = '# language: en\nrulebook book "B"\n  use words\n'
    (tmp_path / "book.rules").write_text(text)
    assert [d.code for d in load_book(str(tmp_path / "book.rules")).report.sorted()] == ["R0002"]
    (tmp_path / "words.rules").write_text('# language: tr\nsözlük words "W"\nvarlık player\n')
    assert FileHost().find("words", str(tmp_path / "book.rules")) == str(tmp_path / "words.rules")
    assert load_book(str(tmp_path / "book.rules")).report.sorted() == []


def test_a_mistake_in_a_vocabulary_is_shown_there() -> None:
    found = load_book(
        "book",
        Memory(
            book='# language: en\nrulebook book "B"\n  use words\n',
            words='# language: en\nvocabulary words "W"\nstate a: nothing = 0\n',
        ),
    )
    (diagnostic,) = found.report.sorted()
    assert render_line(diagnostic, found.report.sources["words.rules"]).startswith("words.rules:3:10: error R0212")


def test_the_log_of_the_catalogue() -> None:
    book = Book(loaded(GOOD).book)  # type: ignore[arg-type]
    *_, bad = run(book, ENGLISH["R0401"]["bad"].strip().split("\n"))
    assert isinstance(bad, LineProblem) and (bad.line, bad.column) == (2, 1) and "did you mean by" in bad.reason
    good = list(run(book, ENGLISH["R0401"]["good"].strip().split("\n")))
    assert len(good) == 2 and not isinstance(good[-1], LineProblem)


# ---- how they are shown


def test_near_names() -> None:
    known = ("played", "folded", "passed", "dealt", "led", "won", "lost")
    assert near_names("foldde", known) == ("folded",)
    assert near_names("zzz", known) == ()
    assert near_names("zzz", known[:3]) == ("folded", "passed", "played"), "a small set is listed whole"


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("warning slow when trik", "trick"), ("warning w when by foldde", "folded"), ("warnin w when trick", "warning"),
        ("change c when trick:\n  scor[by] becomes 1", "score"), ("change c when trick:\n  awrd(by)", "award"),
        ("state s: nummber = 0", "number"), ("require r for trik: true", "trick"),
    ],
)  # fmt: skip
def test_a_near_name_is_suggested(text: str, near: str) -> None:
    (diagnostic,) = diagnostics(text)[0]
    assert near in diagnostic.near
    assert f"did you mean `{diagnostic.near[0]}`" in diagnostic.hint()


MANY = """
warning w1 when trik
warning w2 when by foldde
warning w3 when by
change c1 when trick:
  scor[by] becomes 1
  dealer becomes ace
clause manners "Manners"
  source S-9
  | Players are {polite}.
clause courage "Courage"
  warning w4 when every player
"""


def test_many_mistakes_are_reported_in_one_run_in_the_order_of_the_file() -> None:
    found, of = diagnostics(MANY)
    assert [d.code for d in found] == ["R0201", "R0202", "R0220", "R0215", "R0221", "R0122"]
    places = [of.report.sources[d.span.file].position(d.span.start) for d in found]
    assert places == sorted(places)


def test_the_heading_of_the_clause_stands_above_the_snippet() -> None:
    found, of = diagnostics(MANY)
    people = [render_people(d, of.report.sources[d.span.file]) for d in found]
    assert people[0].split("\n") == [
        "error R0201: nothing is called `trik`",
        '  book.rules:21:19  clause example-clause "The example"',
        "     21 |   warning w1 when trik",
        "        |                   ^^^^",
        "  hint: declare it, or correct the spelling; did you mean `trick`",
    ]
    assert 'clause courage "Courage"' in people[-1] and "example-clause" not in people[-1]


def test_a_heading_in_another_dialect() -> None:
    text = ENGLISH["R0121"]["bad"]
    found, of = diagnostics(text)
    assert 'član predaja "Predaja"' in render_people(found[0], of.report.sources["book.rules"])


def test_a_second_place_is_shown_too() -> None:
    found, of = diagnostics(ENGLISH["R0230"]["bad"])
    lines = render_people(found[0], of.report.sources["book.rules"]).split("\n")
    assert [line.split()[0] for line in lines if line.lstrip().startswith("book.rules")] == [
        "book.rules:22:3",
        "book.rules:21:3",
    ]


def test_as_data() -> None:
    found, of = diagnostics("warning slow when trik")
    assert json.loads(json.dumps(as_json(found[0], of.report.sources["book.rules"]))) == {
        "code": "R0201", "severity": "error", "file": "book.rules", "line": 21, "column": 21,
        "message": "nothing is called `trik`", "hint": "declare it, or correct the spelling; did you mean `trick`",
    }  # fmt: skip


def test_a_long_line_is_cut_and_a_missing_source_does_no_harm() -> None:
    found, of = diagnostics("warning slow when trik or " + " or ".join(["trick"] * 90))
    people = render_people(found[0], of.report.sources["book.rules"])
    assert max(map(len, people.split("\n"))) < 250 and "…" in people
    assert render_line(found[0], None).startswith("book.rules:1:1: error R0201")
    assert render_people(found[0], None).startswith("error R0201")


def test_the_same_mistake_is_reported_once_and_a_warning_is_no_failure() -> None:
    report = Report()
    found, of = diagnostics(ENGLISH["R0260"]["bad"])
    assert [d.severity for d in found] == ["warning"] and of.book is not None
    for _ in range(2):
        report.warning("R0260", found[0].span, number=3)
    assert len(report.diagnostics) == 1 and not report.failed


def test_what_may_stand_here_is_told_in_the_words_of_the_dialect() -> None:
    for language, word, expected in (("sr", "pravilnik", "izvorni-jezik"), ("tr", "kural-kitabı", "asıl-dil")):
        (d,) = loaded(f'# language: {language}\n{word} b "B"\n  =\n').report.sorted()
        assert d.code == "R0111" and expected in d.hint()
