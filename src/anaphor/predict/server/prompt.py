"""The prompts of a language model for a slot, and how its answers are read.

Models prefer choices by their position in a list, so each slot is prompted twice: with the classes in a
random order, and in reverse. The random order depends only on the seed and the text, so the same slot leads
to the same prompts in every file and run.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from anaphor.core import Prediction, Slot, TaskSegment, UserError
from anaphor.languages import load_language
from anaphor.predict.data import document_window
from anaphor.predict.server.client import ServerOptions
from anaphor.predict.server.replies import ABSTENTION, choice_shares, read_choice
from anaphor.task.classes import TaskClasses

#: Of the wording below and of the reading of answers; part of signatures and of the name of a model.
PROMPT_VERSION = 2
GAP, OTHER_GAP = "____", "[...]"
_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_ASTERISKS, _GAPS = re.compile(r"\*+([^*]+)\*+"), re.compile("_{4,}")

_PROMPT = """\
{source} text, one sentence per line, with one word between asterisks:

{source_text}

Its {target} translation{lemmas}, in which {gap} stands for the translation of that word:

{target_text}

Which choice belongs in the place of {gap}?

{choices}

Answer with the number of the choice and nothing else, or with {abstention} if the text does not decide it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The class that an answer names, `ABSTENTION`, or None for an unreadable one; and probabilities."""

    label: str | None
    shares: Mapping[str, float]

    @property
    def names_a_class(self) -> bool:
        return self.label not in (None, ABSTENTION)


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt, and the classes in the order listed, each with its text."""

    prompt: str
    choices: Sequence[tuple[str, str]]

    def read(self, text: str, first_token: Mapping[str, float]) -> Answer:
        """The class that a reply names, and the probabilities of all, as `replies` reads them.

        Without log-probabilities of an answer that begins with its number, the class of the answer has all.
        """
        named = read_choice(text, [choice for _, choice in self.choices])
        if named is None:
            named = read_choice(text, [label for label, _ in self.choices])
        chosen = self.choices[named][0] if isinstance(named, int) else named
        labels = [label for label, _ in self.choices]
        shares = dict(zip(labels, choice_shares(first_token, len(labels)), strict=False))
        return Answer(chosen, shares or {chosen or "": 1.0})


def combine(answers: Sequence[Answer], classes: Sequence[str]) -> Prediction:
    """The class with the highest mean probability over the answers that name a class.

    Ties go to the first such answer, that to the random order. If no answer names a class, it is the
    catch-all class, and all classes are equally probable.
    """
    given = [answer for answer in answers if answer.names_a_class]
    if not given:
        return Prediction(classes[-1], tuple(1 / len(classes) for _ in classes))
    means = [sum(answer.shares.get(label, 0.0) for answer in given) / len(given) for label in classes]
    highest = [label for label, mean in zip(classes, means, strict=True) if math.isclose(mean, max(means))]
    return Prediction(
        next((str(answer.label) for answer in given if answer.label in highest), highest[0]), tuple(means)
    )


def answer_counts(answers: Sequence[Sequence[Answer]]) -> dict[str, int]:
    """The number of slots, and of answers of each type; `abstentions` and `unreadable` count answers."""
    labels = [answer.label for both in answers for answer in both]
    named = [{answer.label for answer in both if answer.names_a_class} for both in answers]
    return {
        "slots": len(answers),
        "order_dependent": sum(len(labels) > 1 for labels in named),
        "abstentions": labels.count(ABSTENTION),
        "unreadable": labels.count(None),
        "undecided": named.count(set()),
    }


@dataclass(frozen=True, slots=True)
class QuestionWriter:
    """Writes the two questions about each slot of one target format."""

    classes: TaskClasses
    forms: bool
    options: ServerOptions

    def questions(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Question, Question]]:
        """For each slot, in order, its question with the choices in random order and in the reverse one."""
        for number, segment in enumerate(segments):
            for slot in segment.slots:
                texts = self._texts(segments, number, slot)
                choices = [(label, self._choice(label)) for label in self.classes.classes]
                rng = random.Random(f"{self.options.seed}\n{texts}")  # noqa: S311 - no secret depends on it
                rng.shuffle(choices)
                yield self._question(*texts, choices), self._question(*texts, choices[::-1])

    def _texts(self, segments: Sequence[TaskSegment], number: int, slot: Slot) -> tuple[str, str]:
        """Both sides of the text around a slot, with the source word and the gap marked."""
        options = self.options
        first, last = document_window(segments, number, before=options.before, after=options.after)
        source, target = [], []
        for place, segment in enumerate(segments[first:last], start=first):
            words, tokens = (
                [_unmarked(token) for token in side] for side in (segment.source, segment.target)
            )
            if not self.forms:
                tokens = [token.rpartition("|")[0] or token for token in tokens]
            for other in segment.slots:
                tokens[other.target] = OTHER_GAP
            if place == number:
                words[slot.source] = f"*{words[slot.source]}*"
                tokens[slot.target] = GAP
            source.append(one_line(" ".join(words)))
            target.append(one_line(" ".join(tokens)))
        return "\n".join(source), "\n".join(target)

    def _choice(self, label: str) -> str:
        """A class as shown in the prompt: its name and its other words."""
        if label == self.classes.other:
            return "another word, or no word at all"
        others = [word for word, of in self.classes.members.items() if of == label and word != label]
        return f"{label} (or {', '.join(others)})" if others else label

    def _question(self, source: str, target: str, choices: Sequence[tuple[str, str]]) -> Question:
        prompt = _PROMPT.format(
            source=language_name(self.classes.pair.source),
            target=language_name(self.classes.pair.target),
            source_text=source,
            target_text=target,
            lemmas="" if self.forms else " as lemmas",
            gap=GAP,
            choices="\n".join(f"{number}) {text}" for number, (_, text) in enumerate(choices, start=1)),
            abstention=ABSTENTION,
        )
        return Question(prompt, choices)


def one_line(text: str) -> str:
    """Text of a document without line breaks and control characters, so that none of it looks like a line of
    ours."""
    return _BREAKS.sub(" ", text)


def _unmarked(token: str) -> str:
    """A token of a document, where only ours is a gap, and only ours is between asterisks."""
    return _ASTERISKS.sub(r"\1", _GAPS.sub("_", token))


@cache  # a set has thousands of questions, and a pack is a file
def language_name(code: str) -> str:
    """The name of a language in English, or its code if only a user's pack defines it."""
    with suppress(UserError):
        return load_language(code).name
    return code
