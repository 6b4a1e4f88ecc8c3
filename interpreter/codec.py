"""Between the JSON of the contract and the values that rules compute with."""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..dsl import core
from ..dsl.absent import REQUIRED, UNKNOWN
from ..dsl.diagnostics import suggestion
from ..dsl.types import Type
from .values import Happening

MAX_MOMENTS = 5_000
MAX_NUMBER = 10**12


class Malformed(Exception):
    """The line is not of the contract's shape; the text says what and how to mend it."""


class Impossible(Exception):
    """The line is well formed but speaks of something that there is not (an unknown member)."""


@dataclass(frozen=True)
class Codec:
    """Encodes and decodes for one book and its players."""

    book: core.Resolved
    players: tuple[str, ...]

    # ---- decoding

    def decode(self, value: Any, kind: Type, where: str) -> Any:
        """A JSON value as a value of a type; raises Malformed or Impossible."""
        if value is None:
            return UNKNOWN
        if value == "none" and kind.optional:
            return None
        return getattr(self, f"_{kind.kind.replace('-', '_')}")(value, kind, where)

    def _number(self, value: Any, kind: Type, where: str) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Malformed(f"`{where}` takes a number, not {_shown(value)}")
        if value != value or abs(value) > MAX_NUMBER:
            raise Malformed(f"`{where}` takes a number below {MAX_NUMBER:,}")
        number = Fraction(str(value))
        return int(number) if number.denominator == 1 else number

    _percent = _duration = _number

    def _yes_no(self, value: Any, kind: Type, where: str) -> bool:
        if not isinstance(value, bool):
            raise Malformed(f"`{where}` takes true or false, not {_shown(value)}")
        return value

    def _text(self, value: Any, kind: Type, where: str) -> str:
        if not isinstance(value, str):
            raise Malformed(f"`{where}` takes a text, not {_shown(value)}")
        return value

    def _date(self, value: Any, kind: Type, where: str) -> str:
        from datetime import date

        text = self._text(value, kind, where)
        try:
            return date.fromisoformat(text).isoformat()
        except ValueError as error:
            raise Malformed(f"`{where}` takes a date such as 2026-01-31, not {_shown(value)}") from error

    def _money(self, value: Any, kind: Type, where: str) -> Any:
        match = re.fullmatch(r"(-?\d{1,12}(?:\.\d{1,4})?) ([A-Z]{3})", self._text(value, kind, where))
        if match is None:
            raise Malformed(f'`{where}` takes an amount such as "500 RSD", not {_shown(value)}')
        amount = Fraction(match.group(1))
        return (int(amount) if amount.denominator == 1 else amount), match.group(2)

    def _entity(self, value: Any, kind: Type, where: str) -> str:
        text = self._text(value, kind, where)
        declared = self.book.entities[kind.name]
        if declared is None:
            if text not in self.players:
                raise Impossible(f"unknown {kind.name}: {text!r} ({', '.join(self.players)})")
            return text
        for name, key in declared:
            if key == text:
                return name
        raise Impossible(f"unknown {kind.name}: {text!r}" + suggestion(text, [key for _, key in declared]))

    def _enum(self, value: Any, kind: Type, where: str) -> str:
        text = self._text(value, kind, where)
        if text not in kind.values:
            raise Malformed(f"`{where}` takes one of {', '.join(kind.values)}, not {_shown(value)}")
        return text

    def _items(self, value: Any, kind: Type, where: str) -> list[Any]:
        if not isinstance(value, list):
            raise Malformed(f"`{where}` takes a list, not {_shown(value)}")
        if None in value:
            raise Malformed(f"`{where}` may not hold null")
        assert kind.item is not None
        return [self.decode(item, kind.item, where) for item in value]

    def _set(self, value: Any, kind: Type, where: str) -> frozenset[Any]:
        return frozenset(self._items(value, kind, where))

    def _list(self, value: Any, kind: Type, where: str) -> tuple[Any, ...]:
        return tuple(self._items(value, kind, where))

    def _pairs(self, value: Any, kind: Type, where: str) -> frozenset[frozenset[str]]:
        if not isinstance(value, list) or any(not isinstance(p, list) or len(p) != 2 for p in value):
            raise Malformed(f"`{where}` takes a list of pairs, not {_shown(value)}")
        known = {key: name for e in kind.values for name, key in self.book.entities[e] or ()}
        for name in (n for pair in value for n in pair):
            if not isinstance(name, str) or name not in known:
                raise Impossible(f"unknown in `{where}`: {name!r}")
        return frozenset(frozenset(known[n] for n in pair) for pair in value)

    def _record(self, value: Any, kind: Type, where: str) -> dict[str, Any]:
        return self.fields(value, kind.infos, where)

    def fields(self, value: Any, infos: tuple[core.FieldInfo, ...], where: str) -> dict[str, Any]:
        """The fields of an object, by name, with defaults for those that are absent."""
        if not isinstance(value, dict):
            raise Malformed(f"`{where}` takes an object, not {_shown(value)}")
        by_key = {info.key: info for info in infos}
        for key in value:
            if key not in by_key:
                raise Malformed(f"unknown key `{key}` in `{where}`" + suggestion(str(key), set(by_key)))
        result = {}
        for info in infos:
            if info.key in value:
                decoded = self.decode(value[info.key], info.type, f"{where}.{info.key}")
                if decoded is UNKNOWN:
                    if not info.type.optional:
                        raise Malformed(f"`{where}.{info.key}` may not be null; leave it out for its default")
                    decoded = None
                result[info.name] = decoded
            elif info.default is REQUIRED:
                raise Malformed(f"`{where}` needs `{info.key}`")
            else:
                result[info.name] = info.default
        return result

    def happening(self, moment: Any, index: int) -> Happening:
        """One moment of an episode; its `t` only orders a reader, the list is the order."""
        if not isinstance(moment, dict):
            raise Malformed(f"a moment is an object, not {_shown(moment)}")
        keys = [k for k in moment if k != "t"]
        if len(keys) != 1:
            raise Malformed(f"a moment has one event (and maybe `t`), not {', '.join(keys) or 'none'}")
        if "t" in moment:
            self._number(moment["t"], Type("number"), "t")
        info = next((e for e in self.book.events.values() if e.key == keys[0]), None)
        if info is None:
            raise Malformed(
                f"unknown event `{keys[0]}`" + suggestion(keys[0], {e.key for e in self.book.events.values()})
            )
        return self.event(moment[keys[0]], info, index)

    def event(self, value: Any, info: core.EventInfo, index: int) -> Happening:
        """The event of a moment, or of an episode that is one event by itself."""
        if info.form == "record":
            fields = self.fields(value, info.fields, info.key)
            return Happening(info.name, index, tuple(fields.items()))
        if not isinstance(value, list) or len(value) != len(info.fields):
            raise Malformed(f"`{info.key}` takes a list of {len(info.fields)}, not {_shown(value)}")
        items = tuple((f.name, self.decode(v, f.type, info.key)) for f, v in zip(info.fields, value, strict=True))
        if any(v is UNKNOWN for _, v in items):
            raise Malformed(f"`{info.key}` may not hold null")
        if info.form == "pair" and items[0][1] == items[1][1]:
            raise Impossible(f"`{info.key}` is of two different ones, not twice {items[0][1]!r}")
        return Happening(info.name, index, items)

    # ---- encoding

    def encode(self, value: Any, kind: Type) -> Any:
        """A value as JSON: sets sorted, `none` as a string, unknown as null."""
        if value is UNKNOWN:
            return None
        if value is None:
            return "none"
        match kind.kind:
            case "number" | "percent":
                return value if isinstance(value, int) else float(value)
            case "money":
                return money_text(value)
            case "entity":
                return dict(self.book.entities[kind.name] or ()).get(value, value)
            case "set":
                assert kind.item is not None
                return [self.encode(v, kind.item) for v in self.ordered(value)]
            case "list":
                assert kind.item is not None
                return [self.encode(v, kind.item) for v in value]
            case "pairs":
                keys = {name: key for e in kind.values for name, key in self.book.entities[e] or ()}
                return sorted([keys.get(name, name) for name in self.ordered(pair)] for pair in value)
            case "record":
                return {i.key: self.encode(value[i.name], i.type) for i in kind.infos}
        return value

    def ordered(self, value: Any) -> list[Any]:
        """The members of a set in declared order."""
        return sorted(value, key=lambda v: (self.book.ranks.get(v, 0), str(v)))


def money_text(value: Any) -> str:
    """`500 RSD`; parts of the unit as decimals."""
    amount, currency = value
    return f"{amount} {currency}" if isinstance(amount, int) else f"{float(amount):.2f} {currency}"


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except RecursionError:
        text = "something nested very deep"
    return text if len(text) <= 60 else text[:57] + "..."
