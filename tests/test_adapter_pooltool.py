"""The pooltool adapter: recorded simulator shots become lines of the JSON contract."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tefter.adapters.pooltool import (
    CUSHIONS,
    JAWS,
    OBSERVES,
    POCKETS,
    AdapterError,
    game_log,
    main,
    read_games,
    shot_line,
    to_jsonl,
)

DATA = Path(__file__).parent / "data"
RACKS = ("rack_1", "rack_2", "rack_3")

ALL = ["cue", *(str(n) for n in range(1, 16))]


def record(*events, **changes):
    """An ordinary shot of Ayse's with these events; ``changes`` replace keys."""
    return {
        "game": "g",
        "shot": 3,
        "player": "Ayse",
        "player_index": 0,
        "break": False,
        "called": None,
        "constraints": {"ball_in_hand": "none"},
        "cue_ball_placement": None,
        "table": {"l": 1.9812},
        "before": {ball: [0.5, 1.0] for ball in ALL},
        "touching_before": {"balls": [], "cushions": []},
        "events": [list(event) for event in events],
        "groups": {"shooter_before": "undecided"},
        **changes,
    }


def hit(t, a, b):
    return t, "ball_ball", [a, b]


def rail(t, ball, segment):
    return t, "ball_linear_cushion", [ball, segment]


def drop(t, ball, pocket):
    return t, "ball_pocket", [ball, pocket]


def moments(*events, **changes):
    """The moments without their times."""
    found = shot_line(record(*events, **changes))["moments"]
    return [{k: v for k, v in moment.items() if k != "t"} for moment in found]


def frozen(balls=(), cushions=()):
    return {"touching_before": {"balls": list(balls), "cushions": list(cushions)}}


def bojan(**changes):
    return record(player="Bojan", player_index=1, **changes)


# ---------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("segment", "cushion"),
    [("18", "head"), ("9", "foot"), ("3", "left"), ("6", "left"), ("15", "right"), ("12", "right")],
)
def test_rails(segment, cushion):
    assert moments(rail(1.0, "3", segment)) == [{"cushion": ["3", cushion]}]


@pytest.mark.parametrize(
    ("pocket", "name", "facings"),
    [
        ("lb", "head-left", "1 2"),
        ("lc", "side-left", "4 5"),
        ("lt", "foot-left", "7 8"),
        ("rt", "foot-right", "10 11"),
        ("rc", "side-right", "13 14"),
        ("rb", "head-right", "16 17"),
    ],
)
def test_pockets_and_their_jaws(pocket, name, facings):
    assert moments(drop(1.0, "3", pocket)) == [{"pocketed": ["3", name]}]
    for facing in facings.split():
        assert moments(rail(1.0, "3", facing)) == [{"jaw": ["3", name]}]
        assert moments((1.0, "ball_circular_cushion", ["3", facing + "t"])) == [{"jaw": ["3", name]}]


def test_every_segment_is_a_cushion_or_a_jaw():
    linear = {segment for segment in JAWS if not segment.endswith("t")}
    assert linear | CUSHIONS.keys() == {str(n) for n in range(1, 19)}
    assert not linear & CUSHIONS.keys()
    assert set(JAWS.values()) == set(POCKETS.values())


@pytest.mark.parametrize("pair", [("cue", "6"), ("6", "cue")])
def test_cue_ball_comes_first_from_either_place(pair):
    assert moments(hit(0.5, *pair)) == [{"contact": ["cue", "6"]}]


def test_other_pairs_keep_their_order_and_times():
    line = shot_line(record(hit(0.5, "cue", "6"), hit(0.75, "9", "2")))
    assert line["moments"] == [{"contact": ["cue", "6"], "t": 0.5}, {"contact": ["9", "2"], "t": 0.75}]


def test_order_is_that_of_the_list_also_at_one_time():
    same = (hit(1.0, "cue", "6"), hit(1.0, "6", "2"), rail(1.0, "2", "9"))
    assert [next(iter(moment)) for moment in moments(*same)] == ["contact", "contact", "cushion"]


def test_motion_is_ignored():
    assert (
        moments(
            (0.0, "none", ["dummy"]),
            (0.0, "stick_ball", ["cue_stick", "cue"]),
            (0.3, "sliding_rolling", ["cue"]),
            (0.9, "rolling_stationary", ["cue"]),
        )
        == []
    )


