"""The pronouns of a candidate that a predictor has a class for, and their predictions.

All of them are hidden at once, so a wrong pronoun cannot support another wrong one; words that are not
pronouns of the task remain visible. docs/predict/postedit.md has the measurement behind this choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from pathlib import Path

from anaphor.analyse.contract import load_analyser
from anaphor.core import (
    Alignment,
    Counterpart,
    LanguagePair,
    MismatchError,
    OptionError,
    Pronoun,
    Sentence,
    Slot,
    TaskSegment,
)
from anaphor.languages import Tokenizer, fold, load_language, load_pair
from anaphor.languages.identify import other_language
from anaphor.predict.contract import Model, ModelCard
from anaphor.predict.postedit.types import LinkedText, Occurrence, OccurrencePrediction
from anaphor.task.classes import TaskClasses, task_classes
from anaphor.task.lines import PLACEHOLDER
from anaphor.task.prepare.null_subjects import AnalysedPair, null_subject_placeholders
from anaphor.task.prepare.placeholders import LinkThresholds, with_enclitics
from anaphor.task.prepare.plan import TAG_SETS, lemmas_with_tags

#: The languages of the pairs that have predictors. A text is told from these alone: among more languages, a
#: few words would not be enough.
_LANGUAGES = ("de", "en", "es", "fr")


def null_subjects(
    pair: LanguagePair,
    source: Sequence[Sequence[str]],
    candidate: Sequence[Sequence[str]],
    links: Iterable[Alignment],
) -> tuple[list[Pronoun], list[Counterpart | None]]:
    """Verbs of the source without a subject, and the pronoun that the candidate has for each, if any."""
    pronouns: list[Pronoun] = []
    counterparts: list[Counterpart | None] = []
    analysers = (load_analyser("built-in", language=code) for code in (pair.source, pair.target))
    analyses = (analyser.analyse(side) for analyser, side in zip(analysers, (source, candidate), strict=True))
    for segment, (words, target, alignment, *both) in enumerate(
        zip(source, candidate, links, *analyses, strict=True)
    ):
        analysed = AnalysedPair(words, both[0], target, both[1], alignment)
        for verb, place, hides, _ in null_subject_placeholders(
            analysed, LinkThresholds(), language=pair.source, any_number=True
        ):
            pronouns.append(Pronoun(segment, verb, fold(words[verb])))
            word = target[place] if hides else ""
            counterparts.append(Counterpart((place,), (word,), (fold(word),)) if hides else None)
    return pronouns, counterparts


def find_occurrences(text: LinkedText, *, year: int, packs: Path | None = None) -> list[Occurrence]:
    """The source pronouns of the task whose counterpart has exactly one pronoun of its classes.

    Other counterparts (objects, nouns, nothing) are left out, since no class of the task could replace them.
    A word shared by two source pronouns counts once, for the first. They come in the order of the candidate.
    """
    pack = load_pair(text.pair, folder=packs)
    classes = with_enclitics(task_classes(text.pair, year=year, folder=packs), pack.target)
    tokenizer, nulls = Tokenizer(pack.target), classes.null_subjects
    linked = (
        (pronoun, counterpart)
        for pronoun, counterpart in zip(text.pronouns, text.counterparts, strict=True)
        if counterpart is not None and counterpart.forms
        # A verb without a subject is no form of the pair; the written pronouns of Spanish are no examples.
        if (pronoun.form not in pack.source_pronouns if nulls else pronoun.form in classes.source_pronouns)
    )
    occurrences: list[Occurrence] = []
    for segment, group in groupby(linked, key=lambda pair: pair[0].segment):
        occurrences += _segment_occurrences(text.candidate[segment], list(group), tokenizer, classes)
    return occurrences


def _segment_occurrences(
    sentence: Sentence,
    linked: Sequence[tuple[Pronoun, Counterpart]],
    tokenizer: Tokenizer,
    classes: TaskClasses,
) -> list[Occurrence]:
    """The occurrences of one segment; given tokens are split so that a pronoun in them is a token."""
    parts = {
        position: tokenizer(sentence.tokens[position])
        for _, counterpart in linked
        for position in counterpart.positions
    }
    split, firsts = _split(sentence, parts)
    by_token: dict[int, Occurrence] = {}
    for pronoun, counterpart in linked:
        pronouns = [
            (firsts[position] + number, position, classes.members[part])
            for position in counterpart.positions
            for number, part in enumerate(map(fold, parts[position].tokens))
            if part in classes.members
        ]
        # Of two pronouns it is unclear which one a proposal would replace.
        if len(pronouns) == 1:
            token, position, label = pronouns[0]
            # Two source pronouns can share a word, which the first one keeps.
            by_token.setdefault(token, Occurrence(pronoun, split, token, position, label))
    return [by_token[token] for token in sorted(by_token)]


def _split(sentence: Sentence, parts: Mapping[int, Sentence]) -> tuple[Sentence, dict[int, int]]:
    """The sentence with some tokens replaced by their parts, and the new index of every given token."""
    tokens: list[str] = []
    starts: list[int] = []
    firsts: dict[int, int] = {}
    for position, (token, start) in enumerate(zip(sentence.tokens, sentence.starts, strict=True)):
        firsts[position] = len(tokens)
        part = parts.get(position)
        tokens += [token] if part is None else part.tokens
        starts += [start] if part is None else [start + offset for offset in part.starts]
    return Sentence(sentence.text, tuple(tokens), tuple(starts)), firsts


def check_language(lines: Sequence[str], pair: LanguagePair, code: str, *, path: str) -> None:
    """Raise an error if a text of a pair is clearly in another language than `code`."""
    if (other := other_language(lines, code, among=_LANGUAGES)) is not None:
        raise MismatchError(
            f"{path} looks like {other}, but {pair} says {load_language(code).name}",
            where="--pair",
            fix="pass the pair of the texts, source language first, and the texts in the same order",
        )


def check_model(card: ModelCard, text: LinkedText) -> None:
    """Raise an error if a model cannot read the text: another pair, or trained on French lemmas."""
    if card.pair != str(text.pair):
        raise MismatchError(
            f"the model is for {card.pair}, not for {text.pair}",
            where=card.recipe,
            fix="use a model that was trained for the pair of the texts",
        )
    # Which of two tag sets its lemmas had is not known; other languages have but one.
    if not card.forms and text.pair.target == "fr":
        raise OptionError(
            "the model reads French lemmas with tags, but a translation has word forms",
            where=card.recipe,
            fix="use anaphor-2-small, or train on data of `anaphor task prepare --words forms`",
        )


def predict_occurrences(
    model: Model, text: LinkedText, occurrences: Sequence[Occurrence]
) -> list[OccurrencePrediction]:
    """One prediction per occurrence, in order."""
    check_model(model.card, text)
    segments = list(hide_occurrences(text, occurrences, forms=model.card.forms))
    predictions = chain.from_iterable(model.predict(segments))
    answers = []
    for occurrence, prediction in zip(occurrences, predictions, strict=True):
        shares = zip(model.card.classes, prediction.probabilities, strict=True)
        by_probability = dict(sorted(shares, key=lambda share: -share[1]))
        answers.append(OccurrencePrediction(occurrence, by_probability))
    return answers


def hide_occurrences(
    text: LinkedText, occurrences: Sequence[Occurrence], *, forms: bool = True
) -> Iterator[TaskSegment]:
    """The segments of a text with every occurrence replaced by a placeholder.

    Without `forms` the other words are lemmas with tags, as `anaphor task prepare` writes them.
    """
    by_segment = {
        segment: list(group)
        for segment, group in groupby(occurrences, key=lambda occurrence: occurrence.pronoun.segment)
    }
    targets = [
        by_segment[number][0].sentence.tokens if number in by_segment else sentence.tokens
        for number, sentence in enumerate(text.candidate)
    ]
    shown: Sequence[Sequence[str]] = targets
    if not forms:
        analyser = load_analyser("built-in", language=text.pair.target)
        shown = [lemmas_with_tags(analysis, TAG_SETS["universal"]) for analysis in analyser.analyse(targets)]
    for number, (source, target) in enumerate(zip(text.source, shown, strict=True)):
        document = "" if text.documents is None else text.documents[number]
        words, here = list(target), by_segment.get(number, [])
        for occurrence in here:
            words[occurrence.token] = f"{PLACEHOLDER}_{occurrence.pronoun.position}"
        slots = tuple(Slot(occurrence.pronoun.position, occurrence.token) for occurrence in here)
        # Only placeholders are linked: in the data of the task, links come from human translations.
        links = Alignment(tuple(slot.source for slot in slots), tuple(slot.target for slot in slots))
        yield TaskSegment(source.tokens, tuple(words), slots, links, document)
