"""The self-check of the rule `linked` on free text, for pairs whose sets we do not have.

    python benchmarks/bench/free_text.py --data DATA [--write]

DATA holds the repositories Tatoeba-Challenge and NTREX, from which items are made as CTXPro makes its own.
For gender, the English sentence has one *it* and no other pronoun of the third person except *he* or *she*,
and its translation one personal pronoun of the singular that cannot be *he* or *she*. For formality, the
sentence has one *you*, and its translation one pronoun of the second person. This form is expected, and so
are the other forms of its kind; in the wrong variant it is replaced by the form of the other kind in the
same case. Italian and Portuguese have clitics that are articles as well: of these, only those on the end of
verbs are tested.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.bench import Bench
from anaphor.bench.items import BenchItem
from anaphor.core import LanguagePair, Sentence, Span
from anaphor.languages import FormMatcher, Tokenizer, fold, load_language
from benchmarks.bench.references import share, write_table

#: The names of the languages in the repositories.
NAMES = {"cs": "ces", "it": "ita", "nl": "nld", "pl": "pol", "pt": "por", "ru": "rus", "uk": "ukr"}
#: The tested word, and the forms of both kinds in one order of cases: masculine, feminine; informal, formal.
KINDS = {
    "gender": (
        "it",
        {
            "cs": ("on ho jej něj něho mu němu", "ona ji ji ni ní jí ní"),
            "it": ("lui esso", "lei essa"),  # lo and la are articles as well
            "nl": ("hij hem", "het het"),
            "pl": ("on go niego mu niemu", "ona ją niej jej niej"),
            "pt": ("ele dele nele", "ela dela nela"),
            "ru": ("он его него ему нему ним нём", "она её неё ей ней ней ней"),
            "uk": ("він його нього йому ньому", "вона її неї їй ній"),
        },
    ),
    "formality": (
        "you",
        {
            "cs": ("ty tebe tě tobě ti tebou", "vy vás vás vám vám vámi"),
            "it": ("tu te", "lei lei"),
            "nl": ("jij je jou", "u u u"),
            "pl": ("ty ciebie cię tobie ci tobą", "pan pana pana panu panu panem"),
            "pt": ("tu ti contigo", "você você você"),
            "ru": ("ты тебя тебе тобой", "вы вас вам вами"),
            "uk": ("ти тебе тобі тобою", "ви вас вам вами"),
        },
    ),
}
#: Clitics that are articles as well, so that they are tested only on the end of verbs: vederla, fazê-lo.
ATTACHED = {"it": ("lo", "la"), "pt": ("o", "a")}
_OTHER_GENDER = {"o": "a", "a": "o"}
_PEOPLE = {"he": 0, "she": 1}
_SAME_PERSON = {
    "it": {
        *("he", "she", "him", "her", "his", "hers", "its", "they", "them", "their", "theirs"),
        *("himself", "herself", "itself"),
    },
    "you": {"your", "yours", "yourself", "yourselves"},
}


def sentences(data: Path, code: str) -> Iterator[tuple[str, str, str]]:
    """The name of the text, the English sentence and its translation."""
    for part in ("dev", "test"):
        for path in sorted((data / "Tatoeba-Challenge/data" / part).glob(f"*{NAMES[code]}*/*.txt")):
            for line in path.read_text(encoding="utf-8").removesuffix("\n").split("\n"):
                first, _, one, two = line.split("\t")
                yield ("Tatoeba", one, two) if first == "eng" else ("Tatoeba", two, one)
    folder = data / "NTREX/NTREX-128"
    files = (folder / "newstest2019-src.eng.txt", folder / f"newstest2019-ref.{NAMES[code]}.txt")
    for english, own in zip(*(file.read_text(encoding="utf-8").split("\n") for file in files), strict=True):
        yield "NTREX", english, own


def items(data: Path, code: str, kind: str) -> Iterator[BenchItem]:
    word, forms = KINDS[kind]
    first, second = (side.split() for side in forms[code])
    english, own = (Tokenizer(load_language(language)) for language in ("en", code))
    clitics = FormMatcher(load_language(code), ATTACHED.get(code, ()))
    tested = re.compile(rf"\b{word}\b", re.IGNORECASE)
    seen = set()
    for number, (text, source, target) in enumerate(sentences(data, code)):
        words = {fold(token) for token in english(source).tokens} & _SAME_PERSON[word]
        spans = [match.span() for match in tested.finditer(source)]
        if len(spans) != 1 or source in seen or len(words) > 1 or not words <= _PEOPLE.keys():
            continue
        tokens = own(target)
        place = _only(tokens, first, second, people=[(first, second)[_PEOPLE[one]] for one in words])
        if place is not None:
            form = fold(tokens.tokens[place])
            right, wrong = (tuple(first), tuple(second)) if form in first else (tuple(second), tuple(first))
            other = wrong[right.index(form)]
            other = other.capitalize() if tokens.tokens[place][0].isupper() else other
        elif word == "it" and not words and (place := _attached(tokens, clitics)) is not None:
            token = tokens.tokens[place]
            (form,) = clitics.forms_in(token)
            right, wrong = (form,), tuple(one for one in ATTACHED[code] if one != form)
            other = token[:-1] + _OTHER_GENDER[token[-1]]
        else:
            continue
        seen.add(source)
        span = tokens.span(place)
        yield BenchItem(
            f"{text} {number}",
            (source,),
            variants=(target, target[: span.start] + other + target[span.end :]),
            expected=tuple(dict.fromkeys((form, *right))),
            wrong=tuple(dict.fromkeys(wrong)),
            pronoun=word,
            slot=Span(*spans[0]),
        )


def _only(
    tokens: Sentence, first: Sequence[str], second: Sequence[str], *, people: Sequence[Sequence[str]]
) -> int | None:
    """The position of the only form that can translate the tested word."""
    found = {at: form for at, form in enumerate(map(fold, tokens.tokens)) if form in {*first, *second}}
    for forms in people:
        # *he* or *she*, unless dropped, is the nominative; what has another gender is not one of them.
        found = {at: form for at, form in found.items() if form != forms[0]}
        if any(form in forms for form in found.values()):
            return None
    return next(iter(found)) if len(found) == 1 else None


def _attached(tokens: Sentence, clitics: FormMatcher) -> int | None:
    """The position of the only word with a clitic on its end."""
    words = tokens.tokens
    found = [at for at, word in enumerate(words) if clitics.forms_in(word) not in ((), (fold(word),))]
    last = {words[at][-1] for at in found}
    return found[0] if len(found) == 1 and last <= _OTHER_GENDER.keys() else None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="keep the table in README.md")
    options = parser.parse_args()
    rows = [
        "| made from Tatoeba and NTREX | items | references right | wrong variants right |",
        "|---|---|---|---|",
    ]
    for code in NAMES:
        for kind in KINDS:
            pair = LanguagePair("en", code)
            bench = Bench("free text", pair, "ctxpro", tuple(items(options.data, code, kind)))
            right, wrong = (share(bench, [item.variants[at] for item in bench.items]) for at in (0, 1))
            rows.append(f"| {pair}, {kind} | {len(bench.items):,} | {right:.1f} | {wrong:.1f} |")
            print(rows[-1], flush=True)
    if options.write:
        write_table("free_text.py --data DATA", rows)


if __name__ == "__main__":
    main()
