"""Diagnostics: what is wrong, where, why, and what to write instead. Values, never exceptions."""

import string
import tomllib
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from .source import Source, Span


@dataclass(frozen=True, slots=True)
class Label:
    """A second place that a diagnostic speaks of."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """`code` is stable for ever; `arguments` fill the holes of the message of that code."""

    code: str
    severity: str  # error | warning
    span: Span
    arguments: tuple[tuple[str, str], ...] = ()
    labels: tuple[Label, ...] = ()
    near: tuple[str, ...] = ()

    def message(self, lang: str = "en") -> str:
        """One sentence without a final period."""
        return string.Formatter().vformat(catalogue(lang)[self.code]["message"], (), dict(self.arguments))

    def hint(self, lang: str = "en") -> str:
        """The cure; near names are appended."""
        text = string.Formatter().vformat(catalogue(lang)[self.code].get("hint", ""), (), dict(self.arguments))
        if self.near:
            text = f"{text}; " if text else ""
            text += f"{catalogue(lang)['words']['near']} {', '.join(f'`{name}`' for name in self.near)}"
        return text


@cache
def catalogue(lang: str) -> dict[str, dict[str, str]]:
    """Code -> {message, hint, bad, good}."""
    path = resources.files(__package__) / "messages" / f"{lang}.toml"
    if not path.is_file():
        path = resources.files(__package__) / "messages" / "en.toml"
    return tomllib.loads(path.read_text("utf-8"))


@dataclass
class Report:
    """Collects the diagnostics of a run, with the sources they point into."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)

    def error(
        self, code: str, span: Span, near: tuple[str, ...] = (), labels: tuple[Label, ...] = (), **arguments: object
    ) -> None:
        """Report a mistake that must be mended before anything can be judged."""
        self._add(code, "error", span, near, labels, arguments)

    def warning(
        self, code: str, span: Span, near: tuple[str, ...] = (), labels: tuple[Label, ...] = (), **arguments: object
    ) -> None:
        """Report something that is probably a mistake."""
        self._add(code, "warning", span, near, labels, arguments)

    def _add(
        self, code: str, severity: str, span: Span, near: tuple[str, ...], labels: tuple[Label, ...],
        arguments: dict[str, object],
    ) -> None:  # fmt: skip
        values = tuple((name, str(value)) for name, value in arguments.items())
        diagnostic = Diagnostic(code, severity, span, values, labels, near)
        if diagnostic not in self.diagnostics:
            self.diagnostics.append(diagnostic)

    @property
    def failed(self) -> bool:
        """Whether there is an error among the diagnostics."""
        return any(d.severity == "error" for d in self.diagnostics)

    def sorted(self) -> list[Diagnostic]:
        """By file, place, severity, code."""
        return sorted(self.diagnostics, key=lambda d: (d.span.file, d.span.start, d.severity, d.code))


def near_names(name: str, known: Collection[str]) -> tuple[str, ...]:
    """Up to three known names that look like `name`; the whole set where it is small."""
    import difflib

    close = tuple(difflib.get_close_matches(name, sorted(known), n=3, cutoff=0.6))
    return close or (tuple(sorted(known)) if len(known) <= 6 else ())


def suggestion(name: str, known: Collection[str]) -> str:
    """`; did you mean a, b`, to stand behind a message about an unknown name; empty where nothing is near."""
    near = near_names(name, known)
    return f"; did you mean {', '.join(near)}" if near else ""


def render_line(diagnostic: Diagnostic, source: Source | None, lang: str = "en") -> str:
    """`file:line:column: severity code message`."""
    line, column = source.position(diagnostic.span.start) if source else (1, 1)
    text = f"{diagnostic.span.file}:{line}:{column}: {diagnostic.severity} {diagnostic.code} {diagnostic.message(lang)}"
    hint = diagnostic.hint(lang)
    return f"{text} ({hint})" if hint else text


def render_people(diagnostic: Diagnostic, source: Source | None, lang: str = "en") -> str:
    """Several lines: the message, the heading of the clause, the place underlined, the cure."""
    words = catalogue(lang)["words"]
    lines = [f"{words[diagnostic.severity]} {diagnostic.code}: {diagnostic.message(lang)}"]
    if source is not None:
        lines += _snippet(diagnostic.span, source)
        for label in diagnostic.labels:
            lines += [f"  {label.text}", *_snippet(label.span, source)]
    hint = diagnostic.hint(lang)
    if hint:
        lines.append(f"  {words['hint']}: {hint}")
    return "\n".join(lines)


def _snippet(span: Span, source: Source) -> list[str]:
    line, column = source.position(min(span.start, len(source.text)))
    text = source.line(line)
    shown = text if len(text) <= 200 else text[:200] + "…"
    width = max(1, min(span.end - span.start, len(shown) - column + 1))
    heading = _heading(source, line)
    gutter = f"{line:>5}"
    return [
        f"  {span.file}:{line}:{column}" + (f"  {heading}" if heading else ""),
        f"  {gutter} | {shown}",
        f"  {' ' * len(gutter)} | {' ' * (min(column, 201) - 1)}{'^' * width}",
    ]


def _heading(source: Source, line: int) -> str:
    """The title of the clause that a line stands in, as the file writes it."""
    from .dialect import DIALECTS, dialect_of, keywords

    dialect = dialect_of(source.text)
    words = keywords(dialect)["CLAUSE"] if dialect in DIALECTS else ()
    for number in range(line, 0, -1):
        text = source.line(number).strip()
        if any(text.startswith(f"{word} ") for word in words):
            return text
    return ""


def as_json(diagnostic: Diagnostic, source: Source | None, lang: str = "en") -> dict[str, object]:
    """The diagnostic as plain data."""
    line, column = source.position(diagnostic.span.start) if source else (1, 1)
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "file": diagnostic.span.file,
        "line": line,
        "column": column,
        "message": diagnostic.message(lang),
        "hint": diagnostic.hint(lang),
    }
