"""One grammar, three sets of words: the keyword tables, the strict build, and the same tree from every dialect."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import combinations

import pytest
from lark import Token, Tree

from tefter.dsl import ast
from tefter.dsl.build import build
from tefter.dsl.build_names import scan_names
from tefter.dsl.diagnostics import Report
from tefter.dsl.dialect import DIALECTS, keywords, pattern, reserved
from tefter.dsl.lexicon import BUILT_IN, Lexicon
from tefter.dsl.load import shipped_folder
from tefter.dsl.parser import grammar_text, parse, parser, strict_parser
from tefter.dsl.source import Source

CONCORD = ("sr", "tr")  # where "no X" asks for a denied predicate

# ---- the tables


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_has_the_same_terminals(dialect: str) -> None:
    assert set(keywords(dialect)) == set(keywords("en"))


def test_the_tables_and_the_grammar_name_the_same_keywords() -> None:
    grammar = grammar_text("en").split("TEXT.5")[0]  # the rules; below them stand the terminals that are no keywords
    rules = re.sub(r'//[^\n]*|"[^"\n]*"|->\s*\w+', " ", grammar)
    used = set(re.findall(r"\b[A-Z][A-Z_]+\b", rules))
    signs = {"NAME", "STRING", "NUMBER", "AMOUNT", "DATE", "STAMP", "COMPARE", "PLUS", "MINUS", "TIMES", "TEXT"}
    assert used - signs - {"_NL", "_INDENT", "_DEDENT", "NL", "INDENT", "DEDENT"} == set(keywords("en"))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_form_stands_for_two_terminals(dialect: str) -> None:
    forms = [form for found in keywords(dialect).values() for form in found]
    assert sorted(forms) == sorted(set(forms))
    assert all(keywords(dialect).values())


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_form_begins_another_at_a_word_boundary(dialect: str) -> None:
    """Else which of them a text means would hang on what follows."""
    forms = [(name, form) for name, found in keywords(dialect).items() for form in found]
    clashes = [
        (a, b) for (a, x), (b, y) in combinations(forms, 2)
        if a != b and (f"{y} ".startswith(f"{x} ") or f"{x} ".startswith(f"{y} "))
    ]  # fmt: skip
    assert clashes == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_forms_are_composed_letters_and_single_spaces(dialect: str) -> None:
    for form in (f for found in keywords(dialect).values() for f in found):
        assert form == unicodedata.normalize("NFC", form) == " ".join(form.split())
        assert re.fullmatch(r"[^\W\d_]+(?:[ -][^\W\d_]+)*", form), form


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_keyword_is_a_whole_word(dialect: str) -> None:
    for found in keywords(dialect).values():
        for form in found:
            assert re.fullmatch(pattern(found), form)
            assert re.match(pattern(found), form + "-x") is None
            assert re.match(pattern(found), form + "x") is None


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_shipped_name_is_a_keyword_of_its_language(dialect: str) -> None:
    for path in sorted(shipped_folder().glob("*.rules")):
        forms = {f.text for e in entries_of(path.read_text("utf-8")) if e.dialect == dialect for f in e.forms}
        assert forms & reserved(dialect) == set(), path.name


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_grammar_builds_in_strict_mode(dialect: str) -> None:
    """No hidden choice: neither shift against reduce nor two terminals that match one text."""
    strict_parser(dialect)


# ---- one text in every dialect

NAMES = """
names
  player
    en player, pl players "Who plays."
    sr igrač m, gen igrača, pl igrači, pl-gen igrača "Ko igra."
    tr oyuncu, gen oyuncunun, pl oyuncular "Oynayan."
  marker
    en marker, pl markers
    sr beleg m, pl belezi
    tr işaret, pl işaretler
  done
    en done
    sr gotov m, gotova f, nije-gotov neg m
    tr bitti, bitmedi neg
  landed
    en landed
    sr pao m, pala f, nije-pao neg m
    tr düştü, düşmedi neg
  side
    en side
    sr strana f, gen strane
    tr yan
