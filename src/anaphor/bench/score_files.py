"""Score files: the line format of each tool, and the assignment of lines to variants of a bench."""

from __future__ import annotations

import html
import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from anaphor.bench.items import DOCS, Bench, BenchItem
from anaphor.core import InputError, InputWarning, MismatchError, Where
from anaphor.core.records import Record, whole_number
from anaphor.core.table import counted
from anaphor.corpus import Text

#: Files of scores that can be read. All but `plain` hold log-probabilities: higher is better.
FORMATS = ("plain", "marian", "fairseq", "ctranslate2", "openai", "lm-eval", "anaphor")
RESULTS_FORMAT = "anaphor-bench-results 1"
#: Sequences of this many tokens are probably cut: CTranslate2's default limit, without a word.
_CTRANSLATE2_LIMIT = 1024
_FAIRSEQ = re.compile(r"([HP])-([0-9]{1,18})\t(.*)")  # longer numbers are no numbers of lines
_MARKS = re.compile(r"</?(?:s|eos|unk)>|@@(?: |$)|[Ġ▁]")


@dataclass(slots=True)
class ScoreLines:
    """The result of a parser, in file order."""

    values: list[float] = field(default_factory=list)
    measure: str = "given"
    log_base: float | None = math.e
    tokens: list[list[float]] = field(default_factory=list)
    #: What was scored, as the tool tokenized it.
    texts: list[str] = field(default_factory=list)
    #: The line of every score, from 1.
    lines: list[int] = field(default_factory=list)
    #: Item and variant of every score, where the file says so.
    keys: list[tuple[str, int]] = field(default_factory=list)
    #: Where the correct variant is always first; otherwise the order is that of the original.
    correct_first: bool = False
    higher_is_better: bool = True


def detect_format(lines: Sequence[str], path: str) -> str:
    first = lines[0].lstrip()
    if first.startswith(("{", "[")):
        start = "".join(lines[:50])  # a list may have one object over several lines
        keys = {
            RESULTS_FORMAT: "anaphor",
            '"filtered_resps"': "lm-eval",
            '"log_probs"': "ctranslate2",
            '"choices"': "openai",
            '"prompt_logprobs"': "openai",
        }
        if (format_name := next((name for key, name in keys.items() if key in start), None)) is None:
            what = "the file is JSON, but in no known score format"
            fix = "pass samples_*.jsonl of lm-evaluation-harness, or results with log-probabilities; see docs"
            raise InputError(what, where=Where(path, 1), fix=f"{fix}/bench.md")
        return format_name
    if "|||" in first:
        return "marian"
    # A log may stand above the lines of fairseq.
    return "fairseq" if any(line[:2] in ("H-", "P-") and _FAIRSEQ.match(line) for line in lines) else "plain"


def variant_starts(bench: Bench) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The offset of each item's variants among those of all items."""
    sizes = [len(item.variants) for item in bench.items]
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)


def original_order(item: BenchItem) -> list[int]:
    """The variants in the order of the original set, which score files use."""
    rest = list(range(1, len(item.variants)))
    return [*rest[: item.correct_at], 0, *rest[item.correct_at :]]


def place_lines(bench: Bench, scored: ScoreLines, *, path: str) -> list[int]:
    """The variant of the bench that each score of the file belongs to."""
    starts = variant_starts(bench)
    if scored.keys:
        place_of = {item.id: at for at, item in enumerate(bench.items)}
        order: list[int] = []
        seen: dict[int, int] = {}
        for number, (name, variant) in enumerate(scored.keys):
            where = Where(path, scored.lines[number]) if scored.lines else Where(path)
            if name not in place_of:
                what = f"the set {bench.name} has no item {name}"
                raise MismatchError(what, where=where, fix=_other_set(bench))
            item = bench.items[place_of[name]]
            if variant >= len(item.variants):
                what = f"a score of variant {variant + 1} of item {name}, which has {len(item.variants)}"
                raise MismatchError(what, where=where, fix=_other_set(bench))
            if not scored.correct_first:
                variant = original_order(item)[variant]
            at = int(starts[place_of[name]]) + variant
            if (first := seen.setdefault(at, number)) != number:
                line = f" (line {scored.lines[first]})" if scored.lines else ""
                what = f"item {name} is scored twice{line}"
                raise InputError(what, where=where, fix="keep one of the two; runs may have been joined")
            order.append(at)
        for item, start in zip(bench.items, starts, strict=True):
            for variant in range(len(item.variants)):
                if int(start) + variant not in seen:
                    what = f"there is no score for variant {variant + 1} of item {item.id}"
                    fix = "score every variant of every item; see `anaphor bench export`"
                    raise MismatchError(what, where=path, fix=fix)
        if scored.texts:
            _check_texts(bench, scored, order, path=path)
        return order
    size = sum(len(item.variants) for item in bench.items)
    if len(scored.values) != size:
        _wrong_number(bench, len(scored.values), size, path=path)
    order = list(range(size))
    for item, start in zip(bench.items, starts.tolist(), strict=True):
        if item.correct_at:
            places = original_order(item)
            order[start : start + len(places)] = [start + place for place in places]
    if scored.texts:
        _check_texts(bench, scored, order, path=path)
    return order


