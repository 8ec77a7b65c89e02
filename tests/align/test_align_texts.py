"""Alignment and training from files, as library functions: what the commands print comes from these."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor import languages
from anaphor.align import AlignerChoice, TrainedAligner
from anaphor.align.aligners import BuiltInAligner
from anaphor.align.evaluate import evaluate_gold
from anaphor.align.pairs import tokenizers
from anaphor.align.texts import TextAlignment, align_pairs, align_texts, signature, train_model
from anaphor.core import Alignment, LanguagePair, MismatchError, OptionError, UnknownNameError

PAIR = LanguagePair("en", "fr")
CHOICE = AlignerChoice(pair=PAIR, priors="none", model="ibm1")
#: Each pair of words that belong together occurs in the same two segments, no other pair does.
SOURCE = "red houses\nblue houses\n\nred cars\nblue cars\n"
TARGET = "maisons rouges\nmaisons bleues\nrien\nvoitures rouges\nvoitures bleues\n"
CROSSED = ((0, 1), (1, 0))


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    paths = tmp_path / "text.en", tmp_path / "text.fr"
    for path, text in zip(paths, (SOURCE, TARGET), strict=True):
        path.write_text(text, encoding="utf-8")
    return str(paths[0]), str(paths[1])


def links(alignment: Alignment) -> tuple[tuple[int, int], ...]:
    return tuple(zip(alignment.sources, alignment.targets, strict=True))


def test_two_files_are_aligned_line_by_line(files: tuple[str, str]) -> None:
    steps: list[str] = []
    found = align_texts(CHOICE, files, progress=steps.append)
    assert [links(one) for one in found.alignments] == [CROSSED, CROSSED, (), CROSSED, CROSSED]
    assert found.links_text() == "0-1 1-0\n0-1 1-0\n\n0-1 1-0\n0-1 1-0\n"
    assert (found.pair, found.aligner) == (PAIR, CHOICE.signature())
    assert steps[:2] == ["reading", "aligning 5 sentence pairs, training on 5"]


def test_more_text_is_learned_from_and_not_aligned(files: tuple[str, str], tmp_path: Path) -> None:
    for name, line in (("one.en", "red houses\n"), ("one.fr", "maisons rouges\n")):
        (tmp_path / name).write_text(line, encoding="utf-8")
    steps: list[str] = []
    one = (str(tmp_path / "one.en"), str(tmp_path / "one.fr"))
    found = align_texts(CHOICE, one, training=[files, files], progress=steps.append)
    assert [links(alignment) for alignment in found.alignments] == [CROSSED]
    assert steps[1] == "aligning 1 sentence pairs, training on 11"


@pytest.mark.parametrize(
    ("alignment", "confidence", "line"),
    [
        (Alignment((0, 1), (1, 0), None, (0.91234567, 0.5)), [0.9123, 0.5], "0.9123 0.5000\n"),
        (Alignment((), (), None, ()), [], "\n"),
        (Alignment((0,), (0,)), None, "\n"),
        (Alignment(), None, "\n"),
    ],
    ids=["links", "no links", "links without confidences", "no links and no confidences"],
)
def test_a_segment_without_links_has_no_confidences_but_is_not_without_them(
    alignment: Alignment, confidence: list[float] | None, line: str
) -> None:
    """An empty list says that the aligner has confidences, None that it has none."""
    found = TextAlignment(PAIR, "some aligner", [alignment, alignment])
    content = found.to_dict()
    assert [one["confidence"] for one in content["alignments"]] == [confidence, confidence]
    assert (content["segments"], content["links"]) == (2, 2 * len(alignment))
    assert found.confidences_text() == 2 * line


def test_confidences_stand_beside_their_links_in_every_segment(files: tuple[str, str]) -> None:
    found = align_texts(CHOICE, files).to_dict()["alignments"]
    assert (
        [len(one["confidence"]) for one in found] == [len(one["links"]) for one in found] == [2, 2, 0, 2, 2]
    )


def test_a_model_is_trained_on_all_texts_and_aligns_others(files: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "model"
    assert train_model(CHOICE, [files, files], path) == 10
    found = align_pairs(CHOICE, [(["blue", "cars"], ["voitures", "bleues"])], model=path)
    assert [links(one) for one in found] == [CROSSED]
    assert TrainedAligner.load(path).options.hmm_passes == 0
    plain, by_model = signature(CHOICE), signature(CHOICE, path)
    assert plain == CHOICE.signature()
    assert by_model.startswith("anaphor-4+posterior+model-")


def test_a_saved_model_splits_tokens_as_the_packs_of_the_user_say(tmp_path: Path) -> None:
    """The pack is that of Spanish under a code that no built-in pack has: `sentirla` is `sentir` and `la`."""
    spanish = Path(languages.__file__).parent / "packs" / "es.toml"
    (tmp_path / "xx.toml").write_bytes(spanish.read_bytes())
    choice = AlignerChoice(pair=LanguagePair("en", "xx"), priors="none", packs=tmp_path)
    pairs = [
        (source.split(), target.split())
        for source, target in (
            ("I want to feel it", "quiero sentirla"),
            ("I see it", "la veo"),
            ("he sees it", "él la ve"),
            ("I want to feel", "quiero sentir"),
            ("you want it", "la quieres"),
        )
    ]
    BuiltInAligner(choice).train(pairs * 4).save(tmp_path / "model")
    first, *_ = align_pairs(choice, pairs, model=tmp_path / "model")
    assert (4, 1) in links(first)


def test_texts_of_unequal_length_are_refused(files: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "short.fr").write_text("maisons rouges\n", encoding="utf-8")
    with pytest.raises(MismatchError):
        align_texts(CHOICE, (files[0], str(tmp_path / "short.fr")))


def test_a_language_without_a_tokenizer_needs_tokenized_text() -> None:
    with pytest.raises(UnknownNameError, match="no tokenizer for the language fi"):
        tokenizers(LanguagePair("en", "fi"))
    source, _ = tokenizers(LanguagePair("en", "fi"), tokenized=True)
    assert list(source("It's here .")) == ["It's", "here", "."]


GOLD = "0-0 1-1 2?2\n0-1 1-0\n"
PROPOSED = "0-0 1-1 2-2\n0-1 1-1\n"
TEXTS = ("It rains .\nit works\n", "Il pleut .\nmarche ça\n")


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    for name, text in (("gold", GOLD), ("links", PROPOSED), ("g.en", TEXTS[0]), ("g.fr", TEXTS[1])):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_a_file_of_links_is_compared_with_gold(gold: Path) -> None:
    """Five links are proposed, four of them possible and three sure, of four that are: AER is 1 - 7/9."""
    found = evaluate_gold(gold / "gold", alignment=str(gold / "links"))
    content = found.to_dict()
    assert content["links"]["aer"] == pytest.approx(2 / 9)
    assert (content["segments"], content["judged"], content["pronouns"]) == (2, str(gold / "links"), None)
    assert len(found.tables()) == 2


def test_pronouns_of_a_gold_text_are_those_of_their_own_segment(gold: Path) -> None:
    """*It* of segment 1 has its gold link 0-0; *it* of segment 2 has 0-1, and so has the alignment."""
    found = evaluate_gold(
        gold / "gold",
        source=str(gold / "g.en"),
        target=str(gold / "g.fr"),
        alignment=str(gold / "links"),
        pair=PAIR,
        pronouns=True,
    )
    assert found.pronouns is not None
    counts = found.pronouns.total.links
    assert (counts.proposed, counts.sure, counts.in_sure) == (2, 2, 2)


def test_a_possible_link_of_a_pronoun_is_possible(gold: Path) -> None:
    (gold / "gold").write_text("0?0 1-1\n0-1\n", encoding="utf-8")
    found = evaluate_gold(
        gold / "gold",
        source=str(gold / "g.en"),
        target=str(gold / "g.fr"),
        alignment=str(gold / "links"),
        pair=PAIR,
        pronouns=True,
    )
    assert found.pronouns is not None
    total = found.pronouns.total
    assert (total.links.proposed, total.links.in_possible, total.links.sure, total.unaligned) == (2, 2, 1, 0)


def test_links_can_come_from_a_function(gold: Path) -> None:
    def align(pair: LanguagePair, sentences: object) -> tuple[str, list[Alignment]]:
        assert pair == PAIR
        assert sentences == [
            (("It", "rains", "."), ("Il", "pleut", ".")),
            (("it", "works"), ("marche", "ça")),
        ]
        return "by hand", [Alignment((0,), (0,)), Alignment()]

    source, target = str(gold / "g.en"), str(gold / "g.fr")
    found = evaluate_gold(gold / "gold", source=source, target=target, align=align, pair=PAIR)
    assert (found.judged, found.links and found.links.proposed) == ("by hand", 1)
    with pytest.raises(OptionError, match="no language pair is given"):
        evaluate_gold(gold / "gold", source=source, target=target, align=align)
