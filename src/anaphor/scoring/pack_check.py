"""What works for a language pair with its packs, what is missing, and what looks wrong in them.

Nothing here decides what the program can do: every line asks the part that does the work.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from anaphor.align.priors import built_in_pairs, own_prior, read_prior
from anaphor.analyse.builtin import built_in_languages
from anaphor.antecedents import has_agreement, resolver_languages
from anaphor.bench.catalogue import bench_sets
from anaphor.core import LanguagePair, OptionError, UserError
from anaphor.core.table import Block, JsonFields, Paragraph, Style, Styled
from anaphor.core.toml_lines import line_of
from anaphor.evaluation.experiment import drops_subjects
from anaphor.languages import LanguagePack, PairPack, known_languages, known_pairs, load_language, load_pair
from anaphor.languages.pack import GENDERS, NUMBERS
from anaphor.languages.pack_file import pack_path
from anaphor.languages.template import UNNAMED_FACTS
from anaphor.languages.unspaced import breaker_version
from anaphor.predict.shipped import default_model, find_model
from anaphor.scoring.selfcheck import check_pack
from anaphor.segment.encode import edge_table
from anaphor.suite.categories import known_packs, load_categories
from anaphor.suite.shipped import shipped_suites
from anaphor.verdict.fusion import fitted_languages
from anaphor.verdict.judge import missing_parts

Level = Literal["works", "partly", "missing"]
_STYLES: dict[Level, Style] = {"works": "good", "partly": "mark", "missing": "bad"}
#: A source pronoun has at least so many usual translations in every built-in pair.
_FEWEST_LIKELY = 2
#: Scripts whose sentences end in a mark that no abbreviation has.
_OWN_STOPS = frozenset(["CJK", "Devanagari"])


@dataclass(frozen=True, slots=True)
class PackPart(JsonFields):
    """One thing that the program does: whether it works for the pair, with what, and what would add to it."""

    part: str
    level: Level
    what: str
    more: str = ""


@dataclass(frozen=True, slots=True)
class PackWarning(JsonFields):
    """Something in a pack that is allowed and probably not meant; `where` is the file with the line."""

    where: str
    what: str


@dataclass(frozen=True, slots=True)
class PackReport(JsonFields):
    """What works for a pair, and what looks wrong in its packs."""

    pair: str
    packs: tuple[str, ...]
    parts: tuple[PackPart, ...]
    warnings: tuple[PackWarning, ...]

    def tables(self) -> Sequence[Block]:
        width = max(len(part.part) for part in self.parts)
        lines: list[str | Sequence[str | Styled]] = []
        for part in self.parts:
            level = Styled(f"{part.level:7}", _STYLES[part.level])
            lines.append([level, f"  {part.part:{width}}  {part.what}"])
            if part.more:
                lines.append(f"         {'':{width}}  → {part.more}")
        head = f"{self.pair}: {', '.join(self.packs) or 'no packs'}"
        blocks: list[Block] = [head, Paragraph(lines)]
        if self.warnings:
            noted = (f"{warning.where}: {warning.what}" for warning in self.warnings)
            blocks.append(Paragraph(["Probably not meant:", *noted]))
        return blocks


def check_packs(pair: LanguagePair, *, folder: Path | None = None) -> PackReport:
    """Say what works for a language pair, and what is missing.

    Args:
        pair: The language pair.
        folder: A folder with your own language packs.

    Returns:
        One part for each thing that the program does, at the level `works`, `partly` or `missing`, and
        warnings about the packs.

    Raises:
        UserError: A pack is invalid.

    Example:
        >>> from anaphor.core import LanguagePair
        >>> from anaphor.scoring.pack_check import check_packs
        >>> report = check_packs(LanguagePair.parse("en-es"))
        >>> print(*(part.part for part in report.parts if part.level != "works"), sep=", ")
        suites
    """
    languages = known_languages(folder)
    known = [code for code in (pair.source, pair.target) if code in languages]
    packs = {code: load_language(code, folder=folder) for code in known}
    pack = load_pair(pair, folder=folder) if str(pair) in known_pairs(folder) else None
    names = [*known, str(pair)] if pack is not None else known
    return PackReport(
        str(pair),
        tuple(str(pack_path(name, folder)) if _is_own(name, folder) else f"{name}.toml" for name in names),
        tuple(_parts(pair, packs, pack, folder)),
        tuple(_warnings(pair, packs, pack, folder)),
    )


def _is_own(name: str, folder: Path | None) -> bool:
    return folder is not None and pack_path(name, folder).parent == folder


def _parts(
    pair: LanguagePair, packs: dict[str, LanguagePack], pack: PairPack | None, folder: Path | None
) -> Iterator[PackPart]:
    new = f"anaphor pack new {pair} --output {folder or 'packs'}"
    yield from _of_packs(pair, packs, pack, new)
    prior = _prior(pair, folder)
    build = f"anaphor pack build {pair} --texts SOURCE TARGET --output {folder or 'packs'}"
    alone = "the aligner learns from your texts alone: it needs some thousand segments"
    yield (
        PackPart("alignment prior", "works", prior)
        if prior
        else PackPart("alignment prior", "missing", alone, build)
    )
    edges = bool(edge_table(pair.target))
    gaps = [
        *([] if prior else ["no alignment prior"]),
        *([] if edges else [f"no statistics of how {_name(pair.target, packs)} sentences begin and end"]),
    ]
    yield PackPart(
        "whole documents",
        "partly" if gaps else "works",
        "; ".join(gaps) or "cut at the source segments, with the prior and the edges of sentences",
        "" if prior else build,
    )
    yield from _of_models(pair, packs)
    yield from _of_dropped_subjects(pack)
    yield from _of_data(pair, pack)


def _of_packs(
    pair: LanguagePair, packs: dict[str, LanguagePack], pack: PairPack | None, new: str
) -> Iterator[PackPart]:
    """What the packs themselves decide: words, scores, the repair of the alignment."""
    bare = [code for code in (pair.source, pair.target) if code not in packs]
    if bare:
        what = f"no pack of {' and '.join(bare)}: texts must be tokenized (--tokenized)"
        yield PackPart("words", "missing", what, new)
    elif unbroken := [language.name for language in packs.values() if _lacks_word_breaker(language)]:
        what = f"the package that finds the words of {' and '.join(unbroken)} is not installed"
        yield PackPart("words", "missing", what, "pip install 'anaphor[cjk]', or pass --tokenized texts")
    elif plain := [code for code, language in packs.items() if _lacks_abbreviations(language)]:
        what = f"abbreviations keep no full stop in {' and '.join(plain)}"
        yield PackPart("words", "partly", what, "list abbreviations in tokens")
    else:
        yield PackPart("words", "works", "tokenized by the rules of both languages")
    if pack is None:
        yield PackPart("scores", "missing", "apt, autoprf and their tables need the pack of the pair", new)
        yield PackPart("alignment repair", "missing", "it needs the likely translations of the pair")
        return
    counts = (
        f"{_counted(pack.source_pronouns, 'source pronoun')}, {_counted(pack.target_pronouns, 'target form')}"
    )
    if pack.object_pronouns:
        counts += f", {len(pack.object_pronouns)} more with --objects"
    yield PackPart("scores", "works", f"apt, autoprf: {counts}")
    likely = ", ".join(f"{form} {len(pack.likely[form])}" for form in pack.likely)
    yield PackPart("alignment repair", "works", f"likely translations: {likely}")


def _prior(pair: LanguagePair, folder: Path | None) -> str:
    """Where the prior comes from; empty without one."""
    path = None if folder is None else own_prior(folder, pair)
    if path is not None:
        return f"{path}, {len(read_prior(path).rows):,} word pairs"
    return "built-in" if str(pair) in built_in_pairs() else ""


def _of_models(pair: LanguagePair, packs: dict[str, LanguagePack]) -> Iterator[PackPart]:
    """What comes with the program for a language, and the verdict, which takes facts of a pack as well."""
    source, target = pair.source, pair.target
    if source in built_in_languages():
        yield PackPart("analyser", "works", f"the built-in one for {_name(source, packs)}")
    else:
        more = "--analyser stanza, spacy or udpipe, if installed"
        yield PackPart(
            "analyser",
            "missing",
            f"none built in for {_name(source, packs)}: no subjects, no functions",
            more,
        )
    resolved = source in resolver_languages()
    among = ", ".join(map(_name, resolver_languages()))
    what = f"those of {_name(source, packs)} pronouns are found" if resolved else f"only for {among}"
    yield PackPart("antecedents", "works" if resolved else "missing", what)
    yield _verdict(pair, packs.get(target))


def _of_dropped_subjects(pack: PairPack | None) -> Iterator[PackPart]:
    """Whether verbs that carry the subject can be compared, for a target language that drops subjects."""
    if pack is None or pack.target.agreement is None or not pack.target.agreement.null_subjects:
        return
    part = "dropped subjects"
    if not drops_subjects(pack):
        what = f"verbs cannot be found without an analyser for {pack.source.name}"
        yield PackPart(part, "missing", what)
    elif not pack.target.agreement.verbs:
        more = f"a table [agreement.verbs] in {pack.pair.target}.toml"
        yield PackPart(part, "partly", "--dropped compares verbs, but not their number", more)
    else:
        yield PackPart(part, "works", "--dropped compares verbs that carry the subject, and their number")


def _verdict(pair: LanguagePair, target: LanguagePack | None) -> PackPart:
    """What `accept` needs: some of it comes with the program, the rest is in the target language's pack."""
    part = "verdict (accept)"
    if target is None:
        return PackPart(part, "missing", f"there is no pack of {_name(pair.target)}")
    if missing := missing_parts(pair, target):
        # A pack cannot make up for a resolver or an analyser.
        is_alone = len(missing) == 1 and not has_agreement(target)
        more = f"a table [agreement] in {pair.target}.toml" if is_alone else ""
        return PackPart(part, "missing", "; ".join(missing), more)
    if pair.target in fitted_languages():
        return PackPart(part, "works", f"with weights fitted to judged {_name(pair.target)} pronouns")
    alike = target.agreement.weights if target.agreement is not None else None
    weights = f"of {_name(alike)}" if alike else "shared by all languages"
    what = f"with the weights {weights}: none were fitted to judged {_name(pair.target)} pronouns"
    return PackPart(part, "partly", what)


