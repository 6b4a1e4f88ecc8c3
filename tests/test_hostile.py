"""Rule files that nobody should have sent: diagnostics with a place, in time, and never a traceback."""

import re
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from tefter.cli.main import tefter
from tefter.dsl.diagnostics import render_line
from tefter.dsl.load import Loaded, load_book, shipped_folder

SECONDS = 5
POOL = (shipped_folder() / "pool.rules").read_bytes()
OSMICA = (shipped_folder() / "osmica.rules").read_bytes()
SHIPPED = {"pool": POOL, "osmica": OSMICA}
PLACE = re.compile(r"^[^:\n]+:\d+:\d+: (error|warning) R\d{4} \S")


class Memory:
    """Files that are not on any disk."""

    def __init__(self, **files: bytes) -> None:
        self.files = {f"{name}.rules": raw for name, raw in files.items()}

    def find(self, name: str, beside: str) -> str | None:
        path = name if name.endswith(".rules") else f"{name}.rules"
        return path if path in self.files else None

    def read(self, path: str) -> bytes:
        return self.files[path]


def loaded(raw: bytes, **others: bytes) -> Loaded:
    """Load a text as the book `x`. Every diagnostic is written out, so that its message is made too."""
    started = time.process_time()
    found = load_book("x", Memory(x=raw, **{"pool": POOL, **others}))
    assert time.process_time() - started < SECONDS
    assert (found.book is None) == found.report.failed
    for line in lines_of(found):
        assert PLACE.match(line), line
    return found


def lines_of(found: Loaded) -> list[str]:
    sources = found.report.sources
    return [render_line(d, sources.get(d.span.file)) for d in found.report.sorted()]


def codes(found: Loaded) -> set[str]:
    return {d.code for d in found.report.diagnostics if d.severity == "error"}


def book(body: str, head: str = "  use pool\n") -> bytes:
    return f'# language: en\nrulebook x "X"\n{head}\nclause c "C"\n  source S-1\n{body}\n'.encode()


def quantifiers(depth: int) -> str:
    return "".join(f"some ball as b{i} where (" for i in range(depth)) + "true" + ")" * depth


def chain(line: str, first: str, length: int = 500) -> str:
    return "\n".join([first, *(line.format(n=n, below=n - 1) for n in range(1, length))])


HOSTILE: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "R0104"),
    "only a byte order mark": (b"\xef\xbb\xbf", "R0104"),
    "blank lines": (b"\n\n \n", "R0104"),
    "no language": (b'rulebook x "X"\n', "R0101"),
    "unknown language": (b'# language: xx\nrulebook x "X"\n', "R0102"),
    "binary": (bytes(range(256)) * 40, "R0011"),
    "NUL in a name": (b'# language: en\nrulebook x\x00y "X"\n', "R0011"),
    "UTF-16": ('# language: en\nrulebook x "X"\n'.encode("utf-16"), "R0010"),
    "CP1250": ('# language: sr\npravilnik x "Šešir đaka"\n'.encode("cp1250"), "R0012"),
    "CP1254": ('# language: tr\nkural-kitabı x "İğne ışığı"\n'.encode("cp1254"), "R0012"),
    "3 MB": (book("  | word\n" * 350_000), "R0105"),
    "one long line": (book("  define a = " + "x" * 3_000_000), "R0105"),
    "500 brackets": (book("  define a = " + "(" * 500 + "true" + ")" * 500), "R0106"),
    "500 braces": (book("  define a = " + "{" * 500 + "1" + "}" * 500), "R0106"),
    "500 brackets never closed": (book("  define a = " + "(" * 500), "R0106"),
    "5,000 times not": (book("  define a = " + "not " * 5_000 + "true"), "R0108"),
    "5,000 times and": (book("  define a = " + " and ".join(["true"] * 5_000)), "R0108"),
    "5,000 times plus": (book("  define a = " + " + ".join(["1"] * 5_000) + " = 1"), "R0108"),
    "12 quantifiers": (book(f"  define a = {quantifiers(12)}"), "R0226"),
    "a number of 5,000 digits": (book("  define a = " + "9" * 5_000 + " = 1"), "R0109"),
    "a parameter of 5,000 digits": (book("  parameter a = " + "9" * 5_000), "R0109"),
    "a range of fractions": (book("  define a = size({1.5..2.5}) = 1"), "R0227"),
    "stepping back to nowhere": (book(" define a = true"), "R0107"),
    "a chain of 500 defines": (book(chain("  define a{n} = a{below}", "  define a0 = shot")), "R0302"),
    "a chain of 500 findings": (book(chain("  foul a{n} when a{below}", "  foul a0 when shot")), "R0302"),
    "a circle of 2,000 findings": (book(chain("  foul a{n} when not a{below}", "  foul a0 when a1999", 2_000)), "R0301"),
    "extends itself": (book("", "  extends x\n"), "R0003"),
    "uses itself": (book("", "  use x\n"), "R0003"),
    "uses nothing that is": (book("", "  use nothing-that-is\n"), "R0002"),
    "a define of itself": (book("  define a = not a"), "R0301"),
    "two defines of each other": (book("  define a = not b\n  define b = not a"), "R0301"),
    "findings of each other": (book("  foul a when not b\n  foul b when not a"), "R0301"),
    "mixed scripts": (book("  define b\u0430ll-here = true"), "R0237"),
    "mixed scripts where it is used": (book("  define a = s\u04bbot"), "R0237"),
}  # fmt: skip


