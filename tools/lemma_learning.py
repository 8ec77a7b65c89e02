"""Lemma rules from examples: for every tag and ending the commonest rewriting, if it says something new."""

from __future__ import annotations

import csv
import gzip
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from anaphor.analyse.wordforms import LONGEST, UNCHANGED, Lemmas, Rewriting, plain

#: Word types that must agree before an ending makes a rule: no rule is the entry of a single word.
_LEAST_TYPES = 2
#: What a rule may leave out inside a word: the mark of German participles.
_DROPPED = {"de": "ge"}
_LEXIQUE_TAGS = {"NOM": "NOUN", "VER": "VERB", "AUX": "AUX", "ADJ": "ADJ"}

#: A form, its tag and its lemma.
Example = tuple[str, str, str]
Key = tuple[str, str]


def learned(treebank: Iterable[Example], lexicon: Iterable[Example], *, language: str) -> Lemmas:
    """Rules from both, exceptions from the treebank alone: a lexicon leaves only what its endings show."""
    answers = _commonest(treebank)
    titled = _titled(answers)
    answers = {key: _cased(lemma, key[0] in titled) for key, lemma in answers.items()}
    more = {key: _cased(lemma, key[0] in titled) for key, lemma in _commonest(lexicon).items()}
    rules = _rules(more | answers, _DROPPED.get(language, ""))
    by_rule = Lemmas(rules, {}, frozenset())
    exceptions = {key: lemma for key, lemma in answers.items() if by_rule.lemma(key[1], key[0]) != lemma}
    return Lemmas(rules, exceptions, titled)


def lexicon_examples(data: Path, language: str) -> Iterator[Example]:
    """Forms with their lemmas from the lexicons of German nouns and of French words."""
    if language == "de":
        for row in _rows(data / "lexicons" / "german_nouns.tsv.gz"):
            for form in (row["nom_sg"], row["nom_pl"]):
                if form and form[:1].isupper():
                    yield form, "NOUN", row["lemma"]
    elif language == "fr":
        for row in _rows(data / "lexicons" / "lexique383_fr.tsv.gz"):
            tag = _LEXIQUE_TAGS.get(row["cgram"])
            if tag and " " not in row["ortho"]:
                yield row["ortho"], tag, row["lemme"]


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


def _commonest(examples: Iterable[Example]) -> dict[Key, str]:
    seen: dict[Key, Counter[str]] = defaultdict(Counter)
    for form, tag, lemma in examples:
        if tag not in UNCHANGED:
            seen[tag, plain(form)][lemma] += 1
    return {key: lemmas.most_common(1)[0][0] for key, lemmas in seen.items()}


def _titled(answers: Mapping[Key, str]) -> frozenset[str]:
    """The tags most of whose lemmas have a capital: German nouns."""
    upper, total = Counter[str](), Counter[str]()
    for (tag, _), lemma in answers.items():
        total[tag] += 1
        upper[tag] += lemma[:1].isupper()
    return frozenset(tag for tag in total if upper[tag] > total[tag] / 2)


def _cased(lemma: str, is_titled: bool) -> str:
    """Without the capital that the tag or the start of a sentence gave it; *I* and *UNO* keep theirs."""
    return lemma.lower() if is_titled or lemma[1:].islower() else lemma


def _rules(answers: Mapping[Key, str], dropped: str) -> dict[Key, Rewriting]:
    counts: dict[Key, Counter[Rewriting]] = defaultdict(Counter)
    for (tag, word), lemma in answers.items():
        rewriting = _rewriting(word, lemma, dropped)
        for length in range(min(LONGEST, len(word)) + 1):
            counts[tag, word[len(word) - length :]][rewriting] += 1
    rules: dict[Key, Rewriting] = {}
    for key in sorted(counts, key=lambda key: (len(key[1]), key)):
        best, support = counts[key].most_common(1)[0]
        if support >= _LEAST_TYPES and best != _inherited(rules, *key):
            rules[key] = best
    return rules


def _inherited(rules: Mapping[Key, Rewriting], tag: str, ending: str) -> Rewriting | None:
    shorter = (rules.get((tag, ending[start:])) for start in range(1, len(ending) + 1))
    return next((rule for rule in shorter if rule is not None), None)


def _rewriting(word: str, lemma: str, dropped: str) -> Rewriting:
    """The shortest rewriting that makes the lemma of the word."""
    whole = _by_ending(word, lemma, "")
    if dropped and dropped in word[:-3]:
        shorter = _by_ending(word.replace(dropped, "", 1), lemma, dropped)
        if len(shorter.add) + shorter.cut + len(dropped) < len(whole.add) + whole.cut:
            return shorter
    return whole


def _by_ending(word: str, lemma: str, drop: str) -> Rewriting:
    same = 0
    while same < min(len(word), len(lemma)) and word[same] == lemma[same]:
        same += 1
    return Rewriting(drop, len(word) - same, lemma[same:])
