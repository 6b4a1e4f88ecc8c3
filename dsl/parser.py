"""Text -> parse tree (Lark, LALR), with syntax errors as diagnostics in the dialect's words."""

import re
from functools import cache
from importlib import resources

from lark import Lark, Token, Tree, UnexpectedInput, UnexpectedToken
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF
from lark.indenter import DedentError, Indenter

from .diagnostics import Report
from .dialect import DIALECTS, dialect_of, keywords, pattern
from .source import Source, Span
from .store import cache_folder

MAX_CHARACTERS = 2_000_000
MAX_DEPTH = 60  # brackets open at once; deeper text is refused before it is parsed
MAX_DIGITS = 30  # of one number
MAX_NESTING = 100  # of the tree
KEYWORD_PRIORITY = 2


class Blocks(Indenter):
    """Indentation makes blocks; inside brackets a line may be broken freely."""

    NL_type = "_NL"
    OPEN_PAREN_types = ["LPAR", "LBRACE", "LSQB"]  # noqa: RUF012
    CLOSE_PAREN_types = ["RPAR", "RBRACE", "RSQB"]  # noqa: RUF012
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 4


def grammar_text(dialect: str) -> str:
    """The grammar with the terminals of one dialect written out."""
    base = (resources.files(__package__) / "grammar.lark").read_text("utf-8")
    terminals = (f"{name}.{KEYWORD_PRIORITY}: /{pattern(forms)}/" for name, forms in keywords(dialect).items())
    return base + "\n" + "\n".join(terminals) + "\n"


def _cache_file(dialect: str) -> str | bool:
    """Where the built parser is kept; False where no such folder can be made."""
    folder = cache_folder()
    return str(folder / f"parser-{dialect}.bin") if folder is not None else False


@cache
def parser(dialect: str) -> Lark:
    """The parser of a dialect, built once a process and cached between processes."""
    return _build(dialect, cache=_cache_file(dialect))


def strict_parser(dialect: str) -> Lark:
    """The same parser in Lark's strict mode: a hidden choice in the grammar raises GrammarError."""
    return _build(dialect, cache=False, strict=True)


def _build(dialect: str, cache: str | bool, strict: bool = False) -> Lark:
    return Lark(
        grammar_text(dialect),
        parser="lalr",
        lexer="basic",
        postlex=Blocks(),
        propagate_positions=True,
        maybe_placeholders=True,
        strict=strict,
        cache=cache,
    )


def parse(source: Source, report: Report) -> Tree[Token] | None:
    """Parse a file; None, with the reason in `report`, where it has no tree."""
    dialect = dialect_of(source.text)
    first_line = Span(source.file, 0, len(source.text.split("\n", 1)[0]))
    if not source.text.strip():
        report.error("R0104", first_line)
        return None
    if dialect is None:
        report.error("R0101", first_line)
        return None
    if dialect not in DIALECTS:
        report.error("R0102", first_line, name=dialect, known=", ".join(DIALECTS))
        return None
    if not _bounded(source, report):
        return None
    try:
        tree: Tree[Token] = parser(dialect).parse(_with_newline(source.text))
        return tree if _sound(tree, source, report) else None
    except UnexpectedInput as error:
        _syntax_error(error, source, dialect, report)
    except DedentError:
        report.error("R0107", _last_indented(source))
    return None


