"""A suite from plain text: every pronoun that scoring would evaluate is an item, without an antecedent."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from anaphor.core import Category, InputError, Item, LanguagePair, Settings, Span, Suite
from anaphor.corpus import Text
from anaphor.languages import FormMatcher, Runs, Tokenizer, load_pair
from anaphor.pronouns.find import EvaluatedForms, Splitter, find_by_form
from anaphor.suite.folder import LoadedSuite
from anaphor.suite.texts import SuiteTexts

#: The only document of a text that is not divided into documents.
WHOLE = "text"


def plain_suite(
    source: Text,
    pair: LanguagePair,
    *,
    documents: Sequence[str] | None = None,
    pronouns: Sequence[str] = (),
    tokenized: bool = False,
    packs: Path | None = None,
) -> LoadedSuite:
    """The pronouns of a text as items, one category for each form; `documents` has the id of every segment.

    Items are called SEGMENT:TOKEN, as in the output of `anaphor score --items`.
    """
    pack = load_pair(pair, folder=packs)
    ids = [WHOLE] * len(source) if documents is None else documents
    parts = [
        (name, [at for at, _ in part])
        for name, part in groupby(enumerate(ids), key=lambda numbered: numbered[1])
    ]
    texts: dict[str, Text] = {}
    starts: dict[int, tuple[str, int]] = {}
    for name, segments in parts:
        if name in texts:
            fix = "keep the segments of a document together"
            raise InputError(f"the segments of document {name} are not adjacent", where=source.path, fix=fix)
        lines = [source.lines[at] for at in segments]
        texts[name] = Text.of(lines, path=f"{source.path} [{name}]")
        start = 0
        for at, line in zip(segments, lines, strict=True):
            starts[at] = (name, start)
            start += len(line) + 1
    forms = EvaluatedForms.of(pack, Settings(pair=str(pair), pronouns=tuple(pronouns))).pronouns
    splitter = Splitter.of(Tokenizer(pack.source), tokenized=tokenized)
    matcher = FormMatcher(pack.source, forms)
    words = None if tokenized else splitter.words
    items: dict[str, Item] = {}
    for pronoun in find_by_form(source.lines, Runs.of(source.lines), matcher, words=words):
        document, start = starts[pronoun.segment]
        span = splitter.sentence(source.lines[pronoun.segment]).span(pronoun.position)
        key = f"{pronoun.segment}:{pronoun.position}"
        # A token with two forms is one example.
        items.setdefault(
            key, Item(key, document, pronoun.form, (Span(start + span.start, start + span.end),))
        )
    if not items:
        fix = "check that this is the source text and that --pair is right, or name others with --pronouns"
        raise InputError(f"no pronoun found (looked for {', '.join(forms)})", where=source.path, fix=fix)
    suite_texts = SuiteTexts(texts, {})
    used = dict.fromkeys(item.category for item in items.values())
    suite = Suite(
        name=Path(source.path).stem or WHOLE,
        version="1",
        pair=pair,
        licence="unknown",
        description=f"every {', '.join(used)} of a text",
        categories=tuple(Category(form, False, f"every {form}") for form in used),
        documents=suite_texts.documents(),
        items=tuple(items.values()),
    )
    return LoadedSuite(suite, suite_texts)
