"""Marked spans: what people mark as errors in a translation, and which pronouns they mark.

Three kinds of annotation are read. **MQM** in the layout of google/wmt-mqm-human-evaluation: a TSV file with
one row per error, in which `<v>` and `</v>` enclose the marked span of the target, and one row without a span
for a segment without errors. **ESA** as WMT24 published it: JSON lines with one object per system and
segment. **DiaBLa**: dialogues in JSON, whose utterances were judged as a whole. The texts of all systems can
be read off each of them; `write_texts` writes them for scoring.
"""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from anaphor.core import InputError, LanguagePair, MismatchError, OptionError
from anaphor.core.records import Record, Row
from anaphor.corpus import write_atomically
from anaphor.corpus.text import read_bytes, read_text
from anaphor.languages import PairPack, Tokenizer, load_pair, split_tokens
from anaphor.meta.detection import MarkedItem, MarkEvaluation, Over, evaluate_marks
from anaphor.meta.judgements import JudgedPronoun, Judgement, Key, ScoredItem, read_items, read_judgements

_TAG = re.compile(r"</?v>")
_SPAN = re.compile(r"<v>(.*?)</v>", re.DOTALL)
_WORD = re.compile(r"\w+")
#: Where an ESA span begins and ends that marks something as missing from the translation.
_OMISSION = "missing"
#: The names that the texts of dialogues get: what the machine translated, and the human translation.
_DIALOGUE_SYSTEM, _REFERENCE = "mt", "ref"
_UNNAMED = "unnamed"


@dataclass(frozen=True, slots=True)
class MarkedSpan:
    """An error: characters of the target from `start` to `end` (excluded), its category and severity."""

    start: int
    end: int
    category: str
    severity: str


@dataclass(frozen=True, slots=True)
class SpanAnnotation:
    """A test set with its error annotation: lines of every system, and the marked spans of every line.

    `spans` has an entry for every line of a system that somebody judged, empty where nothing is wrong.
    `whole_segments` means that people judged segments and not spans.
    """

    source: tuple[str, ...]
    documents: tuple[str, ...]
    systems: Mapping[str, tuple[str, ...]]
    spans: Mapping[tuple[str, int], tuple[MarkedSpan, ...]]
    whole_segments: bool = False


@dataclass(frozen=True, slots=True)
class _AnnotatedLine:
    """What a row of an annotation says of one segment of one system."""

    row: Record
    system: str
    document: str
    number: int
    source: str
    target: str
    spans: tuple[MarkedSpan, ...]


def read_mqm(path: str | Path) -> SpanAnnotation:
    """The annotation of a file, compressed or not; segments in the order of their documents and numbers.

    What any of several raters marked is marked.
    """
    lines = []
    for row in Row.from_tsv(read_text(path).lines, path=str(path)):
        # A system may leave a segment untranslated.
        target = row.text("target", "")
        spans: tuple[MarkedSpan, ...] = ()
        if found := _SPAN.search(target):
            end = found.start() + len(found[1])
            spans = (MarkedSpan(found.start(), end, row.text("category"), row.text("severity")),)
        source, target = (_TAG.sub("", text) for text in (row.text("source"), target))
        place = row.text("system"), row.text("doc"), row.integer("seg_id")
        lines.append(_AnnotatedLine(row, *place, source, target, spans))
    annotation = _assemble(sorted(lines, key=lambda line: (line.document, line.number)))
    for system in annotation.systems:
        for number, document in enumerate(annotation.documents):
            if (system, number) not in annotation.spans:
                raise InputError(
                    f"{system} has no translation of a segment of {document}: {annotation.source[number]}",
                    where=str(path),
                    fix="give every system a row for every segment, No-error where it is clean",
                )
    return annotation


