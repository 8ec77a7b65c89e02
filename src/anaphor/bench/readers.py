"""Public test sets as they are downloaded: each reader turns the files of one format into items.

A reader takes the paths of its files in the order of `FORMATS`, and the language pair. It leaves texts
unchanged except for white space at the ends.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cache, partial
from itertools import pairwise
from pathlib import Path

from anaphor.bench.gender_readers import gate, mtgeneval_context, mtgeneval_sentences, winomt
from anaphor.bench.items import BenchItem, sentences
from anaphor.bench.original_files import AGAIN, Items, json_content, objects, parts, same_length, splitter
from anaphor.bench.zero_readers import mzprt, tvsub
from anaphor.core import InputError, InputWarning, LanguagePair, MismatchError, Span, Where
from anaphor.core.records import Record, Row, whole_number
from anaphor.core.table import counted
from anaphor.corpus import Text, read_text
from anaphor.languages import fold, known_languages, load_language

_MARKED = re.compile(r"<p>\s*(.*?)\s*</p>")
#: Marks around antecedents and pronouns in SCAT.
_MARKS = re.compile(r"\s?<hon>|<hoff>\s?|</?p>")
_OPPOSITE = {"il": "elle", "elle": "il", "ils": "elles", "elles": "ils"}
#: What else than the tested values the name of a rule of CTXPro ends in.
_UNTESTED = re.compile(r"ALT\d*|NOM|GEN|DAT|ACC|INST?|LOC")


def contrapro_json(paths: Sequence[str], _pair: LanguagePair) -> Items:
    """`contrapro.json`, whole or a subset in the same fields, such as those of ContraCAT.

    The two context files, if given, are those extracted by the script of the set: k lines for every variant,
    empty before the start of a document.
    """
    records = objects(paths[0])
    before = [read_text(path) for path in paths[1:]]
    lines = sum(1 + len(record.tables("errors")) for record in records)
    size = _context_lines(before, lines, of=paths[0])
    first = 0
    for number, record in enumerate(records):
        errors = record.tables("errors")
        inside = _known(record, "intrasegmental") and str(record.flag("intrasegmental"))
        left, right = _context_of(before, size, first)
        first += 1 + len(errors)
        yield BenchItem(
            str(number),
            (*left, _line(record, "src segment")),
            record.text("document id", ""),
            right,
            variants=(_line(record, "ref segment"), *(_line(error, "contrastive") for error in errors)),
            expected=(fold(record.text("ref pronoun")),),
            wrong=tuple(dict.fromkeys(fold(error.text("replacement")) for error in errors)),
            pronoun=record.text("src pronoun"),
            slot=_only_place(record.text("src pronoun"), _line(record, "src segment")),
            category={"True": "intrasegmental", "False": "intersegmental"}.get(inside or "", ""),
            distance=_distance(record),
            antecedent=_known_text(record, "src ante phrase"),
        )


def context_jsonl(paths: Sequence[str], pair: LanguagePair) -> Items:
    """One object per line: `source`, `correct` and each of `wrong` are lists, the tested sentence last.

    ContraPro has three variants, rarely four: a multiple of three is several items with one source sentence.
    """
    text = read_text(paths[0])
    for record in Record.from_json_lines(text.lines, path=text.path):
        source, correct = sentences(record, "source"), sentences(record, "correct")
        rows = record.elements("wrong")
        variants = [correct, *(sentences(rows, index) for index in rows)]
        name = str(record.integer("group"))
        if len(variants) <= 3 or len(variants) % 3:
            yield _contrast(name, source, variants, pair)
            continue
        for first in range(0, len(variants), 3):
            yield _contrast(f"{name}.{first // 3 + 1}", source, variants[first : first + 3], pair)


def contracat_text(paths: Sequence[str], pair: LanguagePair) -> Items:
    """`en.txt`, `de.txt`, `sentence_groups.txt`: `context <SEP> sentence`, one line per variant.

    The third file has the first line of every group, from 0, and may end with the number of lines.
    """
    source, target, groups = map(read_text, paths)
    same_length(source, target)
    starts = [_integer(groups, number, low=0, high=len(source)) for number in range(len(groups))]
    if starts[-1] != len(source):
        starts.append(len(source))
    if starts[0] != 0 or any(a >= b for a, b in pairwise(starts)):
        what = "the group starts do not ascend from 0"
        raise InputError(what, where=groups.path, fix="download the file again; pass files from one version")
    for number, (start, end) in enumerate(pairwise(starts)):
        if len(set(source.lines[start:end])) != 1:
            what = f"lines {start + 1} to {end} are one group but not one source sentence"
            raise MismatchError(what, where=Where(source.path, start + 1), fix="pass files from one version")
        variants = [parts(line, "<SEP>") for line in target.lines[start:end]]
        yield _contrast(str(number), parts(source.lines[start], "<SEP>"), variants, pair)


def contracat_templates(paths: Sequence[str], pair: LanguagePair) -> Items:
    """`en.txt`, `de.txt` and the genders of a template: three lines per item, with *er*, *sie* and *es*."""
    source, target, genders = map(read_text, paths)
    same_length(source, target)
    if len(source) % 3:
        what, fix = f"{len(source)} lines are not groups of three", "pass the files of one template"
        raise InputError(what, where=source.path, fix=fix)
    if len(genders) not in (len(source), len(source) // 3):
        fix = "pass one gender per item or per line, from the same folder"
        genders.require_lines(len(source) // 3, of="the number of items", fix=fix)
    step = 3 * len(genders) // len(source)
    for number in range(len(source) // 3):
        gender = genders.lines[number * step].strip()
        if gender not in ("m", "f", "n"):
            where = Where(genders.path, number * step + 1)
            raise InputError(f"not a gender: {gender!r:.40}", where=where, fix="write m, f or n")
        variants = [parts(line, "<SEP>") for line in target.lines[3 * number : 3 * number + 3]]
        # The lines have er, sie, es in this order, and items have the correct variant first.
        place = "mfn".index(gender)
        variants.insert(0, variants.pop(place))
        item = _contrast(str(number), parts(source.lines[3 * number], "<SEP>"), variants, pair)
        yield replace(item, category=gender, correct_at=place)


def paired_lines(paths: Sequence[str], pair: LanguagePair) -> Items:
    """`current.src`, `current.trg`, and optionally a pair of context files with k lines per line.

    Two lines are one item: correct, wrong. Context lines before the start of a document are empty.
    """
    source, target = read_text(paths[0]), read_text(paths[1])
    same_length(source, target)
    if len(source) % 2:
        fix = "use the complete files: correct and wrong translations in turn"
        raise InputError(f"{len(source)} lines are not pairs", where=source.path, fix=fix)
    before = [read_text(path) for path in paths[2:]]
    size = _context_lines(before, len(source), of=source.path)
    for number in range(len(source) // 2):
        first = 2 * number
        if source.lines[first] != source.lines[first + 1]:
            what = "the two lines of a pair have different source sentences"
            raise MismatchError(what, where=Where(source.path, first + 2), fix="pass the file in its order")
        left, right = _context_of(before, size, first)
        variants = [(*right, line.strip()) for line in target.lines[first : first + 2]]
        yield _contrast(str(number), (*left, source.lines[first].strip()), variants, pair)


def paired_jsonl(paths: Sequence[str], pair: LanguagePair) -> Items:
    """One object per line: `item`, `source` (tested sentence last), `context`, `correct`, `wrong`."""
    text = read_text(paths[0])
    for record in Record.from_json_lines(text.lines, path=text.path):
        source, context = sentences(record, "source"), sentences(record, "context")
        variants = [(*context, record.text("correct")), (*context, record.text("wrong"))]
        yield _contrast(str(record.integer("item")), source, variants, pair)


def ctxpro(paths: Sequence[str], _pair: LanguagePair) -> Items:
    """A JSON file of CTXPro, for any of its five phenomena, and optionally the inputs with context.

    A rule such as ACC.FEM.SING consists of a case and the tested values. Its values in another case are
    expected as well, because a translation may choose another verb; forms of other values are wrong.
    Possessives have a second case (GEN.MASC.SING.1S.DAT), second forms a mark (ACC.INFORM.SING.ALT1).
    """
    records = list(objects(paths[0]))
    inputs = read_text(paths[1]) if len(paths) > 1 else None
    if inputs is not None:
        inputs.require_lines(len(records), of=paths[0], fix="pass the inputs of the same set and split")
    by_values: dict[tuple[str, ...], set[str]] = {}
    for record in records:
        by_values.setdefault(_tested_values(record), set()).add(fold(record.text("expected")))
    known = set().union(*by_values.values())
    for number, record in enumerate(records):
        expected, tested = fold(record.text("expected")), _line(record, "src segment")
        forms = by_values[_tested_values(record)]
        source: tuple[str, ...] = (tested,)
        if inputs is not None:
            source = tuple(part.strip() for part in inputs.lines[number].split("<eos>"))
            if source[-1] != tested:
                what, fix = "the last sentence is not the tested one", "pass inputs and JSON of one version"
                raise MismatchError(what, where=Where(inputs.path, number + 1), fix=fix)
        # Pronouns are few; an elided verb or an inflected noun can be any word.
        closed = "src pronoun" in record
        word = record.text("src pronoun" if closed else "src verb", "")
        yield BenchItem(
            str(number),
            source,
            record.text("document id", ""),
            variants=(_line(record, "ref segment"),),
            expected=(expected, *(sorted(forms - {expected}) if closed else ())),
            wrong=tuple(sorted(known - forms)) if closed else (),
            pronoun=word,
            slot=_only_place(word, tested),
            category=record.text("rule"),
            distance=_distance(record),
            antecedent=_known_text(record, "src ante phrase"),
        )


def disceval_json(paths: Sequence[str], pair: LanguagePair) -> Items:
    """`anaphora.json` or `lexical-choice.json` of DiscEvalMT."""
    blocks = Record(json_content(paths[0], dict), where=paths[0])
    for block in blocks:
        record = blocks.table(block)
        pronouns = "trg" in record
        for number, example in enumerate(record.tables("trg" if pronouns else "examples")):
            target = example if pronouns else example.table("trg")
            degree = "semi-correct" if "semi-correct" in target else "correct"
            source = (record if pronouns else example).texts("src")
            variants = [target.texts(degree), target.texts("incorrect")]
            item = _contrast(f"{block}.{number + 1}", source, variants, pair, lexical=not pronouns)
            kind = (example if pronouns else record).text("type")
            yield replace(item, category=f"{kind} {degree}" if pronouns else kind, group=block, distance=1)


def disceval_text(paths: Sequence[str], pair: LanguagePair) -> Items:
    """`X.prev.en`, `X.current.en`, `X.prev.fr`, `X.current.fr`: correct and wrong lines alternate."""
    texts = [read_text(path) for path in paths]
    same_length(*texts)
    if len(texts[0]) % 2:
        raise InputError(f"{len(texts[0])} lines are not pairs", where=paths[0], fix="use the complete files")
    before, tested, prev, current = ([line.strip() for line in text.lines] for text in texts)
    for number in range(len(before) // 2):
        rows = (2 * number, 2 * number + 1)
        variants = [(prev[row], current[row]) for row in rows]
        yield _contrast(str(number), (before[rows[0]], tested[rows[0]]), variants, pair)


def pecore_tsv(paths: Sequence[str], pair: LanguagePair) -> Items:
    """A table of PECoRe's processed examples: DiscEvalMT or SCAT with the contrast of every reference."""
    text = read_text(paths[0])
    for number, row in enumerate(Row.from_tsv(text.lines, path=text.path)):
        marked = _MARKED.findall(row.text("gold_target_current_tagged"))
        context = row.text("gold_target_context", "")
        variants = [
            (*([context] if context else []), row.text(column).strip())
            for column in ("gold_target_current", "gold_target_current_contrast")
        ]
        source = (row.text("source_context", "", blank=True), row.text("source_current"))
        item = _contrast(str(number), source, variants, pair)
        if marked:
            form = fold(marked[0])
            wrong = (_OPPOSITE[form],) if form in _OPPOSITE else item.wrong
            item = replace(item, expected=(form,), wrong=wrong)
        spoken = _MARKED.findall(row.text("source_current_tagged"))
        yield replace(item, pronoun=spoken[0] if spoken else "")