def _with_newline(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def _bounded(source: Source, report: Report) -> bool:
    if len(source.text) > MAX_CHARACTERS:
        report.error("R0105", Span(source.file, 0, 0), limit=f"{MAX_CHARACTERS:,}")
        return False
    depth = 0
    digits = rf"\d{{{MAX_DIGITS + 1}}}"
    for match in re.finditer(rf'"[^"\n]*"|\|[^\n]*|#[^\n]*|[(\[{{]|[)\]}}]|{digits}', source.text):
        mark = match.group()
        if mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth = max(0, depth - 1)
        elif mark[0].isdigit():
            report.error("R0109", Span(source.file, match.start(), match.end()), limit=MAX_DIGITS)
            return False
        if depth > MAX_DEPTH:
            report.error("R0106", Span(source.file, match.start(), match.end()), limit=MAX_DEPTH)
            return False
    return True


def _sound(tree: Tree[Token], source: Source, report: Report) -> bool:
    """Whether the tree is shallow enough for all that walks it, and its names are of one script each."""
    waiting: list[tuple[Tree[Token], int]] = [(tree, 1)]
    while waiting:
        node, depth = waiting.pop()
        if depth > MAX_NESTING:
            start = 0 if node.meta.empty else node.meta.start_pos
            report.error("R0108", Span(source.file, start, start + 1), limit=MAX_NESTING)
            return False
        for child in node.children:
            if isinstance(child, Tree):
                waiting.append((child, depth + 1))
            elif child is not None and child.type == "NAME" and mixed_scripts(child):
                start = child.start_pos or 0
                report.error("R0237", Span(source.file, start, start + len(child)), name=child)
    return True


def mixed_scripts(name: str) -> bool:
    """Whether a name holds both Latin and Cyrillic letters: some of them look alike."""
    return bool(re.search(r"[\u0400-\u052f]", name)) and bool(re.search(r"[A-Za-z\u00c0-\u024f]", name))


def _syntax_error(error: UnexpectedInput, source: Source, dialect: str, report: Report) -> None:
    if isinstance(error, UnexpectedCharacters):
        start = error.pos_in_stream or 0
        report.error("R0110", Span(source.file, start, start + 1), text=source.text[start : start + 1])
        return
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        token = error.token
        start = min(token.start_pos or 0, len(source.text))
        shown = _shown(token.type, str(token), dialect)
        end = start + max(1, len(str(token).rstrip()))
        expected = _expected(error.accepts or error.expected, dialect)
        report.error("R0111", Span(source.file, start, end), text=shown, expected=expected)
        return
    assert isinstance(error, UnexpectedToken | UnexpectedEOF)
    end = len(source.text.rstrip())
    report.error("R0112", Span(source.file, max(0, end - 1), end), expected=_expected(set(error.expected), dialect))


SHOWN = {
    "NAME": "name", "STRING": '"..."', "NUMBER": "0..9", "_NL": "line-end", "_INDENT": "indent", "_DEDENT": "dedent",
    "TEXT": "|", "DATE": "2026-01-31", "AMOUNT": "50%", "COMPARE": "≠ < >", "STAMP": "@", "PLUS": "+", "MINUS": "-",
    "TIMES": "×", "SLASH": "/", "LPAR": "(", "RPAR": ")", "LBRACE": "{", "RBRACE": "}", "LSQB": "[", "RSQB": "]",
    "COMMA": ",", "COLON": ":", "SEMICOLON": ";", "EQUAL": "=", "DOT": ".", "__ANON_0": "..",
}  # fmt: skip


def _shown(terminal: str, text: str, dialect: str) -> str:
    if terminal in ("_NL", "_INDENT", "_DEDENT"):
        return SHOWN[terminal]
    return text if text.strip() else SHOWN.get(terminal, terminal)


def _expected(terminals: set[str], dialect: str) -> str:
    """What may stand here: the words of the dialect first, then kinds of token; at most twelve."""
    table = keywords(dialect)
    words = sorted(f"{table[t][0]}" for t in terminals if t in table)
    kinds = sorted(SHOWN.get(t, t) for t in terminals if t not in table and t != "$END")
    listed = kinds + words
    return ", ".join(listed[:12]) + (" …" if len(listed) > 12 else "")


def _last_indented(source: Source) -> Span:
    """Where the text steps back to a column that opened no block."""
    stack = [0]
    offset = 0
    for line in source.text.split("\n"):
        body = line.strip()
        column = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
        if body and not body.startswith("#"):
            while stack and column < stack[-1]:
                stack.pop()
            if column != (stack[-1] if stack else 0):
                if stack and column > stack[-1]:
                    stack.append(column)
                else:
                    return Span(source.file, offset, offset + len(line))
        offset += len(line) + 1
    return Span(source.file, max(0, offset - 1), offset)
