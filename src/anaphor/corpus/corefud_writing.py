"""CorefUD out: brackets in MISC for the mentions of every document.

Where brackets meet at a word, they stand as in the files of CorefUD: what ends before what begins, the longer
mention outside; a mention of one word after those that begin with it, else before those that end with it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from anaphor.core import InputError, Span, Where
from anaphor.corpus.conllu_nouns import Contraction, EmptyNode, ParsedSentence, Word
from anaphor.corpus.conllu_writing import write_conllu
from anaphor.corpus.corefud import CorefDocument, corefud_documents
from anaphor.corpus.corefud_brackets import brackets_of, label_of, with_entity
from anaphor.corpus.corefud_mentions import Mention


def write_corefud(path: str | Path, documents: Sequence[CorefDocument]) -> None:
    """Write documents so that `read_corefud` gives the same mentions; what it would not is an `InputError`.

    Comments, which name documents and fields, are written as they stand in the sentences, and so is an Entity
    that has just the brackets that it should have, whatever their order.
    """
    name = str(path)
    try:
        sentences = [sentence for document in documents for sentence in sentences_with_entities(document)]
        found = list(corefud_documents(sentences, name))
    except InputError as error:
        raise InputError(f"no CorefUD: {error.what}", where=name, fix=error.fix) from error
    for document, again in zip(documents, found, strict=False):
        _check_same(document, again, name)
    if len(documents) != len(found):
        what = f"{len(documents)} documents would be read back as {len(found)}"
        raise InputError(what, where=name, fix="begin every document with a comment # newdoc id = ...")
    write_conllu(path, sentences)


def sentences_with_entities(document: CorefDocument) -> Iterator[ParsedSentence]:
    """The sentences with the mentions of the document as Entity in MISC, in place of what was there."""
    cells = entity_cells(document)
    at = 0
    for sentence in document.sentences:
        words: list[Word] = []
        empty_nodes: list[EmptyNode] = []
        for row in sentence.rows():
            if isinstance(row, Contraction):
                continue
            misc = _misc(row.misc, cells.get(at, ""))
            if isinstance(row, Word):
                words.append(replace(row, misc=misc))
            else:
                empty_nodes.append(replace(row, misc=misc))
            at += 1
        yield replace(sentence, words=tuple(words), empty_nodes=tuple(empty_nodes))


def entity_cells(document: CorefDocument) -> Mapping[int, str]:
    """The value of Entity at every position that has one."""
    opening, closing, single = (defaultdict[int, list[str]](list) for _ in range(3))
    parts = [part for mention in document.mentions for part in _parts(mention, document.fields)]
    for span, label, values in sorted(parts, key=lambda part: (part[0].start, -part[0].end)):
        if len(range(*span)) == 1:
            single[span.start].append(f"({label}{values})")
        else:
            opening[span.start].append(f"({label}{values}")
            closing[span.end - 1].insert(0, f"{label})")
    return {
        at: "".join((*closing[at], *opening[at], *single[at]) if opening[at] else (*single[at], *closing[at]))
        for at in {*opening, *closing, *single}
    }


def _parts(mention: Mention, fields: Sequence[str]) -> Iterator[tuple[Span, str, str]]:
    """The span, name and values of every part; empty values at the end are left out."""
    values = "-".join(mention.attributes.get(field, "") for field in fields[1:]).rstrip("-")
    total = len(mention.spans)
    for number, span in enumerate(mention.spans, start=1):
        label = label_of(mention.entity, (number, total) if total > 1 else None)
        yield span, label, f"-{values}" if values else ""


def _misc(old: str, value: str) -> str:
    """The cell with this Entity; as it was where the brackets are the same and only stand otherwise."""
    where = Where("MISC")
    was, now = (Counter(brackets_of(cell, where)) for cell in (old, with_entity("_", value)))
    return old if was == now else with_entity(old, value)


def _check_same(document: CorefDocument, again: CorefDocument, name: str) -> None:
    """A difference is in what comments say, or in mentions that brackets cannot tell apart."""
    if (document.id, document.fields) != (again.id, again.fields):
        what = f"the comments do not name the document {document.id} and its fields"
        fix = "give its first sentence # newdoc id = ... and # global.Entity = ..."
        raise InputError(what, where=name, fix=fix)
    if _counted(document.mentions) != _counted(again.mentions):
        what = f"the mentions of the document {document.id} would not be read back the same"
        fix = "keep spans in the document, and mentions of one entity inside each other or apart"
        raise InputError(what, where=name, fix=fix)


def _counted(mentions: Iterable[Mention]) -> Counter[tuple[object, ...]]:
    """How often there is each mention; their order is that of the brackets and says nothing more."""
    return Counter((one.entity, one.spans, frozenset(one.attributes.items())) for one in mentions)
