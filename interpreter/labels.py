"""Names and values in a reader's language: terms, titles, citations, options, cells and what they hold."""

import tomllib
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from importlib import resources
from typing import Any

from ..dsl import core
from ..dsl.absent import UNKNOWN
from ..dsl.types import Type
from ..dsl.wording import render
from .book import Book, parameter_value
from .catalogs import Catalogues, dialect_for
from .codec import Codec
from .values import Happening


@cache
def phrases(dialect: str) -> dict[str, dict[str, str]]:
    """The sentences of the engine in a language: section -> key -> text with {holes}."""
    path = resources.files(__package__) / "sentences" / f"{dialect}.toml"
    return tomllib.loads(path.read_text("utf-8"))


def is_money(value: Any) -> bool:
    """Whether a tuple is an amount with its currency, not a list."""
    if not isinstance(value, tuple) or len(value) != 2:
        return False
    return isinstance(value[0], int | Fraction) and isinstance(value[1], str)


@dataclass(frozen=True)
class Labels:
    """The words of one book in one language (a code of `catalogs.LANGUAGES`)."""

    book: Book
    lang: str
    parameters: dict[str, Any] | None = None  # of the match; without one, the newest values

    @cached_property
    def dialect(self) -> str:
        return dialect_for(self.lang)

    @cached_property
    def catalogues(self) -> Catalogues:
        return Catalogues(self.book, self.dialect)

    @cached_property
    def _members(self) -> dict[str, str]:
        """JSON key of a member -> its name."""
        declared = self.book.resolved.entities.values()
        return {key: name for members in declared for name, key in members or ()}

    def say(self, section: str, key: str, **holes: Any) -> str:
        """A sentence of the engine with its holes filled."""
        text = phrases(self.dialect)[section][key]
        return text.format_map({name: str(value) for name, value in holes.items()})

    def can_say(self, section: str, key: str) -> bool:
        """Whether there is such a sentence."""
        return key in phrases(self.dialect)[section]

    def start(self, text: str) -> str:
        """The text with a capital letter at its start (Turkish: i, İ)."""
        first = "İ" if self.dialect == "tr" and text[:1] == "i" else text[:1].upper()
        return first + text[1:]

    # ---- names

    def has_term(self, name: str) -> bool:
        """Whether the lexicon names an id in this very language."""
        return (name, self.dialect) in self.book.resolved.lexicon.entries

    def term(self, name: str) -> str:
        """The word for an id; English, then the id, where the language has none."""
        return self.book.resolved.lexicon.term(name, self.dialect)

    def event(self, key: str) -> str:
        """The word for an event kind by its JSON key."""
        return self.term(next((e.name for e in self.book.resolved.events.values() if e.key == key), key))

    def need(self, key: str) -> str:
        """The word for what a ruling waits for: an event kind or a cell, by its JSON key."""
        return self.term(self.cells[key]) if key in self.cells else self.event(key)

    @cached_property
    def cells(self) -> dict[str, str]:
        """JSON key of a cell -> its name."""
        return {c.key: c.name for c in self.book.resolved.cells.values()}

    def statement(self, name: str) -> str:
        """The word for a statement; where the language has none, the title of its clause."""
        if self.is_named(name):
            return self.term(name)
        return self.quoted(self.title(self.book.resolved.statements[name].clause))

    def is_named(self, name: str) -> bool:
        """Whether a statement goes by a word of its own: ids are English, and vocabularies have no titles."""
        info = self.book.resolved.statements.get(name)
        titled = info is not None and info.clause.id in self._clause_ids and bool(info.clause.title)
        return self.has_term(name) or self.dialect == "en" or not titled

    def person(self, who: str) -> str:
        """A player by name; the official by the word for one."""
        return (self.term(who) if self.has_term(who) else self.say("word", "official")) if who == "official" else who

    # ---- clauses

    def quoted(self, text: str) -> str:
        return self.say("mark", "quoted", text=text)

    def title(self, clause: core.ClauseInfo) -> str:
        """The title of a clause; vocabularies have none to cite."""
        if clause.id not in self._clause_ids:
            return ""
        return self.filled(self.catalogues.title(clause))

    @cached_property
    def _clause_ids(self) -> dict[str, core.ClauseInfo]:
        return {info.id: info for _, info in self.book.resolved.clauses}

    def citation(self, clause: core.ClauseInfo | None, titled: bool = True) -> str:
        """`“Title” (label; source, source)`, the title if it is asked for; of a vocabulary an empty string."""
        if clause is None or clause.id not in self._clause_ids:
            return ""
        inside = "; ".join(part for part in (clause.label, ", ".join(clause.sources)) if part)
        quoted = self.quoted(self.title(clause)) if titled else ""
        return " ".join(part for part in (quoted, f"({inside})" if inside else "") if part)

    def clause(self, key: str) -> core.ClauseInfo | None:
        """A clause of the book by its key in the contract."""
        return self._clause_ids.get(core.name_of(key))

    def option(self, statement: str, option: str) -> str:
        """What a reader is told of an option: its wording, or the word for it."""
        info = self.book.resolved.statements.get(statement)
        found = next((o for o in info.options if o.name == option), None) if info else None
        if info is None or found is None:
            return self.term(option)
        wording = " ".join(self.filled(self.catalogues.option(info, found)).split())
        return wording.removesuffix(".") or self.term(option)

    def filled(self, text: str) -> str:
        """A title or wording with its placeholders filled."""
        if "{" not in text and "}" not in text:
            return text
        return render(text, self.book.resolved, self.dialect, self._parameters)

    @cached_property
    def _parameters(self) -> dict[str, object]:
        resolved = self.book.resolved
        kinds = {name: kind.kind for name, kind in resolved.parameter_types.items()}
        values = self.parameters
        if values is None:
            values = {n: parameter_value(p, kinds[n], None) for n, p in resolved.parameters.items()}
        return {n: self.value(v, resolved.parameter_types[n]) for n, v in values.items()}

    # ---- values

    def value(self, value: Any, kind: Type | None = None) -> str:
        """A value of the rules (or its JSON) in words; `kind` where it is known."""
        if value is UNKNOWN:
            return self.say("word", "unknown")
        if value is None:
            return self.say("word", "none")
        if isinstance(value, bool):
            return self.say("word", "yes" if value else "no")
        if isinstance(value, int | float | Fraction):
            return self._number(value, kind)
        if is_money(value):
            return f"{self._number(value[0], kind)} {value[1]}"
        if isinstance(value, str):
            return self._text(value, kind)
        return self._several(value, kind)

    def _number(self, value: int | float | Fraction, kind: Type | None) -> str:
        if kind is not None and kind.kind == "percent":
            return self.say("mark", "percent", number=self._number(value * 100, None))
        if isinstance(value, Fraction) and value.denominator == 1:
            value = int(value)
        text = str(value) if isinstance(value, int) else f"{float(value):.10g}"
        return text.replace(".", self.say("mark", "decimal"))

    def _text(self, value: str, kind: Type | None) -> str:
        if kind is not None and kind.kind == "date":
            year, month, day = value.split("-")
            return self.say("mark", "date", year=year, month=month, day=day)
        if kind is not None and kind.kind == "text" and value not in self._members:
            return self.person(value)
        if kind is not None and kind.kind == "entity" and self.book.resolved.entities[kind.name] is None:
            return value
        name = self._members.get(value, value)
        return self.term(name) if kind is not None or name in self._known else value

    @cached_property
    def _known(self) -> set[str]:
        return {name for name, _ in self.book.resolved.lexicon.entries}

    def _several(self, value: Any, kind: Type | None) -> str:
        if isinstance(value, Happening):
            return self.happening(value)
        if isinstance(value, dict):
            return self._record(value, kind)
        item = kind.item if kind is not None else None
        if kind is not None and kind.kind == "pairs":
            pairs = (self._ordered(pair) for pair in self._ordered(value))
            return ", ".join(self.say("mark", "pair").join(self.value(one) for one in pair) for pair in pairs)
        items = self._ordered(value) if isinstance(value, frozenset) else list(value)
        shown = [f"({self.value(i, item)})" if isinstance(i, dict) else self.value(i, item) for i in items]
        return self._runs(shown) or self.say("word", "nothing")

    def _ordered(self, value: Any) -> list[Any]:
        return Codec(self.book.resolved, ()).ordered(value)

    def _record(self, value: dict[str, Any], kind: Type | None) -> str:
        """The fields of a record; of a typed one only those that differ from their defaults."""
        types = dict(kind.fields) if kind is not None else {}
        defaults = {i.name: i.default for i in kind.infos} if kind is not None else {}
        shown = {n: v for n, v in value.items() if n not in defaults or defaults[n] != v}
        return ", ".join(f"{self.term(core.name_of(n))}: {self.value(v, types.get(n))}" for n, v in shown.items())

    def _runs(self, items: list[str]) -> str:
        """Items with commas between them; three or more numbers in a row as `1–7`."""
        runs: list[list[str]] = []
        for item in items:
            if runs and item.isdigit() and runs[-1][-1].isdigit() and int(item) == int(runs[-1][-1]) + 1:
                runs[-1].append(item)
            else:
                runs.append([item])
        return ", ".join(f"{r[0]}–{r[-1]}" if len(r) > 2 else ", ".join(r) for r in runs)

    def happening(self, h: Happening) -> str:
        """What an event was about: its places in order; a flag that is set by its name."""
        types = {f.name: f.type for f in self.book.resolved.events[h.kind].fields}
        kept = [(n, v) for n, v in h.fields if v is not None and v is not False and v != frozenset()]
        shown = [self.term(n) if v is True else self.value(v, types[n]) for n, v in kept]
        return self.say("mark", "pair").join(shown)
