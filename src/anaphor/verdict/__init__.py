"""Would a careful reader accept this pronoun? Witnesses, their fusion, and the base rate of a candidate.

    linked document ─▶ witnesses ─▶ fusion ─▶ likelihood ratio ─▶ base rate ─▶ probability, verdict, reason

Witnesses are independent of each other; only the fusion has weights; a score is the mean of the
probabilities.
"""

from anaphor.verdict.contract import Testimony, Witness
from anaphor.verdict.document import Case
from anaphor.verdict.fusion import ACCEPTED_FROM, REJECTED_BELOW, VERDICTS, Fusion, fusion_digest, verdict_of
from anaphor.verdict.judge import CandidateText, Judge, PronounEvidence, Weighed
from anaphor.verdict.rendering import Rendering, RenderingKind

__all__ = [
    "ACCEPTED_FROM",
    "REJECTED_BELOW",
    "VERDICTS",
    "CandidateText",
    "Case",
    "Fusion",
    "Judge",
    "PronounEvidence",
    "Rendering",
    "RenderingKind",
    "Testimony",
    "Weighed",
    "Witness",
    "fusion_digest",
    "verdict_of",
]
