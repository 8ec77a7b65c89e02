"""The verdict on every pronoun of a candidate: prepares documents, collects testimonies, applies a common
scale.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain, groupby
from types import MappingProxyType
from typing import NamedTuple, Protocol

from anaphor.analyse import load_analyser
from anaphor.analyse.builtin import built_in_languages
from anaphor.antecedents import (
    Place,
    Pointer,
    Resolver,
    TargetLanguage,
    has_agreement,
    resolver_languages,
    target_languages,
)
from anaphor.core import (
    Alignment,
    LanguagePair,
    MarkedPronoun,
    OptionError,
    Outcome,
    PronounPair,
    PronounScore,
)
from anaphor.languages import LanguagePack, Words, known_languages, known_pairs, load_language
from anaphor.verdict import base_rate, reference
from anaphor.verdict.agreement import AgreementWitness
from anaphor.verdict.contract import Detector, Testimony, Witness
from anaphor.verdict.detection import DetectionWitness
from anaphor.verdict.document import (
    CandidateDocument,
    Case,
    Piece,
    SourceDocument,
    analysed,
    blocks,
    line_number,
)
from anaphor.verdict.fusion import VERDICTS, Fusion, reason_of, verdict_of
from anaphor.verdict.rendering import Rendering, RenderingKind, rendering_of
from anaphor.verdict.surface import CoverageWitness, RenderingWitness

#: Blocks of a long text that are kept for the next candidate. Each takes about 2 MB, so memory has a limit.
_KEPT_BLOCKS = 24

#: The places of the pronouns to judge, by piece.
Places = Mapping[Piece, Set[Place]]


class Alignments(Protocol):
    """The links of every segment, created on access if they come from a file."""

    def __getitem__(self, segment: int, /) -> Alignment: ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CandidateText:
    """One candidate with its source and alignment.

    `detector` and `pointer` may be None. `outcomes` has those of
    APT against every reference for each pronoun, and is empty without references. For a part of a text,
    `before` is the number of preceding lines. `name_line` gives the name of a line in reasons.
    """

    source: Sequence[str]
    candidate: Sequence[str]
    pairs: Sequence[PronounPair]
    alignment: Alignments
    documents: Sequence[str] | None = None
    outcomes: Sequence[Sequence[Outcome]] = ()
    detector: Detector | None = None
    pointer: Pointer | None = None
    before: int = 0
    name_line: Callable[[int], str] = line_number


class Weighed(NamedTuple):
    """The evidence about one pronoun before the base rate of its candidate is known. `ratio` is the log
    likelihood ratio, `reasons` has a reason for each verdict, and `antecedent` is the place of the most
    likely antecedent.
    """

    ratio: float
    reasons: Mapping[str, str]
    antecedent: tuple[int, int] | None


class PronounEvidence(NamedTuple):
    """The testimonies on one pronoun, its rendering, and the place of its most likely antecedent.

    `expected` are the forms that the detector expects, with probabilities; empty without a detector.
    """

    rendering: Rendering
    testimonies: Mapping[str, Testimony]
    antecedent: tuple[int, int] | None
    expected: Mapping[str, float] = MappingProxyType({})


class Judge:
    """Judges pronouns of one language pair. `witnesses` are those that examine the text, `target` the pack of
    the target language if it is not the built-in one, `they` the policy for English *they*.
    """

    def __init__(
        self,
        pair: LanguagePair,
        *,
        words: Words,
        source_words: Words,
        witnesses: Sequence[Witness] | None = None,
        target: LanguagePack | None = None,
        they: str = "default",
    ) -> None:
        if target is None and pair.target in known_languages():
            target = load_language(pair.target)
        if target is None or (missing := missing_parts(pair, target)):
            what = "there is no pack of the target language" if target is None else " and ".join(missing)
            raise OptionError(
                f"acceptability is not available for {pair}: {what}",
                where=f"--pair {pair}",
                fix="with a reference, `anaphor score --metrics apt autoprf` is for every pair with a pack; "
                f"accept is for {', '.join(_judged_pairs())}",
            )
        self.resolver = Resolver.load(pair.source)
        self._source_analyser = load_analyser("built-in", language=pair.source)
        self._target_analyser = load_analyser("built-in", language=pair.target)
        self._language = TargetLanguage.from_pack(target).under(they)
        source = TargetLanguage.load(pair.source).under(they) if pair.source in target_languages() else None
        self._words, self._source_words = words, source_words
        self._witnesses = witnesses or (
            AgreementWitness(source),
            RenderingWitness(source),
            CoverageWitness(),
            DetectionWitness(),
        )
        alike = self._language.facts.weights
        self._fusions = {
            used: Fusion.load(pair.target, reference=used, alike=alike) for used in (False, True)
        }
        # Candidates share a source. Texts of usual length are resolved once for all of them.
        self._source: CandidateText | None = None
        self._sources: dict[Piece, tuple[Places, dict[Piece, SourceDocument]]] = {}

    @property
    def prior(self) -> float:
        """The share of wrong pronouns in the judged data."""
        return self._fusions[False].prior

    def evidence(self, text: CandidateText) -> Iterator[PronounEvidence]:
        """The testimonies on every pronoun, in text order."""
        outcomes = iter(text.outcomes)
        for case, rendering in self._rendered(text):
            testimonies = {
                witness.name: testimony
                for witness in self._witnesses
                if (testimony := witness.testify(case, rendering)) is not None
            }
            places = [
                testimony.antecedent for testimony in testimonies.values() if testimony.antecedent is not None
            ]
            if text.outcomes and (compared := reference.testimony(next(outcomes))) is not None:
                testimonies[reference.NAME] = compared
            expected = MappingProxyType({}) if case.detected is None else case.detected.expected
            yield PronounEvidence(rendering, testimonies, places[0] if places else None, expected)

    def _rendered(self, text: CandidateText) -> Iterator[tuple[Case, Rendering]]:
        """The pronouns with their renderings and, if there is a detector, its opinion."""
        for cases in self._cases_by_document(text):
            rendered = [(case, rendering_of(case)) for case in cases]
            if text.detector is not None:
                document = cases[0].document
                marks = [
                    MarkedPronoun(
                        *case.place, rendering.positions, rendering.kind is RenderingKind.NULL_SUBJECT
                    )
                    for case, rendering in rendered
                ]
                source = [sentence.tokens for sentence in document.source.sentences]
                first = cases[0].start - text.before
                part = slice(first, first + len(source))
                written = text.source[part], text.candidate[part]
                opinions = text.detector.detect(
                    source, document.tokens, document.alignments, marks, written=written
                )
                rendered = [
                    (replace(case, detected=opinion), rendering)
                    for (case, rendering), opinion in zip(rendered, opinions, strict=True)
                ]
            yield from rendered

    def weigh(self, text: CandidateText, evidence: Iterable[PronounEvidence] | None = None) -> list[Weighed]:
        """The weighed evidence about every pronoun of a candidate or of a part of it, for `decide`.

        `evidence` is passed by callers that have collected it already.
        """
        fusion = self._fusions[bool(text.outcomes)]
        weighed = []
        for _, testimonies, antecedent, _ in self.evidence(text) if evidence is None else evidence:
            opinion = fusion.weigh(testimonies)
            reasons = {verdict: reason_of(verdict, opinion, testimonies) for verdict in VERDICTS}
            weighed.append(Weighed(fusion.likelihood_ratio(opinion), reasons, antecedent))
        return weighed

    def decide(self, weighed: Sequence[Weighed], *, reference: bool) -> list[PronounScore]:
        """The verdict on every pronoun of a whole candidate, with its reason. `reference` says whether it was
        compared with references.
        """
        ratios = [evidence.ratio for evidence in weighed]
        values = base_rate.probabilities(ratios, self._fusions[reference].prior)
        scores = []
        for value, evidence in zip(values, weighed, strict=True):
            verdict = verdict_of(value)
            doubt = "cannot tell: " if verdict == "open" else ""
            reason = f"{doubt}{evidence.reasons[verdict]}"
            scores.append(PronounScore(value, verdict, reason, evidence.antecedent))
        return scores

    def judge(self, text: CandidateText) -> tuple[list[PronounScore], list[float]]:
        """The verdict on every pronoun with its reason, and the log likelihood ratios for the score."""
        weighed = self.weigh(text)
        scores = self.decide(weighed, reference=bool(text.outcomes))
        return scores, [evidence.ratio for evidence in weighed]

    def cases(self, text: CandidateText) -> Iterator[Case]:
        """The pronouns in text order."""
        return chain.from_iterable(self._cases_by_document(text))

    def _cases_by_document(self, text: CandidateText) -> Iterator[list[Case]]:
        """The pronouns of each piece that has any; other blocks are neither analysed nor resolved."""
        pairs = deque(text.pairs)
        for pieces in blocks(text.documents, len(text.source)):
            here = []
            while pairs and pairs[0].source.segment < pieces[-1].end:
                here.append(pairs.popleft())
            wanted = {pair.source.segment for pair in here}
            by_piece = [
                (piece, list(members))
                for piece, members in groupby(here, key=lambda pair: _piece_of(pair, pieces))
            ]
            places = {piece: {_place(pair, piece) for pair in members} for piece, members in by_piece}
            for piece, members in by_piece:
                source = self._source_block(text, pieces, places)[piece]
                document = self._document(text, piece, source, wanted)
                yield [_case(pair, piece, document, text) for pair in members]

    def _document(
        self, text: CandidateText, piece: Piece, source: SourceDocument, wanted: set[int]
    ) -> CandidateDocument:
        """Prepare one piece of the candidate, with the segments in `wanted` analysed."""
        segments = range(piece.start, piece.end)
        tokens = [self._words(text.candidate[segment]) for segment in segments]
        links = [text.alignment[segment] for segment in segments]
        # Only the sentences with a pronoun are analysed; of the others, words and links are enough.
        sentences = analysed(
            [line if segment in wanted else () for segment, line in zip(segments, tokens, strict=True)],
            self._target_analyser,
        )
        return CandidateDocument(self._language, source, tokens, sentences, links)

    def _source_block(
        self, text: CandidateText, pieces: Sequence[Piece], places: Places
    ) -> dict[Piece, SourceDocument]:
        """The source of a block, resolved at some places and cached for the next candidate with the same
        source and places.
        """
        known = self._source
        same = (
            known is not None
            and known.source is text.source
            and known.documents is text.documents
            and known.pointer is text.pointer
        )
        if not same:
            self._source = text
            self._sources.clear()
        resolved, documents = self._sources.get(pieces[0], ({}, {}))
        if resolved != places:
            # Every candidate begins with the first block. Of a longer text the first ones are kept; the last
            # ones would be gone again before the next candidate comes to them.
            if len(self._sources) >= _KEPT_BLOCKS:
                self._sources.popitem()
            lines = [
                self._source_words(text.source[segment])
                for piece in pieces
                for segment in range(piece.start, piece.end)
            ]
            sentences = deque(analysed(lines, self._source_analyser))
            resolver = self.resolver.with_pointer(text.pointer)
            documents = {
                piece: SourceDocument.of(
                    [sentences.popleft() for _ in range(piece.start, piece.end)],
                    resolver,
                    places.get(piece, ()),
                )
                for piece in pieces
            }
            self._sources[pieces[0]] = places, documents
        return documents


def _piece_of(pair: PronounPair, pieces: Sequence[Piece]) -> Piece:
    """The piece that judges a pronoun; later pieces may include its segment as context."""
    return pieces[bisect_right(pieces, pair.source.segment, key=lambda piece: piece.first) - 1]


def _place(pair: PronounPair, piece: Piece) -> Place:
    """The place of a pronoun in the document of its piece."""
    return Place(pair.source.segment - piece.start, pair.source.position)


def _case(pair: PronounPair, piece: Piece, document: CandidateDocument, text: CandidateText) -> Case:
    place = _place(pair, piece)
    return Case(pair, place, piece.start + text.before, document, name_line=text.name_line)


def missing_parts(pair: LanguagePair, target: LanguagePack) -> list[str]:
    """What verdicts on a pair need and do not have, each as a clause; empty if they are available."""
    missing = []
    if pair.source not in resolver_languages():
        missing.append(f"antecedents cannot be found in {_name(pair.source)} texts")
    if not has_agreement(target):
        missing.append(f"genders of {target.name} nouns are not known")
    if pair.target not in built_in_languages():
        missing.append(f"there is no analyser for {target.name}")
    return missing


def _judged_pairs() -> list[str]:
    """The pairs with a pack that can be judged; other pairs of the same languages need a pack first."""
    targets = {code for code in target_languages() if code in built_in_languages()}
    pairs = map(LanguagePair.parse, known_pairs())
    return [str(pair) for pair in pairs if pair.source in resolver_languages() and pair.target in targets]


def _name(language: str) -> str:
    return load_language(language).name if language in known_languages() else language