# ---------------------------------------------------------------- one contact, one moment


def test_stutter_is_one_contact():
    stutter = [hit(1.0 + 0.03 * k, "9", "5") for k in range(20)]
    assert moments(hit(0.9, "cue", "9"), *stutter) == [{"contact": ["cue", "9"]}, {"contact": ["9", "5"]}]


def test_later_contact_of_the_same_pair_is_another():
    assert len(moments(hit(1.0, "9", "5"), hit(1.06, "9", "5"))) == 2


def test_other_pairs_in_between_do_not_part_a_pair():
    assert len(moments(hit(1.0, "9", "5"), hit(1.01, "5", "3"), hit(1.02, "9", "5"))) == 2


def test_a_cushion_in_between_parts_a_pair():
    double_kiss = (hit(1.0, "cue", "1"), rail(1.01, "1", "12"), hit(1.02, "cue", "1"))
    assert len(moments(*double_kiss)) == 3


def test_a_cushion_met_again_after_a_ball_counts():
    rail_first = (rail(1.0, "cue", "9"), hit(1.01, "cue", "1"), rail(1.02, "cue", "9"))
    assert moments(*rail_first)[-1] == {"cushion": ["cue", "foot"]}
    assert len(moments(rail(1.0, "cue", "9"), rail(1.01, "cue", "9"))) == 1


def test_ball_and_cushion_segment_of_one_number_are_two_things():
    assert len(moments(hit(1.0, "3", "9"), rail(1.01, "3", "9"))) == 2


# ---------------------------------------------------------------- frozen at the start


def test_frozen_pairs_are_listed():
    line = shot_line(record(**frozen([["4", "cue"], ["1", "12"]], [["7", "15"]])))
    assert line["frozen"] == [["cue", "4"], ["1", "12"], ["7", "right"]]


def test_frozen_to_a_jaw_is_not_listed():
    assert "frozen" not in shot_line(record(**frozen([], [["7", "2"]])))


def test_ball_that_merely_leaves_its_cushion_reaches_none():
    start = frozen([], [["14", "9"]])
    shot = (hit(0.076, "14", "cue"), rail(0.078, "14", "9"))
    assert moments(*shot, **start) == [{"contact": ["cue", "14"]}]
    assert moments(*shot)[-1] == {"cushion": ["14", "foot"]}


def test_ball_pressed_twice_into_its_cushion_reaches_none():
    shot = (hit(0.1, "14", "cue"), hit(0.101, "14", "cue"), rail(0.102, "14", "9"), rail(0.103, "14", "9"))
    assert moments(*shot, **frozen([], [["14", "9"]])) == [{"contact": ["cue", "14"]}]


def test_ball_that_comes_back_to_its_cushion_reaches_it():
    back = (hit(0.1, "14", "cue"), rail(0.102, "14", "9"), rail(0.9, "14", "18"), rail(1.9, "14", "9"))
    assert moments(*back, **frozen([], [["14", "9"]]))[1:] == [
        {"cushion": ["14", "head"]},
        {"cushion": ["14", "foot"]},
    ]


def test_frozen_pair_makes_a_contact_only_after_it_parted():
    shot = (hit(0.1, "cue", "3"), hit(0.101, "3", "11"), hit(0.14, "3", "11"), hit(0.6, "3", "11"))
    assert moments(*shot, **frozen([["11", "3"]])) == [{"contact": ["cue", "3"]}, {"contact": ["3", "11"]}]


def test_a_pair_stays_frozen_until_one_of_it_moves():
    late = (hit(2.0, "cue", "3"), hit(2.001, "3", "11"))
    assert moments(*late, **frozen([["11", "3"]])) == [{"contact": ["cue", "3"]}]


def test_cue_ball_played_into_its_frozen_ball_moves_it_and_the_next():
    start = frozen([["4", "cue"], ["4", "12"], ["12", "5"]])
    shot = (hit(0.0, "4", "cue"), hit(0.0, "4", "12"), hit(0.001, "12", "5"), rail(0.9, "12", "9"))
    assert moments(*shot, **start) == [{"moved": ["4"]}, {"moved": ["12"]}, {"cushion": ["12", "foot"]}]


