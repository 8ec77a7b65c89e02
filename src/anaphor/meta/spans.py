"""Marked spans: which pronouns people mark as errors in a translation, and whether metrics detect them.

annotation.py describes the data, and one module reads each type of file: mqm.py (Google's TSV and bio-MQM),
chat.py, esa.py and diabla.py. Pronouns that were judged themselves come from a campaign (judgements.py) or
from readers (readings.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from anaphor.core import LanguagePair, MismatchError, OptionError
from anaphor.languages import PairPack, Tokenizer, load_pair, split_tokens
from anaphor.meta.annotation import MarkedSpan, SpanAnnotation, write_texts
from anaphor.meta.chat import read_chat
from anaphor.meta.detection import MarkedItem, MarkEvaluation, Over, evaluate_marks
from anaphor.meta.diabla import read_diabla
from anaphor.meta.esa import read_esa
from anaphor.meta.judgements import JudgedPronoun, Judgement, Key, ScoredItem, read_items, read_judgements
from anaphor.meta.mqm import read_bio_mqm, read_mqm
from anaphor.meta.readings import items_by_part, mark_read, read_readings

__all__ = [
    "MarkRule",
    "MarkedSpan",
    "SpanAnnotation",
    "evaluate_spans",
    "join_items",
    "mark_items",
    "mark_judged",
    "read_annotation",
    "read_bio_mqm",
    "read_chat",
    "read_diabla",
    "read_esa",
    "read_mqm",
    "write_texts",
]

Vote = Literal["majority", "any"]

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class MarkRule:
    """Which spans mark a pronoun: those of at most `longest` words that contain it and no other pronoun.

    `longest` is None if whole segments were judged: then any span counts. By default all `categories` and
    `severities` count; a category includes those below it (`Fluency` for `Fluency/Grammar`).
    """

    pronouns: frozenset[str]
    longest: int | None = 3
    categories: frozenset[str] | None = None
    severities: frozenset[str] | None = None

    def is_marked(self, line: str, word: tuple[int, int], spans: Sequence[MarkedSpan]) -> bool:
        """Whether one of the spans marks the pronoun `word`, given by its start and end."""
        return any(self._applies(line, word, span) for span in spans)

    def _applies(self, line: str, word: tuple[int, int], span: MarkedSpan) -> bool:
        if self.severities is not None and span.severity.lower() not in self.severities:
            return False
        category = span.category.lower()
        if self.categories is not None and not {category, category.split("/")[0]} & self.categories:
            return False
        if self.longest is None:
            return True
        inside = list(_WORD.finditer(line, span.start, span.end))
        # A span over two pronouns does not say which of them is wrong.
        others = [match for match in inside if match[0].lower() in self.pronouns and match.start() != word[0]]
        # A long span says that a clause is wrong, not which of its words.
        covered = span.start <= word[0] and word[1] <= span.end
        return covered and len(inside) <= self.longest and not others


def mark_items(
    items: Sequence[ScoredItem],
    annotation: SpanAnnotation,
    rule: MarkRule,
    pack: PairPack,
    *,
    vote: Vote = "majority",
) -> list[MarkedItem]:
    """The items with a word in a judged line, with their marks; others are left out.

    An item is marked if more than half of the raters of its line marked it, or, depending on `vote`, if any
    did.
    """
    labelled = []
    tokenize = Tokenizer(pack.target)
    for item in items:
        lines, segment = annotation.systems.get(item.system, ()), item.segment
        if segment >= len(annotation.source) or not lines:
            raise MismatchError(
                f"the annotation has no line {segment + 1} of {item.system}",
                where="--items",
                fix="score the texts that --texts writes, under their names",
            )
        raters = annotation.marks.get((item.system, segment))
        if raters is None or item.candidate_words is None:
            continue
        # A counterpart of several words is marked where any of them is.
        words = _word_places(item, lines[segment], tokenize)
        marks = {
            rater: any(rule.is_marked(lines[segment], word, spans) for word in words)
            for rater, spans in raters.items()
        }
        # A tie of raters is no mark: half of the raters saw nothing wrong.
        votes = sum(marks.values())
        labelled.append(
            MarkedItem(
                item.system,
                annotation.documents[segment],
                votes > 0 if vote == "any" else 2 * votes > len(marks),
                item.outcome,
                item.scores,
                item.verdicts,
                {rater: "marked" if marked else "not marked" for rater, marked in marks.items()},
                votes,
            )
        )
    return labelled


def _word_places(item: ScoredItem, line: str, tokenize: Tokenizer) -> list[tuple[int, int]]:
    """Start and end of the candidate's words, in text that is tokenized already or not."""
    # Items do not say whether their text was tokenized: the words decide.
    for split in (tokenize, split_tokens):
        sentence = split(line)
        if not item.candidate_positions or item.candidate_positions[-1] >= len(sentence.tokens):
            continue
        places = [
            (sentence.starts[i], sentence.starts[i] + len(sentence.tokens[i]))
            for i in item.candidate_positions
        ]
        if " ".join(line[start:end] for start, end in places) == item.candidate_words:
            return places
    raise MismatchError(
        f"line {item.segment + 1} of {item.system} does not have the words {item.candidate_words!r} at token "
        f"{','.join(map(str, item.candidate_positions)) or '(no candidate_positions)'}",
        where="--items",
        fix="score the texts that --texts writes, with this version",
    )


