"""Synthetic examples of agreement: windows with swapped genders and matching pronouns.

German text has few *er* and *sie* for an English *it*, and a small network memorizes the nouns they referred
to. Three changes to a window create more of them, while the English side, which shows what a pronoun refers
to, stays authentic:

- In English-German windows genders are permuted: in the masks of all nouns and pronouns, and in the labels of
  *it*. Nouns, pronouns and determiners of the translation are masked, since they would reveal the old gender.
  If a window has *es*, which may refer to nothing, only masculine and feminine are exchanged.
- Some slots of word forms are shown instead of hidden: the pronouns of a chain tell each other's gender.
- English-French windows become English-German ones: masculine and feminine are mapped to two of the three
  genders, and all words of the translation are masked. *il* counts only in subtitles of SCAT, where it always
  refers to a noun.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import torch
from torch import Tensor

from anaphor.antecedents import TargetLanguage
from anaphor.core import LanguagePair
from anaphor.predict.anaphor2.encoding import LANGUAGES, LINKS, NO_LABEL, EncodedSegments, domain_of
from anaphor.predict.anaphor2.genders import MASKS, GenderReader
from anaphor.predict.anaphor2.joint import TASKS, class_numbers
from anaphor.predict.anaphor2.subwords import MASK, SPECIALS, START
from anaphor.predict.anaphor2.windows import InputBatch

_FRENCH, _GERMAN = LANGUAGES.index("fr") + 1, LANGUAGES.index("de") + 1
_PERMUTATIONS = tuple(permutations(range(3)))
#: Masculine and feminine exchanged.
_EXCHANGE = _PERMUTATIONS.index((1, 0, 2))
#: How much rarer windows of French are changed where they are no subtitles.
_OTHER_FRENCH = 0.3
_SUBTITLES = domain_of("scat")


class SyntheticExamples:
    """Modifies batches of windows, on one device."""

    def __init__(self, pieces: Sequence[str], encoded: EncodedSegments, device: str) -> None:
        number = {piece: place for place, piece in enumerate(pieces)}
        determiners = {number.get(START + word) for word in TargetLanguage.load("de").determiners}
        determiner = np.zeros(len(pieces), dtype=np.bool_)
        determiner[[place for place in determiners if place is not None]] = True
        # Whether the slot at a target piece stands for *it*.
        of_it = np.zeros(len(encoded.target.pieces), dtype=np.bool_)
        of_it[encoded.slot_targets] = encoded.source.pieces[encoded.slot_sources] == number.get(START + "it")
        german, french = class_numbers("en-de"), class_numbers("en-fr")
        genders = [german[form] for form in ("er", "sie", "es")]
        self._es = german["es"]
        classes = TASKS[-1].classes.stop
        masks = np.zeros((2, len(_PERMUTATIONS), MASKS), dtype=np.int64)
        labels = np.full((2, len(_PERMUTATIONS), classes), NO_LABEL, dtype=np.int64)
        for k, order in enumerate(_PERMUTATIONS):
            labels[0, k] = np.arange(classes)
            labels[0, k, genders] = [genders[order[gender]] for gender in range(3)]
            labels[1, k, french["il"]], labels[1, k, french["elle"]] = genders[order[0]], genders[order[1]]
            labels[1, k, [french["ils"], french["elles"]]] = german["sie"]
            for mask in range(MASKS):
                singular = [1 << order[gender] for gender in range(3) if mask >> gender & 1]
                masks[0, k, mask] = sum(singular) + (mask & 8)
                # The third and fourth bit of French are its plurals.
                masks[1, k, mask] = sum(singular[: (mask & 3).bit_count()]) + (8 if mask & 12 else 0)
        self._il = french["il"]
        # The piece and the mask that stand for a class if it is shown.
        shown = np.zeros((2, classes), dtype=np.int64)
        for pair, numbers in (("en-de", german), ("en-fr", french)):
            reader = GenderReader(LanguagePair.parse(pair), forms=True)
            for form in reader.pronouns.keys() & numbers.keys():
                if START + form in number:
                    shown[:, numbers[form]] = number[START + form], reader.pronouns[form]
        moved = (torch.from_numpy(array).to(device) for array in (determiner, of_it, masks, labels, shown))
        self._determiner, self._of_it, self._masks, self._mapped, self._shown = moved

    def show(self, batch: InputBatch, labels: Tensor, share: float) -> tuple[InputBatch, Tensor]:
        """The batch and its labels, with the pronouns of a share of its slots revealed."""
        lemmas = (batch.tags >= MASKS).any(dim=1, keepdim=True)
        chosen = torch.rand(labels.shape, device=labels.device) < share
        chosen &= (labels != NO_LABEL) & ~lemmas & (self._shown[0, labels.clip(0)] > 0)
        links = torch.zeros(len(labels), LINKS + 1, dtype=torch.bool, device=labels.device)
        links.scatter_(1, batch.links.long() * chosen, chosen)
        links[:, 0] = False
        unlinked = links.gather(1, batch.links.long())
        pieces, masks = (table[labels.clip(0)].to(batch.pieces.dtype) for table in self._shown)
        shown = batch._replace(
            pieces=torch.where(chosen, pieces, batch.pieces),
            tags=torch.where(chosen, masks, batch.tags),
            links=torch.where(unlinked, 0, batch.links),
        )
        return shown, torch.where(chosen, NO_LABEL, labels)

    def apply(
        self, batch: InputBatch, labels: Tensor, given: Tensor, from_target: Tensor, share: float
    ) -> tuple[InputBatch, Tensor]:
        """The batch and its labels, with a share of its windows modified."""
        rows, device = len(given), labels.device
        it = (labels != NO_LABEL) & self._of_it[from_target.clip(0)]
        subtitles = given[:, :1] == _SUBTITLES
        french = given[:, 2:3] == _FRENCH
        chance = torch.rand(rows, 1, device=device)
        limit = torch.where(french & ~subtitles, share * _OTHER_FRENCH, share)
        english = given[:, 1:2] == LANGUAGES.index("en") + 1
        changed = english & (french | (given[:, 2:3] == _GERMAN)) & (chance < limit)
        kind = french.long()
        only_exchange = ~french & ((labels == self._es) & it).any(dim=1, keepdim=True)
        order = torch.randint(0, len(_PERMUTATIONS), (rows, 1), device=device)
        order = torch.where(only_exchange, _EXCHANGE, order)

        mask = batch.tags % MASKS
        tags = batch.tags - mask + self._masks[kind, order, mask]
        mapped = self._mapped[kind, order, labels.clip(0)].to(labels.dtype)
        mapped = torch.where(french & (labels == self._il) & ~subtitles, NO_LABEL, mapped)
        # In German, *sie* for *they* stays; in French, all labels become German ones.
        mapped = torch.where(french | it, mapped, labels)
        mapped = torch.where(labels == NO_LABEL, NO_LABEL, mapped)
        target = from_target >= 0
        telling = target & (french | (mask > 0) | self._determiner[batch.pieces])
        telling = telling & changed & (batch.pieces >= len(SPECIALS))
        languages = torch.where(changed & (batch.languages == _FRENCH), _GERMAN, batch.languages)
        changed_batch = batch._replace(
            pieces=torch.where(telling, MASK, batch.pieces),
            tags=torch.where(changed, tags, batch.tags),
            languages=languages,
        )
        return changed_batch, torch.where(changed, mapped, labels)
