"""Stretches of tokens around a pronoun, and the layers that read them: places counted by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from anaphor.core import TaskSegment
from anaphor.recipes.neural.contexts import ContextReader
from anaphor.task import TaskClasses

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anaphor[neural]'")

from anaphor.recipes.neural.convolution import Convolution  # noqa: E402
from anaphor.recipes.neural.latent import Latent  # noqa: E402
from anaphor.recipes.neural.network import (  # noqa: E402
    BidirectionalRNN,
    attend,
    dot_product_attention,
    flipped,
    last_state,
    state_at,
)
from anaphor.recipes.neural.nyu import Nyu  # noqa: E402
from anaphor.recipes.neural.options import (  # noqa: E402
    ConvolutionOptions,
    LatentOptions,
    NyuOptions,
    UppsalaOptions,
)
from anaphor.recipes.neural.tensors import ContextTensors, PaddedSpans, Side, SpanKind  # noqa: E402
from anaphor.recipes.neural.uppsala import Uppsala  # noqa: E402
from anaphor.recipes.neural.vocabulary import learn_vocabularies  # noqa: E402


@pytest.fixture
def contexts(twenty: Sequence[TaskSegment], classes: TaskClasses) -> ContextTensors:
    """Two sentences: places 1-4, and 5-10 with the pronoun at 7."""
    found = ContextReader(classes.pair, forms=False, classes=classes.classes).read(twenty[:2])
    vocabularies = learn_vocabularies(found, ["source.word"], least=1, most=100)
    return ContextTensors(found, vocabularies, torch.device("cpu"))


@pytest.mark.parametrize(
    ("kind", "size", "places"),
    [
        ("before", 50, [5, 6]),
        ("before", 1, [6]),
        ("after", 50, [10, 9, 8]),  # the farthest first
        ("after", 2, [9, 8]),
        ("following", 2, [8, 9]),
        ("around", 50, [5, 6, 7, 8, 9, 10]),
        ("around", 1, [6, 7, 8]),
        ("previous", 50, [1, 2, 3, 4]),
        ("previous", 2, [3, 4]),
    ],
)
def test_spans_stop_at_the_end_of_the_sentence(
    kind: SpanKind, size: int, places: list[int], contexts: ContextTensors
) -> None:
    sides: tuple[Side, ...] = ("source", "target")
    for side in sides:
        found = contexts.span(kind, side, size, contexts.batch(np.array([0])))
        assert found.positions.tolist() == [places]
        assert found.lengths.tolist() == [len(places)]


def test_the_nearest_words_have_fixed_places(contexts: ContextTensors) -> None:
    assert contexts.beside("source", 3).tolist() == [[0, 5, 6, 8, 9, 10]]
    assert contexts.beside("source", 4).tolist() == [[0, 0, 5, 6, 8, 9, 10, 0]]


def test_without_a_preceding_sentence_its_span_is_empty(
    twenty: Sequence[TaskSegment], classes: TaskClasses
) -> None:
    found = ContextReader(classes.pair, forms=False, classes=classes.classes).read(twenty[1:2])
    contexts = ContextTensors(found, {}, torch.device("cpu"))
    places = contexts.span("previous", "source", 5, contexts.batch(np.array([0])))
    assert places.lengths.tolist() == [0]
    assert not places.mask.any()


def test_flipping_reverses_words_and_leaves_padding() -> None:
    states = torch.tensor([[[1.0], [2.0], [3.0]], [[4.0], [5.0], [0.0]]])
    turned = flipped(states, torch.tensor([3, 2]))
    assert turned.squeeze(2).tolist() == [[3, 2, 1], [5, 4, 0]]


def test_states_are_taken_from_their_positions() -> None:
    states = torch.tensor([[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]]])
    assert last_state(states, torch.tensor([2, 0])).tolist() == [[2], [0]]
    places = PaddedSpans(torch.tensor([[5, 6, 7], [9, 10, 0]]), torch.tensor([3, 2]))
    assert state_at(states, places, torch.tensor([6, 11])).tolist() == [[2], [0]]  # 11 is not inside


def test_bidirectional_rnn_equals_that_of_torch_on_a_single_sentence() -> None:
    torch.manual_seed(1)
    ours = BidirectionalRNN(torch.nn.LSTM, 3, 4, layers=2)
    theirs = torch.nn.LSTM(3, 4, num_layers=2, bidirectional=True, batch_first=True)
    for layer, (onward, back) in enumerate(zip(ours.onward, ours.backward_, strict=True)):
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            getattr(theirs, f"{name}_l{layer}").data = getattr(onward, f"{name}_l0").data
            getattr(theirs, f"{name}_l{layer}_reverse").data = getattr(back, f"{name}_l0").data
    words = torch.randn(1, 5, 3)
    padded = torch.cat([words, torch.randn(1, 3, 3)], dim=1)
    found = ours(padded, torch.tensor([5]))[:, :5]
    assert torch.allclose(found, theirs(words)[0], atol=1e-6)


@pytest.mark.parametrize("context", ["none", "attention", "source-attention", "gate"])
def test_translation_scores_a_class_as_the_likelihood_of_the_whole_sentence(
    context: str, twenty: Sequence[TaskSegment], classes: TaskClasses
) -> None:
    """What stands before the slot is the same for all classes, so only the rest may decide between them."""
    found = ContextReader(classes.pair, forms=False, classes=classes.classes).read(twenty)
    vocabularies = learn_vocabularies(found, Nyu.fields, least=1, most=100)
    torch.manual_seed(2)
    options = NyuOptions(context=context, window=8, embedding=6, hidden=5, lookahead=3, dropout=0.0)
    network = Nyu(vocabularies, len(classes.classes), options).eval()
    tensors = ContextTensors(found, vocabularies, torch.device("cpu"))
    for number in (0, 7):
        batch = tensors.batch(np.array([number]))
        likelihoods = []
        for label in range(len(classes.classes)):
            tensors.labels = torch.full_like(tensors.labels, label)
            likelihoods.append(-network.loss(tensors, batch, None) * 6)  # a mean over six words
        expected = torch.log_softmax(torch.stack(likelihoods), dim=0)
        assert network(tensors, batch)[0].detach() == pytest.approx(expected.detach(), abs=1e-5)


def test_a_candidate_says_whether_it_exists_is_in_this_sentence_and_how_far_away_it_is(
    twenty: Sequence[TaskSegment], classes: TaskClasses
) -> None:
    first, second = twenty[:2]
    near = replace(second, source=("the", "house", *second.source[2:]))
    found = ContextReader(classes.pair, forms=False, classes=classes.classes).read([first, near])
    vocabularies = learn_vocabularies(found, Latent.fields, least=1, most=100)
    network = Latent(vocabularies, len(classes.classes), LatentOptions(word=4, tag=2, hidden=3))
    tensors = ContextTensors(found, vocabularies, torch.device("cpu"))
    candidates, exists = network._candidates(tensors, tensors.batch(np.array([0])))
    assert exists.tolist() == [[True, True, False, False, False, False, True]]  # the last is "none"
    # One word before the pronoun in its own sentence; five before it in the preceding one.
    features = [[1, 1, np.log(2) / 4], [1, 0, np.log(6) / 4], [0, 0, 0]]
    assert candidates[0, :3, -3:].detach().numpy() == pytest.approx(np.array(features))


def test_absent_candidates_have_no_share_in_the_prediction(
    twenty: Sequence[TaskSegment], classes: TaskClasses
) -> None:
    found = ContextReader(classes.pair, forms=False, classes=classes.classes).read(twenty[:2])
    vocabularies = learn_vocabularies(found, Latent.fields, least=1, most=100)
    torch.manual_seed(1)
    network = Latent(vocabularies, len(classes.classes), LatentOptions(word=4, tag=2, hidden=3)).eval()
    tensors = ContextTensors(found, vocabularies, torch.device("cpu"))
    batch = tensors.batch(np.array([0]))
    padded = network(tensors, batch)
    tensors.candidates = tensors.candidates[:, :1]  # "house" is the only one that exists
    assert torch.allclose(network(tensors, batch), padded)


def test_the_convolution_tells_words_before_the_pronoun_from_words_after_it(
    twenty: Sequence[TaskSegment], classes: TaskClasses
) -> None:
    found = ContextReader(classes.pair, forms=False, classes=classes.classes).read(twenty[:2])
    vocabularies = learn_vocabularies(found, Convolution.fields, least=1, most=100)
    torch.manual_seed(1)
    options = ConvolutionOptions(embedding=6, filters=20, sizes=(1,), dropout=0.0)
    network = Convolution(vocabularies, len(classes.classes), options)
    tensors = ContextTensors(found, vocabularies, torch.device("cpu"))
    network(tensors, tensors.batch(np.array([0])))[0, 0].backward()
    gradient = network.distance.weight.grad
    assert gradient is not None
    used = gradient.abs().sum(dim=1).nonzero().flatten().tolist()
    assert used == [6, 7, 8, 9, 10, 11]  # 8 is the pronoun; two words before it, three after


def test_a_word_is_spelled_by_the_last_state_of_each_direction(
    twenty: Sequence[TaskSegment], classes: TaskClasses
) -> None:
    found = ContextReader(classes.pair, forms=False, classes=classes.classes).read(twenty)
    vocabularies = learn_vocabularies(found, Uppsala.fields, least=1, most=100)
    network = Uppsala(vocabularies, len(classes.classes), UppsalaOptions(letter=3))
    tensors = ContextTensors(found, vocabularies, torch.device("cpu"))
    (house,) = (number for number, row in enumerate(found.source.types) if row[0] == "house")
    spelled = network._spelled(tensors, torch.tensor([[0, house]]))[0]
    states = network.spell(network.letter(tensors.letters[house, None, :5]), torch.tensor([5]))[0]
    assert torch.allclose(spelled[1], torch.cat([states[4, :3], states[0, 3:]]))
    assert not spelled[0].any()  # position 0 is no word


def test_attention_is_a_mean_over_existing_states() -> None:
    states = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [5.0, 5.0]], [[1.0, 1.0]] * 3])
    mask = torch.tensor([[True, True, False], [False, False, False]])
    even = attend(torch.zeros(2, 1, 3), states, mask)
    assert even.tolist() == [[[0.5, 0.5]], [[0.0, 0.0]]]
    strong = dot_product_attention(torch.tensor([[[1e4, 0.0]], [[1.0, 1.0]]]), states, mask)
    assert strong[0].tolist() == [[1.0, 0.0]]


def test_the_head_of_the_pronoun_is_read_where_the_options_say(
    twenty: Sequence[TaskSegment], classes: TaskClasses
) -> None:
    found = ContextReader(classes.pair, forms=False, classes=classes.classes).read(twenty)
    vocabularies = learn_vocabularies(found, Uppsala.fields, least=1, most=100)
    tensors = ContextTensors(found, vocabularies, torch.device("cpu"))
    batch = tensors.batch(np.array([3]))
    for head in (True, False):
        torch.manual_seed(2)
        options = UppsalaOptions(word=4, tag=2, letter=2, hidden=3, perceptron=4, dropout=0.0, head=head)
        network = Uppsala(vocabularies, len(classes.classes), options).eval()
        before = network(tensors, batch)
        tensors.head = tensors.head - 1
        assert torch.equal(network(tensors, batch), before) != head
        tensors.head = tensors.head + 1
