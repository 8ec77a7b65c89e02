"""Translations of a bench: their files, and outcomes by the official rule of the set and by our own."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anaphor.align import AlignerChoice
from anaphor.bench.items import DOCS, Bench, BenchOutcome
from anaphor.bench.linked import LinkedRule
from anaphor.bench.official import ctxpro_last_sentences, has_official_rule, judge_officially, judge_winomt
from anaphor.bench.result import BenchResult, SystemOutcomes, summarize
from anaphor.bench.score_files import RESULTS_FORMAT, check_hash, looks_like_json, read_header
from anaphor.core import InputError, MismatchError, OptionError
from anaphor.core.options import THEY
from anaphor.core.records import Record
from anaphor.corpus import Text, read_text
from anaphor.files.writing import write_atomically

#: The rules for translations, in the order in which they are reported.
RULES = ("official", "linked")
_FIX = "translate every item of the bench, and keep its id"


def read_translations(path: str | Path, bench: Bench) -> Text:
    """Read one translation per item, in the order of the bench.

    Args:
        path: One line per item; or one JSON object per line, in any order, with the `id` of an item and its
            `translation`, in which line breaks are read as spaces; or a file from `write_translations`.
        bench: The bench.

    Returns:
        The translations.

    Raises:
        UserError: A translation is missing, surplus or duplicated, or belongs to another version of the set.
    """
    text = read_text(path)
    if not looks_like_json(text):
        fix = "translate every line of `anaphor bench export --plain`, in its order"
        text.require_lines(len(bench.items), of=f"the bench {bench.name}", fix=fix)
        return text
    known = {item.id for item in bench.items}
    translations: dict[str, str] = {}
    for number, record in enumerate(Record.from_json_lines(text.lines, path=text.path, docs=DOCS)):
        if number == 0 and "format" in record:
            read_header(record, bench, mode="translations")
            continue
        if "set_hash" in record:
            check_hash(record, "set_hash", bench)
        name = record.text("id")
        if name not in known:
            raise MismatchError(f"the set {bench.name} has no item {name}", where=record.where, fix=_FIX)
        if name in translations:
            fix = "keep one of the two; runs may have been joined"
            raise InputError(f"item {name} is translated twice", where=record.where, fix=fix)
        translations[name] = " ".join(record.text("translation", blank=True).split())
    for item in bench.items:
        if item.id not in translations:
            raise MismatchError(f"there is no translation of item {item.id}", where=text.path, fix=_FIX)
    return Text.of([translations[item.id] for item in bench.items], path=text.path)


def write_translations(path: str | Path, bench: Bench, translations: Text) -> None:
    """Write translations in this package's format, which includes the name and hash of the set."""
    header = {"format": RESULTS_FORMAT, "mode": "translations", "set": bench.name, "hash": bench.hash}
    rows = zip(bench.items, translations.lines, strict=True)
    lines = [header, *({"id": item.id, "translation": line} for item, line in rows)]
    write_atomically(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


@dataclass(frozen=True, slots=True)
class JudgedTranslations:
    """The outcomes of one system.

    Attributes:
        outcomes: By rule, the outcome of every item in the order of the bench.
        sentences: The text judged by the rule `linked`: the line, or the sentence cut from it.
    """

    outcomes: Mapping[str, tuple[BenchOutcome, ...]]
    sentences: tuple[str, ...]


def judge_translations(
    bench: Bench,
    translations: Text | Sequence[str],
    *,
    rules: Sequence[str] = (),
    whole: bool = False,
    separator: str = "",
    aligner: AlignerChoice | None = None,
    they: str = "default",
) -> JudgedTranslations:
    """Judge one translation per item.

    Args:
        bench: The bench.
        translations: One line per item.
        rules: The rules to judge by, among `RULES`; none for all that the set has.
        whole: Whether a line translates all source sentences of its item, not only the tested one.
        separator: The separator between the sentences of a line, such as `<brk>`. All rules judge the text
            after the last one; a line without it is judged as a whole. Without a separator, CTXPro's rule
            splits lines into sentences, and `linked` cuts them by word alignment.
        aligner: The aligner of `linked` and of WinoMT's rule; by default the built-in one.
        they: What English *they* may refer to, one of `anaphor.core.options.THEY`: for one person, `linked`
            counts it as neutral in place of *he* or *she*.

    Returns:
        The outcomes by rule.

    Raises:
        UserError: The number of lines is wrong, or the set lacks the rule.
    """
    text = translations if isinstance(translations, Text) else Text.of(translations, path="translations")
    fix = "translate every item of the bench in its order; `anaphor bench export --plain` writes the source"
    text.require_lines(len(bench.items), of=f"the bench {bench.name}", fix=fix)
    if they not in THEY:
        raise OptionError(f"unknown policy: {they}", where="--they", fix=f"known: {', '.join(THEY)}")
    official = has_official_rule(bench)
    wanted = tuple(rules) or (RULES if official else RULES[1:])
    for rule in wanted:
        if rule not in RULES:
            what = f"unknown rule: {rule}"
            raise OptionError(what, where="--rule", fix=f"known: {', '.join(RULES)}")
    if "official" in wanted and not official:
        what = f"the set {bench.name} has no official rule for translations"
        fix = "use --rule linked; to compare with published figures, score its variants (--scores)"
        raise OptionError(what, where="--rule", fix=fix)
    lines = list(text.lines)
    if separator:
        lines = [line.rpartition(separator)[2].strip() for line in lines]
    outcomes: dict[str, tuple[BenchOutcome, ...]] = {}
    if "official" in wanted:
        if bench.kind == "winomt":
            outcomes["official"] = judge_winomt(bench, lines, aligner or AlignerChoice(pair=bench.pair))
        else:
            split = bench.kind == "ctxpro" and not separator
            given = ctxpro_last_sentences(bench, lines) if split else lines
            outcomes["official"] = judge_officially(bench, given)
    if "linked" in wanted:
        ours = LinkedRule(bench, aligner, they=they)
        if whole and not separator:
            lines = ours.last_sentences(lines)
        outcomes["linked"] = ours.judge(lines)
    return JudgedTranslations({rule: outcomes[rule] for rule in wanted}, tuple(lines))


def evaluate_translations(
    bench: Bench,
    translations: Mapping[str, Text],
    *,
    rules: Sequence[str] = (),
    whole: Collection[str] = (),
    separator: str = "",
    aligner: AlignerChoice | None = None,
    they: str = "default",
    **summary: Any,
) -> BenchResult:
    """Judge the translations of several systems.

    Args:
        bench: The bench.
        translations: One line per item, by system name; the first is the baseline of tests.
        rules: The rules to judge by; none for all that the set has.
        whole: The systems whose lines translate all source sentences.
        separator: The separator between the sentences of a line; see `judge_translations`.
        aligner: The aligner of `linked`; by default the built-in one.
        they: What *they* may refer to; see `judge_translations`.
        **summary: `paired`, `samples`, `seed`, `level` and `examples` as in `summarize`.

    Returns:
        Accuracies under each rule.

    Raises:
        UserError: A file does not fit the bench, or the set lacks the rule.
    """
    systems, notes = [], []
    for name, text in translations.items():
        judged = judge_translations(
            bench,
            text,
            rules=rules,
            whole=name in whole,
            separator=separator,
            aligner=aligner,
            they=they,
        )
        systems.append(SystemOutcomes(name, judged.outcomes, judged.sentences, digest=text.digest))
        copied = [line == item.source[-1] for item, line in zip(bench.items, judged.sentences, strict=True)]
        if 2 * sum(copied) > len(copied):
            notes.append(f"{name}: {sum(copied)} of {len(copied)} lines are the source, not a translation")
        if name in whole and separator and not any(separator in line for line in text.lines):
            notes.append(f"{name}: no line has the separator {separator}; whole lines were judged")
    fields = [("aligner", (aligner or AlignerChoice(pair=bench.pair)).signature())]
    if they != "default":
        fields.append(("they", they))
    if whole:
        fields.append(("whole", "+".join(name for name in translations if name in whole)))
    return summarize(bench, systems, mode="translations", fields=fields, notes=notes, **summary)
