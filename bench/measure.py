"""The figures of the README: `python bench/measure.py` (wall time and CPU time; best of three)."""

import json
import subprocess
import sys
import time
from pathlib import Path

from tefter import load
from tefter.dsl.load import load_book, shipped_folder
from tefter.interpreter.log import run

ROOT = Path(__file__).parent.parent
RACK = ROOT / "tests" / "data" / "rack_2.log.jsonl"
ONE_SHOT = ROOT / "tests" / "data" / "break.log.jsonl"


def cold_start() -> float:
    """Seconds of wall time of `tefter judge` on a log of one shot, with warm caches."""
    command = [sys.executable, "-m", "tefter.cli.main", "judge", "osmica", str(ONE_SHOT), "--json"]
    return min(_wall(lambda: subprocess.run(command, check=True, capture_output=True)) for _ in range(3))


def check_speed() -> float:
    """Lines a second of loading and checking osmica and its vocabulary from their text."""
    lines = sum(len((shipped_folder() / f"{n}.rules").read_text("utf-8").splitlines()) for n in ("osmica", "pool"))
    return lines / min(_cpu(lambda: load_book("osmica")) for _ in range(3))


def judge_shots(count: int) -> float:
    """Seconds of CPU time for judging `count` shots: recorded racks, one after another in fresh matches."""
    book = load("osmica")
    lines = RACK.read_text("utf-8").splitlines()
    shots = sum(json.loads(line)["type"] == "shot" for line in lines)
    rounds, rest = divmod(count, shots)

    def work() -> None:
        for _ in range(rounds):
            list(run(book, lines))
        list(run(book, lines[: rest + 1]))

    return _cpu(work)


def _wall(work: object) -> float:
    begin = time.perf_counter()
    work()  # type: ignore[operator]
    return time.perf_counter() - begin


def _cpu(work: object) -> float:
    begin = time.process_time()
    work()  # type: ignore[operator]
    return time.process_time() - begin


def main() -> None:
    print(f"cold start of judge, one shot: {cold_start():.2f} s")
    print(f"check osmica and pool: {check_speed():,.0f} lines/s")
    for count in (100, 1_000, 10_000):
        seconds = judge_shots(count)
        print(f"judge {count:,} shots: {seconds:.2f} s ({count / seconds:,.0f} shots/s)")


if __name__ == "__main__":
    main()
