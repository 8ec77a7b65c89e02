"""Which pieces are pronouns: these are hidden more often in training."""

from __future__ import annotations

from collections.abc import Sequence

from anaphor.languages import load_language
from anaphor.predict.anaphor1.encoding import LANGUAGES
from anaphor.predict.anaphor1.subwords import START


def pronoun_pieces(pieces: Sequence[str]) -> list[int]:
    """The numbers of pieces that are a whole pronoun of one of the languages."""
    words = {START + form for language in LANGUAGES for form in load_language(language).inventory()}
    return [number for number, piece in enumerate(pieces) if piece in words]