def read_esa(path: str | Path, *, pair: str) -> SpanAnnotation:
    """The annotation of one language pair, lines in their order; a line that a system lacks is empty.

    `start_i` and `end_i` of a span are its first and its last character, as the annotation tool counts them.
    """
    lines = []
    for row in Record.from_json_lines(read_text(path).lines, path=str(path)):
        if row.text("langs") != pair:
            continue
        target = row.text("tgt", blank=True)
        spans = []
        for span in row.tables("esa_spans"):
            if span.raw("start_i") == _OMISSION:
                continue
            start = span.integer("start_i", low=0, high=len(target))
            end = span.integer("end_i", low=start, high=len(target)) + 1
            spans.append(MarkedSpan(start, end, _UNNAMED, span.text("severity")))
        place = row.text("system"), row.text("doc_id"), row.integer("line_id", low=0)
        lines.append(_AnnotatedLine(row, *place, row.text("src"), target, tuple(spans)))
    if not lines:
        raise InputError(f"there are no lines of {pair}", where=str(path), fix="name the pair of the file")
    return _assemble(sorted(lines, key=lambda line: line.number))


def _assemble(lines: Sequence[_AnnotatedLine]) -> SpanAnnotation:
    """The segments in the order of their first line; a segment of a system may have several."""
    segments: dict[tuple[str, int], int] = {}
    sources: list[str] = []
    targets: dict[tuple[str, int], str] = {}
    spans: dict[tuple[str, int], tuple[MarkedSpan, ...]] = {}
    for line in lines:
        number = segments.setdefault((line.document, line.number), len(segments))
        if number == len(sources):
            sources.append(line.source)
        key = line.system, number
        if targets.setdefault(key, line.target) != line.target:
            line.row.refuse(
                "target",
                f"another translation by {line.system} of the same segment",
                fix="give every row of a segment the same target, marks aside",
            )
        spans[key] = spans.get(key, ()) + line.spans
    systems = sorted({system for system, _ in targets})
    return SpanAnnotation(
        source=tuple(sources),
        documents=tuple(document for document, _ in segments),
        systems={name: tuple(targets.get((name, i), "") for i in range(len(sources))) for name in systems},
        spans=spans,
    )


def read_diabla(path: str | Path) -> SpanAnnotation:
    """All dialogues of a folder or of an archive, from English to French.

    A dialogue is a document with every utterance in its order, so that antecedents are found in what the
    other person said: utterances in French stand there with their translation into English as the source.
    Those in English are judged: each problem that was ticked, and a quality that is not `perfect`, marks the
    whole translation, with the problem as the category and the quality as the severity.
    """
    source: list[str] = []
    documents: list[str] = []
    systems: dict[str, list[str]] = {_DIALOGUE_SYSTEM: [], _REFERENCE: []}
    spans: dict[tuple[str, int], tuple[MarkedSpan, ...]] = {}
    for name, content in _dialogues(path):
        utterances = Record.from_json(content, where=name).table("utterances")
        for key in sorted(utterances, key=lambda key: (len(key), key)):
            one = utterances.table(key)
            translated = " ".join(one.text("postprocessed_text", blank=True).split())
            written = one.text("normalised_version", "", blank=True) or one.text("original_text", blank=True)
            written = " ".join(written.split())
            if one.choice("language", ("english", "french")) == "french":
                source.append(translated)
                lines = (written, written)
            else:
                source.append(written)
                lines = (translated, " ".join(one.text("reference_translation", "", blank=True).split()))
                judged = one.table("eval", {})
                if "judgment" in judged and judged.raw("judgment") is not None:
                    quality = judged.choice("judgment", ("perfect", "medium", "poor"))
                    ticked = judged.texts("problems", ()) or (_UNNAMED,)
                    marks = [MarkedSpan(0, len(translated), problem, quality) for problem in ticked]
                    place = (_DIALOGUE_SYSTEM, len(source) - 1)
                    spans[place] = () if quality == "perfect" else tuple(marks)
            documents.append(Path(name).stem)
            for system, line in zip(systems.values(), lines, strict=True):
                system.append(line)
    if not spans:
        raise InputError(
            "there is no judged dialogue",
            where=str(path),
            fix="name the folder or archive of DiaBLa's dialogues",
        )
    lines_of = {name: tuple(lines) for name, lines in systems.items()}
    return SpanAnnotation(tuple(source), tuple(documents), lines_of, spans, whole_segments=True)