def scat(paths: Sequence[str], _pair: LanguagePair) -> Items:
    """`highlighted.X.en`, `.fr`, and the two `.context` files: the wrong variant has the other gender."""
    texts = [read_text(path) for path in paths]
    same_length(*texts)
    unmarked = [at for at, line in enumerate(texts[1].lines, start=1) if not _MARKED.search(line)]
    if unmarked:
        what = (
            f"left out {counted(len(unmarked), 'line')} without a marked pronoun, first in line {unmarked[0]}"
        )
        warnings.warn(f"{texts[1].path}: {what}", InputWarning, stacklevel=2)
    rows = zip(*(text.lines for text in texts), strict=True)
    for number, (source, target, before, prev) in enumerate(rows):
        if not (forms := [fold(form) for form in _MARKED.findall(target)]):
            continue
        if forms[0] not in _OPPOSITE:
            what = f"a marked pronoun is not il, elle, ils or elles: {forms[0]:.40}"
            raise InputError(what, where=Where(texts[1].path, number + 1), fix=AGAIN)
        spoken = _MARKED.findall(source)
        yield BenchItem(
            str(number),
            (_unmarked(before), _unmarked(source)),
            context=(_unmarked(prev),),
            variants=(_unmarked(target), _unmarked(_MARKED.sub(_other_gender, target))),
            expected=(forms[0],),
            wrong=(_OPPOSITE[forms[0]],),
            pronoun=spoken[0] if spoken else "",
            category=forms[0],
        )