def test_cue_ball_played_away_meets_its_frozen_ball_later():
    shot = (rail(0.9, "cue", "9"), hit(1.4, "4", "cue"))
    assert moments(*shot, **frozen([["4", "cue"]])) == [
        {"cushion": ["cue", "foot"]},
        {"contact": ["cue", "4"]},
    ]


def test_the_rack_is_not_frozen_on_the_break():
    line = shot_line(
        record(hit(0.5, "6", "cue"), hit(0.5, "6", "2"), **{"break": True}, **frozen([["6", "2"]]))
    )
    assert "frozen" not in line
    assert len(line["moments"]) == 2


# ---------------------------------------------------------------- call and placement


def test_call():
    call = {"ball": "3", "pocket": "lt"}
    assert shot_line(record(called=call))["called"] == {"ball": "3", "pocket": "foot-left"}
    assert "called" not in shot_line(record(called=None))
    assert "called" not in shot_line(record(called=call, **{"break": True}))


@pytest.mark.parametrize(("kind", "zone"), [("behind_line", "behind-head-string"), ("anywhere", "anywhere")])
def test_placement(kind, zone):
    assert shot_line(record(cue_ball_placement={"kind": kind}))["placed"] == {"zone": zone}


def test_balls_behind_the_head_string_matter_with_the_cue_ball_in_hand_there():
    before = {"cue": [0.5, 0.2], "12": [0.5, 0.49], "2": [0.5, 0.1], "3": [0.5, 0.5], "4": None}
    behind = record(before=before, constraints={"ball_in_hand": "behind_line"})
    assert shot_line(behind)["behind_head_string"] == ["2", "12"]
    assert "behind_head_string" not in shot_line(record(before=before))


# ---------------------------------------------------------------- a game


def test_start_line():
    start = game_log([bojan(**{"break": True}), record()])[0]
    assert start == {
        "type": "start",
        "rulebook": "osmica",
        "players": ["Ayse", "Bojan"],
        "observes": list(OBSERVES),
    }


def test_position_holds_the_recorded_situation():
    left = {**dict.fromkeys(ALL), "cue": [0.5, 0.5], "8": [0.5, 1.0], "12": [0.6, 1.0]}
    games = [
        record(**{"break": True}),
        record(groups={"shooter_before": "solids"}),
        bojan(groups={"shooter_before": "eight"}, before=left, constraints={"ball_in_hand": "anywhere"}),
    ]
    lines = game_log(games)
    assert [line["type"] for line in lines] == ["start", "shot", "position", "shot", "position", "shot"]
    assert lines[4]["set"] == {
        "phase": "in-play",
        "table": "closed",
        "groups": {"Ayse": "solids", "Bojan": "stripes"},
        "shooter": "Bojan",
        "on_table": ["cue", "8", "12"],
        "ball_in_hand": "anywhere",
        "rack_number": 1,
        "breaker": "Ayse",
    }


def test_position_of_an_open_table():
    lines = game_log([record(**{"break": True}), bojan()])
    assert lines[2]["set"]["table"] == "open"
    assert lines[2]["set"]["groups"] == {"Ayse": "none", "Bojan": "none"}


def test_group_of_a_player_on_the_eight_from_the_balls_left():
    left = {"cue": [0.5, 0.5], "8": [0.5, 1.0], "3": [0.6, 1.0]}
    eight = bojan(groups={"shooter_before": "eight"}, before=left)
    lines = game_log([eight], players=["Ayse", "Bojan"])
    assert lines[1]["set"]["groups"] == {"Ayse": "solids", "Bojan": "stripes"}


def test_games_are_grouped_in_order(tmp_path):
    lines = [json.dumps(record(game=game, shot=shot)) for game, shot in (("b", 0), ("a", 0), ("b", 1))]
    path = tmp_path / "shots.jsonl"
    path.write_text("\n\n".join(lines), encoding="utf-8")
    for source in (lines, path, str(path)):
        games = read_games(source)
        assert [(game, [r["shot"] for r in shots]) for game, shots in games.items()] == [
            ("b", [0, 1]),
            ("a", [0]),
        ]


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize("key", ["player", "break", "called", "constraints", "cue_ball_placement", "events"])
def test_missing_key_is_named_with_game_and_shot(key):
    shot = record()
    del shot[key]
    with pytest.raises(AdapterError, match=rf"game g, shot 3: {key}.* is missing"):
        shot_line(shot)


