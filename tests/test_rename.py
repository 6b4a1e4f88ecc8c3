"""The engine knows no game: every declared word renamed in vocabulary, book and log gives the same verdicts.

Each letter becomes two, so that no word is left and words keep their order (findings and members are sorted).
"""

import dataclasses
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from tefter import Book, load
from tefter.dsl import ast
from tefter.dsl.diagnostics import Report
from tefter.dsl.dialect import reserved
from tefter.dsl.expressions import BUILTINS
from tefter.dsl.lexicon import Lexicon
from tefter.dsl.load import finish, load_book
from tefter.dsl.parser import parser
from tefter.dsl.types import BASIC
from tefter.interpreter.log import run

HERE = Path(__file__).parent
DOMAIN = HERE / "second_domain"

# what belongs to the engine or the contract, not to a vocabulary
ENGINE = {*BASIC, *BUILTINS, "it", "@", "official", "moments", "position", "a", "b"}  # a, b: the two of a pair
NOT_NAMES = {
    "Text": {"value"}, "Amount": {"unit"}, "Binary": {"op"}, "Anchor": {"relation"}, "Quantified": {"quantifier"},
    "Pick": {"which"}, "Target": {"form", "stamp"}, "Assign": {"op"}, "Event": {"form"}, "Kind": {"role"},
    "Finding": {"role"}, "Part": {"title"}, "Clause": {"title", "label", "sources"}, "Vocabulary": {"id", "title"},
    "Rulebook": {"id", "title", "uses", "extends", "authoritative", "edition"},
}  # fmt: skip
DROPPED: dict[str, Any] = {"wording": "", "notes": (), "informative": None, "examples": ()}
DECLARING = {
    "Entity": ("name",), "Member": ("name", "key"), "SetDeclaration": ("name",), "Levels": ("names",),
    "Event": ("name", "key"), "Episode": ("name", "key"), "Field": ("name", "key"), "Predicate": ("name",),
    "State": ("name",), "Kind": ("name",), "Effect": ("name", "parameters"), "Require": ("name",), "View": ("name",),
    "Column": ("name",), "Parameter": ("name",), "Setting": ("name",), "Reading": ("name", "alternatives"),
    "Define": ("name", "parameter"), "EnumType": ("values",), "Sequence": ("alias",), "Option": ("name",),
    "Clause": ("id",), "Finding": ("name",), "Change": ("name",), "Exception_": ("name",), "Void": ("name",),
    "Choice": ("name",), "Silent": ("name",), "Deferred": ("name",),
}  # fmt: skip


