"""Resolved books kept between processes, so that a warm start parses nothing.

A kept book is used only while every file that it came from, and this very code, are unchanged.
Anything wrong with the store (no such folder, a file of another version) means: load afresh.
"""

import hashlib
import os
import pickle
import sys
import tempfile
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from . import core
from .source import Source

FOLDER = "books"


def cache_folder() -> Path | None:
    """The folder for what can be made again; None where none can be had."""
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tefter"
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return root if os.access(root, os.W_OK) else None


@cache
def _code() -> str:
    """A hash of the code that makes resolved books."""
    digest = hashlib.sha256(sys.version.encode())
    folder = resources.files(__package__)
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.name.endswith((".py", ".lark")):
            digest.update(entry.read_bytes())
    for entry in sorted((folder / "dialects").iterdir(), key=lambda e: e.name):
        if entry.name.endswith(".toml"):
            digest.update(entry.read_bytes())
    return digest.hexdigest()


def _file(path: str) -> Path | None:
    folder = cache_folder()
    if folder is None:
        return None
    name = hashlib.sha256(f"{Path(path).resolve()}\0{_code()}".encode()).hexdigest()[:32]
    return folder / FOLDER / f"{name}.pickle"


def recall(path: str) -> tuple[core.Resolved, dict[str, Source]] | None:
    """The kept book of a file, if it is still what loading would give."""
    file = _file(path)
    try:
        if file is None or not file.is_file():
            return None
        files, book, sources = pickle.loads(file.read_bytes())
        if all(_digest(Path(name)) == digest for name, digest in files.items()):
            return book, sources
    except Exception:
        return None  # a damaged or foreign file is as good as none
    return None


def keep(path: str, book: core.Resolved, sources: dict[str, Source]) -> None:
    """Keep a book for the next process; a failure to do so is no failure of the load."""
    file = _file(path)
    if file is None:
        return
    try:
        files = {name: _digest(Path(name)) for name in sources}
        content: Any = pickle.dumps((files, book, sources), protocol=pickle.HIGHEST_PROTOCOL)
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as temporary:
            temporary.write(content)
        os.replace(temporary.name, file)
    except (OSError, RecursionError, pickle.PicklingError):
        return


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
