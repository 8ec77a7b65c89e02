"""Packs to fill in, for a language pair that has none."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from string import Template

from anaphor.core import LanguagePair, OptionError
from anaphor.core.toml_lines import toml_string
from anaphor.files.folders import inside
from anaphor.files.writing import write_atomically
from anaphor.languages.pack_file import known_languages, known_pairs, load_language

#: What a template says about the origin of its facts until somebody does.
UNNAMED_FACTS = "the grammar or corpus that the facts are from"

# Comments are prose; comments with four spaces before the text are examples, which a test reads as TOML.
_LANGUAGE = Template("""\
# $code: the pronouns of the language, and how its words are split. docs/packs.md explains every key.
# Indented comments are examples from other languages. Words are written in lower case, with the straight
# apostrophe ' and the plain hyphen -.

# Every pronoun, with a row for each of its readings: German *sie* is she, her, they and them.
# - person: 1, 2, 3; number: singular, plural, any; gender: masculine, feminine, neuter, any
#   (a gender for both, such as Swedish den, has a row for masculine and one for feminine)
# - case: nominative, accusative, dative, genitive, oblique (any object: him), reflexive, any,
#   disjunctive (after prepositions: French eux), adverbial (with its preposition: German damit)
#     { form = "elle", person = 3, number = "singular", gender = "feminine", case = "nominative" },
#     { form = "elle", person = 3, number = "singular", gender = "feminine", case = "disjunctive" },
forms = [
]

# The name in English, and the script of the letters: Latin, Cyrillic, Greek, or CJK for Chinese and Japanese.
[about]
name = "$code"
script = "Latin"
facts = "$facts"
licence = "Apache-2.0"

# Everything below may be left out, and added one by one.
[tokens]
# Words that keep their full stop, as in French; others end in a token of their own.
#     abbreviations = ["etc.", "M.", "p."]
abbreviations = []
# Conjunctions, negation, adverbs of degree: words that the aligner never links to a pronoun, as in Spanish.
#     particles = ["que", "no", "muy"]
particles = []
# Words that look as if they could be split, as in French:
#     whole = ["rendez-vous", "quelqu'un"]
# Words that mean something else with a capital, as in German:
#     cased = ["Sie", "Ihnen"]
# Pronouns that are also an article, a preposition or a conjunction, as in French:
#     ambiguous = ["la", "en"]
# The library that finds words in a script without spaces (extra cjk), as in Chinese:
#     word_breaker = "jieba"

# Pieces with an apostrophe or a hyphen, cut off the front and off the end of words, each with the pronouns in
# it; [] for none. In French qu'elle is qu' and elle, a-t-on is a and -t-on:
#     [tokens.proclitics]
#     "l'" = ["l'"]
#     "qu'" = []
#     [tokens.enclitics]
#     "-t-on" = ["on"]

# Words that contain pronouns and are not split, as in Spanish and German:
#     [tokens.contractions]
#     conmigo = ["mí"]
#     gibts = ["es"]

# Pronouns at the end of a word without any mark: Spanish dámelo is dá, me and lo. The rest of the word must
# end like `host`: letters, [one of these letters], ? and * after either, | between alternatives, ^ before a
# whole word.
#     [[tokens.fused]]
#     host = "^dá|^dí|ar|er|ir"
#     slots = [["me", "te", "se"], ["lo", "la"]]

# What agrees with what, for the verdict `accept` on translations into this language, which needs an analyser
# as well. In a language that drops subjects, `null_subjects` alone lets --dropped compare verbs. Readings are
# genders (m, f, n) with numbers (s, p). In Spanish:
#     [agreement]
#     null_subjects = true
#     event = ["eso", "esto"]
#     pleonastic = ["ello"]
#     genderless = ["eso", "esto", "ello"]
#     overt = ["él", "ella"]
#     objects = ["lo", "la"]
#     relative = ["que"]
#     of = ["de"]
# Words before a noun, endings of adjectives, endings of verbs, the verbs that link adjectives to a subject;
# nouns and their endings, where the program does not have them:
#     [agreement.determiners]
#     "ms" = ["el", "un"]
#     "ms fs" = ["mi", "tu"]
#     [agreement.agreeing]
#     "fp" = ["as"]
#     "ms fs" = ["e"]
#     [agreement.verbs]
#     singular = ["es", "-"]
#     plural = ["-n"]
#     neither = ["-s", "-ar"]
#     [agreement.predicates]
#     copulas = ["ser", "estar"]
#     [agreement.nouns]
#     "fs" = ["mano"]
#     [agreement.endings]
#     "fs" = ["ción"]
""")

_PAIR = Template("""\
# $source to $target: which pronouns are evaluated, and which words count as their translations.
# docs/packs.md explains every key. Indented comments are examples from other pairs. Where a language has a
# pack, lists have all of its pronouns of the third person: remove those that do not belong.

