"""Judged pronouns with what the witnesses say of them: the sets behind the weights of the verdict.

`judged_sets()` gives single pronouns of real translations that were judged by reading, from
ANAPHOR_DATA/judged-pronouns, those that we read in the same documents and in other texts (`readings/`), and
acceptable ones that were made wrong. The other texts are made by `further.py` and lie in the folder that
ANAPHOR_FURTHER names. Each part is aligned and judged as `anaphor score` would do it, every pronoun of every
system, because scores and base rates need all of them.
"""

from __future__ import annotations

import csv
import gzip
import os
import re
import sys
import tarfile
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.core import PronounPair, Settings
from anaphor.corpus import Inputs, Text
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import metric_input
from anaphor.meta.spans import read_diabla
from anaphor.metrics.accept import Accept
from anaphor.metrics.contract import MetricContext, MetricInput
from anaphor.verdict import PronounEvidence
from tools.distributions import results_name, writes_research

HERE = Path(__file__).parent
DATA = Path(os.environ.get("ANAPHOR_DATA", HERE.parents[2] / "shared" / "data"))
JUDGED = DATA / "judged-pronouns"
#: The files of judgements, and the parts that each is about.
PARTS = {
    "en-de": ("wmt24-en-de", "chat24-en-de"),
    "en-fr": ("news-en-fr", "diabla-en-fr", "chat24-en-fr"),
    "en-es": ("wmt24-en-es",),
    "to-en": ("chat24-de-en", "chat24-fr-en", "diabla-fr-en"),
}
#: French utterances of the dialogues whose English ones are a part of `judged-pronouns`; we alone read them.
DIALOGUES = "diabla-fr-en"
#: Other texts whose pronouns we read: those of `further.py`. In `TALKS` only doubtful pronouns were read, to
#: train the detector; a share or a weight would be biased by this choice.
FURTHER = Path(os.environ.get("ANAPHOR_FURTHER", DATA.parent / "further"))
FURTHER_PARTS = {
    "en-de": ("captions-en-de",),
    "en-fr": ("captions-en-fr",),
    "en-es": ("captions-en-es", "wikipedia-en-es"),
}
#: Read for the plain installation, whose German detector learned from no other readings. The models of
#: `anaphor-research` have not seen these sentences.
ARTICLES = "articles-en-de"
#: The parts whose texts permit any use.
FREE_PARTS = (ARTICLES, "diabla-en-fr", "wikipedia-en-es")
TALKS = ("talks-en-de", "talks-en-fr", "talks-en-es")
#: The same for the plain installation: texts that permit any use, of which only doubtful pronouns were read.
FREE_TEXTS = ("comments-en-de", "squad-en-es")
#: Translations of which nobody read a pronoun.
LESSONS = ("lessons-en-de", "lessons-en-fr", "lessons-en-es")
FURTHER_NAMES = frozenset(
    {ARTICLES, *TALKS, *FREE_TEXTS, *LESSONS, *(name for parts in FURTHER_PARTS.values() for name in parts)}
)
#: Parts whose texts are under non-commercial terms: weights of the plain installation are not fitted on them.
NONCOMMERCIAL = frozenset({"chat24-en-de", "chat24-en-fr", "chat24-de-en", "chat24-fr-en"})
DETECTOR = "detector"
#: Stands for readers where the error was made.
DAMAGED = "damaged"
#: What a gendered form is exchanged for, besides being dropped: what weak systems write in its place. Spanish
#: is left out, because a dropped subject is no error there.
_EXCHANGED = {
    "de": {"er": "es", "sie": "es", "ihn": "es", "ihm": "ihr"},
    "fr": {
        "il": "cela",
        "elle": "cela",
        "ils": "il",
        "elles": "cela",
        "le": "cela",
        "la": "cela",
        "les": "cela",
    },
    "en": {"he": "it", "she": "it", "they": "it", "it": "they"},
}
_TOKENIZED = frozenset({"news-en-fr"})
_FORMS = {"en": "it|they", "fr": "il|elle|ils|elles", "de": "er|sie|es"}
csv.field_size_limit(10**9)


@dataclass(frozen=True, slots=True)
class Example:
    """One pronoun of one system. `wrong` is None where nobody judged it; `read_by` names the readers."""

    part: str
    system: str
    document: str
    pair: PronounPair
    evidence: PronounEvidence
    kind: str
    wrong: bool | None = None
    read_by: str = ""
    #: Document, system, line and token, as the held-out opinions of detectors name it.
    place: str = ""

    @property
    def language(self) -> str:
        return self.part[-2:]

    @property
    def is_real(self) -> bool:
        """Whether a system wrote it; others were made wrong on purpose."""
        return self.read_by != DAMAGED


