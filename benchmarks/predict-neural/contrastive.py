"""Does the predictor that ships choose the right pronoun of contrastive items, and does it need the context?

    python benchmarks/predict-neural/contrastive.py [--careful] [--write]

Every item of ContraPro (English-German, one sentence of context) and of the large English-French set (three),
as far as ANAPHOR_DATA has them, is a text in which one pronoun is hidden; the model chooses between the forms
of its variants. French items that share a sentence with SCAT, which the model learned from, are left out; of
ContraPro nothing was learned, and items of SCAT that share an English sentence with it were left out of
training. *equal prior*: these sets ask for every form about equally often, ordinary text does not, so that
probabilities are divided by how often the source pronoun had each class in the training text.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.core import Alignment, LanguagePair, Slot, TaskSegment
from anaphor.languages import Tokenizer, load_language
from anaphor.predict.anaphor2.model import Anaphor2Model
from anaphor.predict.base import BaseModel
from anaphor.predict.shipped import find_model
from benchmarks.verdict.contrastive import (
    ContrastiveItem,
    PreparedItem,
    french,
    german,
    prepared_items,
)

RESULT = Path(__file__).parent / "results" / "contrastive.json"
FORMS = {"en-de": ("er", "sie", "es"), "en-fr": ("il", "elle", "ils", "elles")}
MODEL = "anaphor-2-small"


@dataclass(frozen=True, slots=True)
class HiddenItem:
    """An item as segments of the task; the last one has the slot. `distance` is None if not annotated."""

    segments: tuple[TaskSegment, ...]
    label: str
    distance: int | None


def hidden_items(pair: str, items: Sequence[ContrastiveItem]) -> Iterator[HiddenItem]:
    """The items whose pronoun is found and is one of the forms."""
    source, target = (
        Tokenizer(load_language(code))
        for code in (LanguagePair.parse(pair).source, LanguagePair.parse(pair).target)
    )
    for number, (item, found) in enumerate(zip(items, prepared_items(pair, items), strict=True)):
        if found is None or found.forms[0] not in FORMS[pair]:
            continue
        right = found.translation[-1]
        variants = [tuple(target.words(variant)) for variant in item.wrong]
        slot = next(
            place
            for place, word in enumerate(right)
            if any(len(other) > place and other[place] != word for other in variants)
        )
        texts = [tuple(source.words(line)) for line in item.source]
        segments = [
            TaskSegment(words, tuple(translation), (), alignment, str(number))
            for words, translation, alignment in zip(texts, found.translation, found.alignments, strict=True)
        ]
        last = segments[-1]
        links = last.alignment
        segments[-1] = replace(
            last,
            target=(*right[:slot], f"REPLACE_{found.place.position}", *right[slot + 1 :]),
            slots=(Slot(found.place.position, slot),),
            alignment=Alignment((*links.sources, found.place.position), (*links.targets, slot)),
        )
        kept = tuple(one for one in segments if one.source and one.target)
        yield HiddenItem(kept, found.forms[0], _distance(found))


def _distance(found: PreparedItem) -> int | None:
    """How many sentences back the annotated antecedent is; None without one, or if it is not in the text."""
    if found.item.antecedent is None:
        return None
    noun = found.item.antecedent[1]
    for back, words in enumerate(reversed(found.translation)):
        if noun in (word.lower() for word in words):
            return back
    return None


def probabilities(model: BaseModel, items: Sequence[HiddenItem], forms: Sequence[str]) -> NDArray[np.float64]:
    """Probabilities [items, forms]."""
    places = [model.card.classes.index(form) for form in forms]
    segments = [segment for item in items for segment in item.segments]
    rows = [prediction.probabilities for found in model.predict(segments) for prediction in found]
    return np.array(rows)[:, places]


def priors(model: Anaphor2Model, items: Sequence[HiddenItem], forms: Sequence[str]) -> NDArray[np.float64]:
    """How often the source pronoun of every item was each form in training [items, forms]."""
    places = [model.card.classes.index(form) for form in forms]
    rows = []
    for item in items:
        last = item.segments[-1]
        prior = model.prior(last.source[last.slots[0].source])
        rows.append(np.ones(len(forms)) if prior is None else prior[places])
    return np.array(rows)


def measure(pair: str, items: Sequence[HiddenItem], *, careful: bool) -> dict[str, Any]:
    forms = FORMS[pair]
    model = find_model(MODEL, pair=pair, forms=True)
    assert isinstance(model, Anaphor2Model)
    model = model.ensemble() if careful else model
    gold = np.array([forms.index(item.label) for item in items])
    alone = [replace(item, segments=item.segments[-1:]) for item in items]
    result: dict[str, Any] = {"items": len(items)}
    for name, texts in (("with context", items), ("without context", alone)):
        table = probabilities(model, texts, forms)
        for reading, values in (("", table), (", equal prior", table / priors(model, texts, forms))):
            right = values.argmax(axis=1) == gold
            found: dict[str, Any] = {"all": _share(right)}
            found |= {form: _share(right[gold == number]) for number, form in enumerate(forms)}
            for distance in (0, 1):
                chosen = np.array([item.distance == distance for item in items])
                found[f"distance {distance}"] = _share(right[chosen]) | {"items": int(chosen.sum())}
            result[name + reading] = found
    return result


def _share(right: NDArray[np.bool_]) -> dict[str, Any]:
    """Percent, with the normal interval of a share."""
    if not len(right):
        return {}
    share = float(right.mean())
    half = 1.96 * (share * (1 - share) / len(right)) ** 0.5
    return {"right": round(100 * share, 1), "+-": round(100 * half, 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--careful", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    texts = {"en-de": list(german()), "en-fr": list(french())}
    found = {
        pair: measure(pair, list(hidden_items(pair, items)), careful=options.careful)
        for pair, items in texts.items()
    }
    text = json.dumps({"model": MODEL, "careful": options.careful, **found}, indent=1)
    print(text)
    if options.write:
        RESULT.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