def _dialogues(path: str | Path) -> Iterator[tuple[str, str]]:
    """Name and content of the JSON files of a folder or of a tar archive, in the order of their names."""
    try:
        if Path(path).is_dir():
            found = {str(file): file.read_bytes() for file in sorted(Path(path).glob("*.json"))}
        else:
            with tarfile.open(fileobj=io.BytesIO(read_bytes(path))) as archive:
                files = [one for one in archive.getmembers() if one.isfile() and one.name.endswith(".json")]
                found = {one.name: archive.extractfile(one).read() for one in files}  # type: ignore[union-attr]
        for name in sorted(found):
            yield name, found[name].decode("utf-8")
    except (OSError, tarfile.TarError, UnicodeDecodeError) as error:
        raise InputError(
            f"the dialogues cannot be read: {error}",
            where=str(path),
            fix="name a folder or a tar archive with one JSON file per dialogue",
        ) from error


def write_texts(annotation: SpanAnnotation, folder: str | Path) -> None:
    """What `anaphor score` needs: `source.txt`, `documents.txt`, and one text for each system."""
    texts = {"source": annotation.source, "documents": annotation.documents, **annotation.systems}
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, lines in texts.items():
        write_atomically(Path(folder) / f"{name}.txt", "".join(f"{line}\n" for line in lines))


@dataclass(frozen=True, slots=True)
class MarkRule:
    """Which spans mark a pronoun: those of at most `longest` words that contain it and no other pronoun.

    `longest` is None where whole segments were judged: then any span counts. Without `categories` or
    `severities` all do; a category also stands for those below it (`Fluency` for `Fluency/Grammar`).
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
        others = [one for one in inside if one[0].lower() in self.pronouns and one.start() != word[0]]
        covered = span.start <= word[0] and word[1] <= span.end
        return covered and len(inside) <= self.longest and not others


def mark_items(
    items: Sequence[ScoredItem], annotation: SpanAnnotation, rule: MarkRule, pack: PairPack
) -> list[MarkedItem]:
    """The items that have a word in a judged line, with their marks; the others are left out."""
    found = []
    tokenize = Tokenizer(pack.target)
    for item in items:
        lines, segment = annotation.systems.get(item.system, ()), item.segment
        if segment >= len(annotation.source) or not lines:
            raise MismatchError(
                f"the annotation has no line {segment + 1} of {item.system}",
                where="--items",
                fix="score the texts that --texts writes, under their names",
            )
        spans = annotation.spans.get((item.system, segment))
        if spans is None or item.candidate_words is None:
            continue
        words = _word_places(item, lines[segment], tokenize)
        marked = any(rule.is_marked(lines[segment], word, spans) for word in words)
        document = annotation.documents[segment]
        found.append(MarkedItem(item.system, document, marked, item.outcome, item.scores, item.verdicts))
    return found


def _word_places(item: ScoredItem, line: str, tokenize: Tokenizer) -> list[tuple[int, int]]:
    """Start and end of the candidate's words, in text that is tokenized already or not."""
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
    items: Mapping[Key, ScoredItem], judged: Sequence[JudgedPronoun], *, path: str
) -> list[MarkedItem]:
    """The items that annotators judged, marked where most called them incorrect; `bad` is not a vote."""
    votes: dict[Key, list[bool]] = {}
    for one in judged:
        if (one.system, one.id) not in items:
            raise MismatchError(
                f"{one.id} of {one.system} is judged, but no item",
                where=path,
                fix="give the items of the same systems and pronouns (anaphor score --items)",
            )
        if one.judgement is not Judgement.BAD:
            votes.setdefault((one.system, one.id), []).append(one.judgement is Judgement.INCORRECT)
    found = []
    for key, given in votes.items():
        item = items[key]
        document = str(item.segment) if item.document == "-" else item.document
        wrong = 2 * sum(given) > len(given)
        found.append(MarkedItem(item.system, document, wrong, item.outcome, item.scores, item.verdicts))
    return found


