"""A predictor beside a translation: pronouns it would change, and pronouns it finds unlikely.

wmt16-findings, section 2, names the correction of machine translation as the use of a predictor.
"""

from anaphor.predict.postedit.applying import apply_proposals
from anaphor.predict.postedit.asking import ask
from anaphor.predict.postedit.finding import find_occurrences
from anaphor.predict.postedit.hints import unlikely
from anaphor.predict.postedit.nouns import Answer, Hint, LinkedText, Occurrence, Proposal, Proposals
from anaphor.predict.postedit.proposing import Proposer

__all__ = [
    "Answer",
    "Hint",
    "LinkedText",
    "Occurrence",
    "Proposal",
    "Proposals",
    "Proposer",
    "apply_proposals",
    "ask",
    "find_occurrences",
    "unlikely",
]
