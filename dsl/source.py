"""A source text, places in it, and how bytes become text."""

import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Span:
    """A place: file name and the half-open range of character offsets [start, end)."""

    file: str
    start: int
    end: int


NOWHERE = Span("", 0, 0)


@dataclass(frozen=True)
class Source:
    """A named text. Lines and columns count from 1, in characters."""

    file: str
    text: str

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(i + 1 for i, c in enumerate(self.text) if c == "\n")]

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column) of a character offset."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line, without its newline."""
        lines = self.text.split("\n")
        return lines[number - 1] if 0 < number <= len(lines) else ""


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text from bytes, or the reason why there is none (a key of the message catalogue)."""

    text: str
    problem: str = ""
    offset: int = 0


def decode(raw: bytes) -> Decoded:
    """Read UTF-8 (with or without BOM, any newline); the text comes back in NFC with `\\n`."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Decoded("", "utf-16")
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    if b"\x00" in raw:
        return Decoded("", "binary", raw.index(b"\x00"))
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8", "replace")
        return Decoded(before, "encoding", len(before))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return Decoded(unicodedata.normalize("NFC", text))
