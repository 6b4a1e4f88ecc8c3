"""The shape of the code: which layer may import which, what no layer may know, how large a file may grow.

The checkers are functions of a path and a text, so that the tests below can show that each of them bites.
"""

import ast
import re
import tokenize
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PUBLIC = "__init__"  # the short public API, in the root's __init__.py

# dsl <- interpreter <- docgen <- cli; rulebooks are data.
MAY_IMPORT: dict[str, set[str]] = {
    "dsl": set(),
    "interpreter": {"dsl"},
    "docgen": {"dsl", "interpreter"},
    "cli": {PUBLIC, "dsl", "interpreter", "docgen", "adapters"},
    "adapters": set(),
    "rulebooks": set(),
    PUBLIC: {"dsl", "interpreter"},
}
LAYERS = MAY_IMPORT.keys() - {PUBLIC}
OUTSIDE = {"tests", "bench"}  # folders with Python that are not part of the package

GENERAL_LAYERS = ("dsl", "interpreter", "docgen", "cli")  # those that know no sport
GENERAL_SUFFIXES = (".py", ".lark", ".toml")
SPORT_WORDS = (
    *("ball", "cue", "cushion", "pocket", "pocketed", "rack", "foul", "billiard", "snooker", "stripe", "solid"),
    *("scratch", "kitchen", "lag", "fee", "standings"),
)
FORBIDDEN = {*SPORT_WORDS, *(f"{word}{'es' if word.endswith('ch') else 's'}" for word in SPORT_WORDS)}

MAX_LINES = 450
VAGUE_NAMES = {"util", "utils", "helper", "helpers"}


# --- the checkers: each yields "path:line: what is wrong" -----------------------------------------------------------


def layer_of(path: str) -> str:
    """The layer of a file, by its path from the root."""
    return Path(path).parts[0] if len(Path(path).parts) > 1 else PUBLIC


def imported_layers(path: str, node: ast.Import | ast.ImportFrom) -> Iterator[str | None]:
    """The layers that an import statement reaches; None where it leaves the package. Other packages are left out."""
    if isinstance(node, ast.Import):
        names = [alias.name.split(".") for alias in node.names]
    else:
        folder = list(Path(path).parent.parts)
        if node.level > len(folder) + 1:
            yield None
            return
        base = ["tefter", *folder[: len(folder) + 1 - node.level]] if node.level else []
        module = [*base, *(node.module.split(".") if node.module else [])]
        names = [[*module, alias.name] for alias in node.names]
    for name in names:
        if name[0] == "tefter":
            yield name[1] if len(name) > 1 and name[1] in LAYERS else PUBLIC


def import_faults(path: str, text: str) -> Iterator[str]:
    """Arrows that the table does not allow, and imports of our own code that are not relative."""
    layer = layer_of(path)
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        where = f"{path}:{node.lineno}"
        for target in imported_layers(path, node):
            if target is None:
                yield f"{where}: the import leaves the package"
            elif target != layer and target not in MAY_IMPORT[layer]:
                yield f"{where}: {layer} may not import {target}"
        absolute = [] if isinstance(node, ast.ImportFrom) and node.level else absolute_roots(node)
        for name in absolute:
            if name == "tefter" or name in LAYERS:
                yield f"{where}: imports inside the package are relative, not `{name}`"


def absolute_roots(node: ast.Import | ast.ImportFrom) -> list[str]:
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    return [name.split(".")[0] for name in names]


def words(text: str) -> Iterator[str]:
    """The words of names and prose: split at everything that is no letter, at `_`, and where the case changes."""
    for run in re.findall(r"[^\W\d_]+", text):
        for word in re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", run).split():
            yield word.lower()


