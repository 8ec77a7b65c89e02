"""Reading language packs: their location, their format, and the validated packs.

The user's folder is searched first, then the built-in packs. docs/packs.md describes every key.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from anaphor.core import InputError, LanguagePair, OptionError, UnknownNameError, digest
from anaphor.core.errors import did_you_mean
from anaphor.core.records import Record
from anaphor.files.folders import inside
from anaphor.languages.pack import (
    CASES,
    GENDERS,
    NUMBERS,
    READING,
    AgreementFacts,
    ClassSet,
    Equivalence,
    FusedRule,
    LanguagePack,
    PairPack,
    PredicateFacts,
    PredictionPack,
    PronounForm,
)
from anaphor.languages.scripts import foreign_letter, main_script, script_of
from anaphor.languages.spelling import fold
from anaphor.languages.unspaced import WORD_BREAKERS

#: The years of the shared tasks on pronoun prediction that have class sets.
FIRST_YEAR, LAST_YEAR = 2015, 2017

_LANGUAGE = re.compile(r"([a-z]{2,3})\.toml")
_PAIR = re.compile(r"([a-z]{2,3}-[a-z]{2,3})\.toml")
# Letters, [letters], ? and * after either, ^ in front, | between: always a valid regular expression.
_ITEMS = r"\^?(?:(?:[^\W\d_]|\[[^\W\d_]+\])[?*]?)+"
#: Labels that every prediction task has.
_LABELS = frozenset(["OTHER", "NONE"])
_HOST = re.compile(rf"{_ITEMS}(?:\|{_ITEMS})*")
#: In one alternative of a host. Each multiplies the ways to divide a word, which a failing match tries all.
_MOST_STARS, _MOST_REPEATS = 2, 6

#: The number of a verb, by its key under `agreement.verbs`.
_VERB_NUMBERS = {"singular": "s", "plural": "p", "neither": ""}

# The parts of a run load the same packs twenty times. Whoever changes a file gets the new content.
_LANGUAGES: dict[tuple[str, bytes], LanguagePack] = {}
_PAIRS: dict[tuple[LanguagePair, bytes, str, str], PairPack] = {}


class PackRecord(Record):
    """A table of a pack file. Words are checked to be in the folded spelling that the matcher compares."""

    __slots__ = ()

    def form(self, key: str) -> str:
        """A single word in the folded spelling."""
        return self._folded(key, self._word(key, self.raw(key)))

    def label(self, key: str) -> str:
        """The label of a class without a word: capital letters, so it cannot be confused with one."""
        label = self._word(key, self.raw(key))
        if not re.fullmatch(r"[A-Z]+", label) or label in _LABELS:
            self.refuse(key, f"not a label: {label}", fix="write capitals, such as NULL; not OTHER, not NONE")
        return label

    def forms(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """A list of folded words, each once."""
        elements = self.elements(key, default)
        return self._distinct(key, tuple(elements.form(index) for index in elements))

    def words(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """A list of words without white space, each once, spelled as they are."""
        elements = self.elements(key, default)
        return self._distinct(key, tuple(elements._word(index, elements.raw(index)) for index in elements))

    def groups(self, key: str) -> tuple[tuple[str, ...], ...]:
        """A list of lists of folded words."""
        elements = self.elements(key)
        return tuple(elements.forms(index) for index in elements)

    def mapping(self, key: str) -> dict[str, tuple[str, ...]]:
        """A table from folded words to lists of folded words; an absent one is empty."""
        table = self.table(key, {})
        return {table._folded(word, table._word(word, word)): table.forms(word) for word in table}

    def readings(self, key: str) -> dict[str, tuple[str, ...]]:
        """A table from readings (`"ms fs"`, or `"-"` for none) to words, the other way around."""
        table = self.table(key, {})
        readings_of: dict[str, tuple[str, ...]] = {}
        for readings in table:
            parts = () if readings == "-" else tuple(readings.split())
            if readings != "-" and not (parts and all(map(READING.fullmatch, parts))):
                table.refuse(
                    readings,
                    "not readings",
                    fix='write genders with numbers, such as "ms fp", or "-" for none',
                )
            for word in table.words(readings):
                if word != word.casefold():
                    table.refuse(readings, f"not in lower case: {word}", fix=f"write {word.casefold()!r}")
                if word in readings_of:
                    table.refuse(readings, f"{word} is listed twice", fix="name all its readings in one key")
                readings_of[word] = parts
        return readings_of

    def check_known(self, key: str, forms: Iterable[str], known: Iterable[str], *, where: str) -> None:
        """Reject forms of a list that are not among the known ones; `where` names their list."""
        for i, form in enumerate(forms):
            if form not in known:
                self.refuse(
                    key,
                    f"{form} is not in {where}",
                    fix="correct the spelling, or add the form there",
                    at=f"{key}[{i}]",
                )

    def _folded(self, key: str, word: str) -> str:
        if word != fold(word):
            self.refuse(key, f"not in the form that is compared: {word!r}", fix=f"write {fold(word)!r}")
        return word

    def _word(self, key: str, value: object) -> str:
        if not isinstance(value, str) or not value or value.split() != [value]:
            self.refuse(
                key, f"expected a single word, got {value!r:.60}", fix="write words without white space"
            )
        return value

    def _distinct(self, key: str, words: tuple[str, ...]) -> tuple[str, ...]:
        seen: set[str] = set()
        for i, word in enumerate(words):
            if word in seen:
                self.refuse(key, f"{word} is listed twice", fix="keep one of the two", at=f"{key}[{i}]")
            seen.add(word)
        return words


def load_language(code: str, *, folder: Path | None = None) -> LanguagePack:
    """The pack of one language, from `folder` if present there."""
    file, content = _read(code, _LANGUAGE, kind="language", folder=folder)
    key = (code, content)
    if key not in _LANGUAGES:
        _LANGUAGES[key] = _language(_record(file, content), code=code, digest=digest([content]))
    return _LANGUAGES[key]


def load_pair(pair: LanguagePair, *, folder: Path | None = None) -> PairPack:
    """The pack of one pair with both languages, each from `folder` if present there."""
    if str(pair) not in (known := known_pairs(folder)):
        # Names of pairs are short: one more letter is a slip, another letter another pair.
        meant = did_you_mean(str(pair), known, least=0.85)
        raise UnknownNameError(
            f"unknown language pair: {pair}",
            where="the built-in packs" if folder is None else f"{folder} and the built-in packs",
            fix=f"{meant}known: {', '.join(known)}; for {pair}, write a pack: `anaphor pack new {pair}` "
            "makes files to fill in, and --packs packs uses them",
        )
    file, content = _read(str(pair), _PAIR, kind="language pair", folder=folder)
    source = load_language(pair.source, folder=folder)
    target = load_language(pair.target, folder=folder)
    key = (pair, content, source.digest, target.digest)
    if key not in _PAIRS:
        parts = [content, source.digest.encode(), target.digest.encode()]
        record = _record(file, content)
        _PAIRS[key] = _pair(record, pair=pair, source=source, target=target, digest=digest(parts))
    return _PAIRS[key]


def languages_digest(pair: LanguagePair, folder: Path | None = None) -> str:
    """A hash of both languages' packs, without the pair's; a language may have none."""
    known = known_languages(folder)
    codes = [code for code in (pair.source, pair.target) if code in known]
    return digest([load_language(code, folder=folder).digest.encode() for code in codes])


def known_languages(folder: Path | None = None) -> tuple[str, ...]:
    """Codes of all languages that have a pack, in alphabetical order."""
    return tuple(sorted(_found(_LANGUAGE, folder)))


def known_pairs(folder: Path | None = None) -> tuple[str, ...]:
    """All pairs with a pack, such as `en-fr`, in alphabetical order."""
    return tuple(sorted(_found(_PAIR, folder)))


def pack_path(name: str, folder: Path | None = None) -> Path:
    """The file of a known language or pair."""
    return (_found(_LANGUAGE, folder) | _found(_PAIR, folder))[name]


def _read(name: str, pattern: re.Pattern[str], *, kind: str, folder: Path | None) -> tuple[str, bytes]:
    files = _found(pattern, folder)
    if name not in files:
        where = "the built-in packs" if folder is None else f"{folder} and the built-in packs"
        raise UnknownNameError.among(name, files, kind=kind, where=where)
    path = files[name] if folder is None or files[name].parent != folder else inside(folder, files[name])
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot read the pack: {error.strerror}", where=str(path), fix="replace it by a readable file"
        ) from error
    return str(path), content


def _record(file: str, content: bytes) -> PackRecord:
    return PackRecord.from_toml(content, file=file, docs="docs/packs.md")


def _found(pattern: re.Pattern[str], folder: Path | None) -> dict[str, Path]:
    """Pack files by name; a file in the user's folder hides the built-in one."""
    if folder is not None and not folder.is_dir():
        raise OptionError("folder of packs not found", where=str(folder), fix="use an existing folder")
    folders = [Path(__file__).with_name("packs")]  # importlib.resources is slow to import
    if folder is not None:
        folders.append(folder)
    return {
        match[1]: file
        for place in folders
        for file in place.iterdir()
        if (match := pattern.fullmatch(file.name))
    }


