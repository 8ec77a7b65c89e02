"""Language packs, and the tokenizer and form matcher that use them. Languages are data."""

from anaphor.languages.matcher import FormMatcher, Runs, distinct
from anaphor.languages.pack import (
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
    "ClassSet",
    "Equivalence",
    "FormMatcher",
    "FusedRule",
    "LanguagePack",
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
