"""The pipeline: load -> parse -> resolve -> check. Each stage returns its output and diagnostics."""

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Protocol

from . import ast, core
from .build import build
from .build_names import scan_names, scan_uses
from .check import check
from .diagnostics import Report
from .dialect import dialect_of
from .lexicon import Lexicon
from .parser import parse
from .resolve import resolve
from .source import Source, Span, decode

MAX_CHAIN = 20  # books and vocabularies that one book may build on


class Host(Protocol):
    """The only door to the outside: which files there are, and their bytes."""

    def find(self, name: str, beside: str) -> str | None:
        """The path of a book or vocabulary by its name; `beside` is the file that asks."""

    def read(self, path: str) -> bytes:
        """The bytes of a file; raises OSError."""


class FileHost:
    """Files beside the one that asks, then the shipped ones."""

    def find(self, name: str, beside: str) -> str | None:
        path = Path(name)
        if path.suffix == ".rules":
            return str(path) if _is_file(path) else None
        for folder in (Path(beside).parent if beside else None, shipped_folder()):
            if folder is not None and _is_file(folder / f"{name}.rules"):
                return str(folder / f"{name}.rules")
        return None

    def read(self, path: str) -> bytes:
        return Path(path).read_bytes()


def _is_file(path: Path) -> bool:
    """Whether there is such a file; a name that no file can have is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def shipped_folder() -> Path:
    """The folder of the shipped rulebooks."""
    return Path(str(resources.files(__package__).joinpath("..", "rulebooks"))).resolve()


@dataclass(frozen=True)
class Loaded:
    """What came of loading: the resolved book where there was no error, and all diagnostics."""

    book: core.Resolved | None
    report: Report


def load_book(name: str, host: Host | None = None, lint: bool = True) -> Loaded:
    """Load a book or vocabulary by its shipped name or its path."""
    report = Report()
    loader = Loader(host or FileHost(), report)
    path = loader.host.find(name, "")
    if path is None:
        report.error("R0001", Span(name, 0, 0), name=name)
        return Loaded(None, report)
    documents = loader.chain(path)
    if documents is None:
        return Loaded(None, report)
    return finish(documents, loader.lexicon, report, lint)


def finish(documents: tuple[ast.Document, ...], lexicon: Lexicon, report: Report, lint: bool = True) -> Loaded:
    """Resolve and check documents that are already trees."""
    book = resolve(documents, lexicon, report)
    if book is not None:
        check(book, report, lint)
    return Loaded(None if report.failed else book, report)


class Loader:
    """Loads a file and all that it builds on, each once, the foundations first."""

    def __init__(self, host: Host, report: Report) -> None:
        self.host, self.report = host, report
        self.lexicon = Lexicon()
        self.documents: dict[str, ast.Document] = {}
        self.loading: list[str] = []

    def chain(self, path: str) -> tuple[ast.Document, ...] | None:
        """The document at a path preceded by those that it builds on; None where one has no tree."""
        if self._load(path, Span(path, 0, 0)):
            return tuple(self.documents.values())
        return None

    def _load(self, path: str, asked: Span) -> bool:
        if path in self.documents:
            return True
        if path in self.loading or len(self.loading) >= MAX_CHAIN:
            self.report.error("R0003", asked, members=" → ".join([*self.loading, path]))
            return False
        source = self._source(path, asked)
        if source is None:
            return False
        tree = parse(source, self.report)
        if tree is None:
            return False
        dialect = dialect_of(source.text) or "en"
        self.loading.append(path)
        found = [self._required(str(token), token, source) for token in scan_uses(tree)]  # every missing one is told
        fine = all(found)
        self.loading.pop()
        for entry, form, other in self.lexicon.add(scan_names(tree, source)):
            self.report.error("R0234", entry.span, name=form, first=other, second=entry.id)
        if fine:
            self.documents[path] = build(tree, source, dialect, self.lexicon, self.report)
        return fine

    def _required(self, name: str, token: object, source: Source) -> bool:
        span = Span(source.file, getattr(token, "start_pos", 0), getattr(token, "end_pos", 0))
        path = self.host.find(name, source.file)
        if path is None:
            self.report.error("R0002", span, name=name)
            return False
        return self._load(path, span)

    def _source(self, path: str, asked: Span) -> Source | None:
        try:
            decoded = decode(self.host.read(path))
        except OSError as error:
            self.report.error("R0004", asked, name=path, reason=error.strerror or str(error))
            return None
        source = Source(path, decoded.text)
        self.report.sources[path] = source
        if decoded.problem:
            code = {"utf-16": "R0010", "binary": "R0011", "encoding": "R0012"}[decoded.problem]
            self.report.error(code, Span(path, decoded.offset, decoded.offset))
            return None
        return source