def voita(paths: Sequence[str], pair: LanguagePair) -> Items:
    """A JSON file of the consistency test sets: tokenized, sentences joined by ` _eos `."""
    for number, record in enumerate(objects(paths[0])):
        rows = record.elements("dst")
        variants = [parts(rows.text(index), "_eos") for index in rows]
        place = record.integer("true_ind", low=0, high=len(variants) - 1)
        variants.insert(0, variants.pop(place))
        item = _contrast(str(number), parts(record.text("src"), "_eos"), variants, pair)
        yield replace(item, correct_at=place, distance=_distance(record, "ctx_dist"))


def suite_folder(paths: Sequence[str], _pair: LanguagePair) -> Items:
    """A suite of this package, its first reference, and up to three lines before each item."""
    from anaphor.suite import load_suite

    suite, texts = load_suite(Path(paths[0]))
    for item in suite.items:
        if not item.references:
            continue
        reference = item.references[0]
        source, target = (texts.locators[side][item.document] for side in ("source", reference.reference))
        spoken = source.stretches(item.pronoun)[0]
        at = spoken.segment - source.first
        start = max(0, at - 3)
        form = target.text(reference.pronoun)
        yield BenchItem(
            item.id,
            tuple(source.lines[start : at + 1]),
            item.document,
            context=tuple(target.lines[start:at]),
            variants=(target.lines[at],),
            expected=tuple(
                dict.fromkeys(fold(word) for word in (form, *(a.pronoun for a in item.alternatives)) if word)
            ),
            pronoun=source.text(item.pronoun),
            category=item.category,
            antecedent=source.text(item.antecedents[0].span) if item.antecedents else "",
        )