def renamed(word: str) -> str:
    """Two letters for each; digits, hyphens and other letters stay."""

    def pair(letter: str) -> str:
        first = "a" if letter.islower() else "A"
        place = ord(letter) - ord(first)
        return chr(ord(first) + place // 5) + chr(ord(first) + place % 5)

    return "".join(pair(c) if c.isascii() and c.isalpha() else c for c in word)


def strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from strings(item)


def declared(documents: Iterable[ast.Document]) -> set[str]:
    """Every word that the documents declare, numerals and the engine's own left out."""
    found = {
        word
        for document in documents
        for node in ast.walk(document)
        for slot in DECLARING.get(type(node).__name__, ())
        for word in strings(getattr(node, slot))
    }
    return {word for word in found if not word.isdecimal()} - ENGINE


def rewritten(value: Any, words: set[str]) -> Any:
    """A tree with the words renamed; what is only for readers is left out."""
    if isinstance(value, ast.Node):
        kept = NOT_NAMES.get(type(value).__name__, set()) | {"span"}
        changes = {
            slot.name: DROPPED[slot.name] if slot.name in DROPPED else rewritten(getattr(value, slot.name), words)
            for slot in dataclasses.fields(value)
            if slot.name not in kept
        }
        if isinstance(value, ast.Vocabulary | ast.Rulebook):
            changes["names"] = ()
        return dataclasses.replace(value, **changes)
    if isinstance(value, tuple):
        return tuple(rewritten(item, words) for item in value)
    return renamed(value) if isinstance(value, str) and value in words else value


def renamed_book(original: Book) -> tuple[Book, set[str]]:
    documents = original.resolved.documents
    words = declared(documents)
    loaded = finish(rewritten(documents, words), Lexicon(), Report(), lint=False)
    assert loaded.book is not None, [(d.code, d.message(), d.span) for d in loaded.report.sorted()][:5]
    return Book(loaded.book), words


# ---- logs and verdicts

Change = Callable[[str], str]
ENGINE_LINES = {"start", "position", "choice", "ruling", "retract"}
VALUES_KEPT = {"players", "rulebook", "date", "reason", "for", "type"}


def every_word(value: Any, change: Change) -> Any:
    if isinstance(value, dict):
        return {change(k): every_word(v, change) for k, v in value.items()}
    if isinstance(value, list):
        return [every_word(v, change) for v in value]
    return change(value) if isinstance(value, str) else value


def renamed_line(line: dict[str, Any], change: Change) -> dict[str, Any]:
    """A line of a log: the contract's own keys stay, all else is renamed."""
    if line["type"] in ENGINE_LINES:
        inner = {k: v if k in VALUES_KEPT else every_word(v, change) for k, v in line.items()}
        if isinstance(line.get("set"), dict) and "open" in line["set"]:
            inner["set"] = {k: v for k, v in inner["set"].items() if k != change("open")}
            inner["set"]["open"] = [
                {k: every_word(v, change) for k, v in entry.items()} if isinstance(entry, dict) else change(entry)
                for entry in line["set"]["open"]
            ]
        return inner
    moments = [
        {k if k == "t" else change(k): v if k == "t" else every_word(v, change) for k, v in m.items()}
        for m in line.get("moments", [])
    ]
    fields = {change(k): every_word(v, change) for k, v in line.items() if k not in ("type", "moments")}
    return {"type": change(line["type"]), **fields, **({"moments": moments} if "moments" in line else {})}


def forward(words: set[str]) -> Change:
    known = words | {word.replace("-", "_") for word in words}
    return lambda word: renamed(word) if word in known else word


def backward(words: set[str]) -> Change:
    known = {renamed(w): w for word in words for w in (word, word.replace("-", "_"))}
    return lambda word: known.get(word, word)


def verdicts(book: Book, lines: Iterable[dict[str, Any]]) -> list[Any]:
    """What a log yields, without hashes and sentences."""
    outputs = [o.as_dict() for o in run(book, [json.dumps(line) for line in lines])]  # type: ignore[union-attr]
    found = json.loads(json.dumps(outputs))
    for output in found:
        output.pop("hash", None)
        for problem in output.get("problems", ()):
            problem.pop("message")
    return found  # type: ignore[no-any-return]


def assert_same(book: Book, other: Book, words: set[str], lines: list[dict[str, Any]]) -> None:
    expected = verdicts(book, lines)
    change = forward(words)
    found = verdicts(other, [renamed_line(line, change) for line in lines])
    assert [sorted_lists(every_word(v, backward(words))) for v in found] == [sorted_lists(v) for v in expected]
    assert len(expected) > 1


def sorted_lists(output: Any) -> Any:
    """`observes` of the header is sorted by keys, which need not have the order of the names."""
    return {**output, "observes": sorted(output["observes"])} if "observes" in output else output


# ---- the tests


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("name", ["table_tennis", "masa_tenisi", "league_night"])
def test_the_second_domain_renamed(name: str) -> None:
    book = load(str(DOMAIN / f"{name}.rules"))
    start, *lines = read(DOMAIN / "evening.log.jsonl")
    assert_same(book, *renamed_book(book), [{**start, "rulebook": name}, *lines])


@pytest.fixture(scope="module")
def osmica() -> tuple[Book, Book, set[str]]:
    book = load("osmica")
    return book, *renamed_book(book)


CASES = [case for case in read(HERE / "cases" / "cases.jsonl") if case["book"] == "osmica"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_shared_cases_renamed(case: dict[str, Any], osmica: tuple[Book, Book, set[str]]) -> None:
    assert_same(*osmica, case["log"])


@pytest.mark.parametrize("log", sorted((HERE / "data").glob("*.log.jsonl")), ids=lambda path: path.name)
def test_whole_racks_renamed(log: Path, osmica: tuple[Book, Book, set[str]]) -> None:
    assert_same(*osmica, read(log))


def test_the_renaming_leaves_no_word(osmica: tuple[Book, Book, set[str]]) -> None:
    """The check of the check: hundreds of words are renamed, no two become one, and nothing escapes."""
    _, other, words = osmica
    assert len(words) > 300 and {"cue", "shot", "pocketed", "by", "SR-A3"} <= words
    assert len({renamed(w) for w in words}) == len(words)
    assert {renamed(w) for w in words} & (words | ENGINE | reserved("en")) == set()
    assert declared(other.resolved.documents) & words == set()
    assert set(other.resolved.cells) & words == set() and set(other.resolved.statements) & words == set()


# ---- the same with the texts themselves


class Renamed:
    """The files of the second domain with their names renamed, without the blocks of forms."""

    def __init__(self) -> None:
        texts = {
            n: (DOMAIN / f"{n}.rules").read_text("utf-8").split("\nnames\n")[0] + "\n"
            for n in ("rally", "table_tennis")
        }
        book = load(str(DOMAIN / "table_tennis.rules"))
        self.words = declared(book.resolved.documents)
        self.files = {f"{name}.rules": self.text(text) for name, text in texts.items()}

    def text(self, text: str) -> str:
        result, end, header = "", 0, ""
        for token in parser("en").lex(text):
            if token.start_pos is None or token.type.startswith("_"):
                continue
            if token.column in (1, 3):
                header = token.type
            result += text[end : token.start_pos]
            end = token.end_pos or 0
            word = str(token)
            if token.type == "NAME" and header not in ("USE", "RULEBOOK", "VOCABULARY") and word in self.words:
                word = renamed(word)
            elif token.type == "STRING" and word[1:-1] in self.words:
                word = f'"{renamed(word[1:-1])}"'
            elif token.type == "TEXT":
                word = "|"
            result += word
        return result + text[end:]

    def find(self, name: str, beside: str) -> str | None:
        return f"{name}.rules" if f"{name}.rules" in self.files else None

    def read(self, path: str) -> bytes:
        return self.files[path].encode()


def test_the_texts_of_the_second_domain_renamed() -> None:
    host = Renamed()
    assert "points" not in host.files["table_tennis.rules"] and "points" in host.words
    found = load_book("table_tennis", host, lint=False)
    assert found.book is not None, [d.message() for d in found.report.sorted()]
    book = load(str(DOMAIN / "table_tennis.rules"))
    assert_same(book, Book(found.book), host.words, read(DOMAIN / "evening.log.jsonl"))