# The pronouns that are evaluated, and those that --objects adds:
#     source_objects = ["them"]
source_pronouns = [$sources]

# The translations that are compared, and those that --objects adds. Without one of these, a pronoun counts as
# translated by something else.
#     target_pronouns = ["il", "elle", "ils", "elles", "ce", "c'"]
#     object_pronouns = ["le", "la", "l'", "les"]
target_pronouns = [$targets]
object_pronouns = [$objects]

# Spellings of one pronoun, and pairs that are often right for each other, with the probability if somebody
# measured it. In French:
#     identical = [["ce", "c'"]]
#     equivalent = [{ forms = ["ce", "il"], probability = 0.6 }]
identical = []
equivalent = []

# The usual translations of each source pronoun, in any case and with any function, the likeliest first. They
# repair the alignment: a pronoun linked to none of them is linked to one nearby. In French:
[likely]
#     it = ["il", "elle", "ce", "c'", "cela", "le", "la", "l'", "y", "en"]
#     them = ["les", "ils", "elles", "eux"]
$likely

[about]
facts = "$facts"
licence = "Apache-2.0"

# The task of predicting pronouns, to prepare data or train a predictor; translations are scored without it.
# Where the source drops subjects, verbs without one can be the examples, as in Spanish to English:
#     [prediction]
#     source_pronouns = []
#     null_subjects = true
#     [[prediction.classes]]
#     years = [2017]
#     labels = ["he", "she", "it", "they"]
""")


def write_template(pair: LanguagePair, folder: str | Path) -> tuple[str, ...]:
    """Write templates of the packs that a pair lacks: its own, and those of its languages.

    Args:
        pair: The language pair.
        folder: The output folder, created if necessary. Packs of languages that it has are kept.

    Returns:
        The paths of the new files.

    Raises:
        OptionError: The pair has a pack.
        InputError: A pack in the folder is invalid.

    Example:
        >>> from anaphor.core import LanguagePair
        >>> from anaphor.languages.template import write_template
        >>> print(*write_template(LanguagePair.parse("en-sv"), "my-packs"))
        my-packs/sv.toml my-packs/en-sv.toml
    """
    folder = Path(folder)
    own = folder if folder.is_dir() else None
    if str(pair) in known_pairs(own):
        fix = f"`anaphor pack check {pair}` says what it has; --packs {folder} uses packs in the folder"
        raise OptionError(f"the pair {pair} already has a pack", where=str(folder), fix=fix)
    languages = known_languages(own)
    texts = {
        f"{code}.toml": _LANGUAGE.substitute(code=code, facts=UNNAMED_FACTS)
        for code in (pair.source, pair.target)
        if code not in languages
    }

    def third_person(code: str, *cases: str) -> dict[str, set[str]]:
        """The numbers of the pronouns of the third person that the pack of a language has for some cases."""
        numbers: dict[str, set[str]] = {}
        for form in load_language(code, folder=own).forms if code in languages else ():
            if form.person == 3 and form.case in cases:
                numbers.setdefault(form.form, set()).add(form.number)
        return numbers

    sources = third_person(pair.source, "nominative", "any")
    if pair.source == "en":
        sources = {form: sources[form] for form in ("it", "they")}
    subjects = third_person(pair.target, "nominative", "any")
    objects = third_person(pair.target, "accusative", "dative", "oblique")
    targets = subjects | objects
    texts[f"{pair}.toml"] = _PAIR.substitute(
        source=pair.source,
        target=pair.target,
        sources=_listed(sources),
        targets=_listed(subjects),
        objects=_listed(form for form in objects if form not in subjects),
        likely="\n".join(
            f"{toml_string(source)} = [{_listed(f for f, n in targets.items() if _agree(numbers, n))}]"
            for source, numbers in sources.items()
        ),
        facts=UNNAMED_FACTS,
    )
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_atomically(inside(folder, folder / name), text)
    return tuple(str(folder / name) for name in texts)


def _agree(numbers: set[str], others: set[str]) -> bool:
    return "any" in numbers | others or not numbers.isdisjoint(others)


def _listed(forms: Iterable[str]) -> str:
    return ", ".join(map(toml_string, forms))
