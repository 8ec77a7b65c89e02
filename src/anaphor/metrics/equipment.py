"""What the settings of an experiment choose: pack, splitters, watched forms, options of the metrics."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from anaphor.align import AlignerChoice
from anaphor.core import LanguagePair, PronounPair, Settings
from anaphor.corpus import Inputs
from anaphor.languages import PairPack, Tokenizer, load_pair
from anaphor.metrics.contract import MetricOptions
from anaphor.pronouns import CounterpartFinder, Splitter, Watch, find_pronouns, pair_up, with_alignments


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
        )
        return cls(pack, source, target, watch, options, finder, aligner, settings.outside_links == "drop")

    def aligned(self, inputs: Inputs) -> Inputs:
        """The inputs with an alignment for every text."""
        return with_alignments(inputs, self.aligner, source=self.source.words, target=self.target.words)

    def pairs(self, inputs: Inputs) -> dict[str, list[PronounPair]]:
        """The pronoun pairs of every candidate."""
        found = find_pronouns(inputs, self.watch, self.source, self.pack)
        return pair_up(inputs, found, self.finder, target=self.target, drop_outside=self.drop_outside)
