"""Translations of titles and option wordings: PO catalogues beside a rulebook, read when a language asks for them."""

from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from pathlib import Path

from ..dsl import core
from ..dsl.diagnostics import near_names
from ..dsl.load import FileHost, Host, shipped_folder
from .book import Book, UsageError

LANGUAGES = {"tr": "tr", "sr-Latn": "sr", "sr": "sr", "en": "en"}
"""The codes that a user may give, and the dialect that names are printed in."""
LATER = ("sr-Cyrl",)
CATALOGUE_NAMES = {"tr": ("tr",), "sr": ("sr", "sr-Latn"), "en": ("en",)}


class CatalogueError(Exception):
    """A PO file cannot be read; the text says which and why."""


def dialect_for(lang: str) -> str:
    """The dialect of a language code. Raises UsageError for those that are not spoken (yet)."""
    if lang in LANGUAGES:
        return LANGUAGES[lang]
    if lang in LATER:
        raise UsageError(f"the language {lang} is not supported yet; for now: {', '.join(LANGUAGES)}")
    near = near_names(lang, set(LANGUAGES))
    raise UsageError(f"unknown language: {lang!r}; known: {', '.join(near or LANGUAGES)}")


def default_language(book: Book) -> str:
    """The language of the book's wording where it is spoken, else English."""
    return LANGUAGES.get(book.resolved.authoritative, "en")


@dataclass(frozen=True)
class Catalogues:
    """The texts of one rulebook in one language, of the books that it builds on too."""

    book: Book
    dialect: str
    host: Host = field(default_factory=FileHost)

    def title(self, clause: core.ClauseInfo) -> str:
        """The title of a clause: the author's, its translation, or the author's for want of one."""
        return self._text(clause, f"{clause.id} title") or clause.title

    def option(self, statement: core.Statement, option: core.ResolvedOption) -> str:
        """The wording of an option with its placeholders, or an empty string."""
        if self._is_own(statement.clause):
            return option.wording
        return self._text(statement.clause, f"{statement.name}.{option.name} wording")

    def _is_own(self, clause: core.ClauseInfo) -> bool:
        return LANGUAGES.get(clause.lang) == self.dialect

    def _text(self, clause: core.ClauseInfo, context: str) -> str:
        if self._is_own(clause):
            return ""
        beside = next((d.span.file for d in self.book.resolved.documents if d.id == clause.book), "")
        return catalogue(clause.book, beside, self.dialect, self.host).get(context, "")


def catalogue(book: str, beside: str, dialect: str, host: Host | None = None) -> dict[str, str]:
    """Context -> translation, from `catalogs/<book>.<lang>.po` beside the file or among the shipped ones."""
    if host is None or isinstance(host, FileHost):
        return _from_files(book, beside, dialect)
    return _read(book, beside, dialect, host)


@lru_cache(maxsize=64)
def _from_files(book: str, beside: str, dialect: str) -> dict[str, str]:
    return _read(book, beside, dialect, FileHost())


def _read(book: str, beside: str, dialect: str, host: Host) -> dict[str, str]:
    for folder in (Path(beside).parent, shipped_folder()):
        for lang in CATALOGUE_NAMES[dialect]:
            path = str(folder / "catalogs" / f"{book}.{lang}.po")
            try:
                raw = host.read(path)
            except OSError:
                continue
            return _messages(raw, path)
    return {}


def _messages(raw: bytes, path: str) -> dict[str, str]:
    """The translated messages of a PO file by their context; fuzzy ones count as absent."""
    from babel.messages.pofile import PoFileError, read_po

    try:
        messages = list(read_po(BytesIO(raw), abort_invalid=True))
    except (PoFileError, ValueError, LookupError) as error:
        raise CatalogueError(f"{path}: the catalogue cannot be read: {error}") from error
    return {
        m.context: m.string
        for m in messages
        if m.context and not m.fuzzy and isinstance(m.string, str) and m.string.strip()
    }
