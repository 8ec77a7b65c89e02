"""Signatures of scores: the metric's own options, then what every number depends on."""

from __future__ import annotations

from anaphor import __version__
from anaphor.core import Settings, Signature, digest
from anaphor.corpus import Inputs
from anaphor.metrics.contract import Metric
from anaphor.metrics.equipment import Equipment


class Signer:
    """Signs the scores of one experiment."""

    def __init__(
        self, inputs: Inputs, settings: Settings, equipment: Equipment, *, given: Inputs | None = None
    ) -> None:
        """`given` are the inputs before the missing alignments were made, if any were missing."""
        self._inputs = inputs
        self._given = given or inputs
        self._made = _made_links(inputs, self._given)
        self._settings = settings
        self._packs = equipment.pack.digest
        watched = ",".join(equipment.watch.pronouns)
        if inputs.positions is not None:
            watched = f"positions-{inputs.positions.digest}"
        self._shared = {
            "tok": equipment.target.name,
            "packs": self._packs,
            "forms": "pair+objects" if settings.objects else "pair",
            "pronouns": watched,
            "repair": "paper" if settings.repair else "none",
            "aligner": _aligner(self._given, settings, equipment),
        }

    def sign(self, metric: Metric, system: str) -> Signature:
        """`test` is a hash of what all systems share, `cand` one of what belongs to this system alone."""
        inputs, settings = self._inputs, self._settings
        fields = {**metric.settings(), "pair": settings.pair, "refs": str(len(inputs.references))}
        fields |= {name: value for name, value in self._shared.items() if name in metric.depends}
        fields |= {"test": self._test_digest(metric), "cand": self._candidate_digest(metric, system)}
        if metric.pronominal and self._made:
            fields |= {"links": self._made}
        if settings.samples:
            fields |= {"cluster": self._cluster(), "samples": str(settings.samples)}
            fields |= {"level": f"{settings.level:g}", "seed": str(settings.seed)}
        return Signature(metric.name, tuple(fields.items()), __version__)

    def digests(self) -> dict[str, str]:
        """Content hashes of every input by its role, to name what changed."""
        inputs = self._inputs
        found = {"source": inputs.source.digest, "packs": self._packs}
        found |= {f"reference {n}": text.digest for n, text in enumerate(inputs.references)}
        found |= {f"candidate {name}": text.digest for name, text in inputs.candidates.items()}
        for n, links in enumerate(inputs.reference_alignments or ()):
            found[f"alignment of reference {n}"] = links.digest
        for name, links in (inputs.candidate_alignments or {}).items():
            found[f"alignment of candidate {name}"] = links.digest
        if inputs.documents is not None:
            found["documents"] = _documents_digest(inputs.documents)
        if inputs.positions is not None:
            found["positions"] = inputs.positions.digest
        return found

    def _cluster(self) -> str:
        documents = self._inputs.documents
        return "segment" if documents is None else f"document-{_documents_digest(documents)}"

    def _test_digest(self, metric: Metric) -> str:
        given = self._given
        parts = [text.digest for text in given.references]
        if metric.pronominal:
            parts += [given.source.digest, *(a.digest for a in given.reference_alignments or ())]
        return digest(part.encode() for part in parts)

    def _candidate_digest(self, metric: Metric, system: str) -> str:
        given = self._given
        parts = [given.candidates[system].digest]
        if metric.pronominal and given.candidate_alignments is not None:
            parts.append(given.candidate_alignments[system].digest)
        return digest(part.encode() for part in parts)


def _made_links(inputs: Inputs, given: Inputs) -> str:
    """A hash of the alignments that were made; texts aligned together may move each other's links."""
    made = []
    if given.reference_alignments is None:
        made += [links.digest for links in inputs.reference_alignments or ()]
    if given.candidate_alignments is None:
        made += [links.digest for links in (inputs.candidate_alignments or {}).values()]
    return digest(part.encode() for part in sorted(made)) if made else ""


def _aligner(given: Inputs, settings: Settings, equipment: Equipment) -> str:
    """Where the links come from: from files, from an aligner, or from both."""
    from_files = "given" if settings.outside_links == "error" else "given-inside"
    sides = {"references": given.reference_alignments, "candidates": given.candidate_alignments}
    missing = [side for side, links in sides.items() if links is None]
    if not missing:
        return from_files
    made = equipment.aligner.signature()
    return made if len(missing) == 2 else f"{from_files},{made} for {missing[0]}"


def _documents_digest(documents: tuple[str, ...]) -> str:
    return digest(name.encode() for name in documents)
