"""Recorded pooltool eight-ball shots, turned into log lines of the JSON contract.

A record is one shot as a JSON object; the keys used here are ``game shot player player_index break
called constraints cue_ball_placement table before touching_before events groups`` and no others.
Times are seconds after the stroke, lengths metres; x runs from the left cushion to the right one,
y from the head cushion (0) to the foot cushion. pooltool itself is not needed and not imported.

Decisions, each with the reason:

* The simulator reports one physical contact many times over (a pair that stutters). A repeat of the
  same pair within `SAME_CONTACT` of the last report belongs to the same contact, unless one of the two
  met a cushion or a jaw in between, which proves that they parted. A repeat of the same ball and
  cushion (or jaw segment) is merged likewise, unless the ball met anything else in between: a cue ball
  at a cushion just before and just after its first contact has reached the cushion after the contact.
* Order is the order of the event list; equal times are common and the list breaks the ties.
* A pair frozen at the start is a contact that lasts until one of the two first moves. What the
  simulator reports of the pair within `SAME_CONTACT` of that is the old contact and makes no moment;
  so a ball frozen to a cushion that merely leaves it makes no ``cushion``. Where the cue ball is played
  into a ball frozen to it, that ball makes ``moved``, and so does the next one frozen to that ball.
* A full rack touches itself. On the break, ball-to-ball pairs are not called frozen: the reports of the
  rack breaking up stay contacts, and nobody would declare fifteen balls frozen to one another.
* A jaw is no cushion: facings and jaw tips give ``jaw``, never ``cushion``.
* Whether the cue ball crossed the head string is not recorded; no ``crossed`` is invented.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NoReturn, TypeAlias

Record: TypeAlias = dict[str, object]
Line: TypeAlias = dict[str, object]
Moment: TypeAlias = dict[str, object]
Positions: TypeAlias = Literal["always", "never"]

SAME_CONTACT = 0.05
"""Seconds within which a repeated report of the same two things is the same contact."""

OBSERVES = ("contact", "cushion", "jaw", "pocketed")
"""The kinds of moment the simulator really reports."""

SOLIDS = frozenset(str(n) for n in range(1, 8))
STRIPES = frozenset(str(n) for n in range(9, 16))
BALLS = ("cue", *(str(n) for n in range(1, 16)))

POCKETS: Mapping[str, str] = {
    "lb": "head-left",
    "lc": "side-left",
    "lt": "foot-left",
    "rb": "head-right",
    "rc": "side-right",
    "rt": "foot-right",
}
CUSHIONS: Mapping[str, str] = {
    "18": "head",
    "9": "foot",
    "3": "left",
    "6": "left",
    "12": "right",
    "15": "right",
}
JAWS: Mapping[str, str] = {
    segment + end: POCKETS[pocket]
    for pocket, segments in {
        "lb": ("1", "2"),
        "lc": ("4", "5"),
        "lt": ("7", "8"),
        "rt": ("10", "11"),
        "rc": ("13", "14"),
        "rb": ("16", "17"),
    }.items()
    for segment in segments
    for end in ("", "t")
}
"""Facings ``1 2 4 5 ...`` and jaw tips ``1t 2t 4t 5t ...`` to the pocket they belong to."""

ZONES: Mapping[str, str] = {"behind_line": "behind-head-string", "anywhere": "anywhere"}
OTHER_GROUP: Mapping[str, str] = {"solids": "stripes", "stripes": "solids"}
IGNORED = frozenset(
    (
        "none",
        "stick_ball",
        "sliding_rolling",
        "rolling_stationary",
        "rolling_spinning",
        "spinning_stationary",
        "ball_table",
    )
)


class AdapterError(ValueError):
    """A record that cannot be turned into a log line; the text names game, shot and what is missing."""


# ---------------------------------------------------------------- reading a record


def _fail(record: Mapping[str, object], what: str) -> NoReturn:
    raise AdapterError(f"game {record.get('game', '?')}, shot {record.get('shot', '?')}: {what}")


def _field(record: Mapping[str, object], *path: str) -> object:
    """The value at ``path``; AdapterError where a key on the way is absent."""
    value: object = record
    for depth, key in enumerate(path):
        if not isinstance(value, dict) or key not in value:
            _fail(record, f"{'.'.join(path[: depth + 1])} is missing")
        value = value[key]
    return value


def _text(record: Mapping[str, object], *path: str) -> str:
    value = _field(record, *path)
    if not isinstance(value, str):
        _fail(record, f"{'.'.join(path)} is not text")
    return value


def _number(record: Mapping[str, object], *path: str) -> float:
    value = _field(record, *path)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        _fail(record, f"{'.'.join(path)} is not a number")
    return float(value)


def _list(record: Mapping[str, object], *path: str) -> list[object]:
    value = _field(record, *path)
    if not isinstance(value, list):
        _fail(record, f"{'.'.join(path)} is not a list")
    return value


def _is_break(record: Mapping[str, object]) -> bool:
    value = _field(record, "break")
    if not isinstance(value, bool):
        _fail(record, "break is not true or false")
    return value


def _mapped(record: Mapping[str, object], table: Mapping[str, str], key: str, what: str) -> str:
    if key not in table:
        _fail(record, f"{key!r} is no {what}")
    return table[key]


def _ball(record: Mapping[str, object], name: str) -> str:
    if name not in BALLS:
        _fail(record, f"{name!r} is no ball")
    return name


def _sorted(balls: Iterable[str]) -> list[str]:
    return sorted(balls, key=BALLS.index)


def _positions_before(record: Mapping[str, object]) -> dict[str, tuple[float, float]]:
    """Ball to (x, y) in metres for the balls on the table before the shot."""
    before = _field(record, "before")
    if not isinstance(before, dict):
        _fail(record, "before is not an object")
    found: dict[str, tuple[float, float]] = {}
    for name, at in before.items():
        if at is not None:
            found[_ball(record, name)] = _point(record, name, at)
    return found


def _point(record: Mapping[str, object], name: str, at: object) -> tuple[float, float]:
    match at:
        case [int() | float() as x, int() | float() as y]:
            return float(x), float(y)
        case _:
            _fail(record, f"before.{name} is not [x, y]")


def _pairs(record: Mapping[str, object], *path: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for pair in _list(record, *path):
        match pair:
            case [str() as a, str() as b]:
                found.append((a, b))
            case _:
                _fail(record, f"{'.'.join(path)} holds {pair!r}, which is no pair")
    return found


# ---------------------------------------------------------------- the moments of a shot


def _events(record: Mapping[str, object]) -> Iterator[tuple[float, str, tuple[str, str]]]:
    """The collisions of the shot in order: (seconds, event type, the two ids)."""
    for event in _list(record, "events"):
        match event:
            case [int() | float(), str() as kind, list()] if kind in IGNORED:
                continue
            case [int() | float() as t, str() as kind, [str() as a, str() as b]]:
                yield float(t), kind, (a, b)
            case _:
                _fail(record, f"event {event!r} is not [seconds, type, ids]")


def _cue_first(a: str, b: str) -> tuple[str, str]:
    return (b, a) if b == "cue" else (a, b)


def _moment(record: Mapping[str, object], t: float, kind: str, ids: tuple[str, str]) -> Moment:
    """One contract moment for one simulator event; AdapterError for an unknown type or id."""
    first, second = ids
    ball = _ball(record, first)
    match kind:
        case "ball_ball":
            return {"contact": list(_cue_first(ball, _ball(record, second))), "t": t}
        case "ball_linear_cushion" if second in CUSHIONS:
            return {"cushion": [ball, CUSHIONS[second]], "t": t}
        case "ball_linear_cushion" | "ball_circular_cushion":
            return {"jaw": [ball, _mapped(record, JAWS, second, "cushion or jaw")], "t": t}
        case "ball_pocket":
            return {"pocketed": [ball, _mapped(record, POCKETS, second, "pocket")], "t": t}
        case _:
            _fail(record, f"event type {kind!r} is unknown")


Pair: TypeAlias = frozenset[str]
"""Two things that touch. Cushion and jaw segments begin with ``=``: ball 9 and segment 9 both exist."""


def _pair(kind: str, ids: tuple[str, str]) -> Pair:
    a, b = ids
    return frozenset((a, b)) if kind == "ball_ball" else frozenset((a, "=" + b))


def _is_ball(name: str) -> bool:
    return not name.startswith("=")


def _of_balls(pair: Pair) -> bool:
    return all(_is_ball(name) for name in pair)


class _Contacts:
    """Which pairs are in contact as a shot goes on, so that one contact makes one moment."""

    def __init__(self, frozen: Iterable[Pair]) -> None:
        self.frozen = frozenset(frozen)
        self.still = set(self.frozen)
        self.last: dict[Pair, float] = {}
        self.parted: set[Pair] = set()
        self.old: set[Pair] = set()
        self.driven = {"cue"}
        self._wake(0.0, frozenset(("cue",)))

    def begins(self, t: float, pair: Pair) -> bool:
        """Takes in a report at ``t`` seconds; true where it begins a contact of the pair."""
        woken = self._wake(t, pair)
        recent = pair in self.last and t - self.last[pair] <= SAME_CONTACT
        same = recent and pair not in self.parted
        self.last[pair] = t
        self.parted.discard(pair)
        if not same:
            self.old.discard(pair)
        self.parted |= {other for other in self.last.keys() - woken if self._parts(pair, other)}
        return not same

    def drives(self, t: float, pair: Pair) -> str | None:
        """The ball first set moving through a contact that goes on from the start.

        Either ball of it is the cue ball, or is itself driven and frozen to the cue ball.
        """
        drivers = {name for name in pair & self.driven if self._is_driver(name)}
        if t > SAME_CONTACT or pair not in self.frozen or not drivers or pair <= self.driven:
            return None
        (ball,) = pair - self.driven
        self.driven.add(ball)
        return ball if _is_ball(ball) else None

    def _is_driver(self, name: str) -> bool:
        return name == "cue" or frozenset(("cue", name)) in self.frozen

    def _wake(self, t: float, things: Pair) -> set[Pair]:
        """The pairs frozen until now with one of ``things``: that one moves, their old contact ends."""
        woken = {pair for pair in self.still if pair & things}
        self.still -= woken
        self.old |= woken
        self.last.update(dict.fromkeys(woken, t))
        return woken

    def _parts(self, pair: Pair, other: Pair) -> bool:
        """Whether a contact of ``pair`` shows that ``other`` has parted.

        A ball at a cushion has left the balls it touched, a ball at anything has left its cushion;
        but a ball hit while frozen to a cushion is pressed into it.
        """
        if other == pair or not any(_is_ball(name) for name in other & pair):
            return False
        if _of_balls(pair):
            return not _of_balls(other) and other not in self.old
        return True


def _moments(record: Mapping[str, object]) -> list[Moment]:
    contacts = _Contacts(_pair(*touch) for touch in _touching(record))
    moments: list[Moment] = []
    for t, kind, ids in _events(record):
        moment = _moment(record, t, kind, ids)
        pair = _pair(kind, ids)
        if contacts.begins(t, pair):
            moments.append(moment)
        elif ball := contacts.drives(t, pair):
            moments.append({"moved": [ball], "t": t})
    return moments


# ---------------------------------------------------------------- the start of a shot


def _touching(record: Mapping[str, object]) -> Iterator[tuple[str, tuple[str, str]]]:
    """The pairs frozen at the start, as (event type, ids); without the rack on the break."""
    if not _is_break(record):
        for pair in _pairs(record, "touching_before", "balls"):
            yield "ball_ball", pair
    for pair in _pairs(record, "touching_before", "cushions"):
        yield "ball_linear_cushion", pair


def _frozen(record: Mapping[str, object]) -> list[list[str]]:
    """The contract's ``frozen``; a ball resting against a jaw is left out, a jaw being no cushion."""
    found: list[list[str]] = []
    for kind, ids in _touching(record):
        moment = _moment(record, 0.0, kind, ids)
        pair = moment.get("contact", moment.get("cushion"))
        if isinstance(pair, list):
            found.append(pair)
    return found