def _of_data(pair: LanguagePair, pack: PairPack | None) -> Iterator[PackPart]:
    """Test sets and predictors."""
    suites = [name for name in shipped_suites() if name == f"anaphor-{pair}"]
    categories = [name for name in known_packs() if load_categories(name).source == pair.source]
    if suites:
        yield PackPart("suites", "works", f"{suites[0]} ships; build your own from any text")
    elif pack is not None and categories:
        yield PackPart("suites", "partly", "none ships; build your own: anaphor suite build")
    else:
        what = (
            f"no categories for {_name(pair.source)} pronouns"
            if pack is not None
            else "they need the pack of the pair"
        )
        more = "write categories: docs/suites/categories.md" if pack is not None else ""
        yield PackPart("suites", "missing", what, more)
    sets = [name for name, bench in bench_sets().items() if str(pair) in bench.pairs]
    yield (
        PackPart("test sets", "works", ", ".join(sets))
        if sets
        else PackPart("test sets", "missing", "no public set in the catalogue has the pair")
    )
    if pack is None or pack.prediction is None:
        yield PackPart(
            "prediction", "missing", "the pack has no classes", "a section [prediction], for this task alone"
        )
        return
    try:
        find_model(default_model(str(pair)), pair=str(pair))
    except UserError:
        train = f"anaphor predict train RECIPE --pair {pair} ..."
        yield PackPart("prediction", "partly", "classes, but no pretrained predictor", train)
    else:
        yield PackPart("prediction", "works", f"classes, and the predictor {default_model(str(pair))}")


