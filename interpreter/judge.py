"""judge(setup, state, episode) -> verdict and next state: a pure function, the reference semantics."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ..dsl import core
from ..dsl.absent import UNKNOWN
from . import verdict as v
from .changes import Clash, Ground, apply, clashes, ground, reserved_clashes
from .decide import concerned, grounded_options
from .evaluate import Evaluation, StepBudgetExceeded
from .standing import Standing, needs
from .state import Open, Setup, State, reserved_by
from .values import Occurrence, Rests

CHANGING = ("change", "void", "silent")


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict, the next state, and the standing that explains it (None for decisions and refusals)."""

    verdict: v.Verdict
    state: State
    standing: Standing | None = None


def judge(setup: Setup, state: State, episode: Occurrence, n: int = 0) -> Judgement:
    """Rule on an episode. Never raises for what the log says; the state of a refusal is the old one."""
    waiting = [o for o in state.open if not o.silent]
    if waiting:
        names = ", ".join(core.json_key(o.name) for o in waiting)
        return refuse(setup, state, n, "decision-due", f"a decision is due first: {names}")
    try:
        prepared, preparations = _prepare(setup, state, episode)
        return _Judge(setup, state, prepared, episode, n).run(preparations)
    except StepBudgetExceeded:
        return refuse(setup, state, n, "too-complex", "the judgement took too many steps")


def refuse(
    setup: Setup, state: State, n: int, code: str, message: str, requirements: tuple[core.Requirement, ...] = ()
) -> Judgement:
    """A verdict that the episode is impossible or not due; nothing changes."""
    problems = tuple(
        v.Problem(code, message, core.json_key(r.name), core.json_key(r.clause.id), r.clause.sources)
        for r in requirements
    ) or (v.Problem(code, message),)
    return Judgement(v.Verdict(n, "verdict", "refused", problems=problems, state=setup.state_json(state)), state)


def _prepare(setup: Setup, state: State, episode: Occurrence) -> tuple[State, list[v.Applied]]:
    """The state after the `prepare` statements: what begins before the episode does."""
    e = setup.evaluation(state.cells, episode)
    standing = Standing(e)
    changes: list[Ground] = []
    applied = []
    for s in setup.book.statements.values():
        if s.form == "prepare" and standing.stands(s.name)[0] is True:
            grounds, _ = ground(s.ops, s.name, e, {})
            changes += grounds
            applied.append(_applied(s, grounds, setup))
    cells = apply(state.cells, changes, setup.book, setup.initial_cells()) if changes else state.cells
    return state.with_cells(cells), applied


def _applied(s: core.Statement, grounds: Iterable[Ground], setup: Setup, option: str | None = None) -> v.Applied:
    cells = sorted({setup.book.cells[g.cell].key for g in grounds if g.op != "restarts"})
    return v.Applied(core.json_key(s.name), core.json_key(s.clause.id), s.clause.sources, tuple(cells), option)