def _ball_in_hand(record: Mapping[str, object]) -> str:
    kind = _text(record, "constraints", "ball_in_hand")
    return _mapped(record, {"none": "none", **ZONES}, kind, "kind of ball in hand")


def _placed(record: Mapping[str, object]) -> str | None:
    """The zone in which the shooter placed the cue ball; None where it was played as it lay."""
    if _field(record, "cue_ball_placement") is None:
        return None
    kind = _text(record, "cue_ball_placement", "kind")
    return _mapped(record, ZONES, kind, "kind of placement")


def _behind_head_string(record: Mapping[str, object]) -> list[str]:
    """The object balls less than a quarter of the table's length from the head cushion."""
    head_string = _number(record, "table", "l") / 4
    at = _positions_before(record)
    return _sorted(ball for ball, (_, y) in at.items() if ball != "cue" and y < head_string)


def _called(record: Mapping[str, object]) -> dict[str, str] | None:
    if _field(record, "called") is None or _is_break(record):
        return None
    pocket = _mapped(record, POCKETS, _text(record, "called", "pocket"), "pocket")
    return {"ball": _ball(record, _text(record, "called", "ball")), "pocket": pocket}


def shot_line(record: Mapping[str, object]) -> Line:
    """The contract's ``shot`` line of one record.

    Keys that would hold their default are left out. Raises AdapterError for a malformed record.
    """
    line: Line = {"type": "shot", "by": _text(record, "player")}
    if called := _called(record):
        line["called"] = called
    if zone := _placed(record):
        line["placed"] = {"zone": zone}
    if frozen := _frozen(record):
        line["frozen"] = frozen
    if _ball_in_hand(record) == "behind-head-string" and (behind := _behind_head_string(record)):
        line["behind_head_string"] = behind
    line["moments"] = _moments(record)
    return line


