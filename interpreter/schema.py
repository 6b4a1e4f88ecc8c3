"""The JSON Schema (2020-12) of a log and of the verdicts on it, as it follows from a rulebook's declarations."""

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

import msgspec

from ..dsl import core
from ..dsl.absent import REQUIRED
from ..dsl.types import Type
from .book import Book
from .codec import MAX_MOMENTS, MAX_NUMBER, Codec
from .log import CONTRACT
from .verdict import Verdict

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
STATUSES = ("ruled", "undecided", "conflict", "refused")
TEXT: Schema = {"type": "string"}
PLAYER: Schema = {"type": "string", "minLength": 1, "maxLength": 200}
LINE_NUMBER: Schema = {"type": "integer", "minimum": 1}
DAY: Schema = {"type": "string", "format": "date", "pattern": r"^\d{4}-\d{2}-\d{2}$"}
PLAIN: dict[str, Schema] = {
    "number": {"type": "number", "minimum": -MAX_NUMBER, "maximum": MAX_NUMBER},
    "percent": {"type": "number"},
    "duration": {"type": "number"},
    "text": TEXT,
    "yes-no": {"type": "boolean"},
    "date": DAY,
    "money": {"type": "string", "pattern": r"^-?\d{1,12}(\.\d{1,4})? [A-Z]{3}$"},
}


def schema(book: Book) -> Schema:
    """The schema of a log line; `$defs/verdict` is that of a line of output."""
    return _Writer(book.resolved).document()


def closed(properties: dict[str, Schema], required: Iterable[str] = ()) -> Schema:
    """An object with these keys and no others."""
    needed = sorted(required)
    found: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**found, "required": needed} if needed else found


def listed(item: Schema) -> Schema:
    return {"type": "array", "items": item}


def either(first: Schema, value: Any) -> Schema:
    """What fits `first`, or one more value."""
    if "enum" in first:
        return {"enum": [*first["enum"], value]}
    if "anyOf" in first:
        return {"anyOf": [*first["anyOf"], {"const": value}]}
    return {"anyOf": [first, {"const": value}]}