def _language(record: PackRecord, *, code: str, digest: str) -> LanguagePack:
    """Everything under `tokens` is optional; a language may have none of these rules."""
    record.allow("about", "forms", "tokens", "agreement")
    about = record.table("about")
    about.allow("name", "script", "facts", "licence")
    forms: dict[PronounForm, None] = {}  # in their order
    rows = record.tables("forms")
    for i, row in enumerate(rows):
        row.allow("form", "person", "number", "gender", "case")
        entry = PronounForm(
            form=row.form("form"),
            person=row.integer("person", low=1, high=3),
            number=row.choice("number", NUMBERS),
            gender=row.choice("gender", GENDERS),
            case=row.choice("case", CASES),
        )
        if entry in forms:
            record.refuse(f"forms[{i}]", f"{entry.form} is listed twice, features and all", fix="keep one")
        forms[entry] = None
    if not forms:
        record.refuse("forms", "empty", fix="list the pronouns of the language")
    script = _script(about, rows, forms)
    inventory = frozenset(entry.form for entry in forms)

    tokens = record.table("tokens", {})
    clitics = ("proclitics", "enclitics", "contractions")
    tokens.allow(
        "abbreviations", "whole", *clitics, "fused", "cased", "particles", "ambiguous", "word_breaker"
    )
    pieces = {key: tokens.mapping(key) for key in clitics}
    for key, parts in pieces.items():
        for piece, within in parts.items():
            tokens.check_known(f"{key}.{piece}", within, inventory, where="the list of forms")
            # Only an apostrophe or a hyphen shows where a clitic can be split off.
            if key != "contractions" and not {"'", "-"}.intersection(piece):
                tokens.refuse(f"{key}.{piece}", "no apostrophe or hyphen", fix="use contractions or fused")
    _check_cycles(tokens, pieces)
    particles = tokens.forms("particles", ())
    for form in particles:
        if form in inventory:
            tokens.refuse(
                "particles", f"{form} is also listed as a pronoun", fix="list words that are never pronouns"
            )
    ambiguous = tokens.forms("ambiguous", ())
    tokens.check_known("ambiguous", ambiguous, inventory, where="the list of forms")
    return LanguagePack(
        code=code,
        name=about.text("name"),
        script=script,
        facts=about.text("facts"),
        licence=about.text("licence"),
        digest=digest,
        forms=tuple(forms),
        abbreviations=tokens.words("abbreviations", ()),
        whole=tokens.forms("whole", ()),
        proclitics=pieces["proclitics"],
        enclitics=pieces["enclitics"],
        contractions=pieces["contractions"],
        fused=tuple(_fused_rule(row, inventory) for row in tokens.tables("fused", ())),
        cased=tokens.words("cased", ()),
        particles=particles,
        ambiguous=ambiguous,
        agreement=_agreement(record.table("agreement"), inventory) if "agreement" in record else None,
        word_breaker=tokens.choice("word_breaker", WORD_BREAKERS) if "word_breaker" in tokens else None,
    )


