"""Spanish nouns and adjectives with their genders, learned from free texts, for `make_nouns.py`.

Determiners, and adjectives that agree, show gender and number of the word beside them. A word that they show
often enough becomes a noun, and its regular plural or singular is formed. What texts show too rarely was
written by hand (`spanish_nouns.toml`). No dictionary, tagger or treebank is read.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from anaphor.analyse.nouns import Masks
from anaphor.languages import fold

#: How often a word was seen with a sure sign of its gender to be a noun.
LEAST_SEEN = 2
#: Which share of its occurrences they must be: verbs and adverbs are rarely seen so.
LEAST_SHARE = 0.05
#: The rarer gender or number of a form is kept if it has this share of what was seen, and so often.
RARE, LEAST_RARE = 0.08, 3
#: The share of one gender where only adjectives show it.
PURE = 0.8
#: Below this the singular and the plural of a noun are counted together.
FEW = 8
#: How often an adjective was seen after nouns that it agrees with, and which share of what was seen agrees.
LEAST_ADJECTIVE, AGREES = 3, 0.75
#: How often it was seen so for each time that it follows a determiner, as nouns do.
AFTER_NOUNS = 0.15
#: How often an adjective of one form for both genders is seen with one gender to be a noun of that gender.
SURE_NOUN = 50
#: Nouns for men and women alike.
_PERSONS = ("ista", "crata", "nauta", "iatra")
MS, FS, MP, FP = 1, 2, 4, 8
_SINGULAR, _PLURAL, _MASCULINE, _FEMININE = MS | FS, MP | FP, MS | MP, FS | FP
_TOKEN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|[^\w\s]|\d+")

_ACCENTS = dict(zip("aeiou", "áéíóú", strict=True))
_PLAIN = {accented: plain for plain, accented in _ACCENTS.items()}
#: The four forms of an adjective, as endings.
_FOUR = {
    "o": ("o", "a", "os", "as"),
    "or": ("or", "ora", "ores", "oras"),
    "és": ("és", "esa", "eses", "esas"),
    "ón": ("ón", "ona", "ones", "onas"),
    "án": ("án", "ana", "anes", "anas"),
    "ol": ("ol", "ola", "oles", "olas"),
}


def spanish(
    lines: Iterable[str], masks: Masks, written: Path
) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """Forms of nouns, adjectives whose form shows gender or number, and endings that were written by hand."""
    facts = tomllib.loads(written.read_text(encoding="utf-8"))
    counts = Counts(lines, facts, masks)
    adjectives = counts.adjectives(facts["adjectives"])
    endings = _endings(facts["endings"], masks)
    nouns = counts.nouns(adjectives, endings, facts["plurals"])
    return nouns | _listed(facts), adjectives, endings


class Counts:
    """Which determiners stand before words, and which words follow a determiner and another word."""

    def __init__(self, lines: Iterable[str], facts: Mapping[str, Mapping[str, str]], masks: Masks) -> None:
        self._shown: dict[str, Counter[int]] = defaultdict(Counter)
        self._after: dict[str, Counter[int]] = defaultdict(Counter)
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._common: set[str] = set()
        self._seen: Counter[str] = Counter()
        self._others = frozenset(facts["words"]["others"].split())
        stressed_a = frozenset(facts["nouns"]["stressed_a"].split())
        before_articles = frozenset(facts["articles"]["after"].split())
        sure, articles = (
            {
                word: masks.parse(label)
                for label in ("ms", "fs", "mp", "fp")
                for word in facts[kind][label].split()
            }
            for kind in ("determiners", "articles")
        )
        for line in lines:
            tokens = _TOKEN.findall(line)
            lower = ["", "", *map(fold, tokens), ""]
            for at, word in enumerate(lower[2:-1], 2):
                if not (len(word) > 1 and word.isalpha()) or word in self._others:
                    continue
                self._seen[word] += 1
                if tokens[at - 2][0].islower():
                    self._common.add(word)
                mask = sure.get(lower[at - 1], 0)
                if not mask and lower[at - 2] in before_articles:
                    mask = articles.get(lower[at - 1], 0)
                following = lower[at + 1]
                usable = following.isalpha() and following not in self._others
                if mask:
                    self._shown[word][mask] += 1
                    if usable and not (mask == MS and word in stressed_a):
                        self._after[following][mask] += 1
                if usable:
                    self._pairs[word, following] += 1

    def adjectives(self, written: Mapping[str, str]) -> dict[str, int]:
        """Words that follow nouns and agree with them, as plurals too, which verbs do not."""
        found: dict[str, int] = {"gran": _SINGULAR, "buen": MS, "mal": MS, "primer": MS, "tercer": MS}
        for last, endings in _FOUR.items():
            stems = {word.removesuffix(last) for word in self._after if word.endswith(last)}
            if last == "o":
                stems |= {word[:-2] for word in self._after if word.endswith(("os", "as"))}
                stems |= {word[:-1] for word in written["o"].split()}
            for stem in sorted(stems):
                if len(stem) < 2:
                    continue
                forms = dict(zip((stem + end for end in endings), (MS, FS, MP, FP), strict=True))
                seen = {form: self._after[form] if form in self._after else Counter() for form in forms}
                agreeing = {form: seen[form][mask] for form, mask in forms.items()}
                total = sum(own.total() for own in seen.values())
                shown = sum(self._shown[form].total() for form in forms if form in self._shown)
                enough = sum(agreeing.values()) >= max(LEAST_ADJECTIVE, AGREES * total, AFTER_NOUNS * shown)
                plurals = sum(agreeing[form] for form, mask in forms.items() if mask & _PLURAL)
                feminine = sum(agreeing[form] for form, mask in forms.items() if mask & _FEMININE)
                masculine = sum(agreeing.values()) - feminine
                if f"{stem}o" in written["o"].split() or (enough and plurals and feminine and masculine):
                    found |= forms
        for form, own in [*self._after.items()]:
            if form in found or form.endswith(("s", "o", "ión")):
                continue
            plural_form = plural(form, {})
            others = self._after.get(plural_form, Counter())
            right = own[MS] + own[FS] + others[MP] + others[FP]
            shown = sum(self._shown[one].total() for one in (form, plural_form) if one in self._shown)
            if (
                min(own[MS] + others[MP], own[FS] + others[FP]) > 1
                and min(own[MS] + own[FS], others[MP] + others[FP]) > 1
                and right >= max(AGREES * (own.total() + others.total()), AFTER_NOUNS * shown)
            ):
                found |= {form: _SINGULAR, plural_form: _PLURAL}
        for word in written["e"].split():
            found |= {word: _SINGULAR, plural(word, {}): _PLURAL}
        return found

    def nouns(
        self, adjectives: Mapping[str, int], endings: Mapping[str, int], irregular: Mapping[str, str]
    ) -> dict[str, int]:
        """Words that are often seen with a determiner, and their other number."""
        shown = self._with_adjectives(adjectives)
        enough = {
            word
            for word in self._common & set(shown)
            if shown[word].total() >= LEAST_SHARE * self._seen[word]
            and (word == "mente" or not word.endswith("mente"))
        }
        partners = _partners(enough, irregular)
        found = {word: self._decided(word, shown, partners, endings) for word in sorted(enough)}
        # Without -s a plural is rather a verb.
        found = {word: mask for word, mask in found.items() if mask & _SINGULAR or word.endswith("s")}
        for word, mask in found.items():
            single = word.removesuffix("s").endswith(_PERSONS) and mask & _MASCULINE
            adjective = adjectives.get(word) in (_SINGULAR, _PLURAL) and shown[word].total() < SURE_NOUN
            if single or adjective:
                found[word] = (_SINGULAR if mask & _SINGULAR else 0) | (_PLURAL if mask & _PLURAL else 0)
        for word, mask in [*found.items()]:
            if mask & _SINGULAR and not mask & _PLURAL:
                found.setdefault(plural(word, irregular), mask << 2)
            elif mask & _PLURAL and not mask & _SINGULAR and word not in partners and word.endswith("s"):
                one = singular(word, self._common)
                if one not in self._others:
                    found.setdefault(one, mask >> 2)
        return found

    def _with_adjectives(self, adjectives: Mapping[str, int]) -> dict[str, Counter[int]]:
        """What determiners show; adjectives after the noun where there are too few."""
        shown = {word: own for word, own in self._shown.items() if own.total() >= LEAST_SEEN}
        others: dict[str, Counter[int]] = defaultdict(Counter)
        for (word, following), times in self._pairs.items():
            mask = adjectives.get(following, 0)
            # The adjective may belong to a word before it: *tribunal de justicia europeo*.
            fits = bool(mask & _PLURAL) == word.endswith("s")
            if mask in (MS, FS, MP, FP) and fits and word not in shown and word not in adjectives:
                others[word][mask] += times
        for word, own in others.items():
            own += self._shown.get(word, Counter())
            if max(own.values()) >= max(LEAST_SEEN, PURE * own.total()):
                shown[word] = own
        return shown

    def _decided(
        self,
        word: str,
        shown: Mapping[str, Counter[int]],
        partners: Mapping[str, str],
        endings: Mapping[str, int],
    ) -> int:
        own = shown[word]
        if own.total() < FEW:
            own = own.copy()
            for mask, times in shown.get(partners.get(word, ""), Counter()).items():
                own[mask << 2 if mask & _SINGULAR else mask >> 2] += times
        if own.total() < FEW:
            # A regular ending is surer than a few determiners.
            for start in range(1, len(word) - 2):
                if (told := endings.get(word[start:], 0)) and not told & (told - 1):
                    return told
        kept = 0
        for numbers in (_SINGULAR, _PLURAL):
            times = sum(own[mask] for mask in own if mask & numbers)
            if times > own.total() / 2 or times >= max(LEAST_RARE, RARE * own.total()):
                for mask in own:
                    often = own[mask] > times / 2 or own[mask] >= max(LEAST_RARE, RARE * times)
                    kept |= mask if mask & numbers and often else 0
        return kept or own.most_common(1)[0][0]


def plural(word: str, irregular: Mapping[str, str]) -> str:
    """The regular plural of a noun or an adjective."""
    if word in irregular:
        return irregular[word]
    last = word[-1]
    vowels = sum(one in "aeiouáéíóúü" for one in word)
    if last in "aeiouáéó":
        return f"{word}s"
    if last in "íú":
        return f"{word}es"
    if last == "z":
        return f"{word[:-1]}ces"
    if last in "ns" and len(word) > 1 and word[-2] in _PLAIN:
        hiatus = len(word) > 2 and word[-3] in "aeou" and word[-2] in "íú"
        return word + "es" if hiatus else f"{word[:-2]}{_PLAIN[word[-2]]}{last}es"
    if last in "sx":
        return f"{word}es" if vowels < 2 and last == "s" else word
    if last == "n" and vowels > 1 and not any(one in _PLAIN for one in word):
        for at in range(len(word) - 3, -1, -1):
            if word[at] in _ACCENTS:
                return f"{word[:at]}{_ACCENTS[word[at]]}{word[at + 1 :]}es"
    return f"{word}es" if last in "lrdnjy" else f"{word}s"


def singular(word: str, known: Collection[str]) -> str:
    """The singular of a plural: one that is known, otherwise the likeliest."""
    likely = [word[:-1]]
    if word.endswith("ces"):
        likely = [f"{word[:-3]}z", word[:-1]]
    elif word.endswith(("ones", "anes", "enes", "ines", "eses")):
        likely = [f"{word[:-4]}{_ACCENTS[word[-4]]}{word[-3]}", word[:-2], word[:-1]]
    elif word.endswith(("des", "les", "res")):
        likely = [word[:-2], word[:-1]]
    return next((one for one in likely if one in known), likely[0])


def _partners(words: set[str], irregular: Mapping[str, str]) -> dict[str, str]:
    """Singulars and plurals of one noun, in both directions."""
    found: dict[str, str] = {}
    for word in sorted(words):
        other = plural(word, irregular)
        if other in words and other != word:
            found |= {word: other, other: word}
    return found


def _listed(facts: Mapping[str, Mapping[str, str]]) -> dict[str, int]:
    """The nouns that were written by hand, with their plurals."""
    found: dict[str, int] = defaultdict(int)
    kinds = {"stressed_a": FS, "fs": FS, "ms": MS, "both": _SINGULAR}
    for kind, mask in kinds.items():
        for word in facts["nouns"][kind].split():
            found[word] |= mask
            found[plural(word, facts["plurals"])] |= mask << 2
    for word in facts["nouns"]["invariable"].split():
        found[word] = _MASCULINE
    for word in facts["plural_only"]["fp"].split():
        found[word] = FP
    for word in facts["plural_only"]["mp"].split():
        found[word] = MP
    return dict(found)


def _endings(written: Mapping[str, str], masks: Masks) -> dict[str, int]:
    """Endings that were written by hand, and those of their plurals where no other one was written."""
    found: dict[str, int] = {}
    for label, words in written.items():
        mask = masks.parse(label)
        for ending in words.split():
            found[ending] = mask
    for label, words in written.items():
        mask = masks.parse(label)
        if not mask & _PLURAL:
            for ending in words.split():
                found.setdefault(plural_ending(ending), mask << 2)
    return found


def plural_ending(ending: str) -> str:
    """The ending of the plurals of nouns with an ending."""
    last = ending[-1]
    if last == "z":
        return f"{ending[:-1]}ces"
    if len(ending) > 1 and last == "n" and ending[-2] in _PLAIN:
        return f"{ending[:-2]}{_PLAIN[ending[-2]]}nes"
    return f"{ending}s" if last in "aeiouáéóíúbcfghkmptvwx" else f"{ending}es"