def read_annotation(
    *, pair: str, mqm: str | None = None, esa: str | None = None, diabla: str | None = None
) -> SpanAnnotation | None:
    """The annotation of the one file that is named; None where there is none."""
    named = [one for one in (mqm, esa, diabla) if one is not None]
    if len(named) > 1:
        raise OptionError(
            "several annotations are named", where="--mqm, --esa, --diabla", fix="name one of them"
        )
    if mqm is not None:
        return read_mqm(mqm)
    if esa is not None:
        return read_esa(esa, pair=pair)
    return None if diabla is None else read_diabla(diabla)


def evaluate_spans(
    items: Sequence[str],
    *,
    pair: str,
    mqm: str | None = None,
    esa: str | None = None,
    diabla: str | None = None,
    judgements: str | None = None,
    longest: int = 3,
    categories: Sequence[str] = (),
    severities: Sequence[str] = (),
    metrics: Sequence[str] = (),
    threshold: float | None = None,
    over: Over = "systems",
    samples: int = 1000,
    seed: int = 12345,
    level: float = 0.95,
) -> MarkEvaluation:
    """Metrics beside marked pronouns; the arguments are the options of `anaphor meta spans`."""
    pack = load_pair(LanguagePair.parse(pair))
    annotation = read_annotation(pair=pair, mqm=mqm, esa=esa, diabla=diabla)
    if (annotation is None) == (judgements is None):
        raise OptionError(
            "one file says what people marked",
            where="--mqm, --esa, --diabla, --judgements",
            fix="name one of them",
        )
    if longest < 1:
        raise OptionError(f"spans of {longest} words", where="--longest", fix="give 1 or more, such as 3")
    scored = join_items({path: read_items(path) for path in items})
    if annotation is None:
        found = mark_judged(scored, read_judgements(judgements or ""), path=judgements or "")
    else:
        rule = MarkRule(
            frozenset(form.lower() for form in (*pack.target_pronouns, *pack.object_pronouns)),
            None if annotation.whole_segments else longest,
            frozenset(name.lower() for name in categories) if categories else None,
            frozenset(name.lower() for name in severities) if severities else None,
        )
        found = mark_items(list(scored.values()), annotation, rule, pack)
    return evaluate_marks(
        found,
        metrics=metrics,
        threshold=threshold,
        over=over,
        samples=samples,
        seed=seed,
        level=level,
        left_out=len(scored) - len(found),
    )


def join_items(parts: Mapping[str, Mapping[Key, ScoredItem]]) -> Mapping[Key, ScoredItem]:
    """Items of several runs on the same candidates: one item has the scores of all.

    A metric that more than one run has is named with the file it comes from: `accept (free)`.
    """
    names = [{name for item in part.values() for name in item.scores} for part in parts.values()]
    joined: dict[Key, ScoredItem] = {}
    for number, (path, part) in enumerate(parts.items()):
        if number and part.keys() != joined.keys():
            raise MismatchError(
                f"the pronouns are not those of {next(iter(parts))}",
                where=path,
                fix="give the items of the same candidates, scored with other metrics or options",
            )
        shared = {name for name in names[number] if sum(name in one for one in names) > 1}
        for key, item in part.items():
            label = {name: f"{name} ({Path(path).stem})" if name in shared else name for name in item.scores}
            scores = {label[name]: score for name, score in item.scores.items()}
            verdicts = {label[name]: item.verdicts.get(name, "") for name in item.scores}
            first = joined.get(key, replace(item, scores={}, verdicts={}))
            joined[key] = replace(
                first, scores={**first.scores, **scores}, verdicts={**first.verdicts, **verdicts}
            )
    return joined
