"""The family of language models behind a server: a predictor that needs no training, only an address."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anaphor.core import InputWarning, MismatchError, OptionError, Prediction, TaskSegment
from anaphor.core.progress import ShareProgress, no_progress
from anaphor.predict.base import BaseFamily, BaseModel, BasePredictor, TrainingData
from anaphor.predict.contract import Model, ModelCard
from anaphor.predict.model_folder import ModelFolder, save_model, subtask_files, subtask_of
from anaphor.predict.server.asking import complete_all
from anaphor.predict.server.client import ServerOptions
from anaphor.predict.server.consent import check_confirmed
from anaphor.predict.server.prompt import (
    PROMPT_VERSION,
    Answer,
    Question,
    QuestionWriter,
    answer_counts,
    combine,
)
from anaphor.task.classes import TaskClasses

NAME = "server"


@dataclass(frozen=True, eq=False)
class ServerModel(BaseModel):
    """Asks a server about each slot; the target format is that of the data, as with a joint model."""

    options: ServerOptions
    classes: TaskClasses
    progress: ShareProgress = no_progress

    @property
    def pairs(self) -> tuple[str, ...]:
        return (self.card.pair,)

    def for_task(self, pair: str, *, year: int, forms: bool | None = None) -> ServerModel:
        """The model for another target format; it keeps its pair and year."""
        if (pair, year) != (self.card.pair, self.card.year):
            raise MismatchError(
                f"the model is for {self.card.pair} of {self.card.year}, not for {pair} of {year}",
                where=self.card.recipe,
                fix="create a model for this pair and year with `anaphor predict connect`",
            )
        return self if forms is None else replace(self, card=replace(self.card, forms=forms))

    def questions(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Question, Question]]:
        """The two questions about each slot, in order; nothing is sent."""
        return QuestionWriter(self.classes, self.card.forms, self.options).questions(segments)

    def answers(self, segments: Sequence[TaskSegment]) -> list[tuple[Answer, ...]]:
        """The answers to both questions about each slot, in order."""
        check_confirmed(self.options)
        questions = list(self.questions(segments))
        prompts = [question.prompt for both in questions for question in both]
        completions = complete_all(self.options, prompts, progress=self.progress)
        return [
            tuple(
                question.read(completions[question.prompt].text, completions[question.prompt].first_token)
                for question in both
            )
            for both in questions
        ]

    def predict_slots(self, segments: Sequence[TaskSegment]) -> Iterator[Prediction]:
        answers = self.answers(segments)
        counts = answer_counts(answers)
        if counts["order_dependent"] or counts["abstentions"] or counts["unreadable"]:
            note = (
                "{slots} placeholders, each asked with the choices in two orders; the answers differ in "
                "{order_dependent}; {abstentions} answers abstain, {unreadable} are unreadable; {undecided} "
                "placeholders without an answer get the catch-all class"
            ).format(**counts)
            warnings.warn(f"{self.card.recipe}: {note}", InputWarning, stacklevel=2)
        return (combine(both, self.card.classes) for both in answers)

    def save(self, folder: Path) -> None:
        save_model(folder, self.card, subtask_files(self.classes))


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerPredictor(BasePredictor[ServerModel]):
    """Learns nothing; the training data is only described on the card."""

    options: ServerOptions

    def train(self, data: TrainingData) -> ServerModel:
        return ServerModel(data.card, self.options, data.classes)

    def card(
        self, segments: Sequence[TaskSegment], classes: TaskClasses, dev: Sequence[TaskSegment]
    ) -> ModelCard:
        """The card, whose name identifies the server's model in results and signatures."""
        name = f"{self.options.model}/{self.options.endpoint}/prompt-{PROMPT_VERSION}"
        return replace(BasePredictor.card(self, segments, classes, dev), recipe=name)


class ServerFamily(BaseFamily):
    name = NAME
    version = PROMPT_VERSION
    options = ServerOptions
    predictor_class = ServerPredictor

    def predictor(self, options: Any, given: Mapping[str, Any], **common: Any) -> BasePredictor[Any]:
        for name in ("server", "model"):
            if not getattr(options, name):
                raise OptionError(
                    f"no {name} is given, and there is no default",
                    where=common["recipe"],
                    fix="anaphor predict connect --server URL --model NAME --pair ... --output FOLDER",
                )
        return super().predictor(options, given, **common)

    def read(self, folder: ModelFolder) -> ServerModel:
        return ServerModel(folder.card, self.options_of(folder), subtask_of(folder))


FAMILY = ServerFamily()


def first_prompt(model: Model, segments: Sequence[TaskSegment]) -> str:
    """The first prompt that a model would send for some segments; nothing is sent."""
    if not isinstance(model, ServerModel):
        raise OptionError(
            f"models of the family {model.card.family} send no prompts",
            where="--dry-run",
            fix="omit it; it is for models that `anaphor predict connect` wrote",
        )
    for question, _ in model.questions(segments):
        return question.prompt
    raise OptionError(
        "there is no placeholder, so there is nothing to send",
        where="--dry-run",
        fix="pass a file that has REPLACE_k in its targets, or a higher --limit",
    )
