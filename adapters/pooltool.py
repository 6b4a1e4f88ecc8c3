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
from typing import Literal, TypeAlias

from .pooltool_record import (
    CUSHIONS,
    IGNORED,
    JAWS,
    OBSERVES,
    OTHER_GROUP,
    POCKETS,
    SAME_CONTACT,
    SOLIDS,
    STRIPES,
    ZONES,
    AdapterError,
    ball_id,
    fail,
    in_order,
    is_break,
    mapped,
    positions_before,
    read_field,
    read_list,
    read_number,
    read_pairs,
    read_text,
)

Record: TypeAlias = dict[str, object]
Line: TypeAlias = dict[str, object]
Moment: TypeAlias = dict[str, object]
Positions: TypeAlias = Literal["always", "never"]


# ---------------------------------------------------------------- the moments of a shot


def _events(record: Mapping[str, object]) -> Iterator[tuple[float, str, tuple[str, str]]]:
    """The collisions of the shot in order: (seconds, event type, the two ids)."""
    for event in read_list(record, "events"):
        match event:
            case [int() | float(), str() as kind, list()] if kind in IGNORED:
                continue
            case [int() | float() as t, str() as kind, [str() as a, str() as b]]:
                yield float(t), kind, (a, b)
            case _:
                fail(record, f"event {event!r} is not [seconds, type, ids]")


def _cue_first(a: str, b: str) -> tuple[str, str]:
    return (b, a) if b == "cue" else (a, b)


def _moment(record: Mapping[str, object], t: float, kind: str, ids: tuple[str, str]) -> Moment:
    """One contract moment for one simulator event; AdapterError for an unknown type or id."""
    first, second = ids
    ball = ball_id(record, first)
    match kind:
        case "ball_ball":
            return {"contact": list(_cue_first(ball, ball_id(record, second))), "t": t}
        case "ball_linear_cushion" if second in CUSHIONS:
            return {"cushion": [ball, CUSHIONS[second]], "t": t}
        case "ball_linear_cushion" | "ball_circular_cushion":
            return {"jaw": [ball, mapped(record, JAWS, second, "cushion or jaw")], "t": t}
        case "ball_pocket":
            return {"pocketed": [ball, mapped(record, POCKETS, second, "pocket")], "t": t}
        case _:
            fail(record, f"event type {kind!r} is unknown")


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
    if not is_break(record):
        for pair in read_pairs(record, "touching_before", "balls"):
            yield "ball_ball", pair
    for pair in read_pairs(record, "touching_before", "cushions"):
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
    kind = read_text(record, "constraints", "ball_in_hand")
    return mapped(record, {"none": "none", **ZONES}, kind, "kind of ball in hand")


def _placed(record: Mapping[str, object]) -> str | None:
    """The zone in which the shooter placed the cue ball; None where it was played as it lay."""
    if read_field(record, "cue_ball_placement") is None:
        return None
    kind = read_text(record, "cue_ball_placement", "kind")
    return mapped(record, ZONES, kind, "kind of placement")


def _behind_head_string(record: Mapping[str, object]) -> list[str]:
    """The object balls less than a quarter of the table's length from the head cushion."""
    head_string = read_number(record, "table", "l") / 4
    at = positions_before(record)
    return in_order(ball for ball, (_, y) in at.items() if ball != "cue" and y < head_string)


def _called(record: Mapping[str, object]) -> dict[str, str] | None:
    if read_field(record, "called") is None or is_break(record):
        return None
    pocket = mapped(record, POCKETS, read_text(record, "called", "pocket"), "pocket")
    return {"ball": ball_id(record, read_text(record, "called", "ball")), "pocket": pocket}


def shot_line(record: Mapping[str, object]) -> Line:
    """The contract's ``shot`` line of one record.

    Keys that would hold their default are left out. Raises AdapterError for a malformed record.
    """
    line: Line = {"type": "shot", "by": read_text(record, "player")}
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
    names = {int(read_number(r, "player_index")): read_text(r, "player") for r in records}
    return [names[index] for index in sorted(names)]


def _cleared_group(record: Mapping[str, object]) -> str:
    """The group of a player on the eight, where no earlier shot of the game tells it."""
    on_table = positions_before(record).keys()
    cleared = [g for g, balls in (("solids", SOLIDS), ("stripes", STRIPES)) if not balls & on_table]
    if len(cleared) != 1:
        fail(record, "groups.shooter_before is 'eight', and whose group is down is missing")
    return cleared[0]


def _groups(record: Mapping[str, object], players: Sequence[str], known: Mapping[str, str]) -> dict[str, str]:
    """Player to group before the shot; ``known`` is the same before the previous shot."""
    shooter = read_text(record, "player")
    group = read_text(record, "groups", "shooter_before")
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
            fail(record, f"groups.shooter_before {group!r} is unknown")
    return {player: group if player == shooter else OTHER_GROUP[group] for player in players}


def _position_line(record: Mapping[str, object], groups: Mapping[str, str], breaker: str) -> Line:
    state: Line = {
        "phase": "break" if is_break(record) else "in-play",
        "table": "open" if "none" in groups.values() else "closed",
        "groups": dict(groups),
        "shooter": read_text(record, "player"),
        "on_table": in_order(positions_before(record)),
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
        fail(records[0], f"a player is missing, recorded: {', '.join(names)}")
    start: Line = {"type": "start", "rulebook": rulebook, "players": names, "observes": list(OBSERVES)}
    lines = [start]
    groups: dict[str, str] = {}
    for index, record in enumerate(records):
        groups = _groups(record, names, groups)
        if positions == "always" and not (index == 0 and is_break(record)):
            lines.append(_position_line(record, groups, read_text(records[0], "player")))
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
            games.setdefault(read_text(record, "game"), []).append(record)
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


__all__ = [
    "CUSHIONS",
    "JAWS",
    "OBSERVES",
    "POCKETS",
    "SAME_CONTACT",
    "AdapterError",
    "game_log",
    "main",
    "read_games",
    "shot_line",
    "to_jsonl",
]

if __name__ == "__main__":
    raise SystemExit(main())