def mark_judged(
    items: Mapping[Key, ScoredItem], judged: Sequence[JudgedPronoun], *, path: str, vote: Vote = "majority"
) -> list[MarkedItem]:
    """The items that annotators judged, marked if most called them incorrect; `bad` is not a vote."""
    labels: dict[Key, dict[str, str]] = {}
    for pronoun in judged:
        if (pronoun.system, pronoun.id) not in items:
            raise MismatchError(
                f"{pronoun.id} of {pronoun.system} was judged but is not among the items",
                where=path,
                fix="pass the items of the same systems and pronouns (anaphor score --items)",
            )
        if pronoun.judgement is not Judgement.BAD:
            labels.setdefault((pronoun.system, pronoun.id), {})[pronoun.annotator] = pronoun.judgement.value
    marked = []
    for key, given in labels.items():
        item = items[key]
        # Without documents, lines are taken to be independent.
        document = str(item.segment) if item.document == "-" else item.document
        votes = sum(label == Judgement.INCORRECT.value for label in given.values())
        # As for marked spans, a tie does not mark.
        wrong = votes > 0 if vote == "any" else 2 * votes > len(given)
        scores = item.outcome, item.scores, item.verdicts
        marked.append(MarkedItem(item.system, document, wrong, *scores, given, votes))
    return marked


def read_annotation(
    *,
    pair: str,
    mqm: str | None = None,
    bio_mqm: str | None = None,
    chat: str | Sequence[str] | None = None,
    esa: str | None = None,
    diabla: str | None = None,
) -> SpanAnnotation | None:
    """The annotation named by an option; None if there is none."""
    if sum(bool(corpus) for corpus in (mqm, bio_mqm, chat, esa, diabla)) > 1:
        raise OptionError(
            "several annotations are given",
            where="--mqm, --bio-mqm, --chat, --esa, --diabla",
            fix="choose one of them",
        )
    if mqm:
        return read_mqm(mqm)
    if bio_mqm:
        return read_bio_mqm(bio_mqm, pair=pair)
    if chat:
        return read_chat(chat, pair=pair)
    if esa:
        return read_esa(esa, pair=pair)
    return read_diabla(diabla, pair=pair) if diabla else None


