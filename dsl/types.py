"""Types of expressions, as plain data, and when one fits where another is asked for."""

from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Type:
    """`kind`: number text yes-no money percent duration date entity enum set list pairs record event none any.

    `name` is the entity or event; `item` the element of a set or list; `values` those of an
    enumeration or the entities of pairs; `fields` those of a record or event.
    """

    kind: str
    name: str = ""
    item: "Type | None" = None
    values: tuple[str, ...] = ()
    fields: tuple[tuple[str, "Type"], ...] = ()
    optional: bool = False
    infos: tuple[Any, ...] = field(default=(), compare=False)  # FieldInfo of each field of a record

    def field_type(self, name: str) -> "Type | None":
        """The type of a field of a record or event."""
        return dict(self.fields).get(name)

    @property
    def maybe(self) -> "Type":
        """The same type, `or none`."""
        return replace(self, optional=True)

    @property
    def required(self) -> "Type":
        """The same type without `or none`."""
        return replace(self, optional=False)

    def __str__(self) -> str:
        match self.kind:
            case "entity" | "event":
                text = self.name
            case "enum":
                text = "{" + ", ".join(self.values) + "}"
            case "set" | "list":
                text = f"{self.kind} of {self.item}"
            case _:
                text = self.kind
        return f"{text} or none" if self.optional else text


NUMBER, TEXT, YES_NO, DATE, MONEY, PERCENT = (Type(k) for k in ("number", "text", "yes-no", "date", "money", "percent"))
NONE, ANY = Type("none", optional=True), Type("any", optional=True)
BASIC = {kind: Type(kind) for kind in ("number", "text", "yes-no", "date", "money", "percent", "duration", "events")}
ORDERED = {"number", "date", "money", "percent", "duration"}


def entity(name: str) -> Type:
    return Type("entity", name)


def set_of(item: Type) -> Type:
    return Type("set", item=item)


def comparable(a: Type, b: Type) -> bool:
    """Whether values of the two types may be compared for equality."""
    if "any" in (a.kind, b.kind) or "none" in (a.kind, b.kind):
        return True
    if a.kind == b.kind == "event":
        return True  # moments of different kinds may stand for one another as anchors
    if a.kind in ("set", "list") and b.kind in ("set", "list"):
        assert a.item is not None and b.item is not None
        return comparable(a.item, b.item)
    if {a.kind, b.kind} <= {"entity", "text"} and "text" in (a.kind, b.kind):
        return True
    return (a.kind, a.name) == (b.kind, b.name)