def _wrong_number(bench: Bench, given: int, size: int, *, path: str) -> NoReturn:
    what = (
        f"{path} has {counted(given, 'score')}, the set {bench.name} has {size} variants of "
        f"{len(bench.items)} items"
    )
    fix = f"score the lines of `anaphor bench export --plain`, all and in order; {_other_set(bench)}"
    if given == len(bench.items):
        fix = "pass one score for every variant, not one per item"
    raise MismatchError(what, where=Where(path, min(given, size) + 1), fix=fix)


def _other_set(bench: Bench) -> str:
    return f"check that the same version of the set was scored (hash {bench.hash})"


def _check_texts(bench: Bench, scored: ScoreLines, order: Sequence[int], *, path: str) -> None:
    """Raise if a line has the text of a different variant than expected.

    Only letters and digits are compared, since tools tokenize and write unknown words differently. A text
    that matches no variant, such as one with its context, says nothing about the order.
    """
    variants = [_letters(variant) for item in bench.items for variant in item.variants]
    known = {letters: at for at, letters in enumerate(variants)}
    for number, (text, at) in enumerate(zip(scored.texts, order, strict=True)):
        letters = _letters(text)
        if letters != variants[at] and not letters.endswith(variants[at]) and letters in known:
            owners = [item for item in bench.items for _ in item.variants]
            what = f"this is a variant of item {owners[known[letters]].id}, expected one of {owners[at].id}"
            if owners[known[letters]] is owners[at]:
                what = f"this is another variant of item {owners[at].id} than the one that belongs here"
            fix = "keep the order of the file that was scored, or sort the lines back"
            raise MismatchError(what, where=Where(path, scored.lines[number]), fix=fix)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, html.unescape(_MARKS.sub("", text)))).casefold()


def _number(text: str, *, where: Where, fix: str = "") -> float:
    try:
        if _is_spelled_oddly(text):
            raise ValueError
        return float(text)
    except ValueError:
        fix = fix or "write one number per line, or name the format of the file with --format"
        raise InputError(f"not a number: {text[:60]!r}", where=where, fix=fix) from None


def _is_spelled_oddly(text: str) -> bool:
    """Whether a number is one for Python alone: -6_2 is a damaged -6.2."""
    return "_" in text or not text.isascii()


def _plain(lines: Sequence[str], path: str, _: Bench) -> ScoreLines:
    try:
        if _is_spelled_oddly("".join(lines)):
            raise ValueError
        values = list(map(float, lines))
    except ValueError:
        values = [_number(line, where=Where(path, at)) for at, line in enumerate(lines, start=1)]
    return ScoreLines(values, lines=list(range(1, len(lines) + 1)))


def _marian(lines: Sequence[str], path: str, bench: Bench) -> ScoreLines:
    """`marian-scorer`: a score per line, with `--word-scores` also those of words; or an n-best list.

    A rescored list has the score as the feature `Score=`; other lists have it as the last field.
    """
    scored = ScoreLines(lines=list(range(1, len(lines) + 1)), measure="sum")
    for at, line in enumerate(lines, start=1):
        where = Where(path, at)
        parts = [part.strip() for part in line.split("|||")]
        words = [part for part in parts if part.startswith("WordScores=")]
        if len(parts) >= 4 or (len(parts) == 3 and not words):  # id ||| text ||| features ||| total
            item = whole_number(parts[0])
            if item is None:
                fix = "pass the lines `id ||| text ||| features ||| score` of Marian, ids counted from 0"
                raise InputError(f"not the id of an n-best list: {parts[0]!r:.40}", where=where, fix=fix)
            features = re.findall(r"(\S+)=\s+(\S+)", " ".join(parts[2:-1]))
            value = next((value for name, value in features if name == "Score"), parts[-1])
            scored.texts.append(parts[1])
            if item >= len(bench.items):
                what = f"n-best list {item}, but the set has {len(bench.items)} items, counted from 0"
                raise MismatchError(what, where=where, fix=_other_set(bench))
            place = (
                scored.keys[-1][1] + 1 if scored.keys and scored.keys[-1][0] == bench.items[item].id else 0
            )
            scored.keys.append((bench.items[item].id, place))
        else:
            value = parts[0]
        scored.values.append(_number(value, where=where))
        if words:
            scores = words[0].removeprefix("WordScores=").split()
            scored.tokens.append([_number(score, where=where) for score in scores])
            if not math.isclose(scored.values[-1], sum(scored.tokens[-1]), rel_tol=1e-3, abs_tol=1e-3):
                scored.measure = "mean" if _is_mean(scored) else "given"
    for name, part in (("words", scored.tokens), ("texts", scored.texts)):
        if part and len(part) != len(scored.values):
            what = f"{len(part)} of {len(scored.values)} lines have {name}"
            raise InputError(what, where=path, fix="do not concatenate files produced with different options")
    return scored


