"""Post-editing: a predictor proposes other pronouns for a translation and flags unlikely ones.

wmt16-findings, section 2, names the correction of machine translation as a use of pronoun prediction. Read in
this order: `types`, `occurrences` (what can be predicted), `chains` and `antecedents` (what they refer to),
`spelling`, `english` and `agreement` (how a new pronoun is written, and what it must agree with), `proposals`
(from predictions to proposals).
"""

from anaphor.predict.postedit.antecedents import use_antecedents
from anaphor.predict.postedit.chains import combine_chains
from anaphor.predict.postedit.occurrences import (
    check_language,
    find_occurrences,
    null_subjects,
    predict_occurrences,
)
from anaphor.predict.postedit.proposals import Proposer, apply_proposals, unlikely
from anaphor.predict.postedit.types import (
    EditProposal,
    EditProposals,
    HeldProposal,
    Hint,
    LinkedText,
    Occurrence,
    OccurrencePrediction,
)

__all__ = [
    "EditProposal",
    "EditProposals",
    "HeldProposal",
    "Hint",
    "LinkedText",
    "Occurrence",
    "OccurrencePrediction",
    "Proposer",
    "apply_proposals",
    "check_language",
    "combine_chains",
    "find_occurrences",
    "null_subjects",
    "predict_occurrences",
    "unlikely",
    "use_antecedents",
]
