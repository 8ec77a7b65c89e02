"""The official rules: how a translation is judged by the authors of a set, or by its first users.

Each agrees with the original on every item, faults included; `docs/bench.md` links the originals. A rule only
distinguishes correct from not correct; in the second case, the outcome shows whether the same search finds a
wrong form.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import accumulate

from anaphor.align import AlignerChoice
from anaphor.bench.items import Bench, BenchItem, BenchOutcome
from anaphor.core import InputError, OptionError, Span
from anaphor.languages import Tokenizer, load_language

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_BLANK_PUNCTUATION = str.maketrans(string.punctuation, " " * len(string.punctuation))
_WORD = re.compile(r"\w+\b")


def ctxpro_last_sentences(bench: Bench, lines: Sequence[str]) -> list[str]:
    """The text that CTXPro searches: the last sentence of each line, split by sentence-splitter."""
    try:
        splitter_class = import_module("sentence_splitter").SentenceSplitter
    except ImportError as error:
        what = "CTXPro's rule needs the package sentence-splitter, which is not installed"
        fix = 'pip install "anaphor[ctxpro]", or use only the rule `linked`: --rule linked'
        raise OptionError(what, where="--rule official", fix=fix) from error
    try:
        split = splitter_class(language=bench.pair.target).split
    except Exception as error:  # the package has an exception of its own, and rules for a few languages
        what = f"CTXPro's rule does not know the language {bench.pair.target}"
        raise OptionError(what, where="--rule official", fix="use only the rule `linked`") from error
    return [(split(text=line.strip()) or [line.strip()])[-1] for line in lines]


def _ctxpro(item: BenchItem, line: str) -> BenchOutcome:
    """CTXPro's score.py: the form between blanks, in lower case, after all ASCII punctuation is deleted."""
    text = f" {line.lower().translate(_NO_PUNCTUATION)} "
    return _outcome(
        f" {item.expected[0].lower()} " in text, any(f" {form.lower()} " in text for form in item.wrong)
    )


def _disceval(item: BenchItem, line: str) -> BenchOutcome:
    """PECoRe: one of the words in which the reference differs from its contrast, place by place."""
    right, wrong = (_WORD.findall(text) for text in item.variants[:2])
    words = [word.lower() for word in _WORD.findall(line)]
    different = [(own, other) for own, other in zip(right, wrong, strict=False) if own != other]
    return _outcome(
        any(own.lower() in words for own, _ in different),
        any(other.lower() in words for _, other in different),
    )


def _scat(item: BenchItem, line: str) -> BenchOutcome:
    """The marked form is present and that of the other gender is absent."""
    words = {word.lower() for word in _WORD.findall(line)}
    right, wrong = (not words.isdisjoint(forms) for forms in (item.expected[:1], item.wrong))
    return BenchOutcome.TIE if right and wrong else _outcome(right, wrong)


def _mtgeneval(item: BenchItem, line: str) -> BenchOutcome:
    """MT-GenEval's accuracy_metric.py: no word that only the reference of the other gender has."""
    right, wrong, words = (
        set(text.lower().translate(_BLANK_PUNCTUATION).split()) for text in (*item.variants[:2], line)
    )
    return _outcome(words.isdisjoint(wrong - right), True)


def _gate(item: BenchItem, line: str) -> BenchOutcome:
    """GateEval.py: the sentence in the wanted gender, letter by letter; a blank line is no answer."""
    return _outcome(line.strip() == item.variants[0], bool(line.strip()))


def _outcome(right: bool, wrong: bool) -> BenchOutcome:
    return BenchOutcome.RIGHT if right else BenchOutcome.WRONG if wrong else BenchOutcome.ABSENT


_RULES: Mapping[str, Callable[[BenchItem, str], BenchOutcome]] = {
    "ctxpro": _ctxpro,
    "disceval": _disceval,
    "scat": _scat,
    "mtgeneval": _mtgeneval,
    "gate": _gate,
}


#: WinoMT's table of German words next to an entity, *den* left out as there.
_GERMAN_WORDS = {
    "male": "der ein dem einen des er seiner ihn seinen ihm ihren seinem ihrem sein",
    "female": "die eine einer sie seine ihrer",
    "neutral": "ihr ihre das jemanden",
}
_GERMAN_GENDERS = {word: gender for gender, words in _GERMAN_WORDS.items() for word in words.split()}


def judge_winomt(bench: Bench, lines: Sequence[str], aligner: AlignerChoice) -> tuple[BenchOutcome, ...]:
    """WinoMT's rule for German, by links from English to German between words separated by blanks.

    The original uses fast_align; with it, outcomes are identical for every item.
    """
    pairs = [
        (item.source[-1].split(" "), line.split()) for item, line in zip(bench.items, lines, strict=True)
    ]
    tokenize = Tokenizer(load_language(bench.pair.target))
    outcomes = []
    links = replace(aligner, symmetrization="forward").build().align(pairs)
    for item, (source, target), alignment in zip(bench.items, pairs, links, strict=True):
        ends = list(accumulate(len(word) + 1 for word in source))
        slot = item.slot or Span(0, 0)
        slot_words = {
            at for at, end in enumerate(ends) if slot.start < end and end - len(source[at]) <= slot.end
        }
        linked = [to for at, to in zip(alignment.sources, alignment.targets, strict=True) if at in slot_words]
        own = tokenize(" ".join(target[at] for at in linked)).tokens
        gender = winomt_german(item, tokenize(" ".join(target)).tokens, linked, own)
        outcomes.append(_outcome(gender == item.category, True))
    return tuple(outcomes)


def winomt_german(item: BenchItem, words: Sequence[str], linked: Sequence[int], own: Sequence[str]) -> str:
    """The ending *-in* of one of its `own` words, or else the nearest word of the table.

    As in the original, `linked` counts words between blanks, and `words` are cut at punctuation, too.
    """
    if item.pronoun.lower() in ("nurse", "the nurse") or any(word.endswith("in") for word in own):
        return "female"
    places = [at for at, word in enumerate(words) if word.lower() in _GERMAN_GENDERS]
    if not linked or not places:
        return "male"
    return _GERMAN_GENDERS[words[min(places, key=lambda at: abs(at - min(linked)))].lower()]


def has_official_rule(bench: Bench) -> bool:
    """Whether the set has an official rule for translations; contrastive sets only have one for scores.
    WinoMT's rules for languages other than German depend on spaCy models from 2019.
    """
    return bench.kind in _RULES or (bench.kind == "winomt" and bench.pair.target == "de")


def judge_officially(bench: Bench, lines: Sequence[str]) -> tuple[BenchOutcome, ...]:
    """The outcome of every item under the rule of its set; `lines` are the input of the original."""
    rule = _RULES[bench.kind]
    for item in bench.items:
        least = 1 if bench.kind == "gate" else 2
        if not (item.expected if bench.kind in ("ctxpro", "scat") else len(item.variants) >= least):
            raise InputError(
                f"the item {item.id} lacks the forms or variants that the rule of {bench.kind} compares",
                where=bench.name,
                fix="give the item expected forms, or a wrong variant; or use only the rule `linked`",
            )
    return tuple(rule(item, line) for item, line in zip(bench.items, lines, strict=True))