def _is_mean(scored: ScoreLines) -> bool:
    words = scored.tokens[-1]
    return bool(words) and math.isclose(
        scored.values[-1], sum(words) / len(words), rel_tol=1e-3, abs_tol=1e-3
    )


def _fairseq(lines: Sequence[str], path: str, _: Bench) -> ScoreLines:
    """`fairseq-generate --score-reference`: `H-id score text` and `P-id` with scores of tokens, unordered."""
    scored = ScoreLines(measure="mean", log_base=2.0)
    heads: dict[int, tuple[int, float, str]] = {}
    tokens: dict[int, list[float]] = {}
    for at, line in enumerate(lines, start=1):
        if (match := _FAIRSEQ.match(line)) is None:
            continue  # the source, the reference and the log stand between
        kind, number, rest = match[1], int(match[2]), match[3]
        where = Where(path, at)
        if number in (heads if kind == "H" else tokens):
            what = f"{kind}-{number} occurs twice"
            raise InputError(what, where=where, fix="keep one of the two; runs may have been joined")
        if kind == "H":
            score, _tab, text = rest.partition("\t")
            heads[number] = at, _number(score, where=where), text
        else:
            tokens[number] = [_number(score, where=where) for score in rest.split()]
    for number in range(len(heads)):
        if number not in heads:
            what = f"there is no line H-{number}"
            fix = "keep all H- lines of the output, and score all lines of `anaphor bench export --plain`"
            raise InputError(what, where=path, fix=fix)
    if not heads:
        fix = "keep the H- lines of fairseq-generate --score-reference"
        raise InputError("there is no line H-0", where=path, fix=fix)
    for number in range(len(heads)):
        at, score, text = heads[number]
        scored.values.append(score)
        scored.texts.append(text)
        scored.lines.append(at)
    if len(tokens) == len(heads) and set(tokens) == set(heads):
        scored.tokens = [tokens[number] for number in range(len(heads))]
    return scored


def fairseq_measure(scored: ScoreLines, path: str, *, sums: bool) -> None:
    """fairseq writes the mean over tokens, so length affects the comparison less than with other tools."""
    if sums:
        if not scored.tokens:
            what = "sums need the scores of tokens, and not every H- line has its P- line"
            raise InputError(what, where=path, fix="keep the P- lines of fairseq, or leave --sums out")
        scored.values = [sum(tokens) for tokens in scored.tokens]
        scored.measure = "sum"
        return
    note = f"{path}: fairseq's scores are means over tokens, not sums"
    if scored.tokens:
        note += "; --sums compares the probabilities of whole sentences, as other tools do"
    warnings.warn(note, InputWarning, stacklevel=3)


def _records(lines: Sequence[str], path: str) -> list[Record]:
    """One JSON object per line, or one list of objects."""
    if not lines[0].lstrip().startswith("["):
        return list(Record.from_json_lines(lines, path=path, docs=DOCS))
    whole = Record.from_json(f'{{"": {chr(10).join(lines)}}}', where=path, docs=DOCS)
    return list(whole.tables(""))


def _floats(record: Record, key: str) -> list[float]:
    values = record.raw(key)
    if not isinstance(values, list) or not all(type(value) in (int, float) for value in values):
        record.refuse(key, "not a list of numbers")
    return [_float(value) for value in values]


