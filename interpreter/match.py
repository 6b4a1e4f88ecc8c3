"""A match: a log that grows line by line, and the state that follows from it."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..dsl import core
from .book import Book, judge_line
from .codec import Impossible, Malformed
from .judge import Judgement, decide, open_decision, refuse
from .state import NO_EPISODE, Setup, State
from .verdict import Decision, Verdict

MAX_DEPTH = 50  # objects and lists inside each other, in a line


@dataclass(frozen=True, slots=True)
class Retracted:
    """Line `n` was taken back; the verdicts of the later lines follow again."""

    n: int

    def as_dict(self) -> dict[str, Any]:
        return {"type": "retracted", "n": self.n}


@dataclass(frozen=True, slots=True)
class Correction:
    """Line `n` is judged with another value of the field `key`."""

    n: int
    key: str
    value: Any


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the log and what came of it."""

    n: int
    line: dict[str, Any]
    before: State
    judgement: Judgement | None  # None: a position
    correction: Correction | None = None


Output = Verdict | Retracted


@dataclass
class Match:
    """Submit lines of the contract, read `state` and `choices`; `undo` takes the last line back."""

    book: Book
    setup: Setup
    entries: list[Entry] = field(default_factory=list)
    silent_first: bool = False  # for play without officials: what the text leaves open is ruled at once
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
        return tuple(open_decision(self.setup, o) for o in self.current.open if not o.silent)

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
            self._add(number, given, self._position(given), None)
            outputs = []
        else:
            info = self._episode(given)
            outputs = self._correct(given, info, number) if info and info.corrects else [self._judge(given, number)]
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
        e = self.setup.evaluation(state.cells, NO_EPISODE)
        requirements = [r for r in self.setup.book.requirements if "position" in r.kinds]
        failed = [r.name for r in requirements if e.value(r.condition, {})[0] is False]
        return "; ".join(self.setup.book.lexicon.term(name, "en") for name in sorted(failed))

    def _episode(self, line: Mapping[str, Any]) -> core.EpisodeInfo | None:
        return next((e for e in self.setup.book.episodes.values() if e.key == line.get("type")), None)

    def _add(
        self, n: int, line: dict[str, Any], before: State, judgement: Judgement | None,
        correction: Correction | None = None,
    ) -> None:  # fmt: skip
        """Keep a line; its own copy, since the caller's may change. Raises Malformed where it cannot be copied."""
        if _too_deep(line):
            raise Malformed("nested too deeply")
        self.entries.append(Entry(n, copy.deepcopy(line), before, judgement, correction))

    def _judge(self, line: dict[str, Any], n: int, corrected: Mapping[str, Any] | None = None) -> Verdict:
        before = self.current
        judgement = judge_line(self.setup, before, {**line, **(corrected or {})}, n)
        if self.silent_first:
            judgement = self._ruled(judgement)
        self._add(n, line, before, judgement)
        return judgement.verdict

    def _refuse(self, line: dict[str, Any], n: int, code: str, message: str) -> Verdict:
        judgement = refuse(self.setup, self.current, n, code, message)
        self._add(n, line, self.current, judgement)
        return judgement.verdict

    # ---- taking back and correcting

    def _retract(self, line: dict[str, Any], n: int) -> list[Output]:
        for key in line:
            if key not in ("type", "n", "reason"):
                raise Malformed(f"unknown key `{key}` in `retract`; did you mean n, reason")
        target = line.get("n")
        if isinstance(target, bool) or not isinstance(target, int):
            raise Malformed("`retract` needs `n`, the number of a line")
        if not isinstance(line.get("reason", ""), str):
            raise Malformed("`reason` takes a text")
        index = self._index(target)
        if index is None:
            refused = refuse(
                self.setup, self.current, n, "nothing-to-retract", f"line {target} holds nothing to retract"
            )
            return [refused.verdict]
        return [Retracted(target), *self._remove(index)]

    def _index(self, n: int) -> int | None:
        return next((i for i, e in enumerate(self.entries) if e.n == n), None)

    def _remove(self, index: int) -> list[Verdict]:
        """Drop an entry and judge what depends on it again: the later ones, and a line that it corrected."""
        entry = self.entries.pop(index)
        corrected = self._index(entry.correction.n) if entry.correction else None
        return self._again(index if corrected is None else corrected)

    def _again(self, index: int) -> list[Verdict]:
        """Judge the entries from `index` on anew, with the corrections that the log holds."""
        corrections: dict[int, dict[str, Any]] = {}
        for entry in self.entries:
            if entry.correction is not None:
                corrections.setdefault(entry.correction.n, {})[entry.correction.key] = entry.correction.value
        later = self.entries[index:]
        self.entries = self.entries[:index]
        found = [self._entry_again(entry, corrections.get(entry.n, {})) for entry in later]
        return [verdict for verdict in found if verdict is not None]

    def _entry_again(self, entry: Entry, corrected: dict[str, Any]) -> Verdict | None:
        if entry.judgement is None:
            self.entries.append(entry)
            return None
        info = self._episode(entry.line)
        if info is None or info.corrects is None:
            return self._judge(entry.line, entry.n, corrected)
        index = self._index(entry.correction.n) if entry.correction else None
        target = self.entries[index].judgement if index is not None else None
        if target is None:
            return self._nothing_to_correct(entry.line, info, entry.n)
        own = Judgement(_renumbered(target.verdict, entry.n), self.current)
        self._add(entry.n, entry.line, self.current, own, entry.correction)
        return own.verdict

    def _correct(self, line: dict[str, Any], info: core.EpisodeInfo, n: int) -> list[Output]:
        """A correction of a field of an earlier line: that line and all later ones are judged again."""
        old, target, value = self._correction(line, info)
        index = self._index(target)
        key = self._field_key(index, old)
        if index is None or key is None:
            return [self._nothing_to_correct(line, info, n)]
        placeholder = refuse(self.setup, self.current, n, "", "")  # judged with the line that it corrects
        self._add(n, line, self.current, placeholder, Correction(target, key, value))
        _, *later, own = self._again(index)
        return [own, *later]

    def _correction(self, line: dict[str, Any], info: core.EpisodeInfo) -> tuple[str, int, Any]:
        """(field of the earlier line, number of that line, new value)."""
        assert info.corrects is not None
        old, new = info.corrects
        fields = self.setup.codec.fields({k: x for k, x in line.items() if k != "type"}, info.fields, info.key)
        return old, next(value for name, value in fields.items() if name != new), fields[new]

    def _nothing_to_correct(self, line: dict[str, Any], info: core.EpisodeInfo, n: int) -> Verdict:
        old, target, _ = self._correction(line, info)
        return self._refuse(line, n, "nothing-to-correct", f"line {target} has no `{core.json_key(old)}`")

    def _field_key(self, index: int | None, name: str) -> str | None:
        info = self._episode(self.entries[index].line) if index is not None else None
        return next((f.key for f in info.fields if f.name == name), None) if info else None

    def undo(self) -> State:
        """Take the last line back; the state before it. Nothing happens where there is none."""
        if self.entries:
            self._remove(len(self.entries) - 1)
        return self.current

    # ---- without officials

    def _ruled(self, judgement: Judgement) -> Judgement:
        """The first thing that may be ruled where the text is silent, ruled and marked."""
        import msgspec

        verdict, state = judgement.verdict, judgement.state
        if not verdict.undecided or verdict.status == "conflict":
            return judgement
        marked = []
        for item in verdict.undecided:
            name, option = core.name_of(item.name), core.name_of(item.options[0])
            state = decide(self.setup, state, name, option, None, None, verdict.n).state
            marked.append(msgspec.structs.replace(item, ruled=item.options[0]))
        ruled = msgspec.structs.replace(
            verdict, status="ruled", undecided=tuple(marked), state=self.setup.state_json(state)
        )
        return replace(judgement, verdict=ruled, state=state)


def _renumbered(verdict: Verdict, n: int) -> Verdict:
    import msgspec

    return msgspec.structs.replace(verdict, n=n)


def _too_deep(value: Any) -> bool:
    """Whether objects and lists stand more than MAX_DEPTH deep; without recursion."""
    level = [value]
    for _ in range(MAX_DEPTH):
        holders = [item for item in level if isinstance(item, dict | list)]
        level = [part for item in holders for part in (item.values() if isinstance(item, dict) else item)]
        if not level:
            return False
    return True
