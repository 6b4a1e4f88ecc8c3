"""`tefter`: the commands, and what their exit status means (0 fine, 1 input, 2 usage, 70 our bug)."""

import sys
import traceback

import click

from .books import books
from .check import check
from .explain import explain
from .judge import judge
from .observe import observe
from .schema import schema
from .test import test

OUR_BUG = 70


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="tefter")
def tefter() -> None:
    """Judge play by rulebooks, and check, test and print them."""


tefter.add_command(judge)
tefter.add_command(schema)
for command in (check, test, explain, books, observe):
    tefter.add_command(command)


def main() -> None:
    """The entry point: an exception that reaches this far is a bug of ours."""
    try:
        tefter(standalone_mode=True)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:
        print(f"tefter: internal error: {type(error).__name__}: {error}", file=sys.stderr)
        print("tefter: this is a bug; please report it with the lines below", file=sys.stderr)
        traceback.print_exc()
        sys.exit(OUR_BUG)


if __name__ == "__main__":
    main()