def _warnings(
    pair: LanguagePair, packs: dict[str, LanguagePack], pack: PairPack | None, folder: Path | None
) -> Iterator[PackWarning]:
    """What looks wrong. Every warning is about a key, and so has a line."""

    def warning(name: str, key: str, what: str) -> PackWarning:
        path = pack_path(name, folder)
        line = line_of(path.read_text(encoding="utf-8"), key)
        shown = str(path) if _is_own(name, folder) else path.name
        return PackWarning(shown if line is None else f"{shown}:{line}", f"{key}: {what}")

    for code, language in packs.items():
        if language.facts == UNNAMED_FACTS:
            yield warning(code, "about.facts", "name the source of the facts")
        if language.name == code:
            yield warning(code, "about.name", "write the name of the language in English")
        if _lacks_abbreviations(language):
            yield warning(code, "tokens.abbreviations", "none: every full stop ends a sentence")
        weights = None if language.agreement is None else language.agreement.weights
        if weights is not None and weights not in fitted_languages():
            known = ", ".join(fitted_languages())
            yield warning(code, "agreement.weights", f"no fitted weights for {weights}; known: {known}")
        if code == pair.target and not language.particles:
            yield warning(code, "tokens.particles", "none: the aligner may link pronouns to them")
    if pack is None:
        return
    name = str(pair)
    if pack.facts == UNNAMED_FACTS:
        yield warning(name, "about.facts", "name the source of the facts")
    for form, translations in pack.likely.items():
        if len(translations) < _FEWEST_LIKELY:
            few = f"{len(translations)} likely translation: add other cases, and what else it becomes"
            yield warning(name, f"likely.{form}", few)
    yield from (warning(name, "target_pronouns", what) for what in _uncovered(pack))
    for finding in check_pack(pack):
        if not finding.holds:
            yield warning(name, "target_pronouns", f"not true: {finding.what}: {', '.join(finding.items)}")


