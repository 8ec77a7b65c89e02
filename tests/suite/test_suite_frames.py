"""The words of candidates that are shown to annotators: whether they are those that render the pronoun."""

from __future__ import annotations

from collections import Counter

import pytest

from anaphor.align import AlignerChoice
from anaphor.core import LanguagePair
from anaphor.corpus import Text
from anaphor.suite import EvaluationOptions, LoadedSuite, load_shipped, plain_suite
from anaphor.suite.frames import FrameFinder, FrameSource, ItemFrame
from anaphor.suite.linking import link_texts, tokenizer_for
from anaphor.suite.texts import TokenizedSide


def frames_of(
    loaded: LoadedSuite, lines: list[str]
) -> tuple[list[ItemFrame], list[list[str]], dict[str, TokenizedSide]]:
    """The frames of one candidate, its tokens, and the references with theirs."""
    options = EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair))
    candidates = {"gold": Text.of(lines, path="gold")}
    linked = link_texts(loaded, candidates, options, links=None, progress=lambda _: None)
    words = tokenizer_for(loaded.suite.pair.target, options, links=None)
    sides = {name: TokenizedSide(loaded.texts, name, words) for name in loaded.texts.references}
    finder = FrameFinder(loaded, linked, references={name: side.tokens for name, side in sides.items()})
    return finder.find("gold", candidates["gold"]), [list(line) for line in linked.tokens["gold"]], sides


@pytest.mark.parametrize("name", ["anaphor-en-fr", "anaphor-en-de"])
def test_a_reference_as_a_candidate_has_exactly_the_words_of_the_suite(name: str) -> None:
    loaded = load_shipped(name)
    frames, _, sides = frames_of(loaded, [line or "" for line in loaded.texts.lines("reference")])
    assert len(frames) == len(loaded.suite.items) == 162
    for item, frame in zip(loaded.suite.items, frames, strict=True):
        (pair,) = [pair for pair in item.references if pair.reference == "reference"]
        assert frame.pronoun == sides["reference"].find(item.document, pair.pronoun), item.id
        heads = [sides["reference"].find(item.document, head) for head in pair.heads]
        assert list(frame.heads) == heads, item.id
        assert frame.source is FrameSource.SUITE or not pair.pronoun


def test_a_changed_reference_keeps_its_frames() -> None:
    """Other pronouns and another word at the end of every line: nothing equals the reference any more."""
    loaded = load_shipped("anaphor-en-fr")
    lines = [line or "" for line in loaded.texts.lines("reference")]
    changed = [line.replace(" il ", " elle ").replace("Il ", "Elle ") + " Voilà." for line in lines]
    frames, _, sides = frames_of(loaded, changed)
    found = Counter[str]()
    for item, frame in zip(loaded.suite.items, frames, strict=True):
        (pair,) = [pair for pair in item.references if pair.reference == "reference"]
        own = sides["reference"].find(item.document, pair.pronoun)
        found["right" if frame.pronoun == own else "missing" if not frame.pronoun else "wrong"] += 1
        found["wrong"] += any(
            head and head != sides["reference"].find(item.document, place)
            for head, place in zip(frame.heads, pair.heads, strict=True)
        )
    # At most 3 % missing and 1 % wrong of 162.
    assert found["missing"] <= 4, found
    assert found["wrong"] <= 1, found


@pytest.mark.parametrize(
    ("pair", "source", "target", "word"),
    [
        ("en-fr", "She picked it up and left.", "Elle l'a ramassée et partit.", "l'"),
        ("en-fr", "You turn it, and it works.", "Vous le tournez, et ça marche.", "le"),
        ("en-de", "They left it in the drawer.", "Sie ließen es in der Schublade.", "es"),
        ("en-es", "The lamp fell, and then it broke.", "La lámpara cayó, y entonces se rompió.", "rompió"),
        ("en-fr", "It is there, at the gate.", "Là, à la porte.", ""),
    ],
)
def test_plain_text_is_searched_beside_the_links(pair: str, source: str, target: str, word: str) -> None:
    loaded = plain_suite(Text.of([source], path="source"), LanguagePair.parse(pair))
    frames, tokens, _ = frames_of(loaded, [target])
    first = frames[[item.category for item in loaded.suite.items].index("it")]
    assert [tokens[segment][at] for segment, at in first.pronoun] == ([word] if word else [])
    assert (first.source is FrameSource.NONE) == (not word)


@pytest.mark.parametrize(
    ("pair", "source", "target", "form", "word"),
    [
        ("en-es", "We are going to do it now.", "Lo vamos a hacer ahora.", "it", "Lo"),
        ("en-es", "It tasted sweet and fresh.", "Tenía un gusto dulce y fresco.", "it", "Tenía"),
        ("en-es", "We built the fence around it.", "Construimos la valla a su alrededor.", "it", "su"),
        ("en-es", "That is what they are sometimes called.", "Así se les llama a veces.", "they", "les"),
        ("en-fr", "Put the money on it and leave.", "Mets l'argent dessus et pars.", "it", "dessus"),
        ("en-de", "I understand the plan behind it.", "Ich verstehe den Plan dahinter.", "it", "dahinter"),
        ("en-de", "They are both accurate.", "Beide sind genau.", "they", "Beide"),
        ("en-de", "It is all connected.", "Alles hängt zusammen.", "it", "Alles"),
        # *Sie* for *you* and relative pronouns render another word.
        ("en-de", "The paint on it, stay tuned.", "Die Farbe, bleiben Sie dran.", "it", ""),
        (
            "en-de",
            "For the site it hired people who help.",
            "Es wurden Leute geholt, die helfen.",
            "it",
            "Es",
        ),
        ("en-de", "For it we hired people.", "Für den Ort wurden Leute geholt, die helfen.", "it", ""),
        # The first person and reflexives render no pronoun of the third person.
        ("en-es", "It feels wrong to leave the shop.", "Me siento mal al dejar la tienda.", "it", ""),
        ("en-es", "As they drew closer, the dog barked.", "Al acercarse, el perro ladró.", "they", ""),
    ],
)
def test_words_without_a_link_are_searched_near_the_pronoun(
    pair: str, source: str, target: str, form: str, word: str
) -> None:
    loaded = plain_suite(Text.of([source], path="source"), LanguagePair.parse(pair))
    frames, tokens, _ = frames_of(loaded, [target])
    frame = frames[[item.category for item in loaded.suite.items].index(form)]
    assert [tokens[segment][at] for segment, at in frame.pronoun] == ([word] if word else [])