@dataclass(frozen=True, slots=True)
class BenchFormat:
    """A format of original files: its reader, what its files are, and how many may be left out."""

    read: Callable[[Sequence[str], LanguagePair], Items]
    files: tuple[str, ...]
    optional: int = 0


FORMATS: Mapping[str, BenchFormat] = {
    "contrapro-json": BenchFormat(
        contrapro_json, ("contrapro.json", "contrapro.context.en", "contrapro.context.de"), 2
    ),
    "context-jsonl": BenchFormat(context_jsonl, ("items.jsonl",)),
    "contracat-text": BenchFormat(contracat_text, ("en.txt", "de.txt", "sentence_groups.txt")),
    "contracat-templates": BenchFormat(contracat_templates, ("en.txt", "de.txt", "genders.txt")),
    "paired-lines": BenchFormat(
        paired_lines, ("current.src", "current.trg", "cK.context.src", "cK.context.trg"), 2
    ),
    "paired-jsonl": BenchFormat(paired_jsonl, ("items.jsonl",)),
    "ctxpro": BenchFormat(ctxpro, ("evalset.json", "inputs"), 1),
    "disceval-json": BenchFormat(disceval_json, ("anaphora.json or lexical-choice.json",)),
    "disceval-text": BenchFormat(disceval_text, ("prev.en", "current.en", "prev.fr", "current.fr")),
    "pecore-tsv": BenchFormat(pecore_tsv, ("processed_examples.tsv",)),
    "scat": BenchFormat(scat, ("highlighted.X.en", "highlighted.X.fr", "context.en", "context.fr")),
    "voita": BenchFormat(voita, ("NAME.json",)),
    "gate-feminine": BenchFormat(partial(gate, wanted="f"), ("XX_2_variants.tsv",)),
    "gate-masculine": BenchFormat(partial(gate, wanted="m"), ("XX_2_variants.tsv",)),
    "winomt": BenchFormat(winomt, ("en.txt",)),
    "mtgeneval-context": BenchFormat(mtgeneval_context, ("2to1.en", "original", "flipped")),
    "mtgeneval-sentences": BenchFormat(
        mtgeneval_sentences, ("masculine.en", "feminine.en", "masculine reference", "feminine reference")
    ),
    "mzprt": BenchFormat(mzprt, ("DOMAIN.zh", "DOMAIN.en")),
    "tvsub": BenchFormat(tvsub, ("test_src", "test_oracle_dp_src", "test.orignal.en")),
    "suite": BenchFormat(suite_folder, ("folder",)),
}


