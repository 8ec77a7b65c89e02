"""Descriptions of apparent problems with the texts of an experiment, before they are scored.

Only a text that is clearly in another language stops a run, unless the user allows it; everything else may be
intended. The limits were set on the real systems used in the tests, on which there must be no false alarms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, islice

from anaphor.core import MismatchError, Where
from anaphor.core.engine import native
from anaphor.corpus.bundle import Inputs
from anaphor.corpus.text import Text
from anaphor.languages import LanguagePack, PairPack, Runs, Words
from anaphor.languages.identify import other_language, script

#: Lines that are looked at where every line costs time: enough for any language and habit to show.
_LOOKED_AT = 500
#: Shorter lines may well be the same in two languages: names, titles, addresses.
_WORDS_OF_A_COPY = 4
#: A candidate that copies more than one line in this many is taken for untranslated. Of 67 systems of WMT
#: 2021 and 2024 the one that copies most has 2 %.
_ONE_IN = 10
#: Links are counted in candidates with at least so many source words: a few lines may translate freely.
_LEAST_WORDS = 200
#: A candidate does not look like a translation if fewer of its words, and of the source's words, are linked.
#: Measured with the built-in aligner on 34 systems for 7 texts (WMT 2024, chats, dialogues, news, the demo):
#:
#:                                                   source words    candidate's words    larger share
#:     real systems                                  .82 to .96      .82 to .93           .83 to .96
#:     a system that cuts off lines (one of them)    .55             .79                  .79
#:     lines shuffled                                .22 to .49      .22 to .47           .23 to .49
#:     lines shifted by one                          .28 to .50      .27 to .48           .28 to .50
#:     another text in the same language             .16 to .49      .37 to .49           .37 to .49
#:
#: The larger share separates best. Words of five letters or more do not: up to .56 of them are linked in a
#: wrong text, and .56 where lines are cut off. It makes little difference whether a text is aligned alone or
#: with others. Other symmetrizations give .78 or more to real systems, .60 or less to shuffled ones (union).
_LEAST_LINKED = 0.62
_STOP = re.compile(r"[.,](?=\s|$)")


def text_warnings(
    inputs: Inputs, pack: PairPack, *, tokenized: bool, any_language: bool = True
) -> Iterator[str]:
    """A note for everything that looks wrong: in a single text, between two texts, or in the documents.

    Without `any_language`, a text that is clearly not in the expected language is a MismatchError.
    """
    references = {
        "reference" if len(inputs.references) == 1 else f"reference {number}": text
        for number, text in enumerate(inputs.references, start=1)
    }
    candidates = {f"candidate {name}": text for name, text in inputs.candidates.items()}

    def in_language(name: str, text: Text) -> Iterator[str]:
        problem = language_problem(text, pack.source if name == "source" else pack.target)
        if problem is None:
            return
        what, where = problem
        if not any_language:
            fix = "check --pair and the order of the files; --any-language scores the text as it is"
            raise MismatchError(f"{name}: {what}", where=where, fix=fix)
        yield f"{name}: {what}"

    yield from in_language("source", inputs.source)
    sources = inputs.source.lines
    for name, text in {**references, **candidates}.items():
        pairs = [(at, text.lines[at].strip(), sources[at].strip()) for at in _alike(sources, text.lines)]
        if blank := [at for at, line, source in pairs if source and not line]:
            yield f"{name}: blank lines: {len(blank)} of {len(text)}, the first is line {blank[0] + 1}"
        copied = sum(1 for _, line, source in pairs if line == source and _is_long(line))
        # More long lines than this make so many copies no doubt: they need not be counted.
        enough = copied * _ONE_IN
        long = sum(1 for _ in islice(filter(_is_long, sources), enough))
        if text.digest == inputs.source.digest:
            yield f"{name}: equals the source"
        elif long < enough:
            yield f"{name}: {copied} of {long} lines of some length equal the source"
        else:
            yield from in_language(name, text)
    yield from _equal_texts(candidates)
    yield from _tokenization_warnings(inputs, references, candidates, tokenized=tokenized)
    if inputs.documents is not None:
        yield from _scattered(inputs.documents)


def link_warnings(inputs: Inputs, *, source: Words, target: Words) -> Iterator[str]:
    """A note for every candidate that has too few links for a translation of the source.

    `inputs` are aligned; `source` and `target` split lines into the words that links connect.
    """
    lines = range(0, inputs.segments, -(-inputs.segments // _LOOKED_AT)) if inputs.segments else ()
    lengths = {line: len(source(inputs.source.lines[line])) for line in lines}
    for name, text in inputs.candidates.items():
        links = (inputs.candidate_alignments or {}).get(name)
        translated = [line for line in lines if text.lines[line].strip()]
        source_words = sum(lengths[line] for line in translated)
        if links is None or source_words < _LEAST_WORDS:
            continue
        linked_source = linked_target = target_words = 0
        for line in translated:
            linked_source += len(set(links[line].sources))
            linked_target += len(set(links[line].targets))
            target_words += len(target(text.lines[line]))
        share = max(linked_source / source_words, linked_target / target_words)
        if share < _LEAST_LINKED:
            yield (
                f"candidate {name}: does not look like a translation of the source: "
                f"only {100 * share:.0f} % of its words are linked; check that its lines are in the order "
                "of the source, and that it translates this source"
            )


def _alike(first: Sequence[str], second: Sequence[str]) -> Sequence[int]:
    """The numbers of all lines that may be equal, or blank in the second text; the rest is neither."""
    if native is None:
        return range(len(first))
    numbers: list[int] = native.lines_to_compare(Runs.of(first).data, Runs.of(second).data).tolist()
    return numbers


def _is_long(line: str) -> bool:
    return len(line.split()) >= _WORDS_OF_A_COPY


def language_problem(text: Text, language: LanguagePack) -> tuple[str, Where] | None:
    """What shows that a text is not in the script or language of a pack, and where; None for nothing."""
    lines = _some(text.lines)
    actual = script(lines)
    if actual is not None and actual != language.script:
        line = next((n for n, line in enumerate(text.lines, start=1) if script([line]) == actual), None)
        what = f"is written in {actual} script, but the pack of {language.name} says {language.script}"
        return what, Where(text.path, line)
    if (other := other_language(lines, language.code)) is not None:
        return f"looks like {other}, but the pair says {language.name}", Where(text.path)
    return None


def _equal_texts(texts: dict[str, Text]) -> Iterator[str]:
    seen: dict[str, str] = {}
    for name, text in texts.items():
        if (first := seen.setdefault(text.digest, name)) != name:
            yield f"{name}: equals {first}"


def _tokenization_warnings(
    inputs: Inputs, references: dict[str, Text], candidates: dict[str, Text], *, tokenized: bool
) -> Iterator[str]:
    looks = {name: _looks_tokenized(text.lines) for name, text in {**references, **candidates}.items()}
    words = {True: "tokenized", False: "raw"}
    if tokenized:
        looks["source"] = _looks_tokenized(inputs.source.lines)
        for name in (name for name, look in looks.items() if look is False):
            yield f"{name}: looks raw, and --tokenized keeps its words as they are"
        return
    for name in candidates:
        own = looks[name]
        other = next(
            (
                reference
                for reference in references
                if looks[reference] is not None and looks[reference] is not own
            ),
            None,
        )
        if own is not None and other is not None:
            yield f"{name}: looks {words[own]}, and {other} looks {words[not own]}"


def _looks_tokenized(lines: Sequence[str]) -> bool | None:
    """Whether commas and full stops are separate tokens; None if there are few of them, or both styles occur.

    Other marks have a space before them in raw French.
    """
    # The space before a mark is looked at here: a pattern that begins with it would be tried at every letter.
    apart = [
        line[stop.start() - 1 : stop.start()].isspace()
        for line in _some(lines)
        for stop in _STOP.finditer(line)
    ]
    share = sum(apart) / len(apart) if len(apart) >= 10 else 0.5
    return None if 0.2 < share < 0.8 else share >= 0.8


def _scattered(documents: Sequence[str]) -> Iterator[str]:
    starts: dict[str, list[int]] = {}
    line = 1
    for name, segments in groupby(documents):
        starts.setdefault(name, []).append(line)
        line += sum(1 for _ in segments)
    scattered = {name: places for name, places in starts.items() if len(places) > 1}
    if scattered:
        name, places = next(iter(scattered.items()))
        yield (
            f"documents: {len(scattered)} of {len(starts)} are scattered, first {name} (from line "
            f"{places[0]} and again from line {places[1]}); sentences are read in the order of the file"
        )


def _some(lines: Sequence[str]) -> Sequence[str]:
    return lines[:: -(-len(lines) // _LOOKED_AT)]
