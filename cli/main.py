"""`tefter`: the commands, and what their exit status means (0 fine, 1 input, 2 usage, 70 our bug)."""

import errno
import os
import sys
import traceback
from typing import NoReturn

import click

from .books import books
from .check import check
from .explain import explain
from .judge import judge
from .observe import observe
from .schema import schema
from .test import test

OUR_BUG = 70
UNWRITABLE = (errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="tefter")
def tefter() -> None:
    """Judge play by rulebooks, and check, test and print them."""


tefter.add_command(judge)
tefter.add_command(schema)
for command in (check, test, explain, books, observe):
    tefter.add_command(command)


def main() -> None:
    """The entry point: an exception that reaches this far is a bug of ours, but for output that cannot be written."""
    # the caller may have closed them
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    try:
        tefter(standalone_mode=True)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        if error.errno not in UNWRITABLE or error.filename is not None:
            _our_bug(error)
        print(f"tefter: the output cannot be written: {error.strerror}", file=sys.stderr)
        sys.exit(1)
    except Exception as error:
        _our_bug(error)


def _our_bug(error: Exception) -> NoReturn:
    print(f"tefter: internal error: {type(error).__name__}: {error}", file=sys.stderr)
    print("tefter: this is a bug; please report it with the lines below", file=sys.stderr)
    traceback.print_exc()
    sys.exit(OUR_BUG)


if __name__ == "__main__":
    main()