def _contrast(
    name: str,
    source: Sequence[str],
    variants: Sequence[Sequence[str]],
    pair: LanguagePair,
    *,
    lexical: bool = False,
) -> BenchItem:
    """An item from whole variants; the expected form is what the correct one has and the others have not.

    It is a pronoun if one differs, because participles, adjectives and articles agree with it; with `lexical`
    it is the longest word.
    """
    if not all(variants):
        raise InputError(f"item {name} has a variant without a sentence", where="variants", fix=AGAIN)
    contexts = tuple(tuple(variant[:-1]) for variant in variants)
    same = len(set(contexts)) == 1
    right, *wrong = (variant[-1] for variant in variants)
    words = splitter(pair.target)
    clitics, listed = _pronouns(pair.target)
    own: list[str] = []
    others: list[str] = []
    for other in wrong:
        for forms, side in zip((own, others), _differences(words(right), words(other)), strict=True):
            forms += [clitics.get(form, form) for form in side]
    if lexical:
        own, others = (sorted(side, key=len)[-1:] for side in (own, others))
    elif pronouns := [form for form in own if form in listed]:
        own, others = pronouns, [form for form in others if form in listed]
    return BenchItem(
        name,
        tuple(source),
        context=contexts[0] if same else (),
        variants=(right, *wrong),
        contexts=() if same else contexts,
        expected=tuple(own[:1]),
        wrong=tuple(form for form in dict.fromkeys(others) if form not in own),
    )


