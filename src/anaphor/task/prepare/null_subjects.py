"""Verbs without a subject, and the corresponding pronouns in the translation (Spanish to English).

discomt17-findings, section 3.3.1: a verb phrase in the third person without a subject is linked to an English
verb, and the parse of the English sentence gives its subject; if this is a pronoun, it is hidden. A parser
alone is not reliable enough for the first step: many verbs that it identifies have a noun or a relative
pronoun as their subject, or are in the first person; the translation shows which. A verb is an example if

- its form can be in the third person,
- the English verb that it is linked to is linked to no other verb of the source more closely,
- this English verb has a pronoun as its subject: not a noun, a relative pronoun or nothing, and not *I*,
  because *estaba* and many other forms are in the first person too,
- the pronoun agrees with it in number, and translates no word of the source (*usted*, *esto*, a noun),
- it has no adjacent subject: no personal pronoun, and no noun of a passive with *se*; *there* only renders
  *haber*, because the other verbs of existence have a noun as their subject.

Verbs that fail are counted and get no placeholder. The paper's training files kept them, 30 percent without
any link; its test set has 12.6 percent of OTHER. docs/task/prepare.md has the results for a sample examined
by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from anaphor.core import Alignment, Analysis, Tree
from anaphor.core.text import NOUNS, VERBS
from anaphor.languages import fold
from anaphor.task.prepare.placeholders import LinkThresholds, Placeholder, linked_targets

_PRONOMINAL = frozenset(["PRON", "DET"])  # taggers call a `this` that stands alone either
_NOMINAL = frozenset(["NOUN", "PROPN", "PRON", "NUM", "DET"])
_BREAKS = frozenset(["PUNCT", "SCONJ", "CCONJ", "NOUN"])
_FARTHEST_SUBJECT = 8

#: Endings that no Spanish form of the third person has, but for those of `_THIRD`: hablamos, tienes, digo,
#: voy, comí, lancé, hablad, hablar, hablando, dijiste, hice, decirlo.
_NOT_THIRD = re.compile(
    r"(?:[soyéíd]|ste|r|(?:r|ndo)(?:me|te|se|l[aeo]|nos|os){0,2}|\bhe"
    r"|(?:hic|fic|pud|dij|tuv|quis|pus|vin|sup|hub|duv|traj|duj|cup)e)$"
)
_THIRD = re.compile(
    r"es|hay|esté|dé|prevé|dio|vio"
    r"|.*(?:hizo|fizo|pudo|dijo|tuvo|quiso|puso|vino|supo|hubo|duvo|trajo|dujo|cupo)"
    r"|.*[xs]iste|(?:re)?viste|embiste|(?:con|cue|acue|apue|gu|ba|ga|desga|contra|aju|apla|pre|re|co)ste"
)
#: Infinitives and gerunds, also with clitics, and participles.
_NOT_FINITE = re.compile(
    r"(?:(?:[aeií]r|ndo)(?:me|te|se|l[aeo]s?|nos|os)*|(?:[aií]d|ech|ich|ist|uest|rit|iert|uelt|uert)[oa]s?)$"
)
CLITICS = frozenset(["me", "te", "se", "lo", "la", "los", "las", "le", "les", "nos", "os"])
_BEFORE_FINITE = CLITICS | {"no"}
_BEFORE_VERBS = CLITICS | {"no", "ya", "sólo", "solo", "también"}
_IN_PERIPHRASES = CLITICS | {"a", "de", "que"}  # va a ver, ha de ver, tiene que ver
_RELATIVES = frozenset(["que", "quien", "quienes", "cual", "cuales"])
_SUBJECT_PRONOUNS = frozenset(
    (
        *("yo", "tú", "vos", "usted", "ustedes", "ud", "ud.", "uds", "uds.", "vd.", "vds."),
        *("él", "ella", "ello", "ellos", "ellas", "nosotros", "nosotras", "vosotros", "vosotras"),
        *("uno", "alguien", "nadie", "éste", "ésta", "éstos", "éstas", "ése", "ésa", "ésos", "ésas"),
    )
)

_SINGULAR = frozenset(["he", "she", "it"])
_ENGLISH_RELATIVES = frozenset(["who", "which", "what", "whoever", "whatever", "whichever", "whom", "whose"])
#: Lemmas that form a verb phrase with an infinitive: has to, is able to, is going to.
_BEFORE_TO = frozenset(["have", "able", "go", "use", "need", "ought", "suppose", "get", "be", "want"])
_PASSED = frozenset(["AUX", "ADV", "PART", "ADJ", "INTJ"])


@dataclass(frozen=True, slots=True)
class AnalysedPair:
    """The tokens of a sentence pair, their analyses and links."""

    words: Sequence[str]
    analysis: Analysis
    target_words: Sequence[str]
    target_analysis: Analysis
    alignment: Alignment


def null_subject_placeholders(
    pair: AnalysedPair,
    limits: LinkThresholds,
    *,
    language: str = "es",
    any_number: bool = False,
    verbs: Iterable[int] | None = None,
) -> tuple[Placeholder, ...]:
    """A placeholder for every verb without a subject by the source analysis, or for the given `verbs`.

    One that hides a pronoun has the position of the verb as its source; one that hides nothing represents a
    verb that is not an example. With `any_number` a pronoun need not agree with the verb, for a translation
    that may be wrong.
    """
    linked = _LinkedPair(pair, limits, spanish=language == "es", any_number=any_number)
    hidden: set[int] = set()
    places = []
    for verb in sorted(pair.analysis.null_subjects) if verbs is None else verbs:
        subject = linked.pronoun_for(verb)
        if subject is None or subject in hidden:
            places.append(Placeholder(verb, 0, hides=False))
        else:
            hidden.add(subject)
            places.append(Placeholder(verb, subject, hides=True))
    return tuple(places)


def finite_verbs(words: Sequence[str], analysis: Analysis) -> list[int]:
    """The positions of Spanish verbs that are finite by their spelling."""
    return [
        position
        for position, tag in enumerate(analysis.tags)
        if tag in VERBS and not _NOT_FINITE.search(fold(words[position]))
    ]


def verb_phrase_start(words: Sequence[str], verb: int) -> int:
    """The position of the first clitic or negation before a Spanish verb, or of the verb itself."""
    while verb and fold(words[verb - 1]) in _BEFORE_FINITE:
        verb -= 1
    return verb


def may_be_third_person(form: str) -> bool:
    """Whether a Spanish verb can be finite and in the third person, by its spelling."""
    word = fold(form)
    return bool(_THIRD.fullmatch(word)) or not _NOT_THIRD.search(word)


class _LinkedPair:
    """A sentence pair and its links in the form required by the rules."""

    def __init__(
        self, pair: AnalysedPair, limits: LinkThresholds, *, spanish: bool, any_number: bool
    ) -> None:
        self._any_number = any_number
        self._source, self._target, self._spanish = pair.analysis, pair.target_analysis, spanish
        self._words = [fold(word) for word in pair.words]
        self._english = [fold(word) for word in pair.target_words]
        self._linked = _by_confidence(pair.alignment, limits.neighbour)
        self._sources: dict[int, list[int]] = {}
        for source, linked in linked_targets(pair.alignment, limits.written).items():
            for target in linked:
                self._sources.setdefault(target, []).append(source)
        links = pair.alignment
        turned = Alignment(links.targets, links.sources, confidence=links.confidence)
        #: The source position that each target position is linked to most closely.
        self._closest = {
            target: sources[0] for target, sources in _by_confidence(turned, limits.neighbour).items()
        }

    def pronoun_for(self, verb: int) -> int | None:
        """The position of the translation's pronoun for the missing subject of a verb."""
        if self._spanish and not may_be_third_person(self._words[verb]):
            return None
        phrase = list(self._phrase(verb))
        subject = self._subject(phrase)
        if subject is None or self._target.tags[subject] not in _PRONOMINAL:
            return None
        word = self._english[subject]
        if word in ("i", *_ENGLISH_RELATIVES) or (word == "that" and self._is_relative(subject, verb)):
            return None
        if any(self._is_nominal(position) for position in self._sources.get(subject, ()) if position != verb):
            return None
        if self._spanish and (not self._agrees(word, verb, phrase) or self._has_subject(verb, phrase)):
            return None
        return subject

    def _phrase(self, verb: int) -> Iterator[int]:
        """The verb and the infinitives, gerunds and participles that continue it."""
        yield verb
        for position in range(verb + 1, min(verb + 4, len(self._words))):
            if self._source.tags[position] in VERBS and _NOT_FINITE.search(self._words[position]):
                yield position
            elif self._source.tags[position] != "ADV" and self._words[position] not in _IN_PERIPHRASES:
                return

    def _subject(self, phrase: Sequence[int]) -> int | None:
        """A subject pronoun that the phrase is linked to, or the subject of the verb that it is linked to."""
        target = self._target
        for verb in phrase:
            linked = [word for word in self._linked.get(verb, ()) if self._closest[word] in phrase]
            for word in linked:
                if word in target.subjects and target.tags[word] in _PRONOMINAL:
                    return word
            for word in linked:
                if target.tags[word] in VERBS or (target.tree is None and target.tags[word] == "ADJ"):
                    subject = self._nearby(word) if target.tree is None else self._in_tree(word, target.tree)
                    if subject is not None:
                        return subject
        return None

    def _nearby(self, verb: int) -> int | None:
        """The subject before an English verb, with only the rest of its phrase between, or after it."""
        target, words = self._target, self._english
        for word in range(verb - 1, max(verb - _FARTHEST_SUBJECT, 0) - 1, -1):
            if word in target.subjects:
                return word
            if words[word] == "to":
                if not word or target.lemmas[word - 1] not in _BEFORE_TO:
                    return None
            elif target.lemmas[word] in _BEFORE_TO and words[word + 1] == "to":
                continue
            elif target.tags[word] not in _PASSED and not words[word].endswith(("self", "selves")):
                break
        after = verb + 1
        return after if target.tags[verb] == "AUX" and after in target.subjects else None

    def _in_tree(self, verb: int, tree: Tree) -> int | None:
        """The subject of a verb, which may depend on the word whose auxiliary or copula the verb is."""
        own = not tree.relations[verb].startswith(("aux", "cop"))
        head = verb if own else tree.heads[verb]
        subjects = sorted(self._target.subjects)
        return next((word for word in subjects if tree.heads[word] in (verb, head)), None)

    def _is_relative(self, that: int, verb: int) -> bool:
        """Whether *that* follows a noun, or the verb a relative pronoun."""
        before = self._target.tags[that - 1] if that else "PUNCT"
        if before in _NOMINAL or before == "ADJ" or (that and self._english[that - 1] == ","):
            return True
        return self._relative_before(verb) is not None

    def _relative_before(self, verb: int) -> int | None:
        position = verb - 1
        while position >= 0 and self._words[position] in _BEFORE_VERBS:
            position -= 1
        return position if position >= 0 and self._words[position] in _RELATIVES else None

    def _is_nominal(self, position: int) -> bool:
        tag, word = self._source.tags[position], self._words[position]
        return tag in _NOMINAL and word not in CLITICS and word not in _RELATIVES

    def _agrees(self, pronoun: str, verb: int, phrase: Iterable[int]) -> bool:
        """Whether a pronoun can render the missing subject of a Spanish verb: by number, and *haber*."""
        if pronoun in _SINGULAR:
            return self._any_number or not self._words[verb].endswith("n")
        if pronoun != "there" or self._any_number:
            return True
        main = [position for position in phrase if self._source.lemmas[position] == "haber"]
        # The auxiliary of another verb does not count: ha hablado, but ha habido.
        return any(position != verb or position + 1 not in phrase for position in main)

    def _has_subject(self, verb: int, phrase: Sequence[int]) -> bool:
        """Whether a Spanish pronoun or noun next to the verb can only be its subject."""
        words, tags = self._words, self._source.tags
        relative = self._relative_before(verb)
        if relative and words[relative - 1] == ",":
            return True
        for places in (range(verb - 1, max(verb - 4, -1), -1), range(verb + 1, min(verb + 5, len(words)))):
            for place in places:
                if words[place] in _SUBJECT_PRONOUNS and not (place and tags[place - 1] == "ADP"):
                    return True
                finite = tags[place] in VERBS and not _NOT_FINITE.search(words[place])
                if finite or tags[place] in _BREAKS:
                    break
        if not verb or words[verb - 1] != "se" or self._source.lemmas[verb] == "tratar":
            return False
        # The noun of a passive: se necesitan medidas.
        behind = phrase[-1] + 1
        while behind < len(words) and tags[behind] in ("ADV", "DET", "NUM", "ADJ"):
            behind += 1
        return behind < len(words) and tags[behind] in NOUNS


def _by_confidence(alignment: Alignment, limit: float) -> dict[int, list[int]]:
    """Target positions of every source position, those of the closest links first."""
    links = [link for link in alignment.links() if link.confidence is None or link.confidence >= limit]
    links.sort(key=lambda link: (-(link.confidence or 1), link.target))
    targets: dict[int, list[int]] = {}
    for link in links:
        targets.setdefault(link.source, []).append(link.target)
    return targets