class _Judge:
    """One judgement: what stands is gathered first, then the changes are made at once."""

    def __init__(self, setup: Setup, before: State, state: State, episode: Occurrence, n: int) -> None:
        self.setup, self.book, self.before, self.state, self.n = setup, setup.book, before, state, n
        self.e: Evaluation = setup.evaluation(state.cells, episode)
        self.standing = Standing(self.e)
        self.rests: Rests = frozenset()  # of what stood
        self.changes: list[Ground] = []
        self.pending: list[Open] = []
        self.unknown: set[str] = set()

    def run(self, preparations: list[v.Applied]) -> Judgement:
        impossible = self._impossible()
        if impossible is not None:
            return impossible
        statements = [s for s in self.book.statements.values() if s.form != "prepare"]
        standing = [s for s in statements if self.standing.stands(s.name)[0] is True]
        for s in standing:
            self.rests |= self.standing.stands(s.name)[1]
        findings = [f for s in standing if s.form == "finding" for f in self._findings(s)]
        applied = [*preparations, *(self._apply(s) for s in standing if s.ops and s.form in CHANGING)]
        choices = [d for s in standing if s.form == "choice" for d in self._decisions(s)]
        undecided = [self._undecided(s) for s in standing if s.form == "silent"]
        deferred = [self._deferred(s) for s in standing if s.form == "deferred"]
        void = [self._cited(s) for s in standing if s.form == "void"]
        problems = self._conflicts()
        assumes = tuple(self._event_key(k) for k in needs(self.rests, "event"))
        undecided_by_assumption = self.setup.strict and assumes
        status = "conflict" if problems else "undecided" if undecided or undecided_by_assumption else "ruled"
        after = self.before if problems or undecided_by_assumption else self._next()
        return Judgement(
            v.Verdict(
                self.n, "verdict", status,
                findings=tuple(sorted(findings, key=lambda f: (f.kind, f.name, f.about or ""))),
                defeated=tuple(self._defeated(s) for s in _by_name(statements) if self._was_defeated(s)),
                applied=tuple(sorted(applied, key=lambda a: a.name)),
                choices=tuple(sorted(choices, key=lambda c: (c.choice, c.about or ""))),
                undecided=tuple(sorted(undecided, key=lambda u: u.name)),
                deferred=tuple(sorted(deferred, key=lambda d: d.name)),
                void=tuple(sorted(void, key=lambda c: c.name)),
                not_judged=tuple(x for s in _by_name(statements) if (x := self._not_judged(s)) is not None),
                assumes=assumes,
                readings=self._readings(statements),
                problems=problems,
                state=self.setup.state_json(after),
            ),
            after,
            self.standing,
        )  # fmt: skip

    # ---- possibility

    def _impossible(self) -> Judgement | None:
        failed = self.setup.unmet(self.e)
        if not failed:
            return None
        message = "; ".join(self.book.lexicon.term(r.name, "en") for r in failed)
        return refuse(self.setup, self.before, self.n, "impossible", message, tuple(failed))

    # ---- what stood

    def _cited(self, s: core.Statement) -> v.Cited:
        return v.Cited(core.json_key(s.name), core.json_key(s.clause.id), s.clause.label, s.clause.sources)

    def _whom(self, s: core.Statement, local: dict[str, Any]) -> Any:
        if s.whom is None:
            return None
        value, rests = self.e.value(s.whom, local)
        self.rests |= rests
        return None if value is UNKNOWN else value

    def _findings(self, s: core.Statement) -> list[v.Finding]:
        if s.each is None:
            return [self._finding(s, None, {})]
        held = [(item, h) for item, h in self.standing.instances(s) if h[0] is True]
        return [self._finding(s, _about(item), self.e.bind(s.each, item, {})) for item, _ in held]

    def _finding(self, s: core.Statement, about: str | None, local: dict[str, Any]) -> v.Finding:
        whom = self._whom(s, local)
        return v.Finding(
            s.kind, core.json_key(s.name), against=whom if s.role == "against" else None,
            whom=whom if s.role == "for" else None, about=about, clause=core.json_key(s.clause.id),
            label=s.clause.label, sources=s.clause.sources,
        )  # fmt: skip

    def _apply(self, s: core.Statement) -> v.Applied:
        grounds: list[Ground] = []
        locals_ = [{}] if s.each is None else [
            self.e.bind(s.each, item, {}) for item, h in self.standing.instances(s) if h[0] is True
        ]  # fmt: skip
        for local in locals_:
            more, rests = ground(s.ops, s.name, self.e, local)
            grounds += more
            self.rests |= rests
        self.changes += grounds
        return _applied(s, grounds, self.setup)

    def _decisions(self, s: core.Statement) -> list[v.Decision]:
        cases: list[tuple[str | None, dict[str, Any]]] = [(None, {})]
        if s.each is not None:
            held = [item for item, h in self.standing.instances(s) if h[0] is True]
            cases = [(_about(item), self.e.bind(s.each, item, {})) for item in held]
        return [self._decision(s, about, local) for about, local in cases]

    def _decision(self, s: core.Statement, about: str | None, local: dict[str, Any]) -> v.Decision:
        whom = str(self._whom(s, local) or "official")
        options, rests = grounded_options(s, self.e, local)
        self.rests |= rests
        options = concerned(options, self.state.cells, self.book)
        self.pending.append(Open(s.name, whom, about, False, options))
        return open_decision(self.setup, self.pending[-1])

    def _undecided(self, s: core.Statement) -> v.Undecided:
        whom = str(self._whom(s, {}) or "official")
        options, rests = grounded_options(s, self.e, {})
        self.rests |= rests
        options = concerned(options, self.state.cells, self.book)
        self.pending.append(Open(s.name, whom, None, True, options))
        names = tuple(core.json_key(name) for name, _ in options)
        return v.Undecided(core.json_key(s.name), whom, core.json_key(s.clause.id), s.clause.sources, names)

    def _deferred(self, s: core.Statement) -> v.Deferral:
        self.unknown |= set(s.cells)
        keys = tuple(self.book.cells[c].key for c in s.cells)
        return v.Deferral(core.json_key(s.name), core.json_key(s.clause.id), s.clause.sources, keys)

    # ---- what did not

    def _was_defeated(self, s: core.Statement) -> bool:
        if s.condition == core.Const(True) and s.form == "deferred":
            return False
        return self.standing.held(s.name)[0] is True and bool(self.standing.defeated_by(s.name))

    def _defeated(self, s: core.Statement) -> v.Defeated:
        by = tuple(core.json_key(name) for name in self.standing.defeated_by(s.name))
        return v.Defeated(core.json_key(s.name), core.json_key(s.clause.id), s.clause.sources, by)

    def _not_judged(self, s: core.Statement) -> v.NotJudged | None:
        value, rests = self.standing.stands(s.name)
        missing = [self._event_key(k) for k in needs(rests, "event")] if value is not True else []
        if value is UNKNOWN:
            missing += [self.book.cells[c].key for c in needs(rests, "cell")]
        if value is True or not missing:
            return None
        return v.NotJudged(
            core.json_key(s.name), core.json_key(s.clause.id), s.clause.sources, tuple(sorted(set(missing)))
        )

    def _event_key(self, kind: str) -> str:
        return self.book.events[kind].key

    def _readings(self, statements: list[core.Statement]) -> dict[str, str]:
        used = set(needs(self.rests, "reading"))
        for s in statements:
            used |= set(needs(self.standing.stands(s.name)[1], "reading"))
        return {name: self.setup.readings[name] for name in sorted(used)}

    # ---- the next state

    def _conflicts(self) -> tuple[v.Problem, ...]:
        found = clashes(self.changes)
        found += reserved_clashes(self.changes, self.before.reserved())
        reserved = reserved_by(self.pending)
        found += reserved_clashes(self.changes, reserved)
        for (cell, key), names in sorted(reserved.items(), key=lambda p: (p[0][0], p[0][1] or "")):
            if len(names) > 1:
                found.append(Clash(cell, key, tuple(sorted(names))))
        problems = [self._problem(c) for c in found]
        for text in self.e.disagreements:
            problems.append(v.Problem("conflict", f"a definition has two values: {text}"))
        return tuple(dict.fromkeys(problems))

    def _problem(self, clash: Clash) -> v.Problem:
        sources: dict[str, None] = {}
        for name in clash.statements:
            sources |= dict.fromkeys(self.book.statements[name].clause.sources)
        cell = self.book.cells[clash.cell].key
        where = f"{cell}[{clash.key}]" if clash.key else cell
        names = tuple(core.json_key(n) for n in clash.statements)
        return v.Problem("conflict", f"{where}: {', '.join(names)}", sources=tuple(sources), statements=names)

    def _next(self) -> State:
        waiting = {place for item in self.pending for place in item.places()}
        held_back = frozenset(cell for cell, _ in waiting) | self.unknown
        held_back |= frozenset(cell for cell, _ in self.before.reserved())
        cells = apply(self.state.cells, self.changes, self.book, self.setup.initial_cells(), held_back)
        for cell in self.unknown:
            cells[cell] = UNKNOWN
        for item in self.pending:
            if item.silent:
                for cell, key in item.places():
                    if key is None:
                        cells[cell] = UNKNOWN
                    elif cells[cell] is not UNKNOWN:
                        cells[cell] = {**cells[cell], key: UNKNOWN}
        renewed = {(o.name, o.about) for o in self.pending}
        kept = tuple(o for o in self.state.open if (o.name, o.about) not in renewed)
        return replace(
            self.state, cells=cells, open=(*kept, *sorted(self.pending, key=lambda o: (o.name, o.about or "")))
        )


