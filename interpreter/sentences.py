"""Verdicts in words: what a referee reads. The phrases are data, in sentences/*.toml."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from ..dsl import core
from ..dsl.absent import REQUIRED, UNKNOWN
from . import verdict as v
from .book import Book, occurrence
from .codec import Impossible, Malformed
from .labels import Labels
from .log import Started, edition
from .match import Entry, Retracted
from .state import Open, State
from .trace import Conjunct, Explanation, entry_of
from .values import Happening

INDENT = "   "
SHOWN_EVENTS = 3  # of one kind; more are counted


def localise(verdict: v.Verdict, book: Book, lang: str, labels: Labels | None = None) -> v.Verdict:
    """The verdict with a `text` in a language for each finding, choice, option and silent."""
    speaker = Speaker(labels or Labels(book, lang))
    return msgspec.structs.replace(
        verdict,
        findings=tuple(msgspec.structs.replace(f, text=speaker.finding(f)) for f in verdict.findings),
        choices=tuple(
            msgspec.structs.replace(c, text=speaker.choice(c), option_texts=speaker.options(c.choice, c.options))
            for c in verdict.choices
        ),
        undecided=tuple(
            msgspec.structs.replace(u, text=speaker.undecided(u), option_texts=speaker.options(u.name, u.options))
            for u in verdict.undecided
        ),
    )


@dataclass(frozen=True)
class Speaker:
    """The sentences that a verdict alone allows."""

    labels: Labels

    def finding(self, f: v.Finding) -> str:
        """`Kind: name; against: player`."""
        labels = self.labels
        parts = [f"{labels.term(f.kind)}: {labels.statement(core.name_of(f.name))}"]
        if f.against is not None:
            parts.append(labels.say("verdict", "against", player=labels.person(f.against)))
        if f.whom is not None:
            parts.append(labels.say("verdict", "for", player=labels.person(f.whom)))
        return labels.start("; ".join([*parts, *self._about("verdict", f.about)]))

    def choice(self, c: v.Decision) -> str:
        """For whom a choice is, and what it is called."""
        labels = self.labels
        whom, name = labels.person(c.whom), labels.statement(core.name_of(c.choice))
        return "; ".join([labels.say("verdict", "choice", whom=whom, name=name), *self._about("verdict", c.about)])

    def undecided(self, u: v.Undecided) -> str:
        """What the text leaves open, and who decides."""
        labels = self.labels
        whom, name = labels.person(u.whom), labels.statement(core.name_of(u.name))
        return labels.say("verdict", "undecided", whom=whom, name=name)

    def options(self, statement: str, options: Iterable[str]) -> dict[str, str]:
        """Option (as in the contract) -> its words."""
        return {o: self.labels.option(core.name_of(statement), core.name_of(o)) for o in options}

    def _about(self, section: str, about: str | None) -> list[str]:
        return [] if about is None else [self.labels.say(section, "about", about=self.labels.value(about))]

    # ---- lines below the first

    def lines(self, verdict: v.Verdict) -> list[str]:
        """What a verdict says, a sentence a line, before what comes next. Refusals and conflicts: see Report."""
        cited = self._cited
        found = [cited(self.finding(f), f.clause, f.name) for f in verdict.findings]
        found += [cited(self._with_options(c), c.clause, c.choice) for c in verdict.choices]
        found += [cited(self._ruling_due(u), u.clause, u.name) for u in verdict.undecided]
        found += [cited(self._deferred(d), d.clause, d.name) for d in verdict.deferred]
        found += [cited(self._named("void", c.name), c.clause, c.name) for c in verdict.void]
        found += [cited(self._defeated(d), d.clause, d.name) for d in verdict.defeated if self.labels.clause(d.clause)]
        found += [self._not_judged(x) for x in verdict.not_judged if self._unknown_needs(x)]
        return [*found, *self._applied(verdict), *self._readings(verdict), *self._assumed(verdict)]

    def _cited(self, sentence: str, clause: str, name: str) -> str:
        """A sentence with its clause; without the title where that already stands for the name."""
        titled = self.labels.is_named(core.name_of(name))
        citation = self.labels.citation(self.labels.clause(clause), titled)
        if not citation:
            return f"{sentence}."
        return f"{sentence}. {citation}" if titled else f"{sentence} {citation}."

    def _named(self, key: str, name: str, **holes: Any) -> str:
        return self.labels.say("verdict", key, name=self.labels.statement(core.name_of(name)), **holes)

    def _with_options(self, c: v.Decision) -> str:
        return f"{self.choice(c)}: {self._listed(c.choice, c.options)}"

    def _listed(self, statement: str, options: Iterable[str]) -> str:
        return self.labels.say("mark", "option").join(self.options(statement, options).values())

    def _ruling_due(self, u: v.Undecided) -> str:
        if u.ruled is not None:
            option = self.options(u.name, [u.ruled])[u.ruled]
            return f"{self.undecided(u)}; {self.labels.say('verdict', 'ruled_first', option=option)}"
        return f"{self.undecided(u)}; {self.labels.say('verdict', 'may_rule', options=self._listed(u.name, u.options))}"

    def _deferred(self, d: v.Deferral) -> str:
        sentence = self._named("deferred", d.name)
        if not d.cells:
            return sentence
        cells = ", ".join(self.labels.need(c) for c in d.cells)
        return f"{sentence}; {self.labels.say('verdict', 'open_cells', cells=cells)}"

    def _defeated(self, d: v.Defeated) -> str:
        return self._named("defeated", d.name, by=", ".join(self.labels.statement(core.name_of(b)) for b in d.by))

    def _unknown_needs(self, x: v.NotJudged) -> bool:
        """Whether it waits for a cell; the events that are not observed stand in the header."""
        return self.labels.clause(x.clause) is not None and not self.labels.cells.keys().isdisjoint(x.needs)

    def _not_judged(self, x: v.NotJudged) -> str:
        needs = ", ".join(self.labels.need(n) for n in x.needs)
        return self._cited(self._named("not_judged", x.name, needs=needs), x.clause, x.name)

    def _applied(self, verdict: v.Verdict) -> list[str]:
        """The clauses whose changes were made and that no line above cites."""
        above = {f.clause for f in verdict.findings} | {c.clause for c in verdict.choices}
        above |= {u.clause for u in verdict.undecided} | {c.clause for c in verdict.void}
        clauses = dict.fromkeys(a.clause for a in verdict.applied if a.clause not in above)
        cited = [c for key in clauses if (c := self.labels.citation(self.labels.clause(key)))]
        return [self.labels.say("verdict", "applied", list="; ".join(cited)) + "."] if cited else []

    def _readings(self, verdict: v.Verdict) -> list[str]:
        """The readings that took part, where they are not the usual ones."""
        known = self.labels.book.resolved.readings
        other = [f"{n}: {self.labels.term(c)}" for n, c in verdict.readings.items() if known[n].default != c]
        return [self.labels.say("verdict", "readings", list=", ".join(other)) + "."] if other else []

    def _assumed(self, verdict: v.Verdict) -> list[str]:
        """In strict judging: the events for want of which nothing was decided."""
        if verdict.status != "undecided" or verdict.undecided or not verdict.assumes:
            return []
        events = ", ".join(self.labels.event(k) for k in verdict.assumes)
        return [self.labels.say("verdict", "assumes", list=events) + "."]


class Report:
    """A judged match in words: the header, then some lines a verdict."""

    def __init__(self, started: Started, lang: str) -> None:
        self.started, self.match = started, started.match
        self.labels = Labels(self.match.book, lang, self.match.setup.parameters)
        self.speaker = Speaker(self.labels)

    # ---- the header

    def header(self) -> list[str]:
        """Title and edition, and what is not as usual."""
        labels, book = self.labels, self.match.book
        named = edition(book)
        title = labels.say(
            "header", "edition" if named else "plain", title=book.resolved.title, edition=named, hash=book.fingerprint
        )
        lists = [("players", list(self.match.setup.players)), ("settings", self._settings())]
        lists += [("readings", self._readings()), ("unobserved", self._unobserved())]
        return [title, *(labels.say("header", key, list=", ".join(items)) for key, items in lists if items)]

    def _settings(self) -> list[str]:
        chosen = self.match.setup.settings
        infos = self.match.book.resolved.settings.values()
        return [
            f"{self.labels.term(s.name)}: {self.labels.value(chosen[s.name], s.type)}"
            for s in infos
            if chosen[s.name] != s.default
        ]

    def _readings(self) -> list[str]:
        chosen = self.match.setup.readings
        infos = self.match.book.resolved.readings.values()
        return [f"{r.name}: {self.labels.term(chosen[r.name])}" for r in infos if chosen[r.name] != r.default]

    def _unobserved(self) -> list[str]:
        declared = self.match.book.resolved.events
        return [self.labels.term(name) for name in declared if name in self.match.setup.unobserved]

    # ---- the lines

    def retracted(self, retracted: Retracted) -> list[str]:
        return [self.labels.say("line", "retracted", n=retracted.n)]

    def verdict(self, verdict: v.Verdict) -> list[str]:
        """What happened, what the rules say of it, what is next."""
        own = next((e for e in self.match.entries if e.n == verdict.n), None)
        what = self._what(own) if own is not None else self.labels.say("line", "retract")
        head = self.labels.say("line", "episode", n=verdict.n, what=what)
        if verdict.status == "refused":
            return [head, *(INDENT + line for line in self._refused(verdict, own))]
        lines = [*self._conflicts(verdict), *self.speaker.lines(verdict)]
        nothing = not (lines or verdict.applied)
        lines += [self.labels.say("verdict", "clean")] if nothing else []
        return [head, *(INDENT + line for line in [*lines, *self._next(entry_of(self.match, verdict.n))])]

    def _what(self, entry: Entry) -> str:
        """What a line told, in short."""
        line, labels = entry.line, self.labels
        if line.get("type") in ("choice", "ruling"):
            return self._decision(line)
        info = next((e for e in self.match.book.resolved.episodes.values() if e.key == line.get("type")), None)
        if info is None:
            return str(line.get("type"))
        try:
            episode = occurrence(self.match.setup, line)
        except (Impossible, Malformed):
            return labels.term(info.name)
        head, details = labels.term(info.name), []
        for f in info.fields:
            value = episode.fields.get(f.name, f.default)
            if f.name == "by" and isinstance(value, str):
                head = f"{head}: {labels.person(value)}"
            elif (f.default is REQUIRED or value != f.default) and (shown := labels.value(value, f.type)):
                record = isinstance(value, dict)
                details.append(f"{labels.term(f.name)} ({shown})" if record else f"{labels.term(f.name)}: {shown}")
        details += self._events(episode.happenings)
        return labels.say("line", "detail", head=head, details="; ".join(details)) if details else head

    def _events(self, happenings: tuple[Happening, ...]) -> list[str]:
        """The events by kind in the order in which the kinds first came."""
        kinds: dict[str, list[Happening]] = {}
        for h in happenings:
            kinds.setdefault(h.kind, []).append(h)
        return [self._kind(kind, group) for kind, group in kinds.items()]

    def _kind(self, kind: str, group: list[Happening]) -> str:
        labels = self.labels
        if len(group) > SHOWN_EVENTS:
            return labels.say("line", "times", event=labels.term(kind), count=len(group))
        return f"{labels.term(kind)}: {', '.join(labels.happening(h) for h in group)}"

    def _decision(self, line: dict[str, Any]) -> str:
        labels = self.labels
        kind = str(line["type"])
        name = core.name_of(str(line.get("choice" if kind == "choice" else "on")))
        option = labels.option(name, core.name_of(str(line.get("option"))))
        sentence = labels.say("line", kind, name=labels.statement(name), option=option, whom=line.get("by", ""))
        if line.get("about") is None:
            return sentence
        return f"{sentence}; {labels.say('line', 'about', about=labels.value(line['about']))}"

    # ---- refusals and conflicts

    def _refused(self, verdict: v.Verdict, entry: Entry | None) -> list[str]:
        """One sentence with the reasons, and the clauses behind them."""
        reasons = [self._reason(p, entry) for p in verdict.problems]
        cited = [c for p in verdict.problems if (c := self._cause(p)) and c not in reasons]
        sentence = self.labels.say("verdict", "refused", reason="; ".join(dict.fromkeys(reasons)))
        return [" ".join([sentence.removesuffix(".") + ".", *dict.fromkeys(cited)])]

    def _reason(self, problem: v.Problem, entry: Entry | None) -> str:
        """The sentence of a code, its holes filled from the line and from what was open before it."""
        if not self.labels.can_say("refused", problem.code):
            return problem.message
        return self.labels.say("refused", problem.code, **self._of_problem(problem), **self._of_decision(entry))

    def _of_problem(self, problem: v.Problem) -> dict[str, str]:
        name = re.search(r"'([^']*)'|\"([^\"]*)\"", problem.message)
        number = re.search(r"\d+", problem.message)
        return {
            "detail": self.labels.quoted(name.group(1) or name.group(2) or "") if name else problem.message,
            "requirements": self._requirement(problem),
            "line": number.group() if number else "",
        }

    def _of_decision(self, entry: Entry | None) -> dict[str, str]:
        if entry is None:
            return {}
        labels, due = self.labels, self._due(entry)
        options = [labels.option(o.name, name) for o in due[:1] for name, _ in o.options]
        return {
            "decisions": ", ".join(self._open(o) for o in entry.before.open if not o.silent),
            "name": labels.statement(_decided(entry)),
            "members": ", ".join(labels.value(o.about) for o in due),
            "whom": ", ".join(dict.fromkeys(labels.person(o.whom) for o in due)),
            "options": labels.say("mark", "option").join(options),
        }

    def _due(self, entry: Entry) -> list[Open]:
        """The open decisions that a line spoke of."""
        name, about = _decided(entry), entry.line.get("about")
        return [o for o in entry.before.open if o.name == name and (about is None or o.about == about)]

    def _open(self, o: Open) -> str:
        return f"{self.labels.statement(o.name)} ({self.labels.person(o.whom)})"

    def _requirement(self, p: v.Problem) -> str:
        """What an episode must meet: the gloss that explains it, its name, or the clause that asks for it."""
        name, labels = core.name_of(p.name), self.labels
        gloss = labels.book.resolved.lexicon.gloss(name, labels.dialect)
        named = labels.term(name) if labels.has_term(name) or labels.dialect == "en" else ""
        return gloss.removesuffix(".") or named or self._cause(p) or labels.term(name)

    def _cause(self, p: v.Problem) -> str:
        """The clause behind a refusal."""
        return self.labels.citation(self.labels.clause(p.clause))

    def _conflicts(self, verdict: v.Verdict) -> list[str]:
        return [self._conflict(p) for p in verdict.problems]

    def _conflict(self, p: v.Problem) -> str:
        if not p.statements:
            return self.labels.say("verdict", "two_values")
        key, _, member = p.message.partition(":")[0].partition("[")
        cell = self.labels.need(key) + (f" ({self.labels.value(member.removesuffix(']'))})" if member else "")
        statements = self.match.book.resolved.statements
        parties = [self._party(statements[core.name_of(name)]) for name in p.statements]
        return self.labels.say("verdict", "conflict", cell=cell, parties="; ".join(parties)) + "."

    def _party(self, s: core.Statement) -> str:
        citation = self.labels.citation(s.clause)
        named = self.labels.is_named(s.name) or not citation
        return " ".join(part for part in (self.labels.term(s.name) if named else "", citation) if part)

    # ---- what is next

    def _next(self, entry: Entry | None) -> list[str]:
        """The cells that are no longer what they were, and those that a clause set anew, in words."""
        if entry is None or entry.judgement is None:
            return []
        applied = entry.judgement.verdict.applied
        anew = {key for a in applied if self.labels.clause(a.clause) is not None for key in a.cells}
        changed = self._changed(entry.before, entry.judgement.state, anew)
        if not changed:
            return [self.labels.say("verdict", "same")]
        return [self.labels.say("verdict", "next", list="; ".join(changed)) + "."]

    def _changed(self, before: State, after: State, anew: set[str]) -> list[str]:
        found = []
        for cell in self.match.book.resolved.cells.values():
            old, new = before.cells[cell.name], after.cells[cell.name]
            if (old is new or old == new) and (cell.key not in anew or not isinstance(new, str | int)):
                continue
            if cell.of is None or new is UNKNOWN:
                found.append(f"{self.labels.term(cell.name)}: {self._now(cell, old, new)}")
                continue
            known = old if isinstance(old, dict) else {}
            for member, value in new.items():
                if known.get(member, UNKNOWN) != value:
                    where = f"{self.labels.term(cell.name)} ({self.labels.value(member)})"
                    found.append(f"{where}: {self._now(cell, known.get(member), value)}")
        return found

    def _now(self, cell: core.CellInfo, old: Any, new: Any) -> str:
        """The new value; of a set that changed a little, what came and went."""
        if not isinstance(old, frozenset) or not isinstance(new, frozenset) or len(old ^ new) >= len(new):
            return self.labels.value(new, cell.type)
        came, went = self.labels.value(new - old, cell.type), self.labels.value(old - new, cell.type)
        return ", ".join([f"+ {came}"] * bool(new - old) + [f"− {went}"] * bool(old - new))


def _decided(entry: Entry) -> str:
    """The decision that a line is about, by its id."""
    return core.name_of(str(entry.line.get("choice") or entry.line.get("on") or ""))


class Because:
    """Explanations in words: why statements stood, or did not."""

    def __init__(self, labels: Labels) -> None:
        self.labels = labels

    def lines(self, explanations: Iterable[Explanation]) -> list[str]:
        """Each explanation: the statement with its clause, the parts of its condition, what it rests on."""
        return [INDENT + line for e in explanations for line in self._explanation(e)]

    def _explanation(self, e: Explanation) -> list[str]:
        say, name = self.labels.say, self.labels.term(core.name_of(e.name))
        if e.about is not None:
            name = say("trace", "about", name=name, about=self.labels.value(e.about))
        if e.reason in ("refused", "decision"):
            return [f"{name}: {say('trace', e.reason)}"]
        head = say("trace", "named", status=say("trace", self._status(e)), name=name)
        by = ", ".join(self.labels.term(core.name_of(b)) for b in e.defeated_by)
        reason = say("trace", f"because_{e.reason}", by=by)
        citation = self.labels.citation(self.labels.clause(e.clause))
        parts = [line for c in self._telling(e) for line in self._conjunct(c, 2 * INDENT)]
        return [f"{head}. {citation}".rstrip(), INDENT + reason, *parts, *(INDENT + line for line in self._rests(e))]

    def _status(self, e: Explanation) -> str:
        if e.stands:
            return "stands"
        return "defeated" if e.reason == "defeated" else "unknown" if e.stands is None else "not"

    def _telling(self, e: Explanation) -> list[Conjunct]:
        """The parts that tell why: all that made it hold, or those that kept it from holding."""
        match e.reason:
            case "condition" | "unobserved":
                return [c for c in e.conjuncts if c.value is (c.role == "unless")]
            case "unless":
                return [c for c in e.conjuncts if c.role == "unless" and c.value]
            case "unknown":
                return [c for c in e.conjuncts if c.value is None]
        return list(e.conjuncts)

    def _conjunct(self, c: Conjunct, indent: str) -> list[str]:
        word = {True: "yes", False: "no", None: "unknown"}[c.value]
        key = c.role if c.role in ("where", "unless") else "part"
        line = indent + self.labels.say("trace", key, value=self.labels.say("word", word), text=c.text)
        return [line, *(below for part in c.parts for below in self._conjunct(part, indent + INDENT))]

    def _rests(self, e: Explanation) -> list[str]:
        events, cells = [self.labels.event(k) for k in e.events], [self.labels.need(c) for c in e.cells]
        lists = [("events", events), ("cells", cells), ("readings", list(e.readings))]
        return [self.labels.say("trace", key, list=", ".join(items)) for key, items in lists if items]
