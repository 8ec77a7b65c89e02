"""Gather free parallel text for an alignment prior: a line for each pair of English and another language.

    python tools/free_text.py --language it --tatoeba FILES --bible ENGLISH OTHER --lines ENGLISH OTHER
        --treebanks ENGLISH OTHER --handbook ENGLISH OTHER OUTPUT.tsv

- tatoeba: files of the Tatoeba Challenge (language, language, text, text), perhaps compressed;
- bible: files of the eBible corpus, a verse to a line; verses printed together with others are left out;
- lines: two files with a sentence to a line, such as NTREX;
- treebanks: files of the parallel Universal Dependencies treebanks, whose sentences have the same id;
- handbook: two folders with the pages of the Debian Administrator's Handbook in HTML.

`tools/make_priors.py --text` reads the output. All options but `--language` and `--tatoeba` may be repeated.
"""

from __future__ import annotations

import argparse
import gzip
import html
import re
import sys
from collections.abc import Iterator
from pathlib import Path

#: The codes of languages in the Tatoeba Challenge.
_THREE_LETTERS = {"it": "ita", "pt": "por", "nl": "nld", "ru": "rus"}
_MERGED = "<range>"
_PARAGRAPH = re.compile(r'<div class="para">(.*?)</div>', re.DOTALL)
_MARKUP = re.compile(r"<[^>]*>")
_SPACE = re.compile(r"\s+")

Pairs = Iterator[tuple[str, str]]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--language", required=True, choices=_THREE_LETTERS)
    parser.add_argument("--tatoeba", type=Path, nargs="*", default=[])
    readers = {"bible": verses, "lines": lines, "treebanks": sentences, "handbook": paragraphs}
    for name in readers:
        parser.add_argument(f"--{name}", type=Path, nargs=2, action="append", default=[])
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    seen: set[tuple[str, str]] = set()
    sources = [("tatoeba", tatoeba(path, _THREE_LETTERS[options.language])) for path in options.tatoeba]
    sources += [(name, read(*two)) for name, read in readers.items() for two in getattr(options, name)]
    with options.output.open("w", encoding="utf-8") as output:
        for name, pairs in sources:
            before = len(seen)
            for english, other in pairs:
                pair = (_SPACE.sub(" ", english).strip(), _SPACE.sub(" ", other).strip())
                if all(pair) and pair[0] != pair[1] and pair not in seen:
                    seen.add(pair)
                    output.write("\t".join(pair) + "\n")
            sys.stderr.write(f"{name}: {len(seen) - before} new pairs\n")


def tatoeba(path: Path, code: str) -> Pairs:
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    for row in text.removesuffix("\n").split("\n"):
        one, two, first, second = row.split("\t")[:4]
        # Scripts may be named too: por_Latn.
        if (one[:3], two[:3]) == ("eng", code):
            yield first, second
        elif (one[:3], two[:3]) == (code, "eng"):
            yield second, first


def verses(english: Path, other: Path) -> Pairs:
    both = [path.read_text(encoding="utf-8").split("\n") for path in (english, other)]
    merged = {
        place
        for side in both
        for number, verse in enumerate(side)
        if verse == _MERGED
        for place in (number - 1, number)
    }
    for number, pair in enumerate(zip(*both, strict=True)):
        if number not in merged:
            yield pair[0], pair[1]


def lines(english: Path, other: Path) -> Pairs:
    both = [path.read_text(encoding="utf-8").splitlines() for path in (english, other)]
    yield from zip(both[0], both[1], strict=True)


def sentences(english: Path, other: Path) -> Pairs:
    one, two = _texts(english), _texts(other)
    yield from ((text, two[name]) for name, text in one.items() if name in two)


def _texts(treebank: Path) -> dict[str, str]:
    texts, name = {}, ""
    for line in treebank.read_text(encoding="utf-8").splitlines():
        if line.startswith("# sent_id = "):
            name = line.removeprefix("# sent_id = ")
        elif line.startswith("# text = "):
            texts[name] = line.removeprefix("# text = ")
    return texts


def paragraphs(english: Path, other: Path) -> Pairs:
    """Paragraphs of pages with equally many; untranslated ones are equal, and the caller leaves them out."""
    for page in sorted(english.glob("*.html")):
        if (other / page.name).exists():
            pages = ((folder / page.name).read_text(encoding="utf-8") for folder in (english, other))
            one, two = (
                [html.unescape(_MARKUP.sub(" ", text)) for text in _PARAGRAPH.findall(content)]
                for content in pages
            )
            if len(one) == len(two):
                yield from zip(one, two, strict=True)


if __name__ == "__main__":
    main()
