"""Shared by all tests: `--update` for golden files, and Hypothesis profiles."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

GOLDEN = Path(__file__).parent / "data" / "golden"
IN_CI = bool(os.environ.get("CI"))

# `derandomize`: CI must not turn red by luck. `make deep` looks for new examples.
settings.register_profile("normal", deadline=None, print_blob=True, derandomize=IN_CI)
settings.register_profile("deep", deadline=None, print_blob=True, max_examples=5_000)
settings.load_profile("normal")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write the golden files anew instead of comparing with them")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--update") and IN_CI:
        raise pytest.UsageError("--update is for people: CI compares golden files, it never writes them")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden("osmica.en.md", text)` compares `text` with tests/data/golden/osmica.en.md."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        assert path.is_file(), f"no golden file {name}: look at the text, then run pytest with --update"
        assert text == path.read_bytes().decode(), f"golden file {name} differs; if that is meant: pytest --update"

    return compare