def evaluate_spans(
    items: Sequence[str],
    *,
    pair: str,
    mqm: str | None = None,
    bio_mqm: str | None = None,
    chat: str | Sequence[str] | None = None,
    esa: str | None = None,
    diabla: str | None = None,
    judgements: str | None = None,
    judged: str | None = None,
    part: str | None = None,
    vote: Vote = "majority",
    longest: int = 3,
    categories: Sequence[str] = (),
    severities: Sequence[str] = (),
    metrics: Sequence[str] = (),
    threshold: float | None = None,
    open_score: float | None = None,
    over: Over = "systems",
    samples: int = 1000,
    seed: int = 12345,
    level: float = 0.95,
) -> MarkEvaluation:
    """Compare metrics with marked pronouns; the arguments are the options of `anaphor meta spans`."""
    pack = load_pair(LanguagePair.parse(pair))
    annotation = read_annotation(pair=pair, mqm=mqm, bio_mqm=bio_mqm, chat=chat, esa=esa, diabla=diabla)
    if sum((annotation is not None, judgements is not None, judged is not None)) != 1:
        raise OptionError(
            "exactly one annotation is needed",
            where="--mqm, --bio-mqm, --chat, --esa, --diabla, --judgements, --judged",
            fix="choose one of them",
        )
    if part is not None and judged is None:
        raise OptionError("only judged pronouns are divided into parts", where="--part", fix="omit it")
    if longest < 1:
        raise OptionError(
            f"invalid maximum span length: {longest}", where="--longest", fix="use 1 or more, such as 3"
        )
    unmatched, labels = 0, None
    if judged is not None:
        readings = read_readings(judged)
        parts = items_by_part(items, readings, part=part, path=judged)
        joined = {
            name: join_items({path: read_items(path) for path in paths}) for name, paths in parts.items()
        }
        size = sum(map(len, joined.values()))
        marked, unmatched = mark_read(
            joined, readings, path=judged, tokenize=Tokenizer(pack.source), any_reader=vote == "any"
        )
        # Readers also disagree about the pronouns that nobody could decide.
        labels = [reading.readers for reading in readings if reading.part in joined]
    else:
        scored = join_items({path: read_items(path) for path in items})
        size = len(scored)
        if annotation is None:
            path = judgements or ""
            marked = mark_judged(scored, read_judgements(path), path=path, vote=vote)
        else:
            rule = MarkRule(
                frozenset(form.lower() for form in (*pack.target_pronouns, *pack.object_pronouns)),
                None if annotation.whole_segments else longest,
                frozenset(name.lower() for name in categories) if categories else None,
                frozenset(name.lower() for name in severities) if severities else None,
            )
            marked = mark_items(list(scored.values()), annotation, rule, pack, vote=vote)
    return evaluate_marks(
        marked,
        metrics=metrics,
        threshold=threshold,
        over=over,
        samples=samples,
        seed=seed,
        level=level,
        open_score=open_score,
        left_out=size - len(marked),
        unmatched=unmatched,
        ratings=labels,
    )


def join_items(parts: Mapping[str, Mapping[Key, ScoredItem]]) -> Mapping[Key, ScoredItem]:
    """Items of several runs on the same candidates: each item gets the scores of all runs.

    A metric that occurs in several runs is suffixed with its file: `accept (free)`.
    """
    names = [{name for item in part.values() for name in item.scores} for part in parts.values()]
    joined: dict[Key, ScoredItem] = {}
    for number, (path, part) in enumerate(parts.items()):
        if number and part.keys() != joined.keys():
            raise MismatchError(
                f"the pronouns are not those of {next(iter(parts))}",
                where=path,
                fix="pass the items of the same candidates, scored with other metrics or options",
            )
        shared = {name for name in names[number] if sum(name in others for others in names) > 1}
        if number and any(Path(path).stem == Path(other).stem for other in list(parts)[:number]):
            raise MismatchError(
                "two files of items have the same name, so their metrics would be indistinguishable",
                where=path,
                fix="rename one of them",
            )
        for key, item in part.items():
            label = {name: f"{name} ({Path(path).stem})" if name in shared else name for name in item.scores}
            scores = {label[name]: score for name, score in item.scores.items()}
            verdicts = {label[name]: item.verdicts.get(name, "") for name in item.scores}
            # Outcomes and words are those of the first file; only scores and verdicts are collected.
            first = joined.get(key, replace(item, scores={}, verdicts={}))
            joined[key] = replace(
                first, scores={**first.scores, **scores}, verdicts={**first.verdicts, **verdicts}
            )
    return joined