class _Writer:
    """Writes the parts for one book; what is used more than once stands in `$defs`."""

    def __init__(self, book: core.Resolved) -> None:
        self.book, self.codec = book, Codec(book, ())
        self.choices = [s for s in book.statements.values() if s.form == "choice"]
        self.silents = [s for s in book.statements.values() if s.form == "silent"]

    def document(self) -> Schema:
        lines = self._lines()
        definitions = {
            **{self._entity_key(name): self._members(name) for name in self.book.entities},
            **{self._event_key(e): self._event(e) for e in self.book.events.values()},
            **{f"line.{key}": line for key, line in lines.items()},
            **self._outputs(),
        }
        return {
            "$schema": DIALECT,
            "$id": f"urn:tefter:{quote(self.book.id)}:{self.book.fingerprint}",
            "title": f"{self.book.title}: a line of a log",
            "oneOf": [self._ref(f"line.{key}") for key in lines],
            "$defs": definitions,
        }

    # ---- types

    def type(self, kind: Type) -> Schema:
        """The values of a type; `none` where it may be none."""
        found = self._required(kind)
        return either(found, "none") if kind.optional and found else found

    def _required(self, kind: Type) -> Schema:
        if kind.kind in PLAIN:
            return dict(PLAIN[kind.kind])
        match kind.kind:
            case "entity":
                return self._ref(self._entity_key(kind.name))
            case "enum":
                return {"enum": list(kind.values)}
            case "set" | "list":
                assert kind.item is not None
                return listed(self.type(kind.item))
            case "pairs":
                ends = {"anyOf": [self._ref(self._entity_key(name)) for name in kind.values]}
                return listed({**listed(ends), "minItems": 2, "maxItems": 2})
            case "record":
                return self.fields(kind.infos)
        return {}

    def fields(self, infos: Iterable[core.FieldInfo], extra: dict[str, Schema] | None = None) -> Schema:
        """An object with these fields; those without a default are required."""
        known = tuple(infos)
        properties = {**(extra or {}), **{info.key: self._field(info) for info in known}}
        needed = {info.key for info in known if info.default is REQUIRED} | {"type"} & set(extra or {})
        return closed(properties, needed)

    def _field(self, info: core.FieldInfo) -> Schema:
        found = self.type(info.type)
        if info.default is REQUIRED:
            return found
        return {**found, "default": self.codec.encode(info.default, info.type)}

    def _members(self, entity: str) -> Schema:
        declared = self.book.entities[entity]
        return PLAYER if declared is None else {"enum": [key for _, key in declared]}

    def _entity_key(self, name: str) -> str:
        return f"entity.{core.json_key(name)}"

    def _event_key(self, event: core.EventInfo) -> str:
        return f"event.{event.key}"

    def _ref(self, key: str) -> Schema:
        return {"$ref": f"#/$defs/{quote(key)}"}

    def _event(self, event: core.EventInfo) -> Schema:
        if event.form == "record":
            return self.fields(event.fields)
        count = len(event.fields)
        items = [self.type(f.type) for f in event.fields]
        found: Schema = {"type": "array", "prefixItems": items, "minItems": count, "maxItems": count}
        return {**found, "uniqueItems": True} if event.form == "pair" else found

    # ---- lines of a log

    def _lines(self) -> dict[str, Schema]:
        lines = {"start": self._start(), "position": self._position()}
        if self.choices:
            keys = {"by": PLAYER, "about": TEXT}
            lines["choice"] = self._decision("choice", self.choices, keys, ("by",))
        if self.choices or self.silents:
            lines["ruling"] = self._decision("on", [*self.choices, *self.silents], {"about": TEXT}, ())
        lines["retract"] = closed({"type": {"const": "retract"}, "n": LINE_NUMBER, "reason": TEXT}, ("type", "n"))
        return {**lines, **{e.key: self._episode(e) for e in self.book.episodes.values()}}

    def _start(self) -> Schema:
        settings = {s.key: self._setting(s) for s in self.book.settings.values()}
        readings = {r.name: {"enum": list(r.alternatives), "default": r.default} for r in self.book.readings.values()}
        properties: dict[str, Schema] = {
            "type": {"const": "start"},
            "rulebook": {"const": self.book.id},
            "players": {**listed(PLAYER), "uniqueItems": True},
            "settings": closed(settings),
            "readings": closed(readings),
            "observes": self._observed(),
            "date": DAY,
        }
        return closed(properties, ("type", "players"))

    def _setting(self, info: core.SettingInfo) -> Schema:
        return {**self.type(info.type), "default": self.codec.encode(info.default, info.type)}

    def _observed(self) -> Schema:
        keys = sorted(e.key for e in self.book.events.values())
        return listed({"enum": keys}) if keys else {"type": "array", "maxItems": 0}

    def _position(self) -> Schema:
        cells = {**self._cells(), "open": listed({"anyOf": [TEXT, self._open()]})}
        return closed({"type": {"const": "position"}, "set": closed(cells)}, ("type",))

    def _decision(
        self, key: str, statements: list[core.Statement], extra: dict[str, Schema], needed: tuple[str, ...]
    ) -> Schema:
        """A choice or ruling: each decision with the options that it may have."""
        kind = "choice" if key == "choice" else "ruling"
        names = [core.json_key(s.name) for s in statements]
        properties: dict[str, dict[str, Any]] = {"type": {"const": kind}, key: {"enum": names}, "option": TEXT, **extra}
        cases = [
            {"properties": {key: {"const": core.json_key(s.name)}, "option": {"enum": self._options(s)}}}
            for s in statements
        ]
        return {**closed(properties, ("type", key, "option", *needed)), "oneOf": cases}

    def _options(self, s: core.Statement) -> list[str]:
        return [core.json_key(option.name) for option in s.options]

    def _episode(self, episode: core.EpisodeInfo) -> Schema:
        own: dict[str, Schema] = {"type": {"const": episode.key}}
        alone = self.book.events.get(episode.name)
        if alone is not None:
            return self.fields(alone.fields, own)
        if episode.moments:
            own["moments"] = {**listed(self._moment()), "maxItems": MAX_MOMENTS, "default": []}
        return self.fields(episode.fields, own)

    def _moment(self) -> Schema:
        """One event, and maybe its time."""
        events = {e.key: self._ref(self._event_key(e)) for e in self.book.events.values()}
        one = [{"required": [key]} for key in events]
        return {**closed({**events, "t": PLAIN["number"]}), **({"oneOf": one} if one else {})}

    # ---- the state

    def _cells(self) -> dict[str, Schema]:
        return {cell.key: self._cell(cell) for cell in self.book.cells.values()}

    def _cell(self, cell: core.CellInfo) -> Schema:
        """null is unknown; a cell with a value for each member is an object."""
        value = either(self.type(cell.type), None)
        if cell.of is None:
            return value
        declared = self.book.entities[cell.of]
        if declared is not None:
            return either(closed({name: value for name, _ in declared}), None)
        return either({"type": "object", "additionalProperties": value}, None)

    def _open(self) -> Schema:
        """A decision that waits: with the names of its options, or with what each of them changes."""
        change = {
            "type": "array", "prefixItems": [{"enum": ["becomes", "increases", "gains", "loses", "restarts"]}, TEXT],
            "minItems": 2, "maxItems": 4,
        }  # fmt: skip
        options = {"anyOf": [listed(TEXT), {"type": "object", "additionalProperties": listed(change)}]}
        properties = {
            "choice": {"enum": [core.json_key(s.name) for s in self.choices]},
            "silent": {"enum": [core.json_key(s.name) for s in self.silents]},
            "for": PLAYER, "about": TEXT, "options": options,
        }  # fmt: skip
        known = {k: v for k, v in properties.items() if v.get("enum") != []}
        return {**closed(known), "oneOf": [{"required": ["choice"]}, {"required": ["silent"]}]}

    # ---- lines of output

    def _outputs(self) -> dict[str, Schema]:
        (_,), components = msgspec.json.schema_components((Verdict,), ref_template="#/$defs/{name}")
        parts = {_snake(name): _shut(part) for name, part in components.items()}
        judgement = parts.pop("verdict")
        judgement["properties"] |= {
            "n": {"type": "integer", "minimum": 0},
            "type": {"const": "verdict"},
            "status": {"enum": list(STATUSES)},
            "state": closed({**self._cells(), "open": listed(self._open())}, self._cells()),
        }
        if self.book.kinds:
            parts["finding"]["properties"]["kind"] = {"enum": sorted(self.book.kinds)}
        retracted = closed({"type": {"const": "retracted"}, "n": LINE_NUMBER}, ("type", "n"))
        output = {"oneOf": [self._ref("book"), self._ref("judgement"), self._ref("retracted")]}
        return {**parts, "book": self._header(), "judgement": judgement, "retracted": retracted, "verdict": output}

    def _header(self) -> Schema:
        """The answer to a start line."""
        properties: dict[str, Schema] = {
            "type": {"const": "book"},
            "rulebook": {"const": self.book.id},
            "edition": TEXT,
            "hash": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
            "settings": closed({s.key: self.type(s.type) for s in self.book.settings.values()}),
            "readings": closed({r.name: {"enum": list(r.alternatives)} for r in self.book.readings.values()}),
            "observes": self._observed(),
            "contract": {"const": CONTRACT},
        }
        return closed(properties, properties)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _shut(part: Any) -> Any:
    """The schema of a struct, closed, with the names of its parts in snake_case."""
    if isinstance(part, list | tuple):
        return [_shut(item) for item in part]
    if not isinstance(part, dict):
        return part
    found = {key: _shut(value) for key, value in part.items()}
    if "properties" in found and found.get("type") == "object":
        found.setdefault("additionalProperties", False)
        found.pop("title", None)
    if "$ref" in found:
        found["$ref"] = "#/$defs/" + _snake(found["$ref"].rsplit("/", 1)[1])
    return found