def _agreement(record: PackRecord, inventory: frozenset[str]) -> AgreementFacts:
    """Everything is optional. Lists of pronouns are checked against the forms of the language."""
    record.allow(*(key.name for key in fields(AgreementFacts)))

    def pronouns(key: str) -> tuple[str, ...]:
        forms = record.forms(key, ())
        record.check_known(key, forms, inventory, where="the list of forms")
        return forms

    return AgreementFacts(
        null_subjects=record.flag("null_subjects", default=False),
        null_objects=record.flag("null_objects", default=False),
        capital_nouns=record.flag("capital_nouns", default=False),
        compounds=record.flag("compounds", default=False),
        event=pronouns("event"),
        pleonastic=pronouns("pleonastic"),
        genderless=pronouns("genderless"),
        personal=pronouns("personal"),
        people=pronouns("people"),
        demonstrative=pronouns("demonstrative"),
        clausal=pronouns("clausal"),
        impersonal=pronouns("impersonal"),
        fallback=pronouns("fallback"),
        overt=pronouns("overt"),
        objects=pronouns("objects"),
        reflexive=pronouns("reflexive"),
        number_of_verb=pronouns("number_of_verb"),
        either_number=pronouns("either_number"),
        relative=record.forms("relative", ()),
        adverbs=record.forms("adverbs", ()),
        of=record.forms("of", ()),
        quantities=record.forms("quantities", ()),
        openers=record.forms("openers", ()),
        weights=record.optional_text("weights"),
        determiners=record.readings("determiners"),
        pronouns=record.readings("pronouns"),
        nouns=record.readings("nouns"),
        endings=record.readings("endings"),
        agreeing=record.readings("agreeing"),
        verbs=_verbs(record.table("verbs", {})),
        predicates=_predicates(record.table("predicates", {})),
    )


