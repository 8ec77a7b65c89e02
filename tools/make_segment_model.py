"""Learn the tables with which documents are cut into segments.

    python tools/make_segment_model.py --data DATA src/anaphor/segment
    python tools/make_segment_model.py --text it=en-it.tsv --text pt=en-pt.tsv src/anaphor/segment

The second command writes only the edges of these languages, from the pairs that `tools/free_text.py`
gathered. The first writes model.json and, for each language, edges/LANGUAGE.tsv. For the second it counts
which words begin and end sentences in Europarl, Tatoeba, the Debian handbook and the Bible, the texts of
the alignment priors. For the first it reads the English-German talks, news and debates of DATA/docs-en-de,
whose segments are known, and counts how words, ends, beginnings and sentences behave inside a segment's
translation, at its edges, and elsewhere.
Half of the documents get longer segments, of up to four sentences. Only counts are kept, as logarithms of
ratios. The costs below were chosen on the same documents, whole and damaged at random; the temperature on
every second one (`benchmarks/segment/run.py --only reliability --temperature T`).
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
from make_priors import gathered_pairs, raw_pairs

from anaphor.align.priors import built_in_prior
from anaphor.align.vocabulary import load_packs
from anaphor.core import LanguagePair
from anaphor.segment.encode import ENDS, GAPS, KINDS, STARTS, count_edges, sides_of
from anaphor.segment.model import BINS, SegmentModel, lexicon_of
from anaphor.segment.search import Search

PAIR = LanguagePair("en", "de")
#: No text has line ends between its segments here, so that their evidence is set and not learned.
LINE = 4.0
COSTS = {
    "spread": 1.5,
    "omission": 5.0,
    "further_omission": 2.0,
    "addition": 5.0,
    "temperature": 1.7,
}
SENTENCES = 3
LANGUAGES = ("de", "en", "es", "fr")
EUROPARL = 60_000
#: Words that occur less often are not listed; those that occur at most so often are counted together.
OFTEN, RARE = 25, 3
#: Evidence that is too weak to be listed.
LEAST_EDGE = 0.25
Document = tuple[list[str], list[str]]


def read_documents(folder: Path) -> Iterator[Document]:
    """Source and target segments of each document; a line `<d>` begins one."""
    for name in ("IWSLT2017", "NC-2016", "Europarl7"):
        sides = []
        for language in ("en", "de"):
            path = folder / name / f"concatenated_en2de_dev_{language}.txt.gz"
            with gzip.open(path, "rt", encoding="utf-8") as file:
                sides.append([" ".join(line.split()) for line in file])
        document: Document = ([], [])
        for source, target in zip(*sides, strict=True):
            if source == "<d>":
                if document[0]:
                    yield document
                document = ([], [])
            elif source and target:
                document[0].append(source)
                document[1].append(target)
        if document[0]:
            yield document


def lengthened(document: Document, chance: random.Random) -> Document:
    """The document with runs of one to four segments joined to one."""
    cuts = [0]
    while cuts[-1] < len(document[0]):
        cuts.append(cuts[-1] + chance.choice((1, 1, 2, 3, 4)))
    source, target = ([" ".join(side[a:b]) for a, b in pairwise(cuts)] for side in document)
    return source, target


def log_ratio(inside: np.ndarray, outside: np.ndarray, *, most: float = 6.0) -> np.ndarray:
    """Logarithms of shares in the last dimension, inside over outside; what is rare in both is near 0."""
    outside = (outside + 0.5) / (outside + 0.5).sum(-1, keepdims=True)
    inside = inside + 3 * outside
    return np.clip(np.log(inside / inside.sum(-1, keepdims=True) / outside), -most, most)


def learn(documents: list[Document]) -> dict[str, object]:
    """The tables of a model."""
    source_side, target_side = sides_of(load_packs(PAIR), PAIR.source, PAIR.target)
    encoded = []
    for source, target in documents:
        tokens = target_side.encode(" ".join(target))
        places = np.cumsum([0, *(len(line) + 1 for line in target)])[:-1]
        cuts = np.append(np.searchsorted(tokens.starts, places), len(tokens))
        encoded.append((source_side.encode_segments(source), tokens, cuts))
    lexicon, known = lexicon_of(built_in_prior(PAIR), source_side.number, target_side.number)
    # Tables that show the search's own bins: 1,000 for a kind and 1 for a bin.
    bins = np.arange(BINS + 2, dtype=np.float32) + 1000 * np.arange(len(KINDS), dtype=np.float32)[:, None]
    nothing = np.zeros((len(ENDS), len(ENDS)), np.float32)
    probe = SegmentModel(bins, nothing, nothing, nothing[0], nothing[0, :3], nothing[0], nothing[0], **COSTS)
    opening, closing = np.zeros((2, BINS + 2)), np.zeros((2, BINS + 2))
    words = np.zeros((2, len(KINDS), BINS + 2))
    ends, begins = np.zeros((len(ENDS), len(ENDS))), np.zeros((len(STARTS), 2 * len(STARTS)))
    other_ends, other_begins = np.zeros(len(ENDS)), np.zeros(2 * len(STARTS))
    gaps, sentences = np.zeros((2, len(GAPS))), np.zeros(2 * SENTENCES + 1)
    for segments, tokens, cuts in encoded:
        tokens.kinds[(tokens.kinds == 0) & ~known[tokens.words]] = 1
        search = Search(segments, tokens, lexicon, probe, 1.0)
        for i, (start, end) in enumerate(pairwise(cuts.tolist())):
            low, high = cuts[max(i - 2, 0)], cuts[min(i + 3, len(cuts) - 1)]
            value, used = search.evidence(i, int(low), int(high))
            kind, column = np.divmod(value.astype(int), 1000)
            place = np.arange(low, high)
            column[(used >= start) & (place >= start)] = BINS + 1
            outside = ((place < start) | (place >= end)).astype(int)
            np.add.at(words, (outside, kind, column), 1)
            more = tokens.sentences[end] - tokens.sentences[start] - segments.sentences[i]
            sentences[np.clip(more, -SENTENCES, SENTENCES) + SENTENCES] += 1
            # Words at an edge of the translation beside those inside of it.
            for counts, edge, near, at in (
                (opening, segments.first[i], search.next_word, start),
                (closing, segments.last[i], search.last_word, end),
            ):
                bin_of = search.edge_bins(edge, near)
                counts[0, bin_of[at]] += 1
                np.add.at(counts[1], bin_of[start + 1 : end], 1)
        inner = cuts[1:-1]
        other = np.setdiff1d(np.arange(1, len(tokens)), inner)
        np.add.at(ends, (segments.ends[:-1], tokens.ends[inner]), 1)
        np.add.at(begins, (segments.begins[1:], tokens.begins[inner]), 1)
        np.add.at(gaps[0], tokens.gaps[inner], 1)
        np.add.at(gaps[1], tokens.gaps[other], 1)
        spaced = other[tokens.gaps[other] > 0]
        np.add.at(other_ends, tokens.ends[spaced], 1)
        np.add.at(other_begins, tokens.begins[spaced], 1)
    table = log_ratio(words[0], words[1], most=5.0)
    table[:, -1] = min(0.0, float(log_ratio(words[0].sum(0), words[1].sum(0))[-1]))
    # Rare ends and beginnings lean on what ends and beginnings are like in general.
    ends += 3 * ends.sum(0) / ends.sum()
    begins += 3 * begins.sum(0) / begins.sum()
    # What begins a segment counts given whether a sentence ended before: ends have that evidence already.
    halves = [log_ratio(begins[:, half], other_begins[half]) for half in _HALVES]
    for half in halves:  # German has no letters without case: nothing is known about them
        half[:, STARTS.index("uncased")] = 0
        half[STARTS.index("uncased")] = 0
    gap_table = log_ratio(gaps[0], gaps[1])
    gap_table[GAPS.index("line")] = LINE
    shape = np.maximum(np.log((sentences + 0.5) / (sentences[SENTENCES] + 0.5)), -5.0)
    tables = {
        "words": table,
        "ends": log_ratio(ends, other_ends, most=7.0),
        "begins": np.concatenate(halves, 1),
        "gaps": gap_table,
        "sentences": shape,
        "opening": log_ratio(opening[0, : BINS + 1], opening[1, : BINS + 1]),
        "closing": log_ratio(closing[0, : BINS + 1], closing[1, : BINS + 1]),
    }
    return {name: np.round(table, 2).tolist() for name, table in tables.items()} | COSTS


def learn_edges(lines: Iterable[str], language: str) -> Iterator[tuple[str, float, float]]:
    """Words, and logarithms of how much more often they end and begin sentences than words do.

    Words of at most RARE occurrences are counted together, by their class as a start. A word with a small
    letter begins a segment where two sentences were merged: it counts as often as it begins sentences with a
    capital, beside other words with small letters.
    """
    side, _ = sides_of(load_packs(LanguagePair(language, PAIR.source)), language, PAIR.source)
    text = side.encode("\n".join(line for line in lines if line))
    counts = np.stack(count_edges(text, len(side)))
    starts = np.array([text.begins[place] % len(STARTS) for place in _first_places(text.tokens, len(side))])
    share = counts.sum(1) / counts[2].sum()
    small = starts == STARTS.index("lower")
    for word, begins in zip(side, counts[1].copy(), strict=True):
        if word.lower() != word and word.lower() in side:
            counts[1, side[word.lower()]] += begins
    rare = counts[2] <= RARE
    rows = [
        (f"<{name}>", counts[:, rare & (starts == code)].sum(1), code == STARTS.index("lower"))
        for code, name in enumerate(STARTS)
    ]
    rows += [row for row in zip(side, counts.T, small, strict=True) if row[1][2] >= OFTEN]
    small_share = counts[1, small].sum() / counts[2, small].sum()
    for word, row, is_small in rows:
        shares = np.array([share[0], small_share if is_small else share[1]])
        final, initial = np.log((row[:2] / shares + 3) / (row[2] + 3))
        if row[2] and max(abs(final), abs(initial)) >= LEAST_EDGE:
            yield word, final, initial


def edge_lines(data: Path, language: str) -> Iterator[str]:
    """Segments of one language: a part of Europarl, and all of the others, which are shorter and livelier."""
    other = "de" if language == "en" else language
    for source, target in raw_pairs(data, other, EUROPARL):
        yield " ".join((source if language == "en" else target).split())


def _first_places(tokens: np.ndarray, size: int) -> np.ndarray:
    first = np.zeros(size, np.int64)
    first[tokens[::-1]] = np.arange(len(tokens))[::-1]
    return first


_HALVES = (slice(0, len(STARTS)), slice(len(STARTS), 2 * len(STARTS)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data = parser.add_mutually_exclusive_group(required=True)
    data.add_argument("--data", type=Path)
    data.add_argument("--text", action="append", metavar="LANGUAGE=FILE")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    if options.text:
        for language, _, path in (text.partition("=") for text in options.text):
            # Once, although the Bible has each verse beside two English ones.
            lines = dict.fromkeys(target for _, target in gathered_pairs(Path(path)))
            write_edges(options.folder, lines, language)
        return
    chance = random.Random(1)  # noqa: S311 - which segments are joined is no secret
    documents = [
        lengthened(document, chance) if number % 2 else document
        for number, document in enumerate(read_documents(options.data / "docs-en-de"))
    ]
    lines = [f'"{name}": {json.dumps(value)}' for name, value in learn(documents).items()]
    options.folder.joinpath("model.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    for language in LANGUAGES:
        write_edges(options.folder, edge_lines(options.data, language), language)


def write_edges(folder: Path, lines: Iterable[str], language: str) -> None:
    rows = (
        f"{word}\t{final * 10:.0f}\t{initial * 10:.0f}\n"
        for word, final, initial in learn_edges(lines, language)
    )
    folder.joinpath("edges", f"{language}.tsv").write_text("".join(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
