"""Names: which id a written form stands for, and which form an id takes in a dialect."""

from dataclasses import dataclass, field

from .ast import Form, NameEntry
from .source import NOWHERE

BUILT_IN = {
    "number": ("broj-vrednost", "sayı"),
    "text": ("tekst", "metin"),
    "yes-no": ("da-ne", "evet-hayır"),
    "money": ("novac", "para"),
    "percent": ("procenat", "yüzde"),
    "duration": ("trajanje", "süre"),
    "date": ("datum", "tarih"),
    "events": ("zbivanja", "olaylar"),
    "refused": ("odbijeno", "reddedildi"),
    "conflict": ("sukob", "çelişki"),
    "offered": ("ponuđeno", "sunuldu"),
    "defeated": ("potisnuto", "bastırıldı"),
    "applied": ("primenjeno", "uygulandı"),
    "undecided": ("neodlučeno", "kararsız"),
    "left-open": ("ostavljeno", "açık-bırakıldı"),
    "voided": ("poništeno", "geçersiz"),
    "not-judged": ("neprosuđeno", "hükümsüz"),
    "partner": ("drugi-u-paru", "çiftin-diğeri"),
    "known": ("poznato-je", "biliniyor"),
    "nth": ("po-redu", "sıradaki-öğe"),
    "size": ("veličina", "büyüklük"),
}
"""Ids of the engine's own types and of the words of expectations: id -> (sr, tr)."""


@dataclass
class Lexicon:
    """The names in scope of one file: its vocabularies' and its own."""

    entries: dict[tuple[str, str], NameEntry] = field(default_factory=dict)  # (id, dialect)
    _ids: dict[tuple[str, str], tuple[str, Form]] = field(default_factory=dict)  # (dialect, form)

    def __post_init__(self) -> None:
        for name, forms in BUILT_IN.items():
            for dialect, form in zip(("sr", "tr"), forms, strict=True):
                self._ids.setdefault((dialect, form), (name, Form(NOWHERE, form, ())))

    def add(self, entries: tuple[NameEntry, ...]) -> list[tuple[NameEntry, str, str]]:
        """Take in entries; returns the clashes as (entry, form, other id)."""
        clashes = []
        for entry in entries:
            self.entries[entry.id, entry.dialect] = entry
            for form in entry.forms:
                other = self._ids.get((entry.dialect, form.text))
                if other and other[0] != entry.id:
                    clashes.append((entry, form.text, other[0]))
                elif other is None:
                    self._ids[entry.dialect, form.text] = (entry.id, form)
        return clashes

    def id_of(self, dialect: str, text: str) -> str:
        """The id of a written form; a form that nobody declared is its own id."""
        found = self._ids.get((dialect, text))
        return found[0] if found else text

    def is_negative(self, dialect: str, text: str) -> bool:
        """Whether the form is the negative one of a predicate (cebe-düşmedi)."""
        found = self._ids.get((dialect, text))
        return bool(found) and "neg" in found[1].tags  # type: ignore[index]

    def known(self, dialect: str) -> set[str]:
        """Every form that may be written in a dialect."""
        return {form for language, form in self._ids if language == dialect}

    def term(self, name: str, lang: str, *tags: str) -> str:
        """The form for readers (spaces for hyphens): the one with these tags, else the base form."""
        entry = self.entries.get((name, lang)) or self.entries.get((name, "en"))
        if entry is None:
            return name.replace("-", " ")
        wanted = set(tags)
        for form in entry.forms:
            if wanted == set(form.tags) - GENDERS:
                return form.text.replace("-", " ")
        return entry.forms[0].text.replace("-", " ")

    def has_form(self, name: str, lang: str, *tags: str) -> bool:
        """Whether the entry states a form with exactly these tags."""
        entry = self.entries.get((name, lang))
        return bool(entry) and any(set(tags) == set(f.tags) - GENDERS for f in entry.forms)  # type: ignore[union-attr]

    def gloss(self, name: str, lang: str) -> str:
        """The one-line explanation of a name, or an empty string."""
        entry = self.entries.get((name, lang))
        return entry.gloss if entry else ""


GENDERS = {"m", "f", "n"}
TAGS = GENDERS | {
    "neg", "one", "few", "many", "nom", "gen", "dat", "acc", "voc", "ins", "loc", "abl", "pl",
    *(f"pl-{tag}" for tag in ("m", "f", "n", "nom", "gen", "dat", "acc", "voc", "ins", "loc", "abl")),
}  # fmt: skip