def _float(value: float) -> float:
    """The number; infinite, and rejected later, if a JSON integer is too large."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _ctranslate2(lines: Sequence[str], path: str, _: Bench) -> ScoreLines:
    """The fields `tokens` and `log_probs` of each `ScoringResult` of `Translator.score_batch`."""
    scored, longest = ScoreLines(measure="sum"), 0
    for at, record in enumerate(_records(lines, path), start=1):
        if not (numbers := _floats(record, "log_probs")):
            record.refuse("log_probs", "empty", fix="score this line again: it has no tokens")
        scored.tokens.append(numbers)
        scored.values.append(math.fsum(numbers))
        scored.lines.append(at)
        if "tokens" in record:
            words = record.texts("tokens")
            scored.texts.append("".join(words))
            longest = max(longest, len(words))
    if scored.texts and len(scored.texts) != len(scored.values):
        what = "some results have tokens, others do not"
        raise InputError(what, where=path, fix="write both fields of every ScoringResult")
    if longest >= _CTRANSLATE2_LIMIT - 1:
        note = (
            f"{path}: a line has {longest} tokens; CTranslate2 cuts at max_input_length={_CTRANSLATE2_LIMIT}"
        )
        warnings.warn(
            f"{note} without a message, so both variants may be identical", InputWarning, stacklevel=3
        )
    return scored


def _openai(lines: Sequence[str], path: str, bench: Bench) -> ScoreLines:
    """Replies of `/v1/completions` with `echo` and `logprobs`, or with `prompt_logprobs` (vLLM).

    The tokens of the variant, with which the prompt ends, are summed. If a tokenizer splits characters, the
    variant cannot be located: all tokens are summed, and what is common to all variants cancels out.
    """
    scored, words = ScoreLines(measure="sum"), []
    for at, record in enumerate(_records(lines, path), start=1):
        body = record.table("response").table("body") if "response" in record else record
        if "error" in body and body.raw("error"):
            what = f"the server answered with an error: {body.raw('error')!s:.100}"
            raise InputError(what, where=record.where, fix="request this variant again")
        if "custom_id" in record:
            name, _, variant = record.text("custom_id").rpartition("#")
            place = whole_number(variant)
            if place is None:
                record.refuse("custom_id", "not ITEM#VARIANT", fix="number variants from 0, as in ITEM#0")
            scored.keys.append((name, place))
        tokens, numbers = _prompt_tokens(body)
        words.append(tokens)
        scored.tokens.append(numbers)
        scored.lines.append(at)
    if scored.keys and len(scored.keys) != len(scored.lines):
        fix = "pass replies of a batch alone, or plain replies in order"
        raise InputError("some lines have a custom_id, others do not", where=path, fix=fix)
    scored.values = [0.0] * len(words)
    variants = [(item, variant) for item in bench.items for variant in item.variants]
    for number, at in enumerate(place_lines(bench, scored, path=path)):
        text, (item, variant) = "".join(words[number]), variants[at]
        start = text.rfind(variant)
        if start < 0 and "\ufffd" not in text and "bytes:" not in text:
            what = f"the prompt does not contain the variant of item {item.id}: {variant!r:.80}"
            fix = "keep the order of the prompts, and put the variant last in each"
            raise MismatchError(what, where=Where(path, scored.lines[number]), fix=fix)
        if start >= 0:
            kept, end = [], 0
            for word, value in zip(words[number], scored.tokens[number], strict=True):
                end += len(word)
                if start < end and end - len(word) < start + len(variant):
                    kept.append(value)
            scored.tokens[number] = kept
        scored.values[number] = math.fsum(scored.tokens[number])
    return scored


def _prompt_tokens(body: Record) -> tuple[list[str], list[float]]:
    """Tokens of the prompt and their log-probabilities; the first has none."""
    choice = body.tables("choices")[0] if "choices" in body and len(body.elements("choices")) else body
    holder = next((place for place in (choice, body) if "prompt_logprobs" in place), None)
    if holder is not None:
        words, numbers = [], []
        for entry in (listed := holder.elements("prompt_logprobs")):
            if listed.raw(entry) is None:
                continue
            # With several log-probabilities per token, that of the prompt's own token comes first.
            candidates = listed.table(entry)
            own = candidates.table(next(iter(candidates), "token"))
            words.append(own.text("decoded_token", "", blank=True))
            numbers.append(own.number("logprob"))
        return words, numbers
    if "logprobs" not in choice or choice.raw("logprobs") is None:
        fix = "ask /v1/completions with echo=true and logprobs=0, or vLLM with prompt_logprobs=0"
        choice.refuse("logprobs", "missing: the reply has no log-probabilities of the prompt", fix=fix)
    logprobs = choice.table("logprobs")
    texts = logprobs.elements("tokens")
    words = [texts.text(index, blank=True) for index in texts]
    values = logprobs.raw("token_logprobs")
    if not isinstance(values, list) or len(values) != len(words):
        logprobs.refuse("token_logprobs", "not one number per token", fix="ask with echo=true and logprobs=0")
    # A completion of max_tokens=1 follows the prompt.
    size = body.table("usage", {}).integer("prompt_tokens", len(words), low=0)
    pairs = [
        (word, value) for word, value in zip(words[:size], values[:size], strict=True) if value is not None
    ]
    if not all(type(value) in (int, float) for _, value in pairs):
        logprobs.refuse("token_logprobs", "not a list of numbers")
    return [word for word, _ in pairs], [_float(value) for _, value in pairs]


def _lm_eval(lines: Sequence[str], path: str, bench: Bench) -> ScoreLines:
    """Samples of lm-evaluation-harness for tasks of `anaphor bench export --lm-eval`."""
    scored = ScoreLines(measure="sum", correct_first=True)
    for at, record in enumerate(Record.from_json_lines(lines, path=path, docs=DOCS), start=1):
        doc = record.table("doc")
        if "set_hash" not in doc:
            fix = "run the task that `anaphor bench export --lm-eval` writes, and add its samples"
            record.refuse("doc", "a sample of another task", fix=fix)
        check_hash(doc, "set_hash", bench)
        name, order = doc.text("id"), doc.elements("order")
        replies = record.elements("filtered_resps")
        if len(order) != len(replies):
            record.refuse("filtered_resps", f"{len(replies)} for {len(order)} choices")
        for place, reply in zip(order, replies, strict=True):
            pair = replies.elements(reply)
            # Depending on its version the harness writes the number as text.
            value = pair.raw("[0]")
            fix = "run the task again; the harness recorded something else for this choice"
            scored.values.append(_number(str(value), where=record.where, fix=fix))
            scored.keys.append((name, order.integer(place, low=0)))
            scored.lines.append(at)
    return scored


def _own(lines: Sequence[str], path: str, bench: Bench) -> ScoreLines:
    """The format of `anaphor bench import`."""
    records = Record.from_json_lines(lines, path=path, docs=DOCS)
    header = read_header(next(records), bench, mode="scores")
    base = header.raw("log_base")
    scored = ScoreLines(
        measure=header.choice("measure", ("sum", "mean", "given")),
        log_base=None if base is None else header.number("log_base"),
        correct_first=True,
        higher_is_better=header.flag("higher_is_better"),
    )
    for at, record in enumerate(records, start=2):
        values = _floats(record, "scores")
        scored.values += values
        scored.keys += [(record.text("id"), place) for place in range(len(values))]
        scored.lines += [at] * len(values)
        if "tokens" in record:
            tokens = record.elements("tokens")
            scored.tokens += [_floats(tokens, variant) for variant in tokens]
    if scored.tokens and len(scored.tokens) != len(scored.values):
        fix = "import the scores again"
        raise InputError("some variants have token scores, others do not", where=path, fix=fix)
    return scored


def read_header(header: Record, bench: Bench, *, mode: str) -> Record:
    """The first line of a file of results, checked to belong to the bench."""
    if header.text("format") != RESULTS_FORMAT:
        header.refuse("format", f"not {RESULTS_FORMAT!r}")
    if header.text("mode") != mode:
        fix = f"pass a file of {mode}, or name what it is: --scores, --translations or --answers"
        header.refuse("mode", f"the file has {header.text('mode')}, not {mode}", fix=fix)
    check_hash(header, "hash", bench)
    return header


def looks_like_json(text: Text) -> bool:
    """Whether a file has JSON objects rather than plain translations or answers."""
    return re.match(r'\s*(\{\s*"|\[\s*\{)', text.lines[0]) is not None


def check_hash(record: Record, key: str, bench: Bench) -> None:
    if (given := record.text(key)) != bench.hash:
        what = f"these are results for another version of {bench.name}: hash {given}, not {bench.hash}"
        fix = "pass the bench that was exported, or export this one and run again"
        raise MismatchError(what, where=record.where, fix=fix)


PARSERS: Mapping[str, Callable[[Sequence[str], str, Bench], ScoreLines]] = {
    "plain": _plain,
    "marian": _marian,
    "fairseq": _fairseq,
    "ctranslate2": _ctranslate2,
    "openai": _openai,
    "lm-eval": _lm_eval,
    "anaphor": _own,
}