def texts_in_python(text: str) -> Iterator[tuple[int, str]]:
    """(line, text) of every identifier, string literal, docstring and comment."""
    for node in ast.walk(ast.parse(text)):
        for _, value in ast.iter_fields(node):
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, str | bytes):
                    yield getattr(node, "lineno", 1), item if isinstance(item, str) else item.decode("latin-1")
    for token in tokenize.generate_tokens(StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def texts_in_data(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        yield number, re.sub(r"\\[a-z]", " ", line)  # \n before a word is not a letter of it


def sport_faults(path: str, text: str) -> Iterator[str]:
    """Words of cue sports, in the path or in the text."""
    texts = texts_in_python(text) if path.endswith(".py") else texts_in_data(text)
    for line, found in [(1, path), *texts]:
        for word in words(found):
            if word in FORBIDDEN:
                yield f"{path}:{line}: the engine knows no billiards, but here stands `{word}`"


def size_faults(path: str, text: str) -> Iterator[str]:
    if (count := len(text.splitlines())) > MAX_LINES:
        yield f"{path}:{count}: longer than {MAX_LINES} lines"


def name_faults(path: str) -> Iterator[str]:
    if Path(path).stem in VAGUE_NAMES or VAGUE_NAMES & set(Path(path).parts):
        yield f"{path}: name the file after what it does"


# --- the code as it is ----------------------------------------------------------------------------------------------


def files(folder: str, *suffixes: str) -> list[str]:
    """The files of a root folder (or of the root itself, not deeper: `.`), as paths from the root."""
    found = (ROOT / folder).glob("*" if folder == "." else "**/*")
    return sorted(
        path.relative_to(ROOT).as_posix()
        for path in found
        if path.is_file() and path.suffix in suffixes and "__pycache__" not in path.parts
    )


def read(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


CODE = [path for folder in (".", *sorted(LAYERS)) for path in files(folder, ".py")]
TESTS = [path for folder in sorted(OUTSIDE) for path in files(folder, ".py")]
GENERAL = [path for folder in GENERAL_LAYERS for path in files(folder, *GENERAL_SUFFIXES)]


def test_the_table_names_every_folder_with_code() -> None:
    folders = {path.parent.name for path in ROOT.glob("*/*.py") if not path.parent.name.startswith(".")}
    assert folders - OUTSIDE - {"build", "dist"} == LAYERS
    assert files(".", ".py") == ["__init__.py"], "the root holds the public API alone"


def test_layers_import_only_what_lies_below() -> None:
    assert [fault for path in CODE for fault in import_faults(path, read(path))] == []


def test_the_engine_knows_no_billiards() -> None:
    assert {layer_of(path) for path in GENERAL} == set(GENERAL_LAYERS)
    assert [fault for path in GENERAL for fault in sport_faults(path, read(path))] == []


def test_files_are_short() -> None:
    paths = [*CODE, *files("dsl", ".lark")]  # tests are tables of cases, and may be longer
    assert [fault for path in paths for fault in size_faults(path, read(path))] == []


def test_no_file_is_a_drawer_for_everything() -> None:
    assert [fault for path in [*CODE, *TESTS] for fault in name_faults(path)] == []


# --- the checkers themselves ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("dsl/parser.py", "from . import ast\nfrom .source import Span\nimport lark, re"),
        ("dsl/check/names.py", "from .. import ast\nfrom ..source import Span"),
        ("interpreter/judge.py", "from ..dsl import ast\nfrom ..dsl.ast import Rule\nfrom .. import dsl"),
        ("docgen/model.py", "from ..dsl.core import Book\nfrom ..interpreter.verdict import Verdict"),
        ("cli/main.py", "from .. import load, docgen\nfrom ..adapters import log\nfrom ..interpreter import Match"),
        ("adapters/log.py", "import json"),
        ("__init__.py", "from .interpreter import Match\nfrom .dsl.load import load\nfrom . import dsl"),
        ("dsl/numbers.py", "from babel.numbers import format_decimal"),
        ("dsl/other.py", "from interpreter_of_others import run"),
    ],
)
def test_allowed_imports_pass(path: str, text: str) -> None:
    assert list(import_faults(path, text)) == []


@pytest.mark.parametrize(
    ("path", "text", "fault"),
    [
        ("dsl/parser.py", "from ..interpreter import judge", "dsl may not import interpreter"),
        ("dsl/parser.py", "from .. import interpreter", "dsl may not import interpreter"),
        ("dsl/check/names.py", "from ...cli.main import main", "dsl may not import cli"),
        ("dsl/parser.py", "from .. import load", "dsl may not import __init__"),
        ("dsl/parser.py", "from .... import x", "the import leaves the package"),
        ("dsl/parser.py", "def f():\n    from ..docgen import model", "dsl may not import docgen"),
        ("dsl/parser.py", "if TYPE_CHECKING:\n    from ..docgen import model", "dsl may not import docgen"),
        ("interpreter/judge.py", "import tefter.docgen.model", "interpreter may not import docgen"),
        ("interpreter/judge.py", "from tefter import cli", "interpreter may not import cli"),
        ("interpreter/judge.py", "from tefter.cli.main import main", "interpreter may not import cli"),
        ("docgen/model.py", "from ..cli.main import main", "docgen may not import cli"),
        ("adapters/log.py", "from ..dsl.ast import Rule", "adapters may not import dsl"),
        ("rulebooks/__init__.py", "from ..dsl.ast import Rule", "rulebooks may not import dsl"),
        ("__init__.py", "from .cli.main import main", "__init__ may not import cli"),
        ("interpreter/judge.py", "from tefter.dsl import ast", "imports inside the package are relative, not `tefter`"),
        ("interpreter/judge.py", "import json, dsl.ast", "imports inside the package are relative, not `dsl`"),
    ],
)
def test_forbidden_imports_are_found(path: str, text: str, fault: str) -> None:
    assert fault in {found.split(": ", 1)[1] for found in import_faults(path, text)}


@pytest.mark.parametrize(
    ("path", "text", "word"),
    [
        ("dsl/a.py", "cue_ball = 1", "cue"),
        ("dsl/a.py", "def f(*, freeBall): ...", "ball"),
        ("dsl/a.py", "class BALLState: ...", "ball"),
        ("dsl/a.py", "from .pocketed import x as y", "pocketed"),
        ("dsl/a.py", "x.pockets.y", "pockets"),
        ("dsl/a.py", "f(racks=1)", "racks"),
        ("dsl/a.py", "'a\\nfoul-kind'", "foul"),
        ("dsl/a.py", "f'{x}stripe{y}'", "stripe"),
        ("dsl/a.py", "b'eight_ball'", "ball"),
        ("dsl/a.py", '"""What a league fee is."""', "fee"),
        ("dsl/a.py", "def f():\n    global scratches", "scratches"),
        ("dsl/a.py", "match x:\n    case {**standings}: ...", "standings"),
        ("dsl/a.py", "x = 1  # the kitchen", "kitchen"),
        ("dsl/rack.py", "", "rack"),
        ("dsl/grammar.lark", 'SHOT: "lag-shot"', "lag"),
        ("dsl/messages/en.toml", 'R1 = "text\\nsolids"', "solids"),
        ("dsl/messages/en.toml", "# snookers", "snookers"),
    ],
)
def test_words_of_the_sport_are_found(path: str, text: str, word: str) -> None:
    assert f"`{word}`" in "\n".join(sport_faults(path, text))


def test_words_that_only_contain_one_pass() -> None:
    text = "flag = rescue = feed = fallback = racket = consolidated = tracker = 'balloon, solidity, standing'"
    assert list(sport_faults("dsl/a.py", text)) == []


def test_long_files_and_vague_names_are_found() -> None:
    assert list(size_faults("dsl/a.py", "x\n" * MAX_LINES)) == []
    assert len(list(size_faults("dsl/a.py", "x\n" * (MAX_LINES + 1)))) == 1
    assert list(name_faults("dsl/ast.py")) == []
    assert len(list(name_faults("dsl/utils.py"))) == 1
    assert len(list(name_faults("cli/helpers/terminal.py"))) == 1
