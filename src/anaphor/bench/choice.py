"""Choice: a language model sees the variants of an item and names the correct one.

Models prefer options by position, and published prompts list the correct one first. Every item is therefore
prompted twice: with its variants in a random order, which depends on the seed and the item alone, and in
reverse. An item is right if both answers are.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anaphor.bench.export import BenchExport
from anaphor.bench.items import DOCS, Bench, BenchItem, BenchOutcome
from anaphor.bench.result import BenchResult, SystemOutcomes, summarize
from anaphor.bench.score_files import RESULTS_FORMAT, check_hash, looks_like_json, read_header
from anaphor.bench.scores import require_contrastive
from anaphor.core import InputError, LanguagePair, MismatchError, digest
from anaphor.core.progress import ShareProgress, no_progress
from anaphor.core.records import Record
from anaphor.corpus import read_text
from anaphor.files.writing import write_atomically
from anaphor.predict.server.asking import Meter, complete_all
from anaphor.predict.server.client import Completion, Query, ServerOptions
from anaphor.predict.server.prompt import Answer, Question, language_name, one_line
from anaphor.predict.server.replies import ABSTENTION

#: Of the wording below and of the reading of answers; part of signatures.
PROMPT_VERSION = 2
#: After so many answers it is checked whether most can be read.
_TRIAL = 20
#: The label of the correct variant. Labels must not look like the number of an option.
CORRECT = "variant 0"

_PROMPT = """\
{source} text{one_per_line}:

{source_text}

{options_of}

{options}

