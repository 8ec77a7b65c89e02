"""The why-card of a placeholder: the words around it, shaded by what each is worth, and the strongest."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from anaphor.cli.terminal import paint
from anaphor.core import TaskSegment
from anaphor.predict.explain.occlusion import HiddenWord, Occlusion
from anaphor.report.table import Paint, table

#: Shades before a word, and from which fall of the probability on.
_SHADES = (("█", 0.3), ("▓", 0.1), ("▒", 0.03), ("░", 0.01))
#: Before a word that speaks for another class.
_AGAINST = "−"
_LEAST = 0.01


def heading(
    segment: TaskSegment, slot: int, label: str, probabilities: Sequence[float], classes: Sequence[str]
) -> str:
    """What is hidden, what was chosen, what the file says, and the probabilities, the highest first."""
    asked = segment.slots[slot]
    right = "" if asked.label is None else f", the file says {asked.label}"
    shares = sorted(zip(probabilities, classes, strict=True), reverse=True)
    return "\n\n".join(
        [
            f"{segment.target[asked.target]} ({segment.source[asked.source]}): {label}{right}",
            ", ".join(f"{label} {share:.3f}" for share, label in shares),
        ]
    )


def words_text(found: Occlusion, classes: Sequence[str], *, slot: int, top: int) -> str:
    """The card as text."""
    colours = paint()
    segment = found.sentences[-found.first]
    rows = [["word", "side", "sentence", f"{found.label} falls by"]]
    rows += [
        [word.text, word.side, _where(word.sentence), f"{word.fall:+.3f}"] for word in found.strongest(top)
    ]
    legend = ", ".join(f"{shade} {least:g}" for shade, least in reversed(_SHADES))
    return "\n\n".join(
        [
            "\n".join(_lines(found, slot, colours)),
            heading(segment, slot, found.label, found.probabilities, classes),
            table(rows, paint=colours),
            f"Without a word {found.label} falls by at least: {legend}; {_AGAINST} it rises.",
        ]
    )


def _lines(found: Occlusion, slot: int, colours: Paint) -> Iterator[str]:
    """Both sides of every sentence, each word with its shade; the asked placeholder in brackets."""
    falls: dict[tuple[int, str, int], HiddenWord] = {
        (word.sentence, word.side, word.place): word for word in found.words
    }
    for number, segment in enumerate(found.sentences, start=found.first):
        asked = segment.slots[slot].target if number == 0 else None
        for side, words in (("source", segment.source), ("target", segment.target)):
            shown = []
            for place, text in enumerate(words):
                word = falls.get((number, side, place))
                if word is not None:
                    shown.append(_shaded(word, colours))
                else:
                    shown.append(colours.bold(f"[{text}]") if place == asked else text)
            yield f"{number:+d} {side}  {' '.join(shown)}" if number else f" 0 {side}  {' '.join(shown)}"


def _shaded(word: HiddenWord, colours: Paint) -> str:
    if word.fall <= -_LEAST:
        return colours.bad(f"{_AGAINST}{word.text}")
    shade = next((shade for shade, least in _SHADES if word.fall >= least), "")
    return colours.mark(f"{shade}{word.text}") if shade else word.text


def _where(sentence: int) -> str:
    return "this" if sentence == 0 else f"{sentence:+d}"


def words_json(found: Occlusion, classes: Sequence[str], *, slot: int, top: int) -> str:
    """The card as JSON: the sentences, the strongest words, and the probabilities by class."""
    content = {
        "label": found.label,
        "probabilities": dict(zip(classes, found.probabilities, strict=True)),
        "slot": asdict(found.sentences[-found.first].slots[slot]),
        "sentences": [
            {"sentence": number, "source": one.source, "target": one.target}
            for number, one in enumerate(found.sentences, start=found.first)
        ],
        "words": [asdict(word) for word in found.strongest(top)],
    }
    return json.dumps(content, ensure_ascii=False, indent=2)
