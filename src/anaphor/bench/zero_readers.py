"""Readers of the public sets of pronouns that Chinese leaves out: mZPRT and TVSub."""

from __future__ import annotations

import html
import re
import warnings
from collections.abc import Sequence
from difflib import SequenceMatcher

from anaphor.bench.items import BenchItem
from anaphor.bench.original_files import Items, same_length
from anaphor.bench.zero_pronouns import zero_pronouns
from anaphor.core import InputWarning, LanguagePair, Span
from anaphor.core.table import counted
from anaphor.corpus import read_text

#: A pronoun that annotators have put back, and its role.
_MARKED = re.compile(r"<([^<>]*)>_([A-Za-z]*)")
_UNTRANSLATED = "UN"
_DOCUMENT = "[doc]"
#: Sentences before the tested one.
_CONTEXT = 3


def mzprt(paths: Sequence[str], _pair: LanguagePair) -> Items:
    """The raw files of a domain: Chinese with marks such as `<它>_S`, English, `[doc]` before each document.

    Marks of pronouns that the reference does not translate (UN) are left out, as in the original.
    """
    table = zero_pronouns()
    source, target = map(read_text, paths)
    same_length(source, target)
    document = ""
    before: list[tuple[str, str]] = []
    unknown: list[int] = []
    for number, (line, reference) in enumerate(zip(source.lines, target.lines, strict=True)):
        if line.strip() == _DOCUMENT:
            document, before = str(number), []
            continue
        marks = list(_MARKED.finditer(line))
        restored, slots = _restored(line, marks)
        sentence = _MARKED.sub("", line)
        for count, (mark, slot) in enumerate(zip(marks, slots, strict=True)):
            pronoun, role = mark.groups()
            expected = table.expected(pronoun, role) if role in table.roles else ()
            if role == _UNTRANSLATED:
                continue
            if not expected:
                unknown.append(number + 1)
                continue
            yield BenchItem(
                f"{number}.{count}",
                (*(chinese for chinese, _ in before), sentence.strip()),
                document,
                tuple(english for _, english in before),
                variants=(reference.strip(),),
                expected=expected,
                wrong=table.wrong(pronoun),
                pronoun=pronoun,
                slot=slot,
                category=table.roles[role],
                group=str(number),
                restored=restored,
            )
        before = [*before, (sentence.strip(), reference.strip())][-_CONTEXT:]
    if unknown:
        warnings.warn(
            f"{source.path}: left out {counted(len(unknown), 'mark')} of an unknown pronoun or role, "
            f"first in line {unknown[0]}",
            InputWarning,
            stacklevel=2,
        )


def tvsub(paths: Sequence[str], _pair: LanguagePair) -> Items:
    """`test_src`, `test_oracle_dp_src`, `test.orignal.en`: the source, the same with the pronouns that it
    leaves out, and a reference. Spaces between Chinese words are removed, since the two differ in them.
    """
    table = zero_pronouns()
    source, oracle, target = map(read_text, paths)
    same_length(source, oracle, target)
    references = [html.unescape(line.strip()) for line in target.lines]
    sentences = ["".join(line.split()) for line in source.lines]
    rewritten: list[int] = []
    for number, (sentence, line) in enumerate(zip(sentences, oracle.lines, strict=True)):
        restored = "".join(line.split())
        first = max(0, number - _CONTEXT)
        edits = SequenceMatcher(None, sentence, restored, autojunk=False).get_opcodes()
        for count, (kind, _, _, start, end) in enumerate(edit for edit in edits if edit[0] != "equal"):
            pronoun = restored[start:end]
            expected = table.expected(pronoun, "")
            if kind != "insert" or not expected:
                rewritten.append(number + 1)
                continue
            yield BenchItem(
                f"{number}.{count}",
                tuple(sentences[first : number + 1]),
                context=tuple(references[first:number]),
                variants=(references[number],),
                expected=expected,
                wrong=table.wrong(pronoun),
                pronoun=pronoun,
                slot=Span(start, end),
                group=str(number),
                restored=restored,
            )
    if rewritten:
        warnings.warn(
            f"{oracle.path}: left out {counted(len(rewritten), 'difference')} from {source.path} other than "
            f"pronouns, first in line {rewritten[0]}",
            InputWarning,
            stacklevel=2,
        )


def _restored(line: str, marks: Sequence[re.Match[str]]) -> tuple[str, list[Span]]:
    """The line with the marked pronouns as text, and their places."""
    text, at = "", 0
    slots = []
    for mark in marks:
        text += line[at : mark.start()]
        slots.append(Span(len(text), len(text) + len(mark[1])))
        text, at = text + mark[1], mark.end()
    return text + line[at:], slots