def _verbs(record: PackRecord) -> dict[str, str]:
    """The number of verbs, by words and by endings after a hyphen; a hyphen alone is every other verb."""
    record.allow(*_VERB_NUMBERS)
    numbers: dict[str, str] = {}
    for key, number in _VERB_NUMBERS.items():
        for word in record.forms(key, ()):
            if word in numbers:
                record.refuse(key, f"{word} is listed twice", fix="keep one of the two")
            numbers[word] = number
    return numbers


def _predicates(record: PackRecord) -> PredicateFacts:
    keys = tuple(key.name for key in fields(PredicateFacts))
    record.allow(*keys)
    return PredicateFacts(**{key: record.forms(key, ()) for key in keys})


def _script(about: PackRecord, rows: Sequence[PackRecord], forms: Collection[PronounForm]) -> str:
    """The script of the language, in which every form is written: letters of others look the same."""
    if "script" not in about:
        usual = main_script("".join(entry.form for entry in forms))
        about.refuse("script", "missing", fix=f'add the script of the language, such as script = "{usual}"')
    script = about.text("script")
    for row, entry in zip(rows, forms, strict=True):
        if letter := foreign_letter(entry.form, script):
            row.refuse(
                "form",
                f"{entry.form} has the {script_of(letter)} letter {letter}, but the script is {script}",
                fix="write the letter of that script that looks the same, or correct about.script",
            )
    return script


