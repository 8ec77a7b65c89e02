"""CorefUD files: mentions are read, written as they were, and every mistake has its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anaphor.core import InputError, Span
from anaphor.corpus.conllu import EmptyNode, ParsedSentence
from anaphor.corpus.corefud import CorefDocument, CorefMention, read_corefud, with_entity, write_corefud

GLOBAL = "# global.Entity = eid-etype-head-other"


def lines(*miscs: str, first: int = 1) -> str:
    """A sentence of numbered words with these MISC cells; all hang on the first."""
    rows = (
        f"{at}\tw{at}\tw{at}\tNOUN\t_\t_\t{0 if at == 1 else 1}\t{'root' if at == 1 else 'dep'}\t_\t{misc}"
        for at, misc in enumerate(miscs, start=first)
    )
    return "\n".join(rows) + "\n"


# Nested, one-word, in two parts, crossing, over two sentences, at an empty node; in the order of CorefUD.
WHOLE = f"""\
# newdoc id = mill
{GLOBAL}
# sent_id = 1
{lines("Entity=(e1-place-2(e2[1/2]-person-3(e3-time)", "Bridge=e1<e4:part|Entity=(e4-place-1)e2[1/2])")}\
2.1\t_\t_\t_\t_\t_\t_\t_\t1:nsubj\tEntity=e1)|SplitAnte=e1<e5,e3<e5
3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_
{lines("Entity=(e5--2-gloss:x(e2[2/2]-person-3)", "Entity=(e6|SpaceAfter=No", "Entity=e5)(e7", first=3)}
# sent_id = 2
{lines("Entity=e7)e6)", "Entity=(e1)")}
# newdoc id = brook
{GLOBAL}
{lines("Entity=(e1-person-1)")}
"""


def read(tmp_path: Path, text: str) -> list[CorefDocument]:
    path = tmp_path / "text.conllu"
    path.write_text(text, encoding="utf-8")
    return list(read_corefud(path))


def without_entities(document: CorefDocument) -> CorefDocument:
    def bare(sentence: ParsedSentence) -> ParsedSentence:
        words = tuple(replace(word, misc=with_entity(word.misc, "")) for word in sentence.words)
        nodes = tuple(replace(node, misc=with_entity(node.misc, "")) for node in sentence.empty_nodes)
        return replace(sentence, words=words, empty_nodes=nodes)

    return replace(document, sentences=tuple(map(bare, document.sentences)))


def test_mentions_are_read_with_spans_types_and_heads(tmp_path: Path) -> None:
    mill, brook = read(tmp_path, WHOLE)
    assert (mill.id, brook.id) == ("mill", "brook")
    assert mill.fields == ("eid", "etype", "head", "other")
    # Positions by hand: words 1 and 2, the empty node 2.1, words 3 to 5, then words 1 and 2 of the next.
    assert [(one.entity, one.spans, one.type, one.head) for one in mill.mentions] == [
        ("e1", (Span(0, 3),), "place", 1),
        ("e2", (Span(0, 2), Span(3, 4)), "person", 3),
        ("e3", (Span(0, 1),), "time", None),
        ("e4", (Span(1, 2),), "place", 1),
        ("e5", (Span(3, 6),), None, 4),
        ("e6", (Span(4, 7),), None, None),
        ("e7", (Span(5, 7),), None, None),
        ("e1", (Span(7, 8),), None, None),
    ]
    assert mill.mentions[4].attributes == {"head": "2", "other": "gloss:x"}
    assert [isinstance(node, EmptyNode) for node in mill.nodes()] == [False] * 2 + [True] + [False] * 5


@pytest.mark.parametrize("bare", [False, True])
def test_a_file_is_written_as_it_was_read(tmp_path: Path, *, bare: bool) -> None:
    documents = read(tmp_path, WHOLE)
    write_corefud(tmp_path / "new.conllu", [without_entities(d) for d in documents] if bare else documents)
    assert (tmp_path / "new.conllu").read_text(encoding="utf-8") == WHOLE


def test_brackets_in_another_order_stay_as_they_are(tmp_path: Path) -> None:
    text = f"{GLOBAL}\n{lines('Entity=(e2)(e1', 'Entity=e1)(e3)')}\n"
    documents = read(tmp_path, text)
    write_corefud(tmp_path / "new.conllu", documents)
    assert (tmp_path / "new.conllu").read_text(encoding="utf-8") == text


def test_a_changed_mention_changes_its_brackets_only(tmp_path: Path) -> None:
    (document,) = read(tmp_path, f"{GLOBAL}\n{lines('Entity=(e2)(e1', 'Entity=e1)(e3)', '_')}\n")
    mentions = (*document.mentions[:2], CorefMention("e3", (Span(2, 3),), {"etype": "place"}))
    write_corefud(tmp_path / "new.conllu", [replace(document, mentions=mentions)])
    written = f"{GLOBAL}\n{lines('Entity=(e2)(e1', 'Entity=e1)', 'Entity=(e3-place)')}\n"
    assert (tmp_path / "new.conllu").read_text(encoding="utf-8") == written


NESTED = {"whole": Span(0, 3), "start": Span(0, 2), "end": Span(1, 3), "twin": Span(1, 3), "word": Span(0, 1)}


@pytest.mark.parametrize("names", ["whole start end twin word", "word end twin start whole"])
def test_nested_brackets_do_not_depend_on_the_order_of_mentions(tmp_path: Path, names: str) -> None:
    """The longer mention stands outside; of two with the same words, the one that is given first."""
    (document,) = read(tmp_path, f"{GLOBAL}\n{lines('_', '_', '_')}\n")
    mentions = tuple(CorefMention(name, (NESTED[name],), {}) for name in names.split())
    write_corefud(tmp_path / "new.conllu", [replace(document, mentions=mentions)])
    cells = ("Entity=(whole(start(word)", "Entity=start)(end(twin", "Entity=twin)end)whole)")
    assert (tmp_path / "new.conllu").read_text(encoding="utf-8") == f"{GLOBAL}\n{lines(*cells)}\n"


def test_mentions_of_one_entity_inside_each_other_are_closed_from_the_inside(tmp_path: Path) -> None:
    (document,) = read(tmp_path, f"{GLOBAL}\n{lines('Entity=(e1--3(e1--2', 'Entity=e1)', 'Entity=e1)')}")
    assert [(one.spans, one.head) for one in document.mentions] == [((Span(0, 3),), 2), ((Span(0, 2),), 1)]


def test_a_new_entity_is_put_in_alphabetical_order_without_regard_to_case() -> None:
    assert with_entity("alpha=1|SpaceAfter=No", "(e1)") == "alpha=1|Entity=(e1)|SpaceAfter=No"
    assert with_entity("_", "(e1)") == "Entity=(e1)"


def test_parts_of_a_mention_may_follow_each_other_at_once(tmp_path: Path) -> None:
    (document,) = read(tmp_path, f"{GLOBAL}\n{lines('Entity=(e1[1/2]--2)', 'Entity=(e1[2/2])')}")
    assert [(one.spans, one.head) for one in document.mentions] == [((Span(0, 1), Span(1, 2)), 1)]


def test_the_fields_hold_until_others_are_named(tmp_path: Path) -> None:
    gum = "# newdoc\n# global.Entity = GRP-etype\n" + lines("Entity=(1-place)")
    documents = read(tmp_path, f"{GLOBAL}\n{lines('_')}\n# newdoc id = b\n{lines('Entity=(e1)')}\n{gum}")
    assert [document.id for document in documents] == [None, "b", None]
    assert [len(document.fields) for document in documents] == [4, 4, 2]
    assert documents[2].mentions == (CorefMention("1", (Span(0, 1),), {"etype": "place"}),)


def test_a_file_without_entities_has_documents_without_mentions(tmp_path: Path) -> None:
    (document,) = read(tmp_path, lines("SpaceAfter=No"))
    assert (document.fields, document.mentions) == ((), ())


@pytest.mark.parametrize(
    ("miscs", "place", "what"),
    [
        (["Entity=(e1", "_"], ":2:10", "not closed before the document ends"),
        (["_", "Entity=e1)"], ":3:10", "never opened"),
        (["Entity=(e1[1/2])", "Entity=e1[2/2])"], ":3:10", "never opened"),
        (["Entity=(e1[1/2])", "_"], ":2:10", r"no part e1\[2/2\]"),
        (["Entity=(e1[2/2])"], ":2:10", "no part before it"),
        (["Entity=(e1[1/2]", "Entity=e1[1/2])(e1[2/2])"], ":3:10", "no part before it"),
        (["Entity=(e1[1/2]-a)", "_", "Entity=(e1[2/2]-b)"], ":4:10", "other values"),
        (["Entity=(e1[3/2])"], ":2:10", "not a valid part number"),
        (["Entity=(e1[1/1])"], ":2:10", "not a valid part number"),
        (["Entity=e1"], ":2:10", "opening or closing bracket"),
        (["Entity=(e1)e2"], ":2:10", "opening or closing bracket"),
        (["Entity=()"], ":2:10", "opening or closing bracket"),
        (["Entity=(-a)"], ":2:10", "invalid name"),
        (["Entity=(e1[x])"], ":2:10", "invalid name"),
        (["Entity=(e1-a", "Entity=e1-a)"], ":3:10", "has values"),
        (["Entity=(e1-a-1-b-c)"], ":2:10", "5 values for 4 fields"),
        (["Entity=(e1--2)"], ":2:10", "has 1 words"),
        (["Entity=(e1--0)"], ":2:10", "the head"),
        (["Entity=(e1--x)"], ":2:10", "the head"),
        (["Entity=(e1--" + "9" * 5000 + ")"], ":2:10", "the head"),
        (["Entity="], ":2:10", "has no value"),
        (["Entity=(e1)|Entity=(e2)"], ":2:10", "twice"),
    ],
)
def test_a_mistake_names_its_place(tmp_path: Path, miscs: Sequence[str], place: str, what: str) -> None:
    with pytest.raises(InputError, match=what) as caught:
        read(tmp_path, f"{GLOBAL}\n{lines(*miscs)}")
    assert str(caught.value.where).endswith(f"text.conllu{place}")


SECOND = f"# newdoc\n{lines('Entity=e1)')}"


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        (f"{GLOBAL}\n{lines('Entity=(e1')}\n{SECOND}", ":2:10", "before the document ends"),
        (lines("Entity=(e1)"), ":1:10", "not declared"),
        (f"# newdoc\n# global.Entity = etype-eid\n{lines('_')}", ":2", "invalid fields"),
        (f"# global.Entity = eid-etype-etype\n{lines('_')}", ":1", "invalid fields"),
        (f"# global.Entity = eid--head\n{lines('_')}", ":1", "invalid fields"),
        (f"# global.Entity =\n{lines('_')}", ":1", "invalid fields"),
        (f"{GLOBAL}\n{lines('_')}\n# global.Entity = eid\n{lines('_')}", ":4", "change inside a document"),
        ("1-1\tdu" + "\t_" * 7 + "\tEntity=(e1)\n" + lines("_"), ":1:10", "not for one of its words"),
    ],
)
def test_a_mistake_of_the_document_names_its_place(tmp_path: Path, text: str, place: str, what: str) -> None:
    with pytest.raises(InputError, match=what) as caught:
        read(tmp_path, text)
    assert str(caught.value.where).endswith(f"text.conllu{place}")


@pytest.mark.parametrize(
    ("mentions", "what"),
    [
        ([CorefMention("e1", (Span(0, 9),), {})], "not closed"),
        ([CorefMention("e1", (Span(4, 5),), {})], "read back the same"),
        ([CorefMention("e1", (), {})], "read back the same"),
        (
            [CorefMention("e1", (Span(0, 3),), {}), CorefMention("e1", (Span(1, 4),), {"head": "2"})],
            "read back the same",
        ),
        ([CorefMention("e1", (Span(0, 1),), {"unknown": "x"})], "read back the same"),
        ([CorefMention("e1", (Span(0, 1),), {"other": "a-b"})], "values"),
        ([CorefMention("e 1", (Span(0, 1),), {})], "name of an entity"),
        ([CorefMention("e1", (Span(0, 1),), {"head": "2"})], "the head"),
    ],
)
def test_mentions_that_brackets_cannot_say_are_refused(
    tmp_path: Path, mentions: Sequence[CorefMention], what: str
) -> None:
    (document,) = read(tmp_path, f"{GLOBAL}\n{lines('_', '_', '_', '_')}")
    with pytest.raises(InputError, match=what):
        write_corefud(tmp_path / "new.conllu", [replace(document, mentions=tuple(mentions))])
    assert not (tmp_path / "new.conllu").exists()


def test_documents_that_comments_do_not_tell_apart_are_refused(tmp_path: Path) -> None:
    (document,) = read(tmp_path, f"{GLOBAL}\n{lines('_')}")
    with pytest.raises(InputError, match="2 documents would be read back as 1"):
        write_corefud(tmp_path / "new.conllu", [document, document])
    with pytest.raises(InputError, match="comments do not name"):
        write_corefud(tmp_path / "new.conllu", [replace(document, id="a")])


SPANS = st.tuples(st.integers(0, 7), st.integers(1, 4)).map(lambda pair: Span(pair[0], min(8, sum(pair))))


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(SPANS, max_size=6, unique=True))
def test_mentions_of_different_entities_anywhere_are_read_back(tmp_path: Path, spans: list[Span]) -> None:
    (document,) = read(tmp_path, f"{GLOBAL}\n{lines(*'_' * 4)}\n{lines(*'_' * 4)}")
    mentions = tuple(CorefMention(f"e{n}", (span,), {"head": "1"}) for n, span in enumerate(spans))
    write_corefud(tmp_path / "new.conllu", [replace(document, mentions=mentions)])
    (again,) = read_corefud(tmp_path / "new.conllu")
    assert sorted(again.mentions, key=lambda one: one.entity) == list(mentions)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text("()[]/-=|e12", max_size=8), min_size=1, max_size=3))
def test_any_brackets_are_read_and_kept_or_refused(tmp_path: Path, cells: list[str]) -> None:
    text = f"{GLOBAL}\n{lines(*(f'Entity={cell}' for cell in cells))}\n"
    try:
        documents = read(tmp_path, text)
    except InputError:
        return
    write_corefud(tmp_path / "new.conllu", documents)
    again = list(read_corefud(tmp_path / "new.conllu"))
    assert [document.mentions for document in again] == [document.mentions for document in documents]
