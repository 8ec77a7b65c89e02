"""Language packs, and the tokenizer and form matcher that use them. Languages are data.

Names are loaded on first use, so listing packs does not import NumPy.
"""

from __future__ import annotations

from anaphor.core.lazy import lazy_names

TYPE_CHECKING = False  # what type checkers take for true; `typing` itself is slow to import
if TYPE_CHECKING:
    from anaphor.languages.matcher import FormMatcher, Runs, distinct
    from anaphor.languages.neutral import NeutralForms
    from anaphor.languages.pack import (
        AgreementFacts,
        ClassSet,
        Equivalence,
        FusedRule,
        LanguagePack,
        PairPack,
        PredictionPack,
        PronounForm,
    )
    from anaphor.languages.pack_file import (
        known_languages,
        known_pairs,
        languages_digest,
        load_language,
        load_pair,
    )
    from anaphor.languages.spelling import fold
    from anaphor.languages.tokenizer import Tokenizer, Words, split_tokens, split_words, token_span

__all__ = [
    "AgreementFacts",
    "ClassSet",
    "Equivalence",
    "FormMatcher",
    "FusedRule",
    "LanguagePack",
    "NeutralForms",
    "PairPack",
    "PredictionPack",
    "PronounForm",
    "Runs",
    "Tokenizer",
    "Words",
    "distinct",
    "fold",
    "known_languages",
    "known_pairs",
    "languages_digest",
    "load_language",
    "load_pair",
    "split_tokens",
    "split_words",
    "token_span",
]

__getattr__ = lazy_names(
    __name__,
    {
        "anaphor.languages.matcher": "FormMatcher Runs distinct",
        "anaphor.languages.neutral": "NeutralForms",
        "anaphor.languages.pack": "AgreementFacts ClassSet Equivalence FusedRule LanguagePack PairPack "
        "PredictionPack PronounForm",
        "anaphor.languages.pack_file": "known_languages known_pairs languages_digest load_language load_pair",
        "anaphor.languages.spelling": "fold",
        "anaphor.languages.tokenizer": "Tokenizer Words split_tokens split_words token_span",
    },
)