def _differences(left: Sequence[str], right: Sequence[str]) -> tuple[list[str], list[str]]:
    """The case-folded words of each side that are not on the other."""
    first, second = ([fold(word) for word in side] for side in (left, right))
    if len(first) == len(second):  # nearly always: one word for another
        places = [at for at in range(len(first)) if first[at] != second[at]]
        return [first[at] for at in places], [second[at] for at in places]
    differences: tuple[list[str], list[str]] = [], []
    for tag, i, j, k, m in SequenceMatcher(a=first, b=second, autojunk=False).get_opcodes():
        if tag != "equal":
            differences[0].extend(first[i:j])
            differences[1].extend(second[k:m])
    return differences


@cache
def _pronouns(language: str) -> tuple[Mapping[str, str], frozenset[str]]:
    """Clitics as tokens with the pronoun they are (-t-il: il), and all pronouns; empty without a pack."""
    if language not in known_languages():
        return {}, frozenset()
    pack = load_language(language)
    # A clitic of several pronouns does not say which of them it is.
    clitics = {token: forms[0] for token, forms in pack.enclitics.items() if len(forms) == 1}
    return clitics, frozenset(form.form for form in pack.forms)


def _only_place(word: str, sentence: str) -> Span | None:
    """The position of a word in a sentence, if it occurs exactly once."""
    places = [match.span() for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", sentence, re.I)]
    return Span(*places[0]) if word and len(places) == 1 else None


def _other_gender(mark: re.Match[str]) -> str:
    form = _OPPOSITE.get(fold(mark[1]), mark[1])
    return form.capitalize() if mark[1][:1].isupper() else form


def _unmarked(line: str) -> str:
    return " ".join(_MARKS.sub("", line).split())


def _context_lines(before: Sequence[Text], lines: int, *, of: str) -> int:
    """The number of context lines per line, in files of both languages."""
    size = len(before[0]) // lines if before else 0
    for text in before:
        fix = "pass the files of context of both languages, of the same version"
        text.require_lines(size * lines or lines, of=f"{of}, with {size or 1} each,", fix=fix)
    return size


def _context_of(before: Sequence[Text], size: int, line: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The sentences before a line in both languages, without lines before the document."""
    if not before:
        return (), ()
    rows = zip(*(text.lines[size * line : size * (line + 1)] for text in before), strict=True)
    # Originals fill up with empty lines before the start of a document.
    known = [(left.strip(), right.strip()) for left, right in rows if left.strip()]
    return tuple(left for left, _ in known), tuple(right for _, right in known)


def _integer(text: Text, number: int, *, low: int, high: int) -> int:
    line = text.lines[number].strip()
    value = whole_number(line)
    if value is None or not low <= value <= high:
        what = f"not a line number from {low} to {high}: {line!r:.40}"
        raise InputError(what, where=Where(text.path, number + 1), fix=AGAIN)
    return value


def _tested_values(record: Record) -> tuple[str, ...]:
    """The values in the name of CTXPro's rule, without cases and marks of second forms."""
    _, *values = record.text("rule").split(".")
    return tuple(value for value in values if not _UNTESTED.fullmatch(value))


def _line(record: Record, key: str) -> str:
    """A sentence, which may be empty and has no white space at its ends."""
    return " ".join(record.text(key, blank=True).split("\n")).strip()


def _known(record: Record, key: str) -> bool:
    """Whether a key is there and not null."""
    return key in record and record.raw(key) is not None


def _known_text(record: Record, key: str) -> str:
    return record.text(key, blank=True) if _known(record, key) else ""


def _distance(record: Record, key: str = "ante distance") -> int | None:
    return record.integer(key, low=0) if _known(record, key) else None