Which one is correct{in_context}? Answer with its number and nothing else, or with {abstention} if it cannot \
be decided."""


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """One of the two questions about an item; its choices are labelled `CORRECT` and `variant 1`, ..."""

    item: str
    number: int
    question: Question

    @property
    def id(self) -> str:
        return f"{self.item}#{self.number}"

    @property
    def first_is_right(self) -> bool:
        """Whether the correct variant is the first option."""
        return self.question.choices[0][0] == CORRECT


def choice_questions(bench: Bench, *, seed: int = 1, context: bool = True) -> list[ChoiceQuestion]:
    """The two questions about every item, in the order of the bench.

    Args:
        bench: The bench, whose items have at least two variants each.
        seed: The seed for the order of options.
        context: Whether the sentences before the tested one are shown.

    Returns:
        The questions with their prompts.

    Raises:
        UserError: An item has no wrong variant.
    """
    require_contrastive(bench)
    questions = []
    for item in bench.items:
        order = list(range(len(item.variants)))
        # The order depends on the item and not on its place, so that part of a set has the same prompts.
        random.Random(f"{seed}\n{item.id}").shuffle(order)  # noqa: S311 - no secret depends on it
        # Models may prefer a position; with both orders of the options none is ahead.
        for number, places in enumerate((order, order[::-1])):
            questions.append(ChoiceQuestion(item.id, number, _question(item, bench.pair, places, context)))
    return questions


def _question(item: BenchItem, pair: LanguagePair, places: Sequence[int], context: bool) -> Question:
    target = language_name(pair.target)
    # Variants of one item may come with target contexts of their own: then nothing is shared.
    shared = () if item.contexts or not context else tuple(map(one_line, item.context))
    sentences = tuple(map(one_line, item.source if context else item.source[-1:]))
    options = []
    for place in places:
        before = item.contexts[place] if item.contexts and context else ()
        options.append((f"variant {place}", one_line(" ".join((*before, item.variants[place])))))
    single = f"{target} translations" if (not shared and len(sentences) == 1) or item.contexts else ""
    options_of = f"{single}:" if single else f"{target} translations of the last sentence:"
    if shared:
        options_of = (
            f"Its {target} translation up to the last sentence:\n\n" + "\n".join(shared) + f"\n\n{options_of}"
        )
    prompt = _PROMPT.format(
        source=language_name(pair.source),
        one_per_line=", one sentence per line" if len(sentences) > 1 else "",
        source_text="\n".join(sentences),
        options_of=options_of,
        options="\n".join(f"{number}) {text}" for number, (_, text) in enumerate(options, start=1)),
        in_context=" in this context" if len(sentences) > 1 else "",
        abstention=ABSTENTION,
    )
    return Question(prompt, options)


def choice_queries(bench: Bench, *, seed: int = 1, context: bool = True) -> list[Query]:
    """What `ask_server` sends, in order; nothing is sent."""
    return [_query(question) for question in choice_questions(bench, seed=seed, context=context)]


def _query(question: ChoiceQuestion) -> Query:
    return Query(question.question.prompt, choices=len(question.question.choices))


def export_prompts(bench: Bench, path: str | Path, *, seed: int = 1, context: bool = True) -> BenchExport:
    """Write the prompts, one JSON object with `id` and `prompt` per line.

    Every line has the hash of the set and the seed, so answers can be checked against them.

    Args:
        bench: The bench, whose items have at least two variants each.
        path: The file.
        seed: The seed for the order of options.
        context: Whether the sentences before the tested one are shown.

    Returns:
        The name and the size of the file.

    Raises:
        UserError: An item has no wrong variant, or the file cannot be written.
    """
    questions = choice_questions(bench, seed=seed, context=context)
    lines = [
        {"id": question.id, "prompt": question.question.prompt, "set_hash": bench.hash, "seed": seed}
        for question in questions
    ]
    write_atomically(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    return BenchExport(str(path), bench.name, bench.hash, ((Path(path).name, len(lines)),))


def read_answers(path: str | Path, bench: Bench, *, seed: int = 1) -> dict[str, str]:
    """Read a model's answers to the prompts, by question id.

    Args:
        path: One JSON object per line with the `id` of a prompt and the `answer`; or one answer per line, in
            the order of the prompts.
        bench: The bench.
        seed: The seed of the prompts.

    Returns:
        The answers.

    Raises:
        UserError: An answer is missing, surplus or duplicated, or belongs to another set or seed.
    """
    text = read_text(path)
    known = [question.id for question in choice_questions(bench, seed=seed)]
    if not looks_like_json(text):
        text.require_lines(len(known), of=f"the set {bench.name}, with two prompts per item,", fix=_ALL)
        return dict(zip(known, text.lines, strict=True))
    answers: dict[str, str] = {}
    places = {name: at for at, name in enumerate(known)}
    for record in Record.from_json_lines(text.lines, path=text.path, docs=DOCS):
        if "format" in record and not answers:
            header = read_header(record, bench, mode="answers")
            _check_seed(header, seed)
            continue
        if "set_hash" in record:
            check_hash(record, "set_hash", bench)
        if "seed" in record:
            _check_seed(record, seed)
        name = record.text("id")
        if name not in places:
            what = f"{name} is not the id of a prompt of {bench.name}"
            raise MismatchError(what, where=record.where, fix=_ALL)
        if name in answers:
            fix = "keep one of the two; runs may have been joined"
            raise InputError(f"{name} is answered twice", where=record.where, fix=fix)
        given = record.raw("answer")
        # A number is what the prompt asks for; servers write null where a model said nothing.
        answer = (
            "" if given is None else str(given) if type(given) is int else record.text("answer", blank=True)
        )
        answers[name] = answer
    for name in known:
        if name not in answers:
            raise MismatchError(f"{name} has no answer", where=text.path, fix=_ALL)
    return answers


_ALL = "ask all prompts of `anaphor bench export --prompts`, and keep their ids"


def _check_seed(record: Record, seed: int) -> None:
    if (given := record.integer("seed", low=0)) != seed:
        what = f"these answers are to prompts with seed {given}, not {seed}"
        raise MismatchError(what, where=record.where, fix=f"add --prompt-seed {given}")


def write_answers(path: str | Path, bench: Bench, answers: Mapping[str, str], *, seed: int = 1) -> None:
    """Write answers in this package's format, which includes the name and hash of the set."""
    header = {
        "format": RESULTS_FORMAT,
        "mode": "answers",
        "set": bench.name,
        "hash": bench.hash,
        "seed": seed,
    }
    lines = [header, *({"id": name, "answer": answer} for name, answer in answers.items())]
    write_atomically(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def ask_server(
    bench: Bench,
    options: ServerOptions,
    *,
    seed: int = 1,
    context: bool = True,
    keep_going: bool = False,
    meter: Meter | None = None,
    progress: ShareProgress = no_progress,
) -> dict[str, str]:
    """Send both prompts of every item to a server; answers are cached on disk, and no prompt is sent twice.

    Args:
        bench: The bench.
        options: The server, the model, and the request options.
        seed: The seed for the order of options.
        context: Whether the sentences before the tested one are shown.
        keep_going: Whether to continue if most of the first answers are unreadable.
        meter: Counts requests, tokens and cost, and enforces the budget.
        progress: Called with the share of prompts answered so far.

    Returns:
        The answers by question id.

    Raises:
        UserError: The server is unreachable or rejects a request, or most of the first 20 answers are
            unreadable.
    """
    questions = choice_questions(bench, seed=seed, context=context)
    meter = meter or Meter()
    replies: dict[str, Completion] = {}
    for number, part in enumerate((questions[:_TRIAL], questions[_TRIAL:])):
        shown = progress if number else _quiet
        replies |= complete_all(options, map(_query, part), progress=shown, meter=meter)
        if number == 0 and not keep_going:
            _check_readable(options, part, replies)
    return {question.id: replies[question.question.prompt].text for question in questions}


def _quiet(_what: str, _share: float) -> None:
    """No progress for the few questions of the trial."""


def _check_readable(
    options: ServerOptions, questions: Sequence[ChoiceQuestion], replies: Mapping[str, Completion]
) -> None:
    """Raise if most of the first answers are unreadable, since the rest would be a waste of money."""
    if len(questions) != _TRIAL:
        return
    texts = [(question.question, replies[question.question.prompt].text) for question in questions]
    unreadable = [text for question, text in texts if question.read(text, {}).label is None]
    if len(unreadable) * 2 > len(questions):
        shown = " ".join(unreadable[0].split())[:80]
        raise InputError(
            f"{len(unreadable)} of the first {len(questions)} answers cannot be read, such as {shown!r}",
            where=options.model,
            fix="choose a chat model, allow longer answers for one that reasons (--tokens 0), or add "
            "--keep-going; existing answers are cached",
        )


def judge_answers(bench: Bench, answers: Mapping[str, str], *, system: str, seed: int = 1) -> SystemOutcomes:
    """The outcome of every item, and how answers depend on the order of options.

    An item is correct if both answers name the correct variant, wrong if both name wrong ones, and a tie if
    there is one of each. Otherwise at least one answer names none: the item is unreadable, or abstained if
    both are readable.
    """
    outcomes, given = [], []
    answered: list[tuple[ChoiceQuestion, Answer]] = []
    questions = choice_questions(bench, seed=seed)
    for item, first, second in zip(bench.items, questions[::2], questions[1::2], strict=True):
        both = [(question, question.question.read(answers[question.id], {})) for question in (first, second)]
        answered += both
        labels = [answer.label for _, answer in both]
        right = [label == CORRECT for label in labels]
        if None in labels:
            outcome = BenchOutcome.UNREADABLE
        elif ABSTENTION in labels:
            outcome = BenchOutcome.ABSTAINED
        elif any(right):
            outcome = BenchOutcome.RIGHT if all(right) else BenchOutcome.TIE
        else:
            outcome = BenchOutcome.WRONG
        outcomes.append(outcome)
        given.append(" / ".join(_shown(item, label) for label in dict.fromkeys(labels)))
    counts = _answer_counts(answered)
    hash_ = digest(answers[question.id].encode("utf-8") for question in questions)
    return SystemOutcomes(system, {"both orders": tuple(outcomes)}, given, counts, hash_)


def _shown(item: BenchItem, label: str | None) -> str:
    if label is None or label == ABSTENTION:
        return "unreadable" if label is None else ABSTENTION
    return item.variants[int(label.removeprefix("variant "))]


def _answer_counts(answered: Sequence[tuple[ChoiceQuestion, Answer]]) -> dict[str, float]:
    """Answers by type, and position bias: how often the first option is named, wherever the correct one is.

    The correct variant comes first in half of the prompts with two options, so an unbiased model names the
    first option exactly as often.
    """
    labels = [answer.label for _, answer in answered]
    named = [(question, answer.label) for question, answer in answered if answer.names_a_class]
    counts: dict[str, float] = {
        "answers": len(answered),
        "answers abstained": labels.count(ABSTENTION),
        "answers unreadable": labels.count(None),
    }
    if named:
        counts["answers right, %"] = _percent(label == CORRECT for _, label in named)
        counts["answers that name the first option, %"] = _percent(
            label == question.question.choices[0][0] for question, label in named
        )
        for first in (True, False):
            chosen = [label == CORRECT for question, label in named if question.first_is_right == first]
            if chosen:
                place = "first" if first else "not first"
                counts[f"answers right where the correct variant is {place}, %"] = _percent(chosen)
    return counts


def _percent(values: Iterable[bool]) -> float:
    known = list(values)
    return round(100 * sum(known) / len(known), 1)


def evaluate_answers(
    bench: Bench, answers: Mapping[str, Mapping[str, str]], *, prompt_seed: int = 1, **summary: Any
) -> BenchResult:
    """Judge every item by the answers of language models.

    Args:
        bench: The bench.
        answers: The answers by system name.
        prompt_seed: The seed of the prompts.
        **summary: `paired`, `samples`, `seed`, `level` and `examples` as in `summarize`.

    Returns:
        Accuracies with abstentions and unreadable answers counted separately, and the position bias.

    Raises:
        UserError: The answers cannot be compared.
    """
    systems = [
        judge_answers(bench, replies, system=name, seed=prompt_seed) for name, replies in answers.items()
    ]
    fields = (("prompt", str(PROMPT_VERSION)), ("prompt-seed", str(prompt_seed)))
    return summarize(bench, systems, mode="answers", fields=fields, **summary)
