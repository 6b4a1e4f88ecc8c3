"""Every example in README.md is run: Python blocks as doctests, consoles as commands, rules as text that parses."""

import doctest
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tefter.cli.main import tefter
from tefter.dsl.diagnostics import Report
from tefter.dsl.load import FileHost, Loader
from tefter.interpreter.log import read_line

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_there_is_an_example_of_each_kind() -> None:
    assert all(blocks(language) for language in ("python", "console", "rules", "json"))


@pytest.mark.parametrize("text", blocks("python"))
def test_python(text: str) -> None:
    examples = doctest.DocTestParser().get_doctest(text, {}, "README.md", "README.md", 0)
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(examples)
    assert result.attempted and not result.failed


@pytest.mark.parametrize("text", blocks("console"))
def test_console(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    command, _, output = text.partition("\n")
    words = command.removeprefix("$ tefter ").split()
    result = CliRunner().invoke(tefter, words)
    assert result.exit_code == 0
    assert masked(result.stdout) == masked(output)


def masked(text: str) -> str:
    """The edition hash changes with every word of the book."""
    return re.sub(r"\([0-9a-f]{16}\)", "(hash)", text)


@pytest.mark.parametrize("text", blocks("rules"))
def test_rules(text: str, tmp_path: Path) -> None:
    body = "".join(f"  {line}\n" for line in text.splitlines())
    file = tmp_path / "sample.rules"
    head = '# language: en\nrulebook sample "Sample"\n  use pool\n\npart "Sample"\n'
    file.write_text(head + body, "utf-8")
    report = Report()
    assert Loader(FileHost(), report).chain(str(file)) and not report.diagnostics


@pytest.mark.parametrize("text", blocks("json"))
def test_json(text: str) -> None:
    assert all(read_line(line)["type"] for line in text.splitlines())


def test_the_architecture_page_is_short_and_names_real_files() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    assert len(text.splitlines()) < 200
    for name in re.findall(r"`((?:dsl|interpreter|cli|adapters|rulebooks|tests)/[\w./-]+\.(?:py|toml|lark))`", text):
        assert (ROOT / name).is_file(), name