# ---------------------------------------------------------------- a whole game


def _players(records: Sequence[Mapping[str, object]]) -> list[str]:
    """The names in order of ``player_index``."""
    names = {int(_number(r, "player_index")): _text(r, "player") for r in records}
    return [names[index] for index in sorted(names)]


def _cleared_group(record: Mapping[str, object]) -> str:
    """The group of a player on the eight, where no earlier shot of the game tells it."""
    on_table = _positions_before(record).keys()
    cleared = [g for g, balls in (("solids", SOLIDS), ("stripes", STRIPES)) if not balls & on_table]
    if len(cleared) != 1:
        _fail(record, "groups.shooter_before is 'eight', and whose group is down is missing")
    return cleared[0]


def _groups(record: Mapping[str, object], players: Sequence[str], known: Mapping[str, str]) -> dict[str, str]:
    """Player to group before the shot; ``known`` is the same before the previous shot."""
    shooter = _text(record, "player")
    group = _text(record, "groups", "shooter_before")
    match group:
        case "undecided":
            return dict.fromkeys(players, "none")
        case "solids" | "stripes":
            pass
        case "eight" if known.get(shooter) in OTHER_GROUP:
            return dict(known)
        case "eight":
            group = _cleared_group(record)
        case _:
            _fail(record, f"groups.shooter_before {group!r} is unknown")
    return {player: group if player == shooter else OTHER_GROUP[group] for player in players}