def _check_cycles(tokens: PackRecord, pieces: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
    """Reject words that contain themselves, at once or through others.

    A word whose only form is itself is allowed, since this keeps it whole.
    """
    tables = {piece: key for key, parts in pieces.items() for piece in parts}
    inside = {
        piece: [form for form in forms if form in tables and (form != piece or len(forms) > 1)]
        for parts in pieces.values()
        for piece, forms in parts.items()
    }
    done: set[str] = set()
    for first in inside:
        # The words on the way down, each with those in it that are left: thousands are too many to recurse.
        way = {first: iter(inside[first])}
        while way:
            above, left = next(reversed(way.items()))
            piece = next(left, None)
            if piece is None:
                done.add(above)
                del way[above]
            elif piece in way:
                chain = [*way]
                words = " → ".join((*chain[chain.index(piece) :], piece))
                tokens.refuse(
                    f"{tables[piece]}.{piece}",
                    f"contains itself: {words}",
                    fix="list only forms that are shorter",
                )
            elif piece not in done:
                way[piece] = iter(inside[piece])


def _fused_rule(row: PackRecord, inventory: frozenset[str]) -> FusedRule:
    row.allow("host", "slots")
    host = row.text("host")
    if not _HOST.fullmatch(host):
        row.refuse("host", f"not a pattern of letters: {host}", fix="use letters, [letters], ? * ^ |")
    for alternative in host.split("|"):
        stars = alternative.count("*")
        if stars > _MOST_STARS or stars + alternative.count("?") > _MOST_REPEATS:
            row.refuse(
                "host",
                f"{alternative:.60} has too many ? and *, so that long words would take too long",
                fix=f"between two |, use * at most {_MOST_STARS} times, and ? and * at most {_MOST_REPEATS}",
            )
    slots = row.groups("slots")
    if not slots or not all(slots):
        row.refuse("slots", "empty", fix="list at least one clitic in each slot")
    if len(slots) == 1 and re.fullmatch(host, ""):
        what = f"{host} may be empty, so that {slots[0][0]} would contain itself"
        row.refuse("host", what, fix="require at least one letter")
    for i, slot in enumerate(slots):
        row.check_known(f"slots[{i}]", slot, inventory, where="the list of forms")
    return FusedRule(host, slots)


def _pair(
    record: PackRecord, *, pair: LanguagePair, source: LanguagePack, target: LanguagePack, digest: str
) -> PairPack:
    """Check that every form is in its language's inventory and that groups and lists are consistent."""
    lists = ("source_pronouns", "source_objects", "target_pronouns", "object_pronouns")
    record.allow("about", *lists, "identical", "equivalent", "likely", "prediction")
    about = record.table("about")
    about.allow("facts", "licence")
    evaluated = _pronouns(record, "source_pronouns", source)
    source_objects = record.forms("source_objects", ())
    record.check_known(
        "source_objects", source_objects, source.inventory(), where=f"the forms of {source.code}.toml"
    )
    for form in source_objects:
        if form in evaluated:
            record.refuse("source_objects", f"{form} is also in source_pronouns", fix="keep one of the two")
    targets = _pronouns(record, "target_pronouns", target)
    objects = record.forms("object_pronouns")
    record.check_known(
        "object_pronouns", objects, target.inventory(), where=f"the forms of {target.code}.toml"
    )
    for form in objects:
        if form in targets:
            record.refuse("object_pronouns", f"{form} is also in target_pronouns", fix="keep one of the two")
    identical = _identical(record, (*targets, *objects))
    likely = record.table("likely")
    likely.allow(*evaluated, *source_objects)
    return PairPack(
        pair=pair,
        source=source,
        target=target,
        facts=about.text("facts"),
        licence=about.text("licence"),
        digest=digest,
        source_pronouns=evaluated,
        source_objects=source_objects,
        target_pronouns=targets,
        object_pronouns=objects,
        identical=identical,
        equivalent=_equivalent(record, (*targets, *objects), identical),
        likely={form: _pronouns(likely, form, target) for form in (*evaluated, *source_objects)},
        prediction=_prediction(record.table("prediction"), source) if "prediction" in record else None,
    )


def _pronouns(record: PackRecord, key: str, pack: LanguagePack) -> tuple[str, ...]:
    """A non-empty list of pronouns of a language."""
    forms = record.forms(key)
    if not forms:
        record.refuse(key, "empty", fix="list at least one form")
    record.check_known(key, forms, pack.inventory(), where=f"the forms of {pack.code}.toml")
    return forms


def _identical(record: PackRecord, listed: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Sets of forms that count as one; no form is in two of them."""
    groups = record.groups("identical")
    seen: set[str] = set()
    for i, group in enumerate(groups):
        key = f"identical[{i}]"
        record.check_known(key, group, listed, where="target_pronouns or object_pronouns")
        if len(group) < 2:
            record.refuse(key, "a group of fewer than two forms", fix="add a form or remove the group")
        if twice := seen.intersection(group):
            record.refuse(key, f"{min(twice)} is in an earlier group too", fix="merge the groups")
        seen.update(group)
    return groups


def _equivalent(
    record: PackRecord, listed: tuple[str, ...], identical: tuple[tuple[str, ...], ...]
) -> tuple[Equivalence, ...]:
    """Pairs of forms, each once, that are not in one identical set."""
    equivalences: list[Equivalence] = []
    for i, row in enumerate(record.tables("equivalent")):
        row.allow("forms", "probability")
        forms = row.forms("forms")
        if len(forms) != 2:
            row.refuse("forms", f"{len(forms)} forms", fix="list exactly two")
        row.check_known("forms", forms, listed, where="target_pronouns or object_pronouns")
        if any(set(forms) <= set(group) for group in identical):
            row.refuse("forms", "these are already identical", fix="remove this entry")
        if any(set(forms) == set(other.forms) for other in equivalences):
            record.refuse(f"equivalent[{i}]", "this pair is listed twice", fix="keep one of the two")
        probability = row.number("probability", low=0, high=1) if "probability" in row else None
        equivalences.append(Equivalence((forms[0], forms[1]), probability))
    return tuple(equivalences)


def _prediction(record: PackRecord, source: LanguagePack) -> PredictionPack:
    """The prediction task: every year has one class set, every word one class, every filler a class."""
    record.allow("source_pronouns", "classes", "null_subjects", "dropped", "fillers", "other_fillers")
    pronouns = record.forms("source_pronouns")
    record.check_known(
        "source_pronouns", pronouns, source.inventory(), where=f"the forms of {source.code}.toml"
    )
    null_subjects = record.flag("null_subjects", default=False)
    if not pronouns and not null_subjects:
        record.refuse("source_pronouns", "empty", fix="list at least one form, or set null_subjects")
    class_sets = tuple(_class_set(row) for row in record.tables("classes"))
    if not class_sets:
        record.refuse("classes", "empty", fix="describe the classes of at least one year")
    years = [year for class_set in class_sets for year in class_set.years]
    if len(set(years)) < len(years):
        record.refuse("classes", "a year is listed twice", fix="list each year once")
    fillers, other_fillers = record.forms("fillers", ()), record.words("other_fillers", ())
    for class_set in class_sets:
        record.check_known("fillers", fillers, class_set.words(), where="the words of every set of classes")
    for word in fillers:
        if word in other_fillers:
            record.refuse("other_fillers", f"{word} is also in fillers", fix="keep one of the two")
    dropped = record.label("dropped") if "dropped" in record else None
    return PredictionPack(pronouns, null_subjects, class_sets, fillers, other_fillers, dropped)


def _class_set(row: PackRecord) -> ClassSet:
    row.allow("years", "labels", "members")
    labels = row.forms("labels")
    if not labels:
        row.refuse("labels", "empty", fix="list the classes other than OTHER")
    members = row.mapping("members")
    row.check_known("members", members, labels, where="labels")
    seen = set(labels)
    for label, words in members.items():
        for word in words:
            if word in seen:
                row.refuse(f"members.{label}", f"{word} is in two classes", fix="keep it in one of them")
            seen.add(word)
    numbers = row.elements("years")
    years = tuple(numbers.integer(index, low=FIRST_YEAR, high=LAST_YEAR) for index in numbers)
    if not years:
        row.refuse("years", "empty", fix=f"list years from {FIRST_YEAR} to {LAST_YEAR}")
    if len(set(years)) < len(years):
        row.refuse("years", "a number is listed twice", fix="keep one of the two")
    return ClassSet(years=years, labels=labels, members=members)
