"""Make the tables of noun endings that ship with the package, and measure them.

    python tools/make_genders.py --data DATA --language fr [--measure] OUTPUT
    python tools/make_genders.py --data DATA --language de --nouns OUTPUT

A table says which gender and number the nouns with an ending have. It is learned from lexicons under DATA
and is no copy of them: an ending is kept if at least `LEAST_LEMMAS` lemmas share it. `--measure` learns
from nine tenths of the lemmas, prints what the table says of the last tenth, and of the nouns of Universal
Dependencies, which it never saw (for Spanish it is learned from them, so only the tenth is measured).

`--nouns` makes the list of German nouns whose gender their ending does not tell, as far as they are common:
forms of the lexicon that occur at least `LEAST_OCCURRENCES` times in texts under DATA.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import combinations, pairwise
from pathlib import Path
from typing import NamedTuple

from anaphor.analyse.gender import (
    GenderReading,
    GenderTable,
    Readings,
    format_readings,
    load_genders,
    parse_readings,
)
from anaphor.languages import fold

LONGEST = 8
LEAST_LEMMAS = 4
LEAST_OCCURRENCES = 2
#: The share of forms with an ending that must have no other readings; one more that has is assumed.
PURE = 0.95
SOURCES = {
    "fr": "Lefff 3.4 (LGPL-LR), Lexique 3.83 (CC BY-SA 4.0)",
    "de": "german-nouns (CC BY-SA 4.0)",
    "es": "Universal Dependencies Spanish-GSD (CC BY-SA 4.0) and Spanish-PUD (CC BY-SA 3.0)",
}
_GENDERS = {"fr": "mf", "de": "mfn", "es": "mf"}


class Noun(NamedTuple):
    """A form with a lemma, and the readings of the form (all of them, whatever the lemma)."""

    form: str
    lemma: str
    readings: Readings


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--language", choices=SOURCES, required=True)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--nouns", action="store_true")
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    if options.nouns:
        options.output.write_text(common_nouns(options.data), encoding="utf-8")
        return
    nouns = list(_LEXICONS[options.language](options.data))
    if options.measure:
        _measure(nouns, options.language, options.data)
    table = learn(nouns)
    heading = (
        f"# Noun endings: gender and number. Learned from {SOURCES[options.language]}; "
        f"each is shared by {LEAST_LEMMAS} lemmas or more.\n"
    )
    rows = (f"{ending}\t{format_readings(found)}\n" for ending, found in sorted(table.items()))
    options.output.write_text(heading + "".join(rows), encoding="utf-8")


def common_nouns(data: Path) -> str:
    """The German nouns whose gender words and endings do not tell, with all readings, as rows of a table.

    The lexicon has rare homonyms (*das Fall*, a rope): where it leaves a choice, the articles of the texts
    decide, or the noun is left out.
    """
    shipped = load_genders("de")
    genders: dict[str, set[str]] = defaultdict(set)
    for _, gender, _, singulars, _ in _table(data / "lexicons" / "german_nouns.tsv.gz"):
        for form in filter(str.isalpha, singulars.split("|")):
            genders[form] |= {gender} & set("mfn")
    seen: Counter[str] = Counter()
    articles: dict[str, Counter[str]] = defaultdict(Counter)
    for line in _german_lines(data):
        words = re.findall(r"[^\W\d_]+", line)
        seen.update(words)
        for before, word in pairwise(words):
            if before.lower() in _ARTICLES and word in genders:
                articles[word][_ARTICLES[before.lower()]] += 1
    rows: dict[str, list[str]] = defaultdict(list)
    for form, possible in genders.items():
        known = shipped.readings(fold(form))
        if seen[form] < LEAST_OCCURRENCES or fold(form) in shipped.words:
            continue
        if len(possible) > 1:
            ((best, times),) = articles[form].most_common(1) or [("", 0)]
            possible = {best} if times >= max(3, 0.9 * articles[form].total()) else set()
        if len(possible) == 1 and {one.gender for one in known if one.number == "s"} != possible:
            plural = {one for one in known if one.number == "p"}
            rows[format_readings({GenderReading(*possible, "s"), *plural})].append(fold(form))
    heading = f"# Common nouns whose ending does not tell their gender. From {SOURCES['de']}.\n"
    return heading + "".join(
        f"{' '.join(part)}\t{readings}\n"
        for readings, words in sorted(rows.items())
        for part in batched(sorted(set(words)), 12)
    )


def batched(words: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (words[start : start + size] for start in range(0, len(words), size))


def learn(nouns: Iterable[Noun]) -> dict[str, Readings]:
    """The endings that say more, or something else, than the next shorter one; empty readings: unsure."""
    counts: dict[str, Counter[Readings]] = defaultdict(Counter)
    lemmas: dict[str, set[str]] = defaultdict(set)
    for noun in nouns:
        for length in range(1, min(LONGEST, len(noun.form)) + 1):
            counts[noun.form[-length:]][noun.readings] += 1
            lemmas[noun.form[-length:]].add(noun.lemma)
    table: dict[str, Readings] = {}
    for ending in sorted(counts, key=len):
        if len(lemmas[ending]) >= LEAST_LEMMAS:
            shorter = _inherited(ending, table)
            found = _decide(counts[ending], shorter)
            if found != shorter:
                table[ending] = found
    return table


def _decide(counts: Counter[Readings], shorter: Readings) -> Readings:
    """The fewest readings that cover enough forms, or what the shorter ending says if that is no vaguer."""
    own = _fewest(counts)
    holds = bool(shorter) and _covered(counts, shorter) >= PURE * counts.total()
    return shorter if holds and (not own or len(shorter) <= len(own)) else own


def _fewest(counts: Counter[Readings]) -> Readings:
    seen = sorted(frozenset().union(*counts))
    for size in range(1, len(seen) + 1):
        options = [frozenset(one) for one in combinations(seen, size)]
        best = max(options, key=lambda one: (_covered(counts, one), sorted(one)))
        if _covered(counts, best) >= PURE * (counts.total() + 1):
            return best
    return frozenset()


def _covered(counts: Counter[Readings], readings: Readings) -> int:
    return sum(number for found, number in counts.items() if found <= readings)


def _inherited(ending: str, table: Mapping[str, Readings]) -> Readings:
    shorter = (ending[-length:] for length in range(len(ending) - 1, 0, -1))
    return next((table[one] for one in shorter if one in table), frozenset())


def _joined(rows: Iterable[tuple[str, str, Readings]]) -> Iterator[Noun]:
    """Forms and lemmas, each form with all its readings."""
    found: dict[str, set[GenderReading]] = defaultdict(set)
    lemmas: dict[tuple[str, str], None] = {}
    for form, lemma, readings in rows:
        form = fold(form)
        if form.isalpha() and len(form) > 2:
            found[form] |= readings
            lemmas[form, fold(lemma)] = None
    for form, lemma in lemmas:
        yield Noun(form, lemma, frozenset(found[form]))


def _french(data: Path) -> Iterator[Noun]:
    def rows() -> Iterator[tuple[str, str, Readings]]:
        for form, lemma, gender, number in _table(data / "lexicons" / "lefff34_nouns_fr.tsv.gz"):
            yield form, lemma, _product(gender or "mf", number or "sp")
        for form, lemma, kind, gender, number, *_ in _table(data / "lexicons" / "lexique383_fr.tsv.gz"):
            if kind == "NOM":
                yield form, lemma, _product(gender or "mf", number or "sp")

    return _joined(rows())


def _german(data: Path) -> Iterator[Noun]:
    """Nominatives, the dative plural in -n, the genitive in -s or -es.

    A masculine plural in -n may also be a singular (*den Präsidenten*); the lexicon does not say of which.
    """

    def rows() -> Iterator[tuple[str, str, Readings]]:
        for lemma, one, other, singulars, plurals in _table(data / "lexicons" / "german_nouns.tsv.gz"):
            genders = "".join({one, other} & set("mfn"))
            for form in filter(None, singulars.split("|")):
                yield form, lemma, _product(genders, "s")
                if set(genders) & set("mn") and form[-1] not in "sßxz":
                    yield from ((form + end, lemma, _product(genders, "s")) for end in ("s", "es"))
            for form in filter(None, plurals.split("|")):
                weak = "m" in genders and form in (f"{lemma}n", f"{lemma}en")
                yield form, lemma, _product("mfn", "p") | (_product("m", "s") if weak else frozenset())
                if form[-1] not in "ns":
                    yield form + "n", lemma, _product("mfn", "p")

    return _joined(rows())


def _spanish(data: Path) -> Iterator[Noun]:
    return _joined(
        (form, lemma, readings)
        for name in ("es_gsd-ud-dev", "es_gsd-ud-test", "es_pud-ud-test")
        for form, lemma, readings in _tokens(data / "ud" / f"{name}.conllu.gz", "mf")
    )


def _german_lines(data: Path) -> Iterator[str]:
    """The German side of the freely licensed parallel texts."""
    for name in ("europarl/*.tsv.gz", "bible/*.gz", "debian-handbook/*.gz"):
        for path in sorted(data.glob(name)):
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                header = next(lines).rstrip("\n").split("\t")
                if "de" in header:
                    yield from (line.rstrip("\n").split("\t")[header.index("de")] for line in lines)
    for path in data.glob("tatoeba/*deu-eng*.gz"):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from (line.split("\t")[2] for line in lines)


#: Articles that show one gender of a singular noun.
_ARTICLES = {"das": "n", "einen": "m", "eine": "f", "einer": "f", "zur": "f"}
_LEXICONS = {"fr": _french, "de": _german, "es": _spanish}
_TREEBANKS = {"fr": ("fr_gsd-ud-test", "fr_pud-ud-test"), "de": ("de_gsd-ud-test", "de_pud-ud-test")}


def _product(genders: str, numbers: str) -> Readings:
    return parse_readings(" ".join(g + n for g in genders for n in numbers)) if genders else frozenset()


def _table(path: Path) -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            yield line.rstrip("\n").split("\t")


def _tokens(path: Path, genders: str) -> Iterator[tuple[str, str, Readings]]:
    """Common nouns with their gender and number; a plural has all genders where they do not matter."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            cells = line.rstrip("\n").split("\t")
            if len(cells) == 10 and cells[3] == "NOUN" and "Gender=" in cells[5] and "Number=" in cells[5]:
                features = dict(one.split("=") for one in cells[5].split("|"))
                number = "s" if features["Number"] == "Sing" else "p"
                merged = "n" in genders and number == "p"
                gender = "".join(one[0].lower() for one in features["Gender"].split(","))
                yield cells[1], cells[2], _product(genders if merged else gender, number)