def _position_line(record: Mapping[str, object], groups: Mapping[str, str], breaker: str) -> Line:
    state: Line = {
        "phase": "break" if _is_break(record) else "in-play",
        "table": "open" if "none" in groups.values() else "closed",
        "groups": dict(groups),
        "shooter": _text(record, "player"),
        "on_table": _sorted(_positions_before(record)),
        "ball_in_hand": _ball_in_hand(record),
        "rack_number": 1,
        "breaker": breaker,
    }
    return {"type": "position", "set": state}


def game_log(
    records: Sequence[Mapping[str, object]],
    rulebook: str = "osmica",
    positions: Positions = "always",
    players: Sequence[str] | None = None,
) -> list[Line]:
    """The log of one game: ``start``, then the shots in order.

    With ``positions="always"`` a ``position`` line with the recorded situation stands before every
    shot but an opening break, since the simulator's rules and the rulebook's may part (a scratch on
    the break, an illegal break, the eight on the break). With ``"never"`` the rulings carry the state.
    ``players`` is needed where only one of the two ever played (the eight on the break).
    Raises AdapterError for no records, a malformed record, or other than two players.
    """
    if not records:
        raise AdapterError("game ?, shot ?: records are missing")
    names = list(players) if players else _players(records)
    if len(names) != 2:
        _fail(records[0], f"a player is missing, recorded: {', '.join(names)}")
    start: Line = {"type": "start", "rulebook": rulebook, "players": names, "observes": list(OBSERVES)}
    lines = [start]
    groups: dict[str, str] = {}
    for index, record in enumerate(records):
        groups = _groups(record, names, groups)
        if positions == "always" and not (index == 0 and _is_break(record)):
            lines.append(_position_line(record, groups, _text(records[0], "player")))
        lines.append(shot_line(record))
    return lines


# ---------------------------------------------------------------- files and the command


def _record(number: int, text: str) -> Record:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise AdapterError(f"line {number}: no JSON: {error}") from error
    if not isinstance(value, dict):
        raise AdapterError(f"line {number}: not an object")
    return value


def read_games(path_or_lines: str | Path | Iterable[str]) -> dict[str, list[Record]]:
    """Game to its records, both in the order of the lines; a ``str`` is a path.

    Blank lines are skipped. Raises AdapterError for a line that is no JSON object or names no game.
    """
    if isinstance(path_or_lines, (str, Path)):
        lines: Iterable[str] = Path(path_or_lines).read_text(encoding="utf-8").split("\n")
    else:
        lines = path_or_lines
    games: dict[str, list[Record]] = {}
    for number, text in enumerate(lines, start=1):
        if text.strip():
            record = _record(number, text)
            games.setdefault(_text(record, "game"), []).append(record)
    return games


def to_jsonl(lines: Iterable[Mapping[str, object]]) -> str:
    """Compact JSON, one object a line, each line ended."""
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tefter.adapters.pooltool",
        description="Print a recorded pooltool game as a log of the JSON contract.",
    )
    parser.add_argument("shots", metavar="SHOTS.jsonl", type=Path)
    parser.add_argument("--game", metavar="ID", required=True)
    parser.add_argument("--rulebook", default="osmica")
    parser.add_argument("--players", metavar="A,B", type=lambda names: names.split(","))
    parser.add_argument("--positions", choices=("always", "never"), default="always")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit status (1 after an error, which goes to standard error)."""
    given = _arguments(argv)
    try:
        games = read_games(given.shots)
        if given.game not in games:
            raise AdapterError(f"game {given.game}: not among {', '.join(games) or 'no games'}")
        lines = game_log(games[given.game], given.rulebook, given.positions, given.players)
    except (AdapterError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    sys.stdout.write(to_jsonl(lines))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