"""

VOCABULARY = """# language: en
# every declaration, and the statements that a vocabulary may have
vocabulary demo "Demo"
entity player
entity side: left, right "r"
entity marker: start-marker, 1..15, 20
set low of marker = 1..7
set landed-marker of marker where (it landed)
levels whole, round
event met pair of player: a meets b
event landing "land" (marker: marker, side: side): marker landed side
event finish (player: player): player done
event note-of {by: player, hard "with": yes-no = false, moves: set of marker = {}} alone
event silence (side: side)
episode turn "t" (by: player, called: {marker: marker, side: side} or none = none,
  near: pairs of player and side = {}, way: {slow, fast} = slow, row: list of marker = {}, moments: events = {})
episode quiet
episode mend (n: number, ok: yes-no) corrects way ok
state phase: {one, two} = one each whole position two
state score of player: number or none = 0 each round
state held: set of marker = {}
state leader: player or none = unknown
finding fault against by
finding win for leader
finding remark
effect give (p player, m marker)
  score[p] increases by 1; held gains {m}
effect clear
  round restarts
require possible for turn, quiet, position: phase = one
view board for every player as p where (score[p] > 0)
  column who = p
  column what = score[p]
  ordered by score[p] descending then by p
parameter limit = 4 marker, 5 marker after 2026-01-01
parameter share = 50%
parameter cost = 500 RSD
parameter best = left
setting strictly: yes-no = false
define rival of player p = first player where (it ≠ p)
define stage
  when phase = one: 1
  when phase = two: 2
  otherwise: 3
prepare ready when quiet unless phase = two:
  phase becomes one
change always:
  held loses {1, 2..4}
for every player as p: change each-one when p done overrides always unless strictly:
  give(p, 1); clear; round restarts
  score[p] becomes 1 when phase = one, 2 when phase = two otherwise none
"""

RULEBOOK = """# language: en
rulebook book "Book"
  use demo, other-words
  extends base
  adopt one-clause, two-clause of other-book
  authoritative sr
  edition "2026" after 2026-01-01

part "First"
  | Words of the part.
  part "Inner"
    clause alpha "Alpha" label "1/1" replaces base.old
      source S-1, S-2
      | Wording.
      |
      | More.
      note
        | A note.
      reading SR-A3 = once among once, twice
        | Why.
      define d1 = a or b and not c
      define d2 = a = b and a ≠ b and a < 1 and a <= 2 and a > 3 and a >= 4
      define d3 = x in low or x not in low or x in low not
      define d4 = x not
      define d5 = x landed or x not landed or x landed not
      define d6 = x landed(left) after e and x landed (right) before (last landing)
      define d7 = some player done and every player done(left) and some player not done and some player done not
      define d8 = no player done and no player in low and no player = A and no remark and some other fault
      define d9 = at least 2 marker landed or at most 3 marker landed after e or exactly limit markers in low
      define d10 = some player = A and some marker as m where (m in low) = 3 and (
        every marker < 5 and some player not in low)
      define d11 = first landing where (it.marker = 1) before (last landing)
      define d12 = last landing after e
      define d13 = all landing where (true) after e
      define d14 = count of landing after e
      define d15 = sum of it.score for every player as p where (p done)
      define d16 = 1 + 2 - 3 × 4 / 5
      define d17 = score[by] + rival(by) + partner(e, by)
      define d18 = (1 when a otherwise 2) in {1, 2..4, 500 RSD, 50%, 2026-01-31, "text", true, false, none, unknown}
      define d19 = {}
      define d21 = x low in or x low in not or x.side {left, right} in or some player low in or some player low in not
      define d20 = it.side = left and e.side = right
      some-kind late for leader when d1 unless d2 overrides base.f, clause alpha, every fault, e1@0123abcd
      fault bare
      for every player where (true): fault each-one against it when d1
      exception pardon when d1 overrides late
      void again when d1
      void again-2 when d1 keeps late, clause alpha:
        held gains {1}
      choice pick for by when d1
        | Choose.
        option go when d2
          | Go on.
          phase becomes two
        option stop
      choice pick-each for by of every marker as m where (m landed) when d1 overrides late
        option go
          held loses {m}
      silent gap for leader when d1
        | Nothing is said.
        option go
      silent gap-2 when d1
        phase becomes two
      deferred left-out when d1 decides phase, held
      deferred nothing-said
      change filled when d1 fills base.left-out:
        phase becomes two
      example "Example"
        given phase = one; score[A] = 3; setting strictly = true; reading SR-A3 = twice
        happens turn by=A called={marker=3, side=left} way=fast: landing 3 left; note-of by=A moves={1, 2..3}
        happens turn: landing marker=3 side=right
        happens quiet
        happens choice pick option go for B of 3
        happens silent gap option go
        expect fault late; no win; phase = two
      clause inner
        informative
          | Only words.
    clause empty-one
      informative
