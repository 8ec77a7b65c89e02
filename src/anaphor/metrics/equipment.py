"""What the settings of an experiment choose: pack, splitters, watched forms, options of the metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from anaphor.align import AlignerChoice
from anaphor.core import LanguagePair, PronounPair, Settings
from anaphor.corpus import Inputs
from anaphor.languages import PairPack, Tokenizer, load_pair
from anaphor.metrics.contract import MetricOptions
from anaphor.pronouns import (
    CounterpartFinder,
    Splitter,
    Watch,
    find_pronouns,
    pair_up,
    with_alignments,
    with_alignments_by_way,
)


@dataclass(frozen=True, slots=True)
class Equipment:
    """Everything between the settings and the first pronoun pair."""

    pack: PairPack
    source: Splitter
    target: Splitter
    watch: Watch
    options: MetricOptions
    finder: CounterpartFinder
    aligner: AlignerChoice
    drop_outside: bool

    @classmethod
    def of(cls, settings: Settings) -> Equipment:
        folder = None if settings.packs is None else Path(settings.packs)
        pack = load_pair(LanguagePair.parse(settings.pair), folder=folder)
        source = Splitter.of(Tokenizer(pack.source), tokenized=settings.tokenized)
        target = Splitter.of(Tokenizer(pack.target), tokenized=settings.tokenized)
        watch = Watch.of(pack, settings)
        options = MetricOptions.of(settings, pack=pack, forms=watch.forms, words=target.words)
        finder = CounterpartFinder(pack, watch.forms, repair=settings.repair)
        aligner = AlignerChoice(
            pair=pack.pair,
            name=settings.aligner,
            symmetrization=settings.symmetrization,
            priors=settings.priors,
            packs=folder,
        )
        return cls(pack, source, target, watch, options, finder, aligner, settings.outside_links == "drop")

    def aligned(self, inputs: Inputs, progress: Callable[[str], None] = lambda _: None) -> Inputs:
        """The inputs with an alignment for every text; `progress` hears how much of it is done."""
        choice = self.aligner.telling("aligning", progress)
        return with_alignments(inputs, choice, source=self.source.words, target=self.target.words)

    def aligned_by_way(
        self, inputs: Inputs, ways: Sequence[str], progress: Callable[[str], None] = lambda _: None
    ) -> dict[str, Inputs]:
        """The same for several ways of joining the two directions of one trained aligner."""
        choice = self.aligner.telling("aligning", progress)
        words = {"source": self.source.words, "target": self.target.words}
        return with_alignments_by_way(inputs, choice, ways, **words)

    def pairs(self, inputs: Inputs) -> dict[str, list[PronounPair]]:
        """The pronoun pairs of every candidate."""
        found = find_pronouns(inputs, self.watch, self.source, self.pack)
        return pair_up(inputs, found, self.finder, target=self.target, drop_outside=self.drop_outside)