@pytest.mark.parametrize(("raw", "code"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_has_its_diagnostic(raw: bytes, code: str) -> None:
    found = loaded(raw)
    assert found.book is None
    assert code in codes(found), lines_of(found)[:5]


def test_a_circle_of_three_books_is_named_in_order() -> None:
    found = loaded(book("", "  extends y\n"), y=book("", "  extends z\n"), z=book("", "  extends x\n"))
    assert "R0003" in codes(found)
    assert any("x.rules → y.rules → z.rules → x.rules" in line for line in lines_of(found))


def test_a_vocabulary_that_uses_its_user() -> None:
    found = loaded(book("", "  use y\n"), y=book("", "  extends x\n"))
    assert "R0003" in codes(found)


@pytest.mark.parametrize("other", ["a", "b"])
def test_effects_that_perform_each_other(other: str) -> None:
    text = f'\neffect a (p player)\n  {other}(p)\neffect b (p player)\n  a(p)\n'
    vocabulary = POOL.replace(b"\nnames\n", text.encode() + b"\nnames\n", 1)
    found = loaded(book("  change c-1 when shot:\n    a(by)"), pool=vocabulary)
    assert "R0301" in codes(found)


@pytest.mark.parametrize(("more", "code"), [("", "R0301"), ("episode e (f: set of ball = a)\n", "R0228")])
def test_sets_that_are_each_other(more: str, code: str) -> None:
    text = f"\nset a of ball = b\nset b of ball = a\n{more}".encode()
    found = loaded(book("  define c-1 = 3 in a"), pool=POOL.replace(b"\nnames\n", text + b"\nnames\n", 1))
    assert code in codes(found)


def test_a_directory_and_a_file_that_is_not_there(tmp_path: Path) -> None:
    for name in (str(tmp_path), str(tmp_path / "none.rules"), "", "\0", "a" * 5_000, "../../etc/passwd"):
        done = CliRunner().invoke(tefter, ["judge", name])
        assert done.exit_code == 1, (name[:20], done.exception)
        assert "R0001" in done.stderr


@pytest.mark.parametrize("name", ["empty", "binary", "UTF-16", "CP1250", "500 brackets", "5,000 times not"])
def test_the_command_says_where_and_ends_with_1(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.rules"
    path.write_bytes(HOSTILE[name][0])
    done = CliRunner().invoke(tefter, ["judge", str(path)], input='{"type":"start","players":["A","B"]}\n')
    assert done.exit_code == 1 and done.stdout == ""
    assert re.search(r"x\.rules:\d+:\d+", done.stderr) and HOSTILE[name][1] in done.stderr
    assert "Traceback" not in done.stderr


def cut_off(name: str, step: int, first: int) -> None:
    """Load every `step`th beginning of a shipped file, from byte `first` on."""
    raw = SHIPPED[name]
    for end in range(first, len(raw), step):
        found = loaded(raw[:end])
        assert found.book is not None or codes(found), end


@pytest.mark.parametrize("first", range(0, 1_997 * 6, 1_997))
@pytest.mark.parametrize("name", SHIPPED)
def test_a_file_cut_off(name: str, first: int) -> None:
    cut_off(name, 1_997 * 6, first)


@pytest.mark.deep
@pytest.mark.parametrize("first", range(0, 397 * 20, 397))
@pytest.mark.parametrize("name", SHIPPED)
def test_a_file_cut_off_in_more_places(name: str, first: int) -> None:
    cut_off(name, 397 * 20, first)


@pytest.mark.deep
@pytest.mark.parametrize("first", range(0, 97 * 40, 97))
@pytest.mark.parametrize("name", SHIPPED)
def test_a_file_cut_off_almost_anywhere(name: str, first: int) -> None:
    cut_off(name, 97 * 40, first)
