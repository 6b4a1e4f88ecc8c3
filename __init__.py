"""Tefter: a language for rulebooks.

>>> from tefter import load
>>> match = load("osmica").start(["Ana", "Mira"])
>>> match.submit({"type": "shot", "by": "Ana", "moments": []}).findings[0].name
'illegal_break'
"""

from .interpreter.book import Book, RulebookError, UsageError, load
from .interpreter.codec import Malformed
from .interpreter.match import Match, Retracted
from .interpreter.state import State
from .interpreter.verdict import Verdict

__all__ = ["Book", "Malformed", "Match", "Retracted", "RulebookError", "State", "UsageError", "Verdict", "load"]