"""


def entries_of(text: str) -> tuple[ast.NameEntry, ...]:
    source, report = Source("t", text), Report()
    tree = parse(source, report)
    assert tree is not None, report.diagnostics
    return scan_names(tree, source)


def lexicon() -> Lexicon:
    found = Lexicon()
    assert found.add(entries_of(VOCABULARY + NAMES)) == []
    return found


def built(text: str, dialect: str) -> tuple[ast.Document, Report]:
    source, report = Source("t", text), Report()
    tree = parse(source, report)
    assert tree is not None, [(d.message(), source.position(d.span.start)) for d in report.diagnostics]
    return build(tree, source, dialect, lexicon(), report), report


def denied(tree: Tree[Token]) -> Iterator[int]:
    """Where a word of denial must stand in a dialect with negative concord: before the predicate of `no X p`."""
    for node in tree.iter_subtrees():
        if node.data in ("quantified", "quantified_in") and node.children[0].data == "no":  # type: ignore[union-attr]
            word = node.children[2]
            assert isinstance(word, Token) and word.start_pos is not None
            yield word.start_pos


def in_dialect(names: Lexicon, name: str, dialect: str) -> str:
    """The first form of an id in a dialect; the id itself where it has none."""
    if name in BUILT_IN and dialect != "en":
        return BUILT_IN[name][("sr", "tr").index(dialect)]
    entry = names.entries.get((name, dialect))
    return entry.forms[0].text if entry else name


def translated(text: str, dialect: str) -> str:
    """An English text in another dialect: keywords and names changed, everything else kept."""
    tree = parser("en").parse(text)
    places = set(denied(tree)) if dialect in CONCORD else set()
    names, table, lex = lexicon(), keywords(dialect), parser("en").lex(text)
    result, end, in_names = "", 0, False
    for token in lex:
        if token.start_pos is None or token.type.startswith("_"):
            continue
        in_names = token.type == "NAMES" or in_names and token.column != 1
        result += text[end : token.start_pos]
        if token.start_pos in places:
            result += table["NOT"][0] + " "
        word = str(token)
        if token.type in table:
            word = table[token.type][0]
        elif token.type == "NAME" and not in_names:
            word = in_dialect(names, names.id_of("en", word), dialect)
        result, end = result + word, token.end_pos or 0
    return (result + text[end:]).replace("# language: en", f"# language: {dialect}", 1)


TEXTS = {"vocabulary": VOCABULARY + NAMES, "rulebook": RULEBOOK}


def test_the_texts_use_every_rule_of_the_grammar() -> None:
    used = {str(n.data) for text in TEXTS.values() for n in parser("en").parse(text).iter_subtrees()}
    known = {
        rule.alias or rule.origin.name for rule in parser("en").rules
        if not rule.origin.name.startswith("_") and (rule.alias or not rule.options.expand1)
    }  # fmt: skip
    known -= {name for name in known if name.startswith("_")}  # made by Lark of repetitions
    assert {str(name) for name in known} - used == set()


def test_the_texts_use_every_keyword() -> None:
    used = {token.type for text in TEXTS.values() for token in parser("en").lex(text)}
    assert set(keywords("en")) - used == set()


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_construction_gives_one_tree_in_every_dialect(kind: str, dialect: str) -> None:
    english, problems = built(TEXTS[kind], "en")
    assert problems.diagnostics == []
    other, problems = built(translated(TEXTS[kind], dialect), dialect)
    assert problems.diagnostics == []
    assert other == english


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_form_of_a_keyword_is_understood(dialect: str) -> None:
    for name, forms in keywords(dialect).items():
        for form in forms:
            spaced = form.replace(" ", "  \t")
            (token, *_) = [t for t in parser(dialect).lex(f"{spaced} \n") if not t.type.startswith("_")]
            assert (token.type, str(token)) == (name, spaced)


# ---- names and their forms


def expression(dialect: str, text: str) -> tuple[ast.Expr, list[str]]:
    """An expression, by way of a define; and the codes of what is wrong with it."""
    words = {name: forms[0] for name, forms in keywords(dialect).items()}
    document, report = built(
        f'# language: {dialect}\n{words["VOCABULARY"]} v "V"\n{words["DEFINE"]} d = {text}\n', dialect
    )
    (define,) = document.declarations  # type: ignore[union-attr]
    assert isinstance(define, ast.Define)
    return define.cases[0][1], [d.code for d in report.sorted()]


SAME: dict[str, dict[str, tuple[str, ...]]] = {
    "x done": {"en": ("x done",), "sr": ("x gotov", "x gotova"), "tr": ("x bitti",)},
    "x not done": {
        "en": ("x not done", "x done not", "not x done"),
        "sr": ("x nije gotov", "x nije gotova", "x nisu gotova", "x nije-gotov", "nije x gotov", "x gotov nije"),
        "tr": ("x bitmedi", "x bitti değil", "x değil bitti", "değil x bitti"),
    },
    "not (x not done)": {"en": ("not x not done",), "sr": ("nije x nije-gotov",), "tr": ("değil x bitmedi",)},
    "x not in y": {
        "en": ("x not in y", "x in y not", "not x in y"), "sr": ("x nije među y", "x među y nije"),
        "tr": ("x içinde y değil", "x değil içinde y", "x y içinde değil", "değil x y içinde"),
    },
    "x in y": {"en": ("x in y", "x y in"), "sr": ("x među y",), "tr": ("x y içinde", "x içinde y")},
    "every player in {x, y}": {
        "en": ("every player in {x, y}",),
        "sr": ("svaki igrač među {x, y}",),
        "tr": ("her oyuncu {x, y} içinde",),
    },
    "d not": {"en": ("d not", "not d"), "sr": ("nije d", "d nije"), "tr": ("d değil", "değil d")},
    "every players done": {
        "en": ("every player done", "every players done"),
        "sr": ("svaki igrač gotov", "svaka igrač gotova", "svakog igrača gotov", "svaki igrači gotov"),
        "tr": ("her oyuncu bitti", "her oyuncular bitti", "her oyuncunun bitti"),
    },
    "every player not done": {
        "en": ("every player not done", "every player done not"),
        "sr": ("svaki igrač nije gotov", "svaki igrač nije-gotov"),
        "tr": ("her oyuncu bitmedi", "her oyuncu bitti değil"),
    },
    "no player done": {
        "en": ("no player done",),
        "sr": ("nijedan igrač nije gotov", "nijedna igrač nije-gotov", "nijedan igrač gotov nije"),
        "tr": ("hiçbir oyuncu bitmedi", "hiçbir oyuncu bitti değil"),
    },
    "no player in y": {
        "en": ("no player in y",), "sr": ("nijedan igrač nije među y",), "tr": ("hiçbir oyuncu değil içinde y", "hiçbir oyuncu y içinde değil"),
    },
    "no player = y": {"en": ("no player = y",), "sr": ("nijedan igrač = y",), "tr": ("hiçbir oyuncu = y",)},
    "no done": {"en": ("no fault",), "sr": ("nijedna fault",), "tr": ("hiçbir fault",)},
    "first marker after e": {
        "en": ("first marker after e",), "sr": ("prvi beleg posle e", "prva belezi posle e"),
        "tr": ("ilk işaret şundan sonra e",),
    },
}  # fmt: skip


@pytest.mark.parametrize("texts", SAME.values(), ids=SAME)
def test_forms_of_a_name_and_places_of_a_denial_make_no_difference(texts: dict[str, tuple[str, ...]]) -> None:
    trees = [(dialect, text, *expression(dialect, text)) for dialect, found in texts.items() for text in found]
    assert [(dialect, text, codes) for dialect, text, _, codes in trees if codes] == []
    assert [(dialect, text) for dialect, text, tree, _ in trees if tree != trees[0][2]] == []


def test_before_and_after_are_not_each_other() -> None:
    """In Turkish `sonra` follows its noun: `şundan sonra X` must be "after X", not "X, later"."""
    after, before = expression("tr", "x düştü şundan sonra e")[0], expression("tr", "x düştü şundan önce e")[0]
    assert isinstance(after, ast.Holds) and isinstance(before, ast.Holds)
    assert after.anchor is not None and before.anchor is not None
    assert (after.anchor.relation, before.anchor.relation) == ("after", "before")


@pytest.mark.parametrize(
    ("dialect", "text", "code"),
    [
        ("en", "no player not done", "R0120"), ("en", "no player done not", "R0120"),
        ("en", "no player not in y", "R0120"),
        ("sr", "nijedan igrač gotov", "R0121"), ("sr", "nijedan igrač među y", "R0121"),
        ("sr", "nijedan igrač nije nije-gotov", "R0121"),
        ("tr", "hiçbir oyuncu bitti", "R0121"), ("tr", "hiçbir oyuncu içinde y", "R0121"),
        ("tr", "hiçbir oyuncu bitmedi değil", "R0121"),
    ],
)  # fmt: skip
def test_a_denial_after_no_is_refused_in_english_and_asked_for_elsewhere(dialect: str, text: str, code: str) -> None:
    assert expression(dialect, text)[1] == [code]


def test_a_form_belongs_to_its_dialect() -> None:
    assert expression("en", "oyuncu")[0] == ast.Path(expression("en", "x")[0].span, ("oyuncu",))
    assert expression("tr", "oyuncu")[0] == expression("en", "player")[0] == expression("sr", "igrača")[0]


@pytest.mark.parametrize(("dialect", "form"), [("sr", "svaki"), ("tr", "her"), ("en", "every")])
def test_no_name_may_be_a_keyword_of_the_dialect_that_it_is_for(dialect: str, form: str) -> None:
    from tefter.dsl.load import load_book

    other = "en" if dialect != "en" else "sr"
    words = {name: forms[0] for name, forms in keywords(other).items()}
    text = (
        f'# language: {other}\n{words["VOCABULARY"]} v "V"\n{words["ENTITY"]} player\n'
        f"{words['NAMES']}\n  player\n    {dialect} {form}\n"
    )

    class One:
        def find(self, name: str, beside: str) -> str | None:
            return "v.rules" if name == "v" else None

        def read(self, path: str) -> bytes:
            return text.encode()

    assert [d.code for d in load_book("v", One()).report.sorted()] == ["R0236"]


# ---- letters


def test_dotted_and_dotless_i_are_two_letters() -> None:
    entry = ast.NameEntry(
        expression("en", "x")[0].span, "a", "tr", (ast.Form(expression("en", "x")[0].span, "ısı", ()),), ""
    )
    other = ast.NameEntry(entry.span, "b", "tr", (ast.Form(entry.span, "isi", ()),), "")
    found = Lexicon()
    assert found.add((entry, other)) == []
    assert [found.id_of("tr", form) for form in ("ısı", "isi", "ISI", "İSİ")] == ["a", "b", "ISI", "İSİ"]


@pytest.mark.parametrize("text", ["Her oyuncu bitti", "HER oyuncu bitti", "her oyuncu BİTTİ", "her oyuncu Bitti"])
def test_capitals_make_another_word(text: str) -> None:
    """Nothing is folded: in Turkish that would turn one letter into another."""
    if text.startswith("her"):
        tree, _ = expression("tr", text)
        assert isinstance(tree, ast.Quantified) and isinstance(tree.body, ast.Holds)
        assert tree.body.predicate == text.split()[-1]
        return
    report = Report()
    assert parse(Source("t", f'# language: tr\nsözlük v "V"\ntanım d = {text}\n'), report) is None
    assert report.failed


def test_composed_and_decomposed_letters_are_one_text() -> None:
    from tefter.dsl.source import decode

    text = f'# language: tr\nsözlük v "V"\ntanım düştü-mü = doğru\n{NAMES}'.replace("names", "adlar")
    apart = unicodedata.normalize("NFD", text)
    assert apart != text
    assert decode(apart.encode()).text == text == decode(b"\xef\xbb\xbf" + apart.replace("\n", "\r\n").encode()).text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_curly_and_low_quotes_quote(dialect: str) -> None:
    word = keywords(dialect)["VOCABULARY"][0]
    for quoted in ('"T"', "“T”", "„T“", "„T”"):
        document, _ = built(f"# language: {dialect}\n{word} v {quoted}\n", dialect)
        assert document.title == "T"