def _uncovered(pack: PairPack) -> Iterator[str]:
    """The genders and numbers of subjects in the third person that no listed form of the target has.

    Neutral forms are evaluated without being listed.
    """
    subjects = (form for form in pack.target.forms if form.person == 3 and form.case in ("nominative", "any"))
    forms = [form for form in subjects if form.gender != "neutral"]
    listed = {*pack.target_pronouns, *pack.object_pronouns}
    have = {(form.number, form.gender) for form in forms if form.form in listed}
    lacking: dict[str, list[str]] = {}
    for form in forms:
        numbers = {form.number, "any"} if form.number != "any" else set(NUMBERS)
        genders = {form.gender, "any"} if form.gender != "any" else set(GENDERS)
        if not any(number in numbers and gender in genders for number, gender in have):
            features = " ".join(feature for feature in (form.gender, form.number) if feature != "any")
            lacking.setdefault(features, []).append(form.form)
    for features, words in lacking.items():
        yield f"no form is {features}, but the language has {', '.join(dict.fromkeys(words))}"


def _lacks_word_breaker(language: LanguagePack) -> bool:
    """Whether the library that finds the words of a script without spaces is not installed."""
    try:
        return language.word_breaker is not None and not breaker_version(language.word_breaker, language.name)
    except OptionError:
        return True


def _lacks_abbreviations(language: LanguagePack) -> bool:
    return not language.abbreviations and language.script not in _OWN_STOPS


def _name(language: str, packs: Mapping[str, LanguagePack] = MappingProxyType({})) -> str:
    """The English name of a language with a pack, the code of any other: *it* may be Italian."""
    if language in packs:
        return packs[language].name
    return load_language(language).name if language in known_languages() else language


def _counted(items: Sequence[str], what: str) -> str:
    return f"{len(items)} {what}{'' if len(items) == 1 else 's'}"