@pytest.mark.parametrize(
    ("shot", "what"),
    [
        (record(hit(1.0, "cue", "16")), "'16' is no ball"),
        (record(rail(1.0, "3", "19")), "'19' is no cushion or jaw"),
        (record(drop(1.0, "3", "xx")), "'xx' is no pocket"),
        (record((1.0, "teleport", ["3", "4"])), "'teleport' is unknown"),
        (record((1.0, "ball_ball", ["3"])), "is not"),
        (record(called={"ball": "3"}), "called.pocket is missing"),
        (record(constraints={"ball_in_hand": "semicircle"}), "'semicircle' is no kind of ball in hand"),
        (record(cue_ball_placement={"kind": "line"}), "'line' is no kind of placement"),
        (record(**frozen([["3"]])), "touching_before.balls holds"),
        (record(player=7), "player is not text"),
        (record(events="none"), "events is not a list"),
    ],
)
def test_malformed_shot(shot, what):
    with pytest.raises(AdapterError, match="game g, shot 3: ") as error:
        shot_line(shot)
    assert what in str(error.value)


@pytest.mark.parametrize(
    ("records", "what"),
    [
        ([], "records are missing"),
        ([record()], "a player is missing"),
        ([record(groups={"shooter_before": "reds"}), bojan()], "'reds' is unknown"),
        ([record(groups={"shooter_before": "eight"}), bojan()], "whose group is down is missing"),
        ([record(), bojan(before={"3": [1]})], "before.3 is not"),
    ],
)
def test_malformed_game(records, what):
    with pytest.raises(AdapterError) as error:
        game_log(records)
    assert what in str(error.value)


@pytest.mark.parametrize(
    ("line", "what"), [("{", "line 1: no JSON"), ("[]", "line 1: not an object"), ("{}", "game")]
)
def test_malformed_file(line, what):
    with pytest.raises(AdapterError) as error:
        read_games([line])
    assert what in str(error.value)


# ---------------------------------------------------------------- the recorded racks


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def records_of(rack):
    (records,) = read_games(DATA / f"{rack}.shots.jsonl").values()
    return records


def added_by_hand(rack):
    """The lines of ``tests/data/README.md`` that no adapter can know, with the place they go to."""
    if rack != "rack_3":
        return []
    accept = {"type": "choice", "by": "Bojan", "choice": "after_illegal_break", "option": "accept"}
    anywhere = game_log(records_of(rack))[2]
    return [accept, anywhere]


@pytest.mark.parametrize("rack", RACKS)
def test_recorded_racks(rack):
    expected = game_log(records_of(rack), positions="never")
    expected[2:2] = added_by_hand(rack)
    assert lines_of(DATA / f"{rack}.log.jsonl") == expected


@pytest.mark.parametrize("rack", RACKS)
def test_every_judged_line_has_its_expectation(rack):
    judged = [
        n
        for n, line in enumerate(lines_of(DATA / f"{rack}.log.jsonl"), start=1)
        if line["type"] not in ("start", "position")
    ]
    assert [line["n"] for line in lines_of(DATA / f"{rack}.expect.jsonl")] == judged


def test_command_prints_the_log(capsys):
    path = DATA / "rack_1.shots.jsonl"
    assert main([str(path), "--game", "eight-11-022", "--positions", "never"]) == 0
    assert capsys.readouterr().out == (DATA / "rack_1.log.jsonl").read_text(encoding="utf-8")


def test_command_as_a_module():
    path = DATA / "rack_2.shots.jsonl"
    command = [sys.executable, "-m", "tefter.adapters.pooltool", str(path), "--game", "eight-11-002"]
    run = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    assert run.stdout == to_jsonl(game_log(records_of("rack_2")))


def test_command_reports_an_unknown_game(capsys):
    assert main([str(DATA / "rack_1.shots.jsonl"), "--game", "nowhere"]) == 1
    assert "game nowhere: not among eight-11-022" in capsys.readouterr().err