@dataclass(frozen=True, slots=True)
class Part:
    """The texts of a part, unpacked."""

    name: str
    source: Sequence[str]
    documents: tuple[str, ...]
    candidates: Mapping[str, Sequence[str]]
    references: Sequence[Sequence[str]] = ()

    @classmethod
    def read(cls, name: str) -> Part:
        def lines(path: Path) -> list[str]:
            return gzip.open(path, "rt", encoding="utf-8", newline="\n").read().removesuffix("\n").split("\n")

        if name == DIALOGUES:
            found = read_diabla(DATA / "diabla-en-fr" / "dialogues-half.tar.gz", pair="fr-en")
            return cls(name, found.source, tuple(found.documents), {"mt": found.systems["mt"]})
        is_further = name in FURTHER_NAMES
        folder = (FURTHER if is_further else JUDGED) / name
        texts = {path.stem: lines(path) for path in sorted(folder.glob("*.gz"))}
        if not texts:
            make = "further.py makes it" if is_further else "it is part of judged-pronouns"
            raise SystemExit(f"{folder}: the part is not there; {make}")
        source, documents = texts.pop("source"), tuple(texts.pop("documents"))
        return cls(name, source, documents, texts)

    def with_references(self) -> Part:
        """The part with the first reference of WMT24, whose folder has all documents in the same order."""
        with tarfile.open(DATA / "wmt24-en-de" / "texts.tar.gz") as archive:

            def lines(name: str) -> list[str]:
                file = archive.extractfile(name)
                assert file is not None
                return file.read().decode().removesuffix("\n").split("\n")

            names = [line.split("\t")[-1] for line in lines("documents/en-de.docs")]
            sources, references = lines("sources/en-de.txt"), lines("references/en-de.refA.txt")
        kept = set(self.documents)
        rows = [row for row in zip(names, sources, references, strict=True) if row[0] in kept]
        if [row[1].split() for row in rows] != [line.split() for line in self.source]:
            raise ValueError("the source of the part is not that of WMT24")
        return replace(self, references=([row[2] for row in rows],))


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Judgements by part, system, line and character of the pronoun: wrong or not, and who read it."""

    by_place: Mapping[tuple[str, str, int, int], tuple[bool, str]] = field(default_factory=dict)

    @classmethod
    def read(cls) -> Verdicts:
        found = {}
        for folder, readers in ((JUDGED, "given"), (HERE / "readings", "ours")):
            for name in PARTS:
                path = folder / f"{name}.tsv"
                if not path.exists():
                    continue
                with path.open(encoding="utf-8") as file:
                    for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                        if row["verdict"] in ("ok", "wrong"):
                            place = row["part"], row["system"], int(row["line"]), int(row["start"])
                            reader = "further" if row["part"] in FURTHER_NAMES else readers
                            reader = "articles" if row["part"] == ARTICLES else reader
                            found[place] = row["verdict"] == "wrong", reader
        return cls(found)

    def of(self, part: Part, system: str, segment: int) -> list[tuple[bool, str] | None]:
        """The judgement of each pronoun of a line, in order."""
        language = part.name[-5:-3]
        # *Sie* of address is no pronoun of the third person.
        flags = 0 if language == "de" else re.IGNORECASE
        starts = re.finditer(rf"\b({_FORMS[language]})\b", part.source[segment], flags)
        return [self.by_place.get((part.name, system, segment, start.start())) for start in starts]


def trials(part: Part, *, reference: bool = False) -> Iterator[tuple[str, Accept, MetricInput]]:
    """Every system of a part as the metric takes it."""
    settings = Settings(
        pair=part.name[-5:],
        metrics=("accept",),
        samples=0,
        tokenized=part.name in _TOKENIZED,
    )
    given = Inputs(
        source=Text.of(part.source, path="source"),
        references=tuple(Text.of(lines, path="reference") for lines in part.references),
        candidates={name: Text.of(lines, path=name) for name, lines in part.candidates.items()},
        documents=part.documents,
    )
    experiment = Experiment.of(given, settings).aligned()
    inputs = experiment.inputs
    (metric,) = experiment.metrics
    assert isinstance(metric, Accept)
    for system, pairs in experiment.pairs.items():
        trial = metric_input(
            experiment,
            system,
            inputs.candidates[system],
            pairs,
            alignment=(inputs.candidate_alignments or {})[system],
            references=None if reference else (),
        )
        yield system, metric, trial


def collect_evidence(
    part: Part, *, reference: bool = False
) -> Iterator[tuple[str, PronounPair, PronounEvidence, str]]:
    """Every pronoun of every system with the testimonies of all witnesses, and the kind of its rendering."""
    for system, metric, trial in trials(part, reference=reference):
        for pair, evidence in zip(trial.pairs, metric.judge.evidence(metric.text(trial)), strict=True):
            yield system, pair, evidence, evidence.rendering.kind.value


def examples_of(part: Part, verdicts: Verdicts, *, reference: bool = False) -> list[Example]:
    """Every pronoun of a part, judged or not."""
    rank: defaultdict[tuple[str, int], int] = defaultdict(int)
    language = part.name[-5:-3]
    unseen = held_out_odds(results_name(DETECTOR))
    starts = {name: segment for segment, name in reversed(list(enumerate(part.documents)))}
    found = []
    for system, pair, evidence, kind in collect_evidence(part, reference=reference):
        segment, wrong, readers = pair.source.segment, None, ""
        if re.fullmatch(_FORMS[language], pair.source.form, re.IGNORECASE):
            judged = verdicts.of(part, system, segment)
            place = rank[system, segment]
            rank[system, segment] += 1
            if place < len(judged) and judged[place] is not None:
                wrong, readers = judged[place]  # type: ignore[misc]
        document = f"{part.name}/{part.documents[segment]}"
        line = segment - starts[part.documents[segment]]
        name = f"{document}/{system}:{line}:{pair.source.position}"
        if (odds := unseen.get(name)) is not None:
            told = evidence.testimonies[DETECTOR]
            own = told._replace(signals={name: max(-6.0, min(6.0, odds)) for name in told.signals})
            evidence = evidence._replace(testimonies={**evidence.testimonies, DETECTOR: own})
        found.append(Example(part.name, system, document, pair, evidence, kind, wrong, readers, name))
    return found


@cache
def held_out_odds(which: str = DETECTOR) -> Mapping[str, float]:
    """What detectors said of judged documents whose verdicts they had not seen, by place."""
    with gzip.open(HERE / "results" / f"{which}.tsv.gz", "rt", encoding="utf-8") as file:
        rows = (line.rstrip("\n").split("\t") for line in file)
        return {place: float(odds) for place, odds in rows}


def damaged(part: Part, verdicts: Verdicts) -> list[Example]:
    """Acceptable pronouns of a part made wrong: every second one dropped, the others exchanged.

    Readings are of systems that rarely drop a pronoun, so they cannot teach what a dropped one looks like.
    """
    language = part.name[-2:]
    target = MetricContext.of(Settings(pair=part.name[-5:], tokenized=part.name in _TOKENIZED)).target
    lines = {system: list(text) for system, text in part.candidates.items()}
    changed: dict[tuple[str, int, int], str] = {}
    for example in examples_of(part, verdicts):
        counterpart, pronoun = example.pair.candidate, example.pair.source
        key = example.system, pronoun.segment
        if example.wrong is not False or counterpart is None or len(counterpart.positions) != 1:
            continue
        if any(place[:2] == key for place in changed):
            continue
        sentence = target.sentence(lines[example.system][pronoun.segment])
        word = counterpart.words[0]
        other = _EXCHANGED.get(language, {}).get(word.lower())
        drops = zlib.crc32(f"{example.document} {pronoun.position}".encode()) % 2 == 0
        if other is None:
            continue
        span = sentence.span(counterpart.positions[0])
        text = lines[example.system][pronoun.segment]
        new = "" if drops else other.capitalize() if word[0].isupper() else other
        lines[example.system][pronoun.segment] = f"{text[: span.start]}{new}{text[span.end :]}"
        changed[example.system, pronoun.segment, pronoun.position] = new
    worse = replace(part, candidates=lines)
    return [
        replace(example, wrong=True, read_by=DAMAGED, system=f"{example.system}, damaged")
        for example in examples_of(worse, Verdicts())
        if (example.system, example.pair.source.segment, example.pair.source.position) in changed
    ]


def part_names() -> list[str]:
    """The parts that weights are fitted on; one of them is for the plain installation alone."""
    names = [name for table in (PARTS, FURTHER_PARTS) for parts in table.values() for name in parts]
    return names if writes_research() else [*names, ARTICLES]


def judged_sets() -> list[Example]:
    """All pronouns of all parts, and those that were made wrong."""
    verdicts = Verdicts.read()
    parts = [Part.read(name) for name in part_names()]
    found = [example for part in parts for example in examples_of(part, verdicts)]
    return found + [example for part in parts for example in damaged(part, verdicts)]
