"""`tefter schema`: the JSON Schema of a rulebook's logs and verdicts."""

import json
import os
import sys
import tempfile
from pathlib import Path

import click

from ..interpreter.schema import schema as schema_of
from .common import load_or_exit


@click.command()
@click.argument("rulebook")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write there, not to the screen.")
def schema(rulebook: str, output: Path | None) -> None:
    """Print the JSON Schema (2020-12) of the log lines and verdicts of RULEBOOK."""
    book = load_or_exit(rulebook)
    text = json.dumps(schema_of(book), ensure_ascii=False, indent=2) + "\n"
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        write_whole(output, text)
    except OSError as error:
        click.echo(f"{output}: error: the file cannot be written: {error.strerror}", err=True)
        sys.exit(1)


def write_whole(path: Path, text: str) -> None:
    """Write a file so that nobody ever sees half of it: a temporary name, then a rename.

    What is no file (a device, a pipe) is written to, never replaced; a link keeps leading where it led.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        with open(path, "w", encoding="utf-8", newline="\n") as device:
            device.write(text)
        return
    path = path.resolve()
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(name, 0o666 & ~_mask())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _mask() -> int:
    """The process's file mode mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