def _about(item: Any) -> str:
    return str(item) if isinstance(item, str) else str(getattr(item, "fields", ((None, item),))[0][1])


def _by_name(statements: list[core.Statement]) -> list[core.Statement]:
    return sorted(statements, key=lambda s: s.name)


def decide(setup: Setup, state: State, name: str, option: str, by: str | None, about: str | None, n: int) -> Judgement:
    """A choice by a player (`by`), or an official's ruling (`by` None) on a choice or silent."""
    due = [o for o in state.open if o.name == name and (about is None or o.about == about)]
    if by is not None:
        due = [o for o in due if not o.silent]
    if not due:
        return refuse(setup, state, n, "not-due", f"nothing called {core.json_key(name)} waits for a decision")
    if len(due) > 1:
        return refuse(setup, state, n, "which", f"say about which: {', '.join(str(o.about) for o in due)}")
    item = due[0]
    if by is not None and by != item.whom:
        return refuse(setup, state, n, "wrong-player", f"the decision belongs to {item.whom}, not to {by}")
    grounds = dict(item.options).get(option)
    if grounds is None:
        known = ", ".join(core.json_key(o) for o, _ in item.options)
        return refuse(setup, state, n, "no-such-option", f"{core.json_key(option)} is not offered; offered: {known}")
    return _decided(setup, state, item, option, grounds, n)


def _decided(setup: Setup, state: State, item: Open, option: str, grounds: tuple[Ground, ...], n: int) -> Judgement:
    rest = tuple(o for o in state.open if o is not item)
    cells = apply(state.cells, list(grounds), setup.book, setup.initial_cells())
    after = State(state.players, cells, rest)
    applied = _applied(setup.book.statements[item.name], grounds, setup, core.json_key(option))
    still = tuple(open_decision(setup, o) for o in rest if not o.silent)
    verdict = v.Verdict(n, "verdict", "ruled", applied=(applied,), choices=still, state=setup.state_json(after))
    return Judgement(verdict, after)


def open_decision(setup: Setup, item: Open) -> v.Decision:
    """An open choice as a verdict lists it."""
    clause = setup.book.statements[item.name].clause
    options = tuple(core.json_key(name) for name, _ in item.options)
    return v.Decision(
        core.json_key(item.name), item.whom, core.json_key(clause.id), clause.sources, options, about=item.about
    )
