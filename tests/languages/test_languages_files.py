"""What language files and pair files may say: each rule broken once, in an invented pack."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise, zip_longest
from pathlib import Path

import pytest

from anaphor.core import InputError, LanguagePair, Where
from anaphor.languages import Equivalence, FormMatcher, FusedRule, PronounForm, load_language, load_pair
from anaphor.languages.pack_file import PackRecord

PAIR = LanguagePair("en", "xx")
WritePacks = Callable[..., Path]


def place(path: Path, before: str, *, missing: bool) -> Where:
    """The line on which the file differs from what it was; of a missing key, the header above that line."""
    both = enumerate(zip_longest(path.read_text(encoding="utf-8").splitlines(), before.splitlines()), start=1)
    line = next(number for number, (now, then) in both if now != then)
    if missing:
        above = path.read_text(encoding="utf-8").splitlines()[: line - 1]
        return Where(
            str(path), next((n for n in range(line - 1, 0, -1) if above[n - 1].startswith("[")), None)
        )
    return Where(str(path), line)


def test_a_language_file_becomes_a_pack(write_packs: WritePacks) -> None:
    pack = load_language("xx", folder=write_packs())
    assert (pack.code, pack.name, pack.licence) == ("xx", "Invented", "Apache-2.0")
    assert pack.forms[0] == PronounForm("lu", 3, "singular", "any", "nominative")
    assert pack.inventory() == {"lu", "lus", "la'"}
    assert pack.abbreviations == ("dr.",)
    assert pack.whole == ("la'nu",)
    assert (pack.cased, pack.particles) == (("Ka",), ("ne",))
    assert pack.proclitics == {"la'": ("la'",)}
    assert pack.enclitics == {"-lu": ("lu",)}
    assert pack.contractions == {"kolu": ("lu",)}
    assert pack.fused == (FusedRule("^ka|[aei]r?", (("lu", "lus"),)),)


def test_agreement_becomes_facts_by_word(write_packs: WritePacks) -> None:
    pack = load_language("xx", folder=write_packs())
    facts = pack.agreement
    assert facts is not None
    assert pack.ambiguous == ("la'",)
    assert (facts.null_subjects, facts.compounds) == (True, False)
    assert (facts.event, facts.openers, facts.weights) == (("lu",), ("ke", "."), "es")
    assert facts.determiners == {"ul": ("ms", "ns"), "zo": ()}
    assert facts.verbs == {"-a": "s", "ista": "s", "-an": "p", "-": "p", "-ta": ""}
    assert facts.predicates.copulas == ("esti",)
    assert facts.predicates.participles == ()


def test_a_language_needs_no_agreement(write_packs: WritePacks) -> None:
    folder = write_packs()
    file = folder / "xx.toml"
    file.write_text(file.read_text(encoding="utf-8").partition("[agreement]")[0], encoding="utf-8")
    assert load_language("xx", folder=folder).agreement is None


def test_a_language_needs_no_token_rules(write_packs: WritePacks) -> None:
    folder = write_packs()
    file = folder / "xx.toml"
    file.write_text(file.read_text(encoding="utf-8").partition("[tokens]")[0], encoding="utf-8")
    pack = load_language("xx", folder=folder)
    assert (pack.abbreviations, pack.whole, pack.fused) == ((), (), ())
    assert (pack.proclitics, pack.enclitics, pack.contractions) == ({}, {}, {})
    assert (pack.cased, pack.particles) == ((), ())


def test_a_pair_file_becomes_a_pack(write_packs: WritePacks) -> None:
    pack = load_pair(PAIR, folder=write_packs())
    assert (pack.pair, pack.source.code, pack.target.code) == (PAIR, "en", "xx")
    assert pack.source_pronouns == ("it",)
    assert pack.target_pronouns == ("lu", "lus")
    assert pack.object_pronouns == ("la'",)
    assert pack.identical == (("lu", "la'"),)
    assert pack.equivalent == (Equivalence(("lu", "lus"), 0.25),)
    assert pack.likely == {"it": ("lu", "la'")}


def test_a_probability_nobody_measured_is_none(write_packs: WritePacks) -> None:
    pack = load_pair(PAIR, folder=write_packs(pair=(", probability = 0.25", "")))
    assert pack.equivalent == (Equivalence(("lu", "lus"), None),)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('name = "Invented"', "", "about.name: missing"),
        ('script = "Latin"', "", "about.script: missing"),
        ('script = "Latin"', "script = 1", "about.script: expected a non-empty string, got 1"),
        ("[about]", "[About]", "About: unknown key"),
        ('licence = "Apache-2.0"', 'licence = "Apache-2.0"\nlicense = "x"', "about.license: unknown key"),
        ("person = 3", "person = 4", "forms[0].person: expected an integer from 1 to 3, got 4"),
        ('"singular"', '"dual"', "forms[0].number: unknown value: dual"),
        ('gender = "any"', 'gender = "common"', "forms[0].gender: unknown value: common"),
        ('"nominative"', '"ergative"', "forms[0].case: unknown value: ergative"),
        ('form = "lu"', 'form = "Lu"', "forms[0].form: not in the form that is compared: 'Lu'"),
        (
            '"lus", person = 3, number = "plural"',
            '"lu", person = 3, number = "singular"',
            "forms[1]: lu is listed twice, features and all",
        ),
        ('"-lu" = ["lu"]', '"-lu" = ["li"]', "tokens.enclitics.-lu: li is not in the list of forms"),
        ('"-lu" = ["lu"]', '"lu" = ["lu"]', "tokens.enclitics.lu: no apostrophe or hyphen"),
        ('"la\'" = [', '"la" = [', "tokens.proclitics.la: no apostrophe or hyphen"),
        ('particles = ["ne"]', 'particles = ["lus"]', "tokens.particles: lus is also listed as a pronoun"),
        ('kolu = ["lu"]', 'kolu = "lu"', "tokens.contractions.kolu: expected a list, got 'lu'"),
        ("[tokens.enclitics]", "[tokens.suffixes]", "tokens.suffixes: unknown key"),
        ("^ka|[aei]r?", "(ka)+", "tokens.fused[0].host: not a pattern of letters: (ka)+"),
        ("^ka|[aei]r?", "[ka", "tokens.fused[0].host: not a pattern of letters: [ka"),
        ("^ka|[aei]r?", "ka|", "tokens.fused[0].host: not a pattern of letters: ka|"),
        ('slots = [["lu", "lus"]]', "slots = []", "tokens.fused[0].slots: empty"),
        ('slots = [["lu", "lus"]]', "slots = [[]]", "tokens.fused[0].slots: empty"),
        (
            'slots = [["lu", "lus"]]',
            'slots = [["x"]]',
            "tokens.fused[0].slots[0]: x is not in the list of forms",
        ),
        (
            "^ka|[aei]r?",
            "^k?a*|ar",
            "tokens.fused[0].host: ^k?a*|ar may be empty, so that lu would contain itself",
        ),
        (
            "^ka|[aei]r?",
            "ar|a*a*a*b",
            "tokens.fused[0].host: a*a*a*b has too many ? and *, so that long words would take too long",
        ),
        (
            "^ka|[aei]r?",
            "a*[ab]?a?a?a?a?a?b",
            "tokens.fused[0].host: a*[ab]?a?a?a?a?a?b has too many ? and *, so that long words would take "
            "too long",
        ),
        ('kolu = ["lu"]', 'lus = ["lus", "lu"]', "tokens.contractions.lus: contains itself: lus → lus"),
        (
            'kolu = ["lu"]',
            'lu = ["lus"]\nlus = ["lu"]',
            "tokens.contractions.lu: contains itself: lu → lus → lu",
        ),
        (
            'form = "lu"',
            'form = "lо"',
            "forms[0].form: lо has the Cyrillic letter о, but the script is Latin",
        ),
        ('ambiguous = ["la\'"]', 'ambiguous = ["la"]', "tokens.ambiguous: la is not in the list of forms"),
        (
            "null_subjects = true",
            'null_subjects = "yes"',
            "agreement.null_subjects: expected true or false, got 'yes'",
        ),
        ('event = ["lu"]', 'events = ["lu"]', "agreement.events: unknown key"),
        ('event = ["lu"]', 'event = ["li"]', "agreement.event: li is not in the list of forms"),
        ('"ms ns" = ["ul"]', '"ms n" = ["ul"]', "agreement.determiners.ms n: not readings"),
        ('"ms ns" = ["ul"]', '"" = ["ul"]', "agreement.determiners.: not readings"),
        ('"-" = ["zo"]', '"-" = ["ul"]', "agreement.determiners.-: ul is listed twice"),
        ('"-" = ["zo"]', '"-" = ["Zo"]', "agreement.determiners.-: not in lower case: Zo"),
        ('neither = ["-ta"]', 'neither = ["ista"]', "agreement.verbs.neither: ista is listed twice"),
        ("plural = ", "dual = ", "agreement.verbs.dual: unknown key"),
        ('copulas = ["esti"]', 'copula = ["esti"]', "agreement.predicates.copula: unknown key"),
        ('weights = "es"', "weights = 3", "agreement.weights: expected a non-empty string, got 3"),
    ],
)
def test_a_broken_language_file_names_the_key(write_packs: WritePacks, old: str, new: str, what: str) -> None:
    before = (write_packs() / "xx.toml").read_text(encoding="utf-8")
    folder = write_packs(language=(old, new))
    with pytest.raises(InputError) as raised:
        load_language("xx", folder=folder)
    assert raised.value.what == what
    assert raised.value.where == place(folder / "xx.toml", before, missing="missing" in what)


def test_words_may_contain_each_other_by_the_thousand(write_packs: WritePacks) -> None:
    names = [f"l{number}" for number in range(3000)]
    forms = "".join(
        f'{{ form = "{name}", person = 3, number = "any", gender = "any", case = "accusative" }},\n'
        for name in names
    )
    chain = "".join(f'"{name}" = ["{inside}"]\n' for name, inside in pairwise([*names, "lu"]))
    folder = write_packs(language=('kolu = ["lu"]', chain))
    file = folder / "xx.toml"
    text = file.read_text(encoding="utf-8").replace("forms = [", f"forms = [\n{forms}", 1)
    file.write_text(text, encoding="utf-8")
    assert len(load_language("xx", folder=folder).contractions) == 3000


def test_time_grows_with_a_list_and_not_with_its_square(write_packs: WritePacks) -> None:
    words = ", ".join(f'"w{number}"' for number in range(30_000))
    folder = write_packs(language=('whole = ["la\'nu"]', f"whole = [{words}]"))
    begun = time.process_time()
    assert len(load_language("xx", folder=folder).whole) == 30_000
    assert time.process_time() - begun < 10


def test_the_forms_of_a_slot_are_no_patterns(write_packs: WritePacks) -> None:
    folder = write_packs(language=('"lus"', '"l.(s"'))
    file = folder / "xx.toml"
    file.write_text(file.read_text(encoding="utf-8").replace('"lu", "lus"', '"lu", "l.(s"'), encoding="utf-8")
    forms_in = FormMatcher(load_language("xx", folder=folder), ["lu"]).forms_in
    assert (forms_in("parlu"), forms_in("parlxx")) == (("lu",), ())


def test_rules_are_for_words_that_end(write_packs: WritePacks) -> None:
    folder = write_packs(language=("^ka|[aei]r?", "[ab]*[ab]*a?a?a?a?r"))
    forms_in = FormMatcher(load_language("xx", folder=folder), ["lu"]).forms_in
    assert forms_in("a" * 90 + "rlu") == ("lu",)
    begun = time.process_time()
    assert forms_in("a" * 3000 + "lu") == ()
    assert time.process_time() - begun < 1


def test_the_script_of_the_forms_is_the_one_that_is_asked_for(write_packs: WritePacks) -> None:
    folder = write_packs(language=('script = "Latin"', 'script = "latin"'))
    with pytest.raises(InputError, match="lu has the Latin letter l, but the script is latin"):
        load_language("xx", folder=folder)
    with pytest.raises(InputError, match="script: missing") as raised:
        load_language("xx", folder=write_packs(language=('script = "Latin"', "")))
    assert 'script = "Latin"' in raised.value.fix


def test_a_word_may_stand_for_itself_alone_and_two_words_for_each_others_forms(
    write_packs: WritePacks,
) -> None:
    folder = write_packs(language=('kolu = ["lu"]', 'lu = ["lu"]\nkolu = ["lu"]\nkolus = ["lu", "lus"]'))
    assert load_language("xx", folder=folder).contractions["lu"] == ("lu",)


def test_a_language_without_forms_is_an_error(write_packs: WritePacks) -> None:
    folder = write_packs()
    (folder / "xx.toml").write_text('forms = []\n[about]\nname = "X"\nfacts = "x"\nlicence = "x"\n')
    with pytest.raises(InputError, match="forms: empty"):
        load_language("xx", folder=folder)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('licence = "Apache-2.0"', "", "about.licence: missing"),
        ('object_pronouns = ["la\'"]\n', "", "object_pronouns: missing"),
        ("identical =", "equal =", "equal: unknown key"),
        ('source_pronouns = ["it"]', "source_pronouns = []", "source_pronouns: empty"),
        (
            'source_pronouns = ["it"]',
            'source_pronouns = ["itt"]',
            "source_pronouns: itt is not in the forms of en.toml",
        ),
        ('["lu", "lus"]', '["lu", "los"]', "target_pronouns: los is not in the forms of xx.toml"),
        (
            'object_pronouns = ["la\'"]',
            'object_pronouns = ["lu"]',
            "object_pronouns: lu is also in target_pronouns",
        ),
        ('[["lu", "la\'"]]', '[["lu"]]', "identical[0]: a group of fewer than two forms"),
        (
            '[["lu", "la\'"]]',
            '[["lu", "il"]]',
            "identical[0]: il is not in target_pronouns or object_pronouns",
        ),
        (
            '[["lu", "la\'"]]',
            '[["lu", "la\'"], ["lus", "la\'"]]',
            "identical[1]: la' is in an earlier group too",
        ),
        ("0.25", "25", "equivalent[0].probability: expected a number from 0 to 1, got 25"),
        ("0.25", "-0.1", "equivalent[0].probability: expected a number from 0 to 1, got -0.1"),
        ('forms = ["lu", "lus"]', 'forms = ["lu"]', "equivalent[0].forms: 1 forms"),
        (
            'forms = ["lu", "lus"]',
            'forms = ["lu", "la\'"]',
            "equivalent[0].forms: these are already identical",
        ),
        ("0.25 }", '0.25 }, { forms = ["lus", "lu"] }', "equivalent[1]: this pair is listed twice"),
        ("it = [", "they = [", "likely.they: unknown key"),
        ('it = ["lu", "la\'"]', "", "likely.it: missing"),
        ('it = ["lu", "la\'"]', 'it = ["il"]', "likely.it: il is not in the forms of xx.toml"),
        ('it = ["lu", "la\'"]', "it = []", "likely.it: empty"),
    ],
)
def test_a_broken_pair_file_names_the_key(write_packs: WritePacks, old: str, new: str, what: str) -> None:
    before = (write_packs() / "en-xx.toml").read_text(encoding="utf-8")
    folder = write_packs(pair=(old, new))
    with pytest.raises(InputError) as raised:
        load_pair(PAIR, folder=folder)
    assert raised.value.what == what
    assert raised.value.where == place(folder / "en-xx.toml", before, missing="missing" in what)


@pytest.mark.parametrize(
    ("text", "read", "what"),
    [
        ('a = "Il"', lambda table: table.form("a"), "a: not in the form that is compared: 'Il'"),
        ('a = "c’"', lambda table: table.form("a"), "a: not in the form that is compared: 'c’'"),
        ('a = "il y"', lambda table: table.form("a"), "a: expected a single word, got 'il y'"),
        ('a = ""', lambda table: table.form("a"), "a: expected a single word, got ''"),
        ('a = "il"', lambda table: table.forms("a"), "a: expected a list, got 'il'"),
        ('a = ["il", 2]', lambda table: table.forms("a"), "a[1]: expected a single word, got 2"),
        ('a = ["il", "on", "il"]', lambda table: table.forms("a"), "a: il is listed twice"),
        ('a = ["M.", "M."]', lambda table: table.words("a"), "a: M. is listed twice"),
        ('a = ["M. X"]', lambda table: table.words("a"), "a[0]: expected a single word, got 'M. X'"),
        ('a = [["il"], "on"]', lambda table: table.groups("a"), "a[1]: expected a list, got 'on'"),
        ("a = { B = [] }", lambda table: table.mapping("a"), "a.B: not in the form that is compared: 'B'"),
        ("a = { 'b c' = [] }", lambda table: table.mapping("a"), "a.b c: expected a single word, got 'b c'"),
        ("a = { b = 1 }", lambda table: table.mapping("a"), "a.b: expected a list, got 1"),
    ],
)
def test_words_of_a_pack_are_checked(text: str, read: Callable[[PackRecord], object], what: str) -> None:
    with pytest.raises(InputError) as raised:
        read(PackRecord.from_toml(text, file="xx.toml"))
    assert raised.value.what == what


def test_words_of_a_pack_come_back_as_they_are() -> None:
    table = PackRecord.from_toml(
        'a = "x"\nd = ["il", "c\'"]\ne = [["a", "b"], []]\nf = { "c\'" = ["il"] }\ng = ["M."]', file="xx.toml"
    )
    assert table.form("a") == "x"
    assert table.forms("d") == ("il", "c'")
    assert table.words("g") == ("M.",)
    assert table.groups("e") == (("a", "b"), ())
    assert table.mapping("f") == {"c'": ("il",)}
    assert (table.forms("z", ()), table.words("z", ()), table.mapping("z")) == ((), (), {})


def test_an_error_proposes_the_spelling_that_is_compared() -> None:
    with pytest.raises(InputError) as raised:
        PackRecord.from_toml('a = "Ç’"', file="xx.toml").form("a")
    assert raised.value.fix == 'write "ç\'"'
