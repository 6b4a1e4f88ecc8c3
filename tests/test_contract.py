"""The JSON contract from outside: refusals, malformed lines, retracting, correcting, observing, undoing."""

import json
import pickle
import re
import threading
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tefter import Book, Malformed, Match, UsageError, Verdict, load
from tefter.cli.main import tefter

START = {"type": "start", "rulebook": "osmica", "players": ["A", "B"]}
OPEN = {"type": "position", "set": {"shooter": "A"}}
CLOSED = {"phase": "in-play", "table": "closed", "groups": {"A": "solids", "B": "stripes"}, "shooter": "A"}
MISS = {"type": "shot", "by": "A", "moments": [{"contact": ["cue", "3"]}, {"cushion": ["3", "left"]}]}
WRONG = {"type": "shot", "by": "A", "moments": [{"contact": ["cue", "12"]}, {"cushion": ["12", "left"]}]}
ILLEGAL_BREAK = {"type": "shot", "by": "A", "moments": [{"contact": ["cue", "1"]}]}
RERACK = {"type": "choice", "by": "B", "choice": "after_illegal_break", "option": "rerack"}
EIGHT_AND_OFF = {
    "type": "shot", "by": "A",
    "moments": [{"contact": ["cue", "1"]}, {"pocketed": ["8", "foot-left"]}, {"off_table": ["11"]}],
}  # fmt: skip


@pytest.fixture(scope="module")
def book() -> Book:
    return load("osmica")


@pytest.fixture
def match(book: Book) -> Match:
    return book.start(["A", "B"])