def _measure(nouns: list[Noun], language: str, data: Path) -> None:
    held = [noun for noun in nouns if sha256(noun.lemma.encode()).digest()[0] < 26]
    kept = {noun.lemma for noun in held}
    learned = GenderTable({}, learn(noun for noun in nouns if noun.lemma not in kept))
    _report("held-out forms", ((noun.form, noun.readings) for noun in held), learned)
    shipped = GenderTable(load_genders(language).words, learn(nouns))
    for name in _TREEBANKS.get(language, ()):
        tokens = list(_tokens(data / "ud" / f"{name}.conllu.gz", _GENDERS[language]))
        _report(name, ((form, readings) for form, _, readings in tokens), shipped)


def _report(name: str, gold: Iterable[tuple[str, Readings]], table: GenderTable) -> None:
    """Answers that name one gender and number, or only one gender, and how many of them hold."""
    total, answered, right, mistakes = 0, 0, 0, Counter[str]()
    for form, readings in gold:
        found = table.readings(fold(form))
        total += 1
        if found and len({one.gender for one in found if one.number == "s"}) < 2:
            answered += 1
            right += readings <= found
            mistakes[form] += not readings <= found
    share = f"{answered} of {total} answered ({answered / total:.1%}), right {right / answered:.2%}"
    sys.stderr.write(f"{name}: {share}; {', '.join(w for w, n in mistakes.most_common(40) if n)}\n")


if __name__ == "__main__":
    main()
