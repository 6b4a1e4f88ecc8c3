"""A match: a log that grows line by line, and the state that follows from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..dsl import core
from .book import Book, judge_line
from .codec import Impossible, Malformed
from .judge import Judgement, decide, refuse
from .state import Setup, State
from .verdict import Decision, Verdict


@dataclass(frozen=True, slots=True)
class Retracted:
    """Line `n` was taken back; the verdicts of the later lines follow again."""

    n: int

    def as_dict(self) -> dict[str, Any]:
        return {"type": "retracted", "n": self.n}


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the log and what came of it."""

    n: int
    line: dict[str, Any]
    before: State
    judgement: Judgement | None  # None: a position


Output = Verdict | Retracted


@dataclass
class Match:
    """Submit lines of the contract, read `state` and `choices`; `undo` takes the last line back."""

    book: Book
    setup: Setup
    entries: list[Entry] = field(default_factory=list)
    _lines: int = 1  # line 1 of a log is its start

    @property
    def current(self) -> State:
        """The state after the last line."""
        if not self.entries:
            return self.setup.initial()
        last = self.entries[-1]
        return last.judgement.state if last.judgement else last.before

    @property
    def state(self) -> dict[str, Any]:
        """The state as JSON."""
        return self.setup.state_json(self.current)

    @property
    def choices(self) -> tuple[Decision, ...]:
        """The decisions that wait for a player."""
        statements = self.setup.book.statements
        return tuple(
            Decision(
                core.json_key(o.name), o.whom, core.json_key(statements[o.name].clause.id),
                statements[o.name].clause.sources, tuple(core.json_key(name) for name, _ in o.options), about=o.about,
            )
            for o in self.current.open if not o.silent
        )  # fmt: skip

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts of the log as it stands."""
        return tuple(e.judgement.verdict for e in self.entries if e.judgement)

    def submit(self, line: Mapping[str, Any]) -> Verdict:
        """Judge the next line and return its verdict. Raises Malformed; the match is as before then."""
        outputs = self.submit_all(line)
        found = next((o for o in outputs if isinstance(o, Verdict)), None)
        if found is None:
            return Verdict(self._lines, "verdict", "ruled", state=self.state)
        return found

    def submit_all(self, line: Mapping[str, Any], n: int | None = None) -> list[Output]:
        """Judge the next line; `n` is its number in the log. Returns everything that it yields, in order."""
        given = dict(line)
        number = self._lines + 1 if n is None else n
        kind = given.get("type")
        if kind == "retract":
            outputs = self._retract(given, number)
        elif kind == "position":
            self.entries.append(Entry(number, given, self._position(given), None))
            outputs = []
        else:
            info = next((e for e in self.setup.book.episodes.values() if e.key == kind), None)
            outputs = self._correct(given, info, number) if info and info.corrects else self._judge(given, number)
        self._lines = number
        return outputs

    def _position(self, line: dict[str, Any]) -> State:
        for key in line:
            if key not in ("type", "set"):
                raise Malformed(f"unknown key `{key}` in `position`; did you mean set")
        try:
            state = self.setup.state_from(line.get("set", {}))
        except Impossible as error:
            raise Malformed(str(error)) from error
        problems = self._impossible_position(state)
        if problems:
            raise Malformed(f"the position is impossible: {problems}")
        return state

    def _impossible_position(self, state: State) -> str:
        from .state import NO_EPISODE

        e = self.setup.evaluation(state.cells, NO_EPISODE)
        requirements = [r for r in self.setup.book.requirements if "position" in r.kinds]
        failed = [r.name for r in requirements if e.value(r.condition, {})[0] is False]
        return "; ".join(self.setup.book.lexicon.term(name, "en") for name in sorted(failed))

    def _judge(self, line: dict[str, Any], n: int) -> list[Output]:
        before = self.current
        judgement = judge_line(self.setup, before, line, n)
        self.entries.append(Entry(n, line, before, judgement))
        return [judgement.verdict]

    def _retract(self, line: dict[str, Any], n: int) -> list[Output]:
        for key in line:
            if key not in ("type", "n", "reason"):
                raise Malformed(f"unknown key `{key}` in `retract`; did you mean n, reason")
        target = line.get("n")
        if isinstance(target, bool) or not isinstance(target, int):
            raise Malformed("`retract` needs `n`, the number of a line")
        index = next((i for i, e in enumerate(self.entries) if e.n == target), None)
        if index is None:
            refused = refuse(self.setup, self.current, n, "nothing-to-retract", f"line {target} holds nothing to retract")
            return [refused.verdict]
        return [Retracted(target), *self._replay(index, self.entries[index + 1 :])]

    def _replay(self, index: int, later: list[Entry]) -> list[Output]:
        """Judge the later lines again from the state before the entry at `index`."""
        outputs: list[Output] = []
        kept = self.entries
        self.entries = kept[:index]
        for entry in later:
            outputs += self.submit_again(entry)
        return outputs

    def submit_again(self, entry: Entry) -> list[Output]:
        """Judge a line of the log anew, in its place."""
        if entry.judgement is None:
            self.entries.append(entry)
            return []
        info = next((e for e in self.setup.book.episodes.values() if e.key == entry.line.get("type")), None)
        if info is not None and info.corrects:
            return self._correct(entry.line, info, entry.n)
        return self._judge(entry.line, entry.n)

    def _correct(self, line: dict[str, Any], info: core.EpisodeInfo, n: int) -> list[Output]:
        """A correction of a field of an earlier line: that line and all later ones are judged again."""
        assert info.corrects is not None
        old, new = info.corrects
        fields = self.setup.codec.fields({k: x for k, x in line.items() if k != "type"}, info.fields, info.key)
        target = next(value for name, value in fields.items() if name != new)
        index = next((i for i, e in enumerate(self.entries) if e.n == target), None)
        corrected = self._field_key(index, old)
        if index is None or corrected is None:
            refused = refuse(self.setup, self.current, n, "nothing-to-correct", f"line {target} has no `{core.json_key(old)}`")
            self.entries.append(Entry(n, line, self.current, refused))
            return [refused.verdict]
        entry, later = self.entries[index], self.entries[index + 1 :]
        changed = {**entry.line, corrected: fields[new]}
        self.entries = self.entries[:index]
        first = self._judge(changed, entry.n)[0]
        assert isinstance(first, Verdict)
        outputs = [o for e in later for o in self.submit_again(e)]
        own = Judgement(_renumbered(first, n), self.current)
        self.entries.append(Entry(n, line, self.current, own))
        return [own.verdict, *outputs]

    def rule_first(self, output: Output) -> Output:
        """For play without officials: rule the first thing that may be ruled, and mark it."""
        import msgspec

        if not isinstance(output, Verdict) or not output.undecided or not self.entries:
            return output
        entry = self.entries[-1]
        if entry.n != output.n or entry.judgement is None:
            return output
        judgement, state = entry.judgement, entry.judgement.state
        marked = []
        for item in output.undecided:
            decided = decide(self.setup, state, item.name.replace("_", "-"), item.options[0].replace("_", "-"), None, None, entry.n)
            state = decided.state
            marked.append(msgspec.structs.replace(item, ruled=item.options[0]))
        verdict = msgspec.structs.replace(
            output, status="ruled", undecided=tuple(marked), state=self.setup.state_json(state)
        )
        self.entries[-1] = replace(entry, judgement=replace(judgement, verdict=verdict, state=state))
        return verdict

    def _field_key(self, index: int | None, name: str) -> str | None:
        if index is None:
            return None
        kind = self.entries[index].line.get("type")
        info = next((e for e in self.setup.book.episodes.values() if e.key == kind), None)
        return next((f.key for f in info.fields if f.name == name), None) if info else None

    def undo(self) -> State:
        """Take the last line back; the state before it. Nothing happens where there is none."""
        if self.entries:
            last = self.entries.pop()
            return last.before if last.judgement else self.current
        return self.current


def _renumbered(verdict: Verdict, n: int) -> Verdict:
    import msgspec

    return msgspec.structs.replace(verdict, n=n)