@pytest.fixture(autouse=True)
def loaded_once(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line loads the book anew each time; these tests are not about that."""
    monkeypatch.setattr("tefter.cli.judge.load_or_exit", lambda name, *rest: book)


def judge(*lines: Any, options: tuple[str, ...] = ()) -> Result:
    """`tefter judge osmica - --json` over lines: objects, texts or bytes."""
    raw = [x if isinstance(x, bytes) else (x if isinstance(x, str) else json.dumps(x)).encode() for x in lines]
    text = b"".join(line + b"\n" for line in raw)
    return CliRunner().invoke(tefter, ["judge", "osmica", "-", "--json", *options], input=text)


def outputs(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def position(**cells: Any) -> dict[str, Any]:
    return {"type": "position", "set": {**CLOSED, **cells}}


# ---- refusals


REFUSED: list[tuple[list[dict[str, Any]], str]] = [
    ([OPEN, {**MISS, "moments": [{"contact": ["cue", "16"]}]}], "unknown-member"),
    ([OPEN, {**MISS, "moments": [{"contact": ["cue", "cue"]}]}], "unknown-member"),
    ([OPEN, {**MISS, "by": "C"}], "unknown-member"),
    ([OPEN, {**MISS, "called": {"ball": "3", "pocket": "middle"}}], "unknown-member"),
    ([position(on_table=["cue", "3", "8"]), {**MISS, "moments": [{"pocketed": ["5", "foot-left"]}]}], "impossible"),
    ([position(on_table=["cue", "3", "8"]), {**MISS, "moments": [{"contact": ["cue", "5"]}]}], "impossible"),
    ([OPEN, {**MISS, "moments": [{"pocketed": ["3", "foot-left"]}, {"pocketed": ["3", "foot-left"]}]}], "impossible"),
    ([OPEN, {**MISS, "moments": [{"pocketed": ["3", "foot-left"]}, {"off_table": ["3"]}]}], "impossible"),
    ([OPEN, RERACK], "not-due"),
    ([ILLEGAL_BREAK, {**RERACK, "by": "A"}], "wrong-player"),
    ([ILLEGAL_BREAK, {**RERACK, "by": "C"}], "wrong-player"),
    ([ILLEGAL_BREAK, {**RERACK, "option": "spot"}], "no-such-option"),
    ([ILLEGAL_BREAK, {**RERACK, "choice": "eight_on_break"}], "not-due"),
    ([ILLEGAL_BREAK, {**RERACK, "about": "7"}], "not-due"),
    ([ILLEGAL_BREAK, {**MISS, "by": "B"}], "decision-due"),
    ([EIGHT_AND_OFF, {"type": "choice", "by": "A", "choice": "eight_and_ball_off", "option": "spot"}], "not-due"),
    ([OPEN, {"type": "ruling", "on": "stalemate", "option": "lag"}], "not-due"),
    ([OPEN, {"type": "announce", "n": 99, "in_time": False}], "nothing-to-correct"),
    ([OPEN, {"type": "retract", "n": 99}], "nothing-to-retract"),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "code"), REFUSED, ids=lambda x: x if isinstance(x, str) else json.dumps(x[-1])[:60])
def test_what_cannot_be_is_refused_and_changes_nothing(lines: list[dict[str, Any]], code: str, match: Match) -> None:
    for line in lines[:-1]:
        assert match.submit(line).status != "refused"
    before = match.state
    verdict = match.submit(lines[-1])
    assert verdict.status == "refused" and {p.code for p in verdict.problems} == {code}
    assert all(p.message for p in verdict.problems)
    assert match.state == before == verdict.state


def test_a_refusal_is_a_result_unless_told_otherwise() -> None:
    assert judge(START, OPEN, RERACK).exit_code == 0
    failed = judge(START, OPEN, RERACK, MISS, options=("--fail-on", "refused"))
    assert failed.exit_code == 1 and [o.get("status") for o in outputs(failed)] == [None, "refused", "ruled"]
    assert judge(START, OPEN, MISS, options=("--fail-on", "refused")).exit_code == 0


def test_an_official_may_decide_for_a_player(match: Match) -> None:
    match.submit(ILLEGAL_BREAK)
    verdict = match.submit({"type": "ruling", "on": "after_illegal_break", "option": "rerack_repeat"})
    assert verdict.status == "ruled" and match.state["shooter"] == "A" and match.choices == ()


# ---- malformed lines


def nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


MALFORMED: dict[str, tuple[Any, str]] = {
    "broken JSON": ('{"type":"shot","by":', r"4:\d+: .*not JSON"),
    "two objects": ("{}{}", "4:3: .*not JSON"),
    "a list": ("[]", "4:1: .*one JSON object"),
    "a text": ('"shot"', "4:1: .*one JSON object"),
    "null": ("null", "4:1: .*one JSON object"),
    "an empty object": ({}, "4:1: .*unknown type"),
    "a type of null": ({"type": None}, "4:1: .*unknown type"),
    "a type that is a list": ({"type": ["shot"]}, "4:1: .*unknown type"),
    "a misspelt type": ({**MISS, "type": "shott"}, "4:1: .*did you mean shot"),
    "a misspelt key": ({**MISS, "safty": True}, "4:1: .*`safty`.*did you mean safety"),
    "a misspelt moment": ({**MISS, "moments": [{"pocketd": ["3", "foot-left"]}]}, "did you mean pocketed"),
    "a misspelt key inside": ({**MISS, "called": {"bal": "3", "pocket": "foot-left"}}, "did you mean ball"),
    "a misspelt cell": ({"type": "position", "set": {"shoter": "A"}}, "did you mean shooter"),
    "a key of a choice": ({**RERACK, "optoin": "x"}, "did you mean option"),
    "a key twice": ('{"type":"shot","by":"A","by":"B"}', "4:1: .*`by` stands twice"),
    "NaN": ('{"type":"drop","ball":"3","pocket":"foot-left","still":NaN}', "NaN"),
    "infinity": ('{"type":"drop","ball":"3","pocket":"foot-left","still":Infinity}', "Infinity"),
    "a number beyond floats": ('{"type":"drop","ball":"3","pocket":"foot-left","still":1e999}', "4:1: .*number"),
    "a huge number": ('{"type":"drop","ball":"3","pocket":"foot-left","still":' + "9" * 200 + "}", "4:1: .*number"),
    "a number of 10,000 digits": ('{"type":"retract","n":' + "9" * 10_000 + "}", "4:1: "),
    "a tiny number": ('{"type":"drop","ball":"3","pocket":"foot-left","still":1e-99999}' + "x", "4:"),
    "a player of the wrong type": ({**MISS, "by": 1}, "4:1: .*`shot.by` takes a text"),
    "a flag of the wrong type": ({**MISS, "safety": "no"}, "`shot.safety` takes true or false"),
    "a flag of null": ({**MISS, "safety": None}, "may not be null"),
    "a player of null": ({**MISS, "by": None}, "may not be null"),
    "no player": ({"type": "shot"}, "needs `by`"),
    "moments of the wrong type": ({**MISS, "moments": {}}, "`moments` takes a list"),
    "moments of null": ({**MISS, "moments": None}, "`moments` takes a list"),
    "a moment of null": ({**MISS, "moments": [None]}, "a moment is an object"),
    "a moment with two events": ({**MISS, "moments": [{"moved": ["3"], "passed": ["3"]}]}, "one event"),
    "a moment with none": ({**MISS, "moments": [{"t": 1}]}, "one event"),
    "a time of the wrong type": ({**MISS, "moments": [{"moved": ["3"], "t": "soon"}]}, "`t` takes a number"),
    "an event too short": ({**MISS, "moments": [{"pocketed": ["3"]}]}, "takes a list of 2"),
    "an event of null": ({**MISS, "moments": [{"pocketed": ["3", None]}]}, "may not hold null"),
    "a set with null": ({**MISS, "behind_head_string": [None]}, "may not hold null"),
    "a set of sets": ({**MISS, "behind_head_string": [["3"]]}, "takes a text"),
    "a pair of three": ({**MISS, "frozen": [["cue", "3", "4"]]}, "list of pairs"),
    "a pair of null": ({**MISS, "frozen": [None]}, "list of pairs"),
    "too many moments": ({**MISS, "moments": [{"moved": ["3"]}] * 5_001}, "5,000 at most"),
    "a choice without a player": ({"type": "choice", "choice": "x", "option": "y"}, "needs `by`"),
    "a choice by null": ({**RERACK, "by": None}, "needs `by`"),
    "a choice of a number": ({**RERACK, "option": 3}, "needs `option`"),
    "a ruling on nothing": ({"type": "ruling", "option": "y"}, "needs `on`"),
    "a retract of nothing": ({"type": "retract"}, "needs `n`"),
    "a retract of a text": ({"type": "retract", "n": "3"}, "needs `n`"),
    "a retract of true": ({"type": "retract", "n": True}, "needs `n`"),
    "a second start": (START, "only on the first line"),
    "a position of nothing": ({"type": "position", "set": None}, "`set` takes an object"),
    "a position of a list": ({"type": "position", "set": []}, "`set` takes an object"),
    "a position with a wrong ball": ({"type": "position", "set": {"on_table": ["cue", "17"]}}, "unknown ball"),
    "a position with a wrong player": ({"type": "position", "set": {"groups": {"C": "solids"}}}, "unknown player"),
    "a position in two places": (position(on_table=["cue", "3"], out=["3"]), "the position is impossible"),
    "an open decision that is none": (position(open=["nothing"]), "unknown decision"),
    "an open decision of a number": (position(open=[3]), "`open`"),
    "open decisions that are no list": (position(open="stalemate"), "`open` takes a list"),
    "an open change that is none": (
        position(open=[{"choice": "eight_on_break", "options": {"spot": [["x", "y"]]}}]), "in `open`"),
    "nested 100,000 deep": ('{"a":' * 100_000, "4:1: .*(deep|JSON|recursion)"),
    "nested 500 deep": ({**MISS, "by": nested(500)}, "`shot.by` takes a text"),
    "a line of 5 MB": ('{"type":"' + "x" * 5_000_000 + '"}', "4:4000000: .*longer"),
    "Latin-1": (b'{"type":"shot","by":"\xe9"}', "4:22: .*UTF-8"),
    "UTF-16": ('{"type":"shot"}'.encode("utf-16"), "4:1: .*UTF-8"),
    "NUL": (b"\0\0\0", "4:1: .*not JSON"),
}  # fmt: skip


@pytest.mark.parametrize(("line", "message"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_line_ends_the_run_and_verdicts_before_it_stand(line: Any, message: str) -> None:
    done = judge(START, OPEN, MISS, line, MISS)
    assert [o["type"] for o in outputs(done)] == ["book", "verdict"]
    assert done.exit_code == 1 and "Traceback" not in done.stderr
    assert re.search(r"^-:4:\d+: error R\d+ ", done.stderr), done.stderr[:300]
    assert re.search(message, done.stderr), done.stderr[:300]
    assert len(done.stderr) < 2_000


BAD_STARTS: dict[str, Any] = {
    "an episode first": MISS,
    "no players": {"type": "start"},
    "players of null": {**START, "players": None},
    "a player twice": {**START, "players": ["A", "A"]},
    "a player without a name": {**START, "players": ["", "B"]},
    "a player called none": {**START, "players": ["none", "B"]},
    "a player of null": {**START, "players": ["A", None]},
    "another book": {**START, "rulebook": "genel"},
    "an unknown key": {**START, "player": ["A"]},
    "an unknown setting": {**START, "settings": {"refere": True}},
    "a setting of the wrong type": {**START, "settings": {"referee": "yes"}},
    "settings of a list": {**START, "settings": []},
    "an unknown reading": {**START, "readings": {"SR-A999": "x"}},
    "a reading of the wrong kind": {**START, "readings": {"SR-A3": "x"}},
    "a reading of a number": {**START, "readings": {"SR-A3": 3}},
    "an unknown event": {**START, "observes": ["contacts"]},
    "events of a text": {**START, "observes": "contact"},
    "a date of nonsense": {**START, "date": "tomorrow"},
    "a date of a number": {**START, "date": 20261201},
}


@pytest.mark.parametrize("start", BAD_STARTS.values(), ids=BAD_STARTS)
def test_a_bad_start_is_a_diagnostic(start: Any) -> None:
    done = judge(start, MISS)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("-:1:1: error R0401 ") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("log", [b"", b"\n\n", b"  \n"])
def test_an_empty_log_is_a_diagnostic(log: bytes) -> None:
    done = CliRunner().invoke(tefter, ["judge", "osmica", "--json"], input=log)
    assert (done.exit_code, done.stdout) == (1, "") and "the log is empty" in done.stderr


def test_blank_lines_count_but_say_nothing() -> None:
    done = judge("", START, "", OPEN, "  ", MISS)
    assert [(o["type"], o.get("n")) for o in outputs(done)] == [("book", None), ("verdict", 6)]


def test_a_malformed_line_leaves_a_match_as_it_was(match: Match) -> None:
    match.submit(OPEN)
    match.submit(MISS)
    before = match.state, match.verdicts
    for line, _ in MALFORMED.values():
        if isinstance(line, dict) and line != START:
            with pytest.raises((Malformed, UsageError)):
                match.submit(line)
    assert (match.state, match.verdicts) == before


# ---- taking back and correcting


def replayed(result: Result) -> list[tuple[str, Any]]:
    return [(o["type"], o["n"]) for o in outputs(result)[1:]]


def test_retract_of_a_shot_judges_the_later_lines_again() -> None:
    other = {**MISS, "by": "B"}
    done = judge(START, position(), WRONG, other, {"type": "retract", "n": 3, "reason": "wrong ball typed"})
    assert replayed(done) == [("verdict", 3), ("verdict", 4), ("retracted", 3), ("verdict", 4)]
    assert outputs(done)[-1]["status"] == "refused", "without the foul it is the turn of A"


def test_retract_of_a_choice_opens_it_again(match: Match) -> None:
    match.submit(ILLEGAL_BREAK)
    match.submit(RERACK)
    assert match.choices == ()
    match.submit({"type": "retract", "n": 3})
    assert [c.choice for c in match.choices] == ["after_illegal_break"]


def test_retract_of_a_position(match: Match) -> None:
    match.submit(position())
    match.submit(WRONG)
    found = match.submit_all({"type": "retract", "n": 2})
    assert [o.as_dict()["type"] for o in found] == ["retracted", "verdict"]
    assert match.verdicts[0].findings[0].name == "illegal_break"


@pytest.mark.parametrize("n", [0, 1, -1, 4, 5, 10**15])
def test_retract_of_nothing_of_the_start_and_of_itself_is_refused(n: int) -> None:
    done = judge(START, position(), MISS, {"type": "retract", "n": n})
    assert done.exit_code == 0 and replayed(done) == [("verdict", 3), ("verdict", 4)]
    assert outputs(done)[-1]["status"] == "refused"
    assert outputs(done)[-1]["state"] == outputs(done)[1]["state"]


def test_retract_of_a_retract_is_refused() -> None:
    retract = {"type": "retract", "n": 3}
    done = judge(START, position(), MISS, retract, {"type": "retract", "n": 4}, retract)
    assert replayed(done) == [("verdict", 3), ("retracted", 3), ("verdict", 5), ("verdict", 6)]
    assert [o.get("status") for o in outputs(done)[-2:]] == ["refused", "refused"]


def test_announced_too_late_the_foul_lapses(match: Match) -> None:
    match.submit(position())
    assert [f.kind for f in match.submit(WRONG).findings] == ["foul"]
    found = match.submit_all({"type": "announce", "n": 3, "in_time": False})
    assert [o.as_dict()["n"] for o in found] == [4]
    assert isinstance(found[0], Verdict) and not any(f.kind == "foul" for f in found[0].findings)
    assert match.state["ball_in_hand"] == "none"
    match.submit({"type": "announce", "n": 3, "in_time": True})
    assert match.state["ball_in_hand"] == "anywhere"


def test_a_correction_can_be_retracted(match: Match) -> None:
    match.submit(position())
    match.submit(WRONG)
    before = match.state
    match.submit({"type": "announce", "n": 3, "in_time": False})
    assert match.state != before
    match.submit({"type": "retract", "n": 4})
    assert match.state == before


def test_the_last_correction_counts_and_a_retract_of_it_restores_the_one_before(match: Match) -> None:
    match.submit(position())
    match.submit(WRONG)
    late, in_time = ({"type": "announce", "n": 3, "in_time": x} for x in (False, True))
    for line in (late, in_time, late):
        match.submit(line)
    assert match.state["ball_in_hand"] == "none"
    match.submit({"type": "retract", "n": 6})
    assert match.state["ball_in_hand"] == "anywhere"
    match.undo()
    assert match.state["ball_in_hand"] == "none"


def test_a_correction_of_a_line_that_was_retracted_is_refused(match: Match) -> None:
    match.submit(position())
    match.submit(WRONG)
    match.submit({"type": "announce", "n": 3, "in_time": False})
    found = match.submit_all({"type": "retract", "n": 3})
    assert [getattr(o, "status", o.as_dict()["type"]) for o in found] == ["retracted", "refused"]


def test_undo_takes_lines_back_one_by_one(match: Match) -> None:
    states = [match.state]
    for line in (ILLEGAL_BREAK, RERACK, {**ILLEGAL_BREAK, "by": "B"}):
        match.submit(line)
        states.append(match.state)
    for state in reversed(states):
        assert match.state == state
        match.undo()
    assert match.verdicts == ()


def test_undo_of_a_position(match: Match) -> None:
    before = match.state
    match.submit(position())
    match.undo()
    assert match.state == before


# ---- observation


def test_what_is_not_observed_is_named(book: Book) -> None:
    match = book.start(["A", "B"], observes=["contact", "pocketed"])
    match.submit(position())
    verdict = match.submit({**MISS, "moments": [{"contact": ["cue", "3"]}]})
    assert "cushion" in verdict.assumes
    assert {need for item in verdict.not_judged for need in item.needs} >= {"off_table"}


def test_strict_leaves_open_what_rests_on_an_assumption() -> None:
    log = ({**START, "observes": ["contact", "pocketed"]}, position(), {**MISS, "moments": [{"contact": ["cue", "3"]}]})
    plain, strict = outputs(judge(*log))[-1], outputs(judge(*log, options=("--strict",)))[-1]
    assert (plain["status"], strict["status"]) == ("ruled", "undecided")
    assert strict["state"]["shooter"] == "A"
    full = outputs(judge(START, *log[1:], options=("--strict",)))[-1]
    assert full["status"] == "ruled" and "assumes" not in full


def test_the_command_line_says_what_is_observed() -> None:
    header = outputs(judge(START, options=("--observes", "contact, pocketed")))[0]
    assert header["observes"] == ["contact", "pocketed"]


def test_silent_first_rules_and_marks_it() -> None:
    waiting = outputs(judge(START, EIGHT_AND_OFF))[-1]
    assert waiting["status"] == "undecided" and waiting["state"]["open"]
    first = outputs(judge(START, EIGHT_AND_OFF, options=("--silent", "first")))[-1]
    assert first["status"] == "ruled" and "open" not in first["state"]
    assert [u["ruled"] for u in first["undecided"]] == [waiting["undecided"][0]["options"][0]]


def test_silent_first_holds_through_a_retract() -> None:
    log = (START, position(), EIGHT_AND_OFF, {**MISS, "by": "B"}, {"type": "retract", "n": 2})
    done = outputs(judge(*log, options=("--silent", "first")))
    assert done[-2]["undecided"][0]["ruled"] and done[-2]["status"] == "ruled"


def test_play_goes_on_while_the_text_is_silent(match: Match) -> None:
    match.submit(position())
    assert match.submit({"type": "agree", "what": "stalemate"}).status == "undecided"
    ruling = match.submit({"type": "ruling", "on": "stalemate", "option": "lag"})
    assert ruling.status == "ruled" and "open" not in match.state


# ---- positions, values, processes


@pytest.mark.parametrize("line", [ILLEGAL_BREAK, EIGHT_AND_OFF], ids=["choice", "silent"])
def test_an_open_decision_survives_a_position(line: dict[str, Any], book: Book, match: Match) -> None:
    match.submit(line)
    other = book.start(["A", "B"])
    other.submit({"type": "position", "set": match.state})
    assert other.state == match.state and other.choices == match.choices
    decision = match.current.open[0]
    for option, _ in decision.options:
        form = {"type": "ruling", "on": decision.name.replace("-", "_"), "option": option.replace("-", "_")}
        assert match.submit(form).state == other.submit(form).state
        match.undo(), other.undo()


def test_a_decision_may_be_opened_by_its_name(match: Match) -> None:
    match.submit({"type": "position", "set": {"shooter": "A", "open": [{"choice": "after_illegal_break", "for": "B"}]}})
    assert [(c.choice, c.whom) for c in match.choices] == [("after_illegal_break", "B")]
    assert match.submit(RERACK).status == "ruled"


def test_everything_can_be_pickled(book: Book, match: Match) -> None:
    match.submit(position(ball_in_hand=None))
    verdict = match.submit(WRONG)
    assert pickle.loads(pickle.dumps(verdict)) == verdict
    assert pickle.loads(pickle.dumps(match.current)) == match.current
    twin = pickle.loads(pickle.dumps(match))
    assert twin.state == match.state and twin.submit({**MISS, "by": "B"}) == match.submit({**MISS, "by": "B"})
    again = pickle.loads(pickle.dumps(book))
    first, second = (b.start(["A", "B"]).submit(ILLEGAL_BREAK) for b in (book, again))
    assert again == book and first == second


def test_a_verdict_and_a_book_cannot_be_changed(book: Book, match: Match) -> None:
    verdict = match.submit(ILLEGAL_BREAK)
    with pytest.raises(AttributeError):
        verdict.status = "ruled"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        book.resolved = None  # type: ignore[misc,assignment]


def test_the_callers_objects_are_neither_changed_nor_kept(match: Match) -> None:
    line = {"type": "position", "set": {"shooter": "A", "groups": {"A": "solids", "B": "stripes"}}}
    text = json.dumps(line)
    match.submit(line)
    assert json.dumps(line) == text
    match.state["groups"]["A"] = "stripes"
    assert match.state["groups"]["A"] == "solids"


def test_matches_do_not_interfere(book: Book) -> None:
    one, two = book.start(["A", "B"]), book.start(["B", "A"], {"referee": True}, {"SR-A15": "good-unless-asked"})
    one.submit(ILLEGAL_BREAK)
    assert two.choices == () and two.state["shooter"] is None
    two.submit(position())
    assert [c.choice for c in one.choices] == ["after_illegal_break"]


def test_threads_share_a_book(book: Book) -> None:
    log = [ILLEGAL_BREAK, RERACK, {**EIGHT_AND_OFF, "by": "B"}]
    found: list[list[Verdict]] = []

    def play() -> None:
        match = book.start(["A", "B"])
        found.append([match.submit(line) for line in log])

    threads = [threading.Thread(target=play) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6 and all(verdicts == found[0] for verdicts in found)


def test_judging_without_a_match(book: Book) -> None:
    verdict = book.judge(CLOSED, WRONG)
    assert verdict.status == "ruled" and verdict.state["shooter"] == "B"
    assert book.judge(CLOSED, {**WRONG, "by": "C"}).status == "refused"
    bad = [(CLOSED, {}), ({"shooter": "A"}, MISS), ({**CLOSED, "x": 1}, MISS), (CLOSED, {**MISS, "x": 1})]
    for state, episode in bad:
        with pytest.raises(UsageError):
            book.judge(state, episode)
