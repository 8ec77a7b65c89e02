"""The large detector: a base model with its adapter, loaded once and run on texts with marked pronouns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anaphor.core import Alignment, Detection, LanguagePair, MarkedPronoun, OptionError
from anaphor.predict.anaphor2.inference import by_length
from anaphor.predict.detector.detector import PronounDetector
from anaphor.predict.detector.large.adapter import AdapterCard, matrix_sizes, read_adapter
from anaphor.predict.detector.large.folder import (
    ADAPTER,
    BASE,
    TOKENIZER,
    card_hash,
    check_detector,
    require_extra,
)
from anaphor.predict.detector.large.gguf import Gguf, Tensor
from anaphor.predict.detector.large.text import (
    BEFORE,
    LANGUAGES,
    EncodedLine,
    Frame,
    MarkedLine,
    inside,
    word_spans,
)

if TYPE_CHECKING:
    import tokenizers
    import torch

    from anaphor.predict.detector.large.decoder import Classifier

_OPTION = "--accept-detector"
#: The most pieces of a batch, padding included: few, so that a processor's caches hold its states, or as many
#: as a GPU works on at once.
_BATCH = {"cpu": 2_048, "cuda": 32_768}


class LargeDetector:
    """Judges renderings of pronouns in one language pair; `folder` is the output of `join_detector`.

    Its log odds are the mean of its own and the small detector's, on the scale of the small one: the two err
    in different places, and on judged pronouns of every language the mean is better than either. The expected
    forms are those of the small detector.

    `progress` is called with the number of pronouns processed: without a GPU each takes about a second.
    """

    def __init__(
        self, folder: str | Path, pair: LanguagePair, *, progress: Callable[[str], None] = lambda _: None
    ) -> None:
        require_extra(_OPTION)
        self._progress, self._done = progress, 0
        folder = Path(folder)
        self._model = _loaded(folder, card_hash(folder))
        card = self._model.card
        pairs = [f"en-{language}" for language in card.languages]
        if str(pair) not in pairs:
            raise OptionError(
                f"the detector does not support {pair}",
                where=_OPTION,
                fix=f"use it for {', '.join(pairs)}, or ignore it",
            )
        self._scale = card.scale[pair.target]
        self._small = PronounDetector(pair)
        language = LANGUAGES.index(pair.target)
        self._frame = Frame.of(card.frame, language=language, first=self._model.first)

    def detect(
        self,
        source: Sequence[Sequence[str]],
        target: Sequence[Sequence[str]],
        links: Sequence[Alignment],
        marks: Sequence[MarkedPronoun],
        *,
        written: tuple[Sequence[str], Sequence[str]] | None = None,
    ) -> list[Detection]:
        """The combined output of both detectors for each marked pronoun of a text."""
        factor, offset = self._scale
        small = self._small.detect(source, target, links, marks)
        odds = dict[int, float]()
        for batch in self._model.log_odds(self.texts(source, target, marks, written=written)):
            odds |= batch
            self._done += len(batch)
            self._progress(f"large detector: {self._done} pronouns read")
        return [
            detection._replace(log_odds=(detection.log_odds + factor * odds[n] + offset) / 2)
            for n, detection in enumerate(small)
        ]

    def texts(
        self,
        source: Sequence[Sequence[str]],
        target: Sequence[Sequence[str]],
        marks: Sequence[MarkedPronoun],
        *,
        written: tuple[Sequence[str], Sequence[str]] | None = None,
    ) -> list[list[int]]:
        """The input for each pronoun, in subwords; unless lines are given, words are separated by spaces."""
        sides = written or ([" ".join(words) for words in source], [" ".join(words) for words in target])
        read = sorted({n for mark in marks for n in range(max(0, mark.segment - BEFORE), mark.segment + 1)})
        encoded = [
            dict(zip(read, self._model.encode([side[segment] for segment in read]), strict=True))
            for side in sides
        ]
        texts = []
        for segment, position, targets, _ in marks:
            places = (source[segment], [position]), (target[segment], targets)
            marked = []
            for side, line, (words, positions) in zip(sides, encoded, places, strict=True):
                spans = word_spans(side[segment], words)
                span = inside(line[segment].offsets, [spans[place] for place in positions])
                marked.append(MarkedLine(line[segment].ids, span))
            before = (
                (encoded[0][earlier].ids, encoded[1][earlier].ids)
                for earlier in range(segment - 1, max(0, segment - BEFORE) - 1, -1)
            )
            texts.append(self._frame.text(marked[0], marked[1], before))
        return texts


class _LargeModel(NamedTuple):
    """A network loaded on its device. Only the embedding rows that a text needs are unpacked."""

    card: AdapterCard
    tokenizer: tokenizers.Tokenizer
    network: Classifier
    embedding: Tensor
    first: list[int]
    device: torch.device
    dtype: torch.dtype

    def encode(self, lines: Sequence[str]) -> list[EncodedLine]:
        """The subwords of lines, each encoded separately."""
        encoded = self.tokenizer.encode_batch(list(lines), add_special_tokens=False)
        return [EncodedLine(line.ids, line.offsets) for line in encoded]

    def log_odds(self, texts: Sequence[Sequence[int]]) -> Iterator[dict[int, float]]:
        """The log odds that the pronoun of each text is wrong, on the scale of the network, in batches."""
        import torch

        for chosen in by_length(list(map(len, texts)), _BATCH[self.device.type]):
            batch = chosen.tolist()
            with torch.inference_mode():
                ends = torch.tensor([len(texts[n]) - 1 for n in batch], device=self.device)
                odds = self.network(self._embedded([texts[n] for n in batch]), ends)
            yield dict(zip(batch, odds.tolist(), strict=True))

    def _embedded(self, texts: Sequence[Sequence[int]]) -> torch.Tensor:
        """Texts padded on the right, with any subword, since no earlier position sees it."""
        import torch

        ids = np.zeros((len(texts), max(map(len, texts))), dtype=np.int64)
        for row, text in zip(ids, texts, strict=True):
            row[: len(text)] = text
        used, places = np.unique(ids, return_inverse=True)
        rows = torch.from_numpy(self.embedding.rows(used).values()).to(self.device, self.dtype)
        return rows[torch.from_numpy(places.reshape(ids.shape)).to(self.device)]


@lru_cache(maxsize=1)
def _loaded(folder: Path, _card: str) -> _LargeModel:
    """Load the model of a folder: half precision on a GPU, single precision elsewhere, where half is slow.

    The card's hash is an argument so that a replaced folder is reloaded.
    """
    import tokenizers
    import torch

    from anaphor.predict.detector.large.decoder import Classifier
    from anaphor.predict.device import chosen_device

    check_detector(folder)
    file = Gguf(folder / BASE)
    config = file.config
    card, changes = read_adapter(folder / ADAPTER, config)
    device = chosen_device("auto")
    # Gemma's states leave the range of float16.
    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    parts = file.weights
    embedding = parts.pop("embed.weight")
    weights: dict[str, NDArray[Any]] = {name: part.values() for name, part in parts.items()}
    for name in matrix_sizes(config):
        # W + B A, added up once: prediction then costs no more than the base model.
        weights[f"{name}.weight"] = weights[f"{name}.weight"] + changes[f"{name}.b"] @ changes[f"{name}.a"]
    network = Classifier(config, dtype=dtype)
    # Plain numbers are still a read-only part of the file, which torch does not take.
    writable = {name: np.require(array, requirements="W") for name, array in weights.items()}
    network.decoder.fill({name: torch.from_numpy(array) for name, array in writable.items()})
    head = {
        name: torch.from_numpy(changes[name].copy()) for name in changes if not name.startswith("blocks.")
    }
    network.load_state_dict(head, strict=False)
    network.requires_grad_(False)
    first = [file.meta["tokenizer.ggml.bos_token_id"]] if config["kind"].startswith("gemma") else []
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / TOKENIZER))
    return _LargeModel(card, tokenizer, network.to(device), embedding, first, device, dtype)
