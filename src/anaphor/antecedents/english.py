"""Features for and against an antecedent of an English pronoun.

They describe a phrase (kind, number, WordNet class of its noun, determiner, role, argument slot), its place
(sentences, phrases, clauses and quotation marks between it and the pronoun, number of mentions) and how both
match (number, parallel roles, class of the noun and slot of the pronoun). Three more candidates are not
phrases: an *event*, nothing (*pleonastic*), and *generic* people whom the text does not name (*they say
that*).

In a line so long that it was never segmented, only the nearest mentions are candidates (`NEAREST`); lines of
a few hundred words have fewer.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple

from anaphor.analyse.function import AnalysedSentence, features_of
from anaphor.antecedents.arguments import place_of
from anaphor.antecedents.mentions import NEAREST, QUOTES, Line, Mention, pronoun_role
from anaphor.antecedents.source import SourceLanguage
from anaphor.core import Analysis
from anaphor.core.learned import learned_folder
from anaphor.core.records import shipped_rows
from anaphor.core.text import NOUNS

#: How many sentences before that of the pronoun are searched.
SENTENCES_BACK = 5
#: Pronouns are searched in fewer sentences: those further away are reached through nearer ones.
PRONOUNS_BACK = 2
#: In how many sentences before it the mentions of a noun are counted: a long document may come in pieces.
COUNTED_BACK = 12
#: Candidates that are no mention.
FUNCTIONS = ("event", "pleonastic", "generic")

_DETERMINERS = {
    "the": "the",
    "a": "a",
    "an": "a",
    **dict.fromkeys(("this", "that", "these", "those"), "this"),
    **dict.fromkeys(("my", "our", "your", "his", "her", "its", "their"), "my"),
    **dict.fromkeys(("some", "any", "many", "several", "few", "both", "most", "all"), "some"),
    **dict.fromkeys(("no", "every", "each", "neither", "either"), "every"),
}


class EnglishText:
    """The analysed sentences of a document, with descriptions of their pronouns."""

    functions = FUNCTIONS

    def __init__(
        self,
        sentences: Sequence[AnalysedSentence],
        mentions: Sequence[Sequence[Mention]],
        language: SourceLanguage,
    ) -> None:
        self._sentences, self._language = sentences, language
        phrases = self._phrases = phrases_of(sentences, mentions, shipped_senses(), language)
        # The pronouns of a sentence are described one after another.
        self._line = lru_cache(maxsize=1)(lambda number: Line.of(*sentences[number], language))
        self._totals = lru_cache(maxsize=1)(lambda number: _totals(phrases, number))

    def describe(self, sentence: int, position: int) -> tuple[list[Mention], list[list[str]]]:
        """The candidates of a pronoun, nearest first, with the features of each and of the functions."""
        candidates = candidates_of(self._phrases, sentence, position)
        facts = self._line(sentence), self._totals(sentence)
        rows = all_features(self._sentences, candidates, sentence, position, *facts, self._language)
        return [phrase.mention for phrase in candidates], rows

    def fitting(self, sentence: int, position: int, word: str) -> list[tuple[Mention, str]]:
        """The candidates of a pronoun, nearest first, and how well each fits it.

        Nouns get *yes*, *hardly*, *name* or *no*; pronouns of the same class *same*, others *other*. `word`
        may differ from the word at the position.
        """
        pronoun = self._language.resolved[word]
        found = []
        for phrase in candidates_of(self._phrases, sentence, position):
            if phrase.mention.kind != "pronoun":
                fit = _suits(pronoun, phrase)
            else:
                fit = "same" if self._language.resolved.get(phrase.mention.form) == pronoun else "other"
            found.append((phrase.mention, fit))
        return found


@cache
def shipped_senses() -> Mapping[str, str]:
    """The semantic class of each noun by lemma: that of its first WordNet sense."""
    text = (learned_folder("antecedents/models/en") / "senses.tsv").read_text(encoding="utf-8")
    return {noun: sense for sense, nouns in shipped_rows(text.split("\n")) for noun in nouns.split()}


class Phrase(NamedTuple):
    """A mention with its features that do not depend on a pronoun."""

    mention: Mention
    number: str
    sense: str
    place: str
    role: str
    clause: str
    quoted: bool
    times: int
    static: tuple[str, ...]


def _totals(phrases: Sequence[Sequence[Phrase]], sentence: int) -> Counter[str]:
    """How often each noun occurs near a sentence."""
    # As far back as `phrases_of` counts, so that a document gives the same features whole and in pieces.
    near = phrases[max(0, sentence - COUNTED_BACK) : sentence + 1]
    return Counter(phrase.mention.lemma for row in near for phrase in row if phrase.mention.kind != "pronoun")


def phrases_of(
    sentences: Sequence[AnalysedSentence],
    mentions: Sequence[Sequence[Mention]],
    senses: Mapping[str, str],
    language: SourceLanguage,
) -> list[list[Phrase]]:
    """The mentions of a document with their features, by sentence."""
    seen: Counter[str] = Counter()
    phrases: list[list[Phrase]] = []
    for number_here, ((tokens, analysis), row) in enumerate(zip(sentences, mentions, strict=True)):
        if number_here > COUNTED_BACK:
            # This sentence is now too far back to count.
            seen.subtract(_nouns(mentions[number_here - COUNTED_BACK - 1]))
        words = [token.lower() for token in tokens]
        openers = [at for at, word in enumerate(words) if word in language.openers]
        quotes = [at for at, word in enumerate(words) if word in QUOTES]
        here = []
        for mention in row:
            if mention.kind == "pronoun":
                number = "plural" if mention.plural else "singular"
                sense = "pronoun"
            else:
                number = (
                    "plural"
                    if mention.plural or mention.lemma in ("others", "ones", "people")
                    else "several"
                    if mention.coordinated
                    else "group"
                    if mention.lemma in language.groups
                    else "singular"
                )
                sense = sense_of(mention, senses, language)
            place = place_of(words, analysis, mention.start, mention.position)
            role = _role(mention, words, analysis.tags, analysis.lemmas)
            # The nearest conjunction or relative pronoun before it: nothing says where a clause ends.
            before = bisect_left(openers, mention.start)
            clause = (
                "main"
                if not before
                else "relative"
                if words[openers[before - 1]] in ("that", "which", "who")
                else "sub"
            )
            # Inside quotation marks if an odd number of them comes before.
            inside = bool(bisect_left(quotes, mention.position) % 2)
            times = seen[mention.lemma]
            if mention.kind != "pronoun":
                # Counted after `times` was taken: how often the noun occurred before this mention.
                seen[mention.lemma] += 1
            here.append(
                Phrase(
                    mention,
                    number,
                    sense,
                    place,
                    role,
                    clause,
                    inside,
                    times,
                    _static(mention, number, sense, place, role, clause, words, analysis.tags),
                )
            )
        phrases.append(here)
    return phrases


def _nouns(row: Sequence[Mention]) -> list[str]:
    return [phrase.lemma for phrase in row if phrase.kind != "pronoun"]


def sense_of(mention: Mention, senses: Mapping[str, str], language: SourceLanguage) -> str:
    """The semantic class of a noun."""
    if mention.lemma in language.people:
        return "person"
    if mention.lemma in language.things:
        return "thing"
    if mention.kind == "name":
        return "name"
    if mention.lemma in language.times:
        return "time"
    return senses.get(mention.lemma) or (
        "person?" if mention.lemma.endswith(("er", "or", "ist", "man", "ian")) else "?"
    )


def _role(mention: Mention, words: Sequence[str], tags: Sequence[str], lemmas: Sequence[str]) -> str:
    """The role of a mention, distinguishing objects from predicates and from *there is*."""
    if mention.role == "object" or (mention.role == "other" and mention.start):
        at = mention.start - 1
        # *it was not even a tower*: adverbs and *not* stand between verb and predicate.
        while at >= 0 and tags[at] in ("ADV", "PART") and words[at] != "there":
            at -= 1
        if at >= 0 and lemmas[at].lower() == "be":
            near = words[max(0, at - 3) : at + 3]
            return "existential" if "there" in near else "predicate"
    if mention.role == "preposition":
        word = words[mention.start - 1]
        return (
            f"after-{word}"
            if word in ("in", "on", "at", "to", "with", "for", "from", "about", "by")
            else "after"
        )
    return mention.role


def _static(
    mention: Mention,
    number: str,
    sense: str,
    place: str,
    role: str,
    clause: str,
    words: Sequence[str],
    tags: Sequence[str],
) -> tuple[str, ...]:
    """Features of a mention that are the same for every pronoun, to be combined with the pronoun."""
    if mention.kind == "pronoun":
        return (f"form={mention.form}", f"form={mention.form} {role}", f"clause={clause}")
    determiner = _DETERMINERS.get(mention.determiner, "other" if mention.determiner else "none")
    length = mention.position - mention.start
    following = words[mention.position + 1] if mention.position + 1 < len(words) else "."
    then = (
        following
        if following in ("of", "that", "which", "who", "'s", "’s", ",", ".", "and", "in", "to")
        else "-"
    )
    return (
        f"kind={mention.kind}",
        f"number={number}",
        f"sense={sense}",
        f"sense={sense} {number}",
        f"determiner={determiner} {number}",
        f"determiner={determiner} {role}",
        f"role={role} {clause}",
        f"length={min(length, 4)} {determiner}",
        f"then={then}",
        f"lemma={mention.lemma}"
        if mention.kind == "noun"
        else f"name={tags[mention.start] == 'DET'} {min(length, 2)}",
        f"place={place}",
    )


def candidates_of(phrases: Sequence[list[Phrase]], sentence: int, position: int) -> list[Phrase]:
    """The mentions before a pronoun, nearest first, and of each sentence the nearest ones (`NEAREST`)."""
    own = phrases[sentence]
    end = bisect_left(own, position, key=lambda phrase: phrase.mention.position)
    candidates = own[max(0, end - NEAREST) : end][::-1]
    for back in range(1, min(SENTENCES_BACK, sentence) + 1):
        row = reversed(phrases[sentence - back])
        kept = (phrase for phrase in row if back <= PRONOUNS_BACK or phrase.mention.kind != "pronoun")
        candidates += islice(kept, NEAREST)
    return candidates


def all_features(
    sentences: Sequence[AnalysedSentence],
    candidates: Sequence[Phrase],
    sentence: int,
    position: int,
    line: Line,
    totals: Mapping[str, int],
    language: SourceLanguage,
) -> list[list[str]]:
    """The features of every candidate in order, then those of the functions."""
    analysis, words = sentences[sentence].analysis, line.words
    word = words[position]
    pronoun = language.resolved[word]
    own = own_place(words, analysis, position)
    role: str = pronoun_role(word, position, analysis)
    # Analysers call the object of a preposition an object, too; its slot tells the two apart.
    if role == "object" and own.startswith("p:"):
        role = "after"
    kind, tags = own[:1] or "-", analysis.tags
    last_boundary = line.boundary_before(position)
    quoted = bool(bisect_left(line.quotes, position) % 2)
    again = Counter(phrase.mention.lemma for phrase in candidates if phrase.mention.kind != "pronoun")
    first = position == 0 or (position < 3 and role == "subject")
    opener = words[0] if words[0] in language.sentence_starts else "-"
    leftmost = {phrase.mention.sentence: phrase for phrase in candidates if phrase.mention.kind != "pronoun"}
    seen: set[str] = set()
    # Of candidates nearer than the one at hand: suitable nouns, nouns, pronouns, pronouns of the same class.
    good = nouns = pronouns = same = 0
    rows: list[list[str]] = []
    for rank, phrase in enumerate(candidates):
        mention = phrase.mention
        distance = sentence - mention.sentence
        near = min(distance, 3)
        is_pronoun = mention.kind == "pronoun"
        row = [f"{pronoun} {feature}" for feature in phrase.static]
        row += [
            f"{pronoun} {mention.kind} distance={distance}",
            f"{pronoun} rank={_bucket(rank)} {is_pronoun}",
            f"role={phrase.role} {role} distance={min(distance, 2)}",
            f"clause={phrase.clause} distance={min(distance, 2)} {role}",
            f"quoted={phrase.quoted == quoted} {near}",
        ]
        if is_pronoun:
            agrees = language.resolved.get(mention.form) == pronoun
            others = sentences[mention.sentence].analysis.expletives
            pronouns += 1
            same += agrees
            row += [
                f"{pronoun} {mention.form} {role} {mention.role} {min(distance, 2)}",
                f"same={agrees} {distance} number={min(pronouns, 4)}",
                f"same={agrees} {min(same, 3)} nouns={_bucket(nouns)}",
                f"same={agrees} {role} {mention.role} good={min(good, 4)}",
                f"{pronoun} {mention.form} expletive={mention.position in others}",
            ]
            if phrase.place and phrase.place == own:
                row.append(f"parallel place {agrees}")
        else:
            suits = _suits(pronoun, phrase)
            row += [
                f"{pronoun} suits={suits} good={min(good, 6)} distance={near}",
                f"{pronoun} suits={suits} nouns={_bucket(nouns)}",
                f"{pronoun} suits={suits} {phrase.role} {role} {min(distance, 2)}",
                f"{pronoun} {phrase.sense} {phrase.number} {near}",
                f"{pronoun} {phrase.sense} {kind} {role}",
                f"{pronoun} sense={phrase.sense} at={own}",
                f"{pronoun} times={min(phrase.times, 4)} again={min(again[mention.lemma], 4)}",
                f"{pronoun} times={min(phrase.times, 2)} distance={distance} {suits}",
                f"{pronoun} total={_bucket(totals[mention.lemma])} {suits}",
                f"leftmost={leftmost[mention.sentence] is phrase} {near} {role} {suits}",
                f"repeated={mention.lemma in seen} {min(distance, 2)}",
                f"name={mention.kind == 'name'} {phrase.role == 'subject'} {pronoun} {near}",
            ]
            # The same word governs both, in whatever slot: *melt the ice*, and *it melts*.
            if phrase.place and phrase.place[2:] == own[2:] and own[2:]:
                row.append(f"same governor {phrase.place[:1]} {own[:1]} {suits}")
            # *The tower ... it is a tower*: what is said of the pronoun may be the candidate itself.
            if own.startswith("b:"):
                row.append(f"said of it {own[2:] == mention.lemma} {pronoun}")
            seen.add(mention.lemma)
            nouns += 1
            good += suits == "yes"
        if distance == 0:
            after = mention.position + 1
            verbs = line.verbs[position] - line.verbs[after]
            boundary = last_boundary > mention.position
            row += [
                f"{is_pronoun} words={_bucket(position - mention.position)} {role}",
                f"verbs={min(verbs, 3)} {phrase.role} {role}",
                f"boundary={boundary} verbs={min(verbs, 2)} {mention.role} {role}",
                f"boundary={words[last_boundary] if boundary else '-'} {mention.role} {role}",
                f"{pronoun} between={'_'.join(tags[after:position]) if position - after < 3 else '-'}"
                f" {is_pronoun}",
            ]
        else:
            row += [
                f"first={first} {phrase.role} {near}",
                f"first={first} opener={opener} {mention.role} {near}",
                f"order={min(mention.order, 5)} {near} {role}",
            ]
        rows.append(row)
    here = any(
        _suits(pronoun, phrase) == "yes" and phrase.mention.sentence == sentence for phrase in candidates
    )
    shared = [
        *features_of(sentences[sentence], position, sentences[sentence - 1] if sentence else None),
        f"good={min(good, 8)}",
        f"suitable here={here} {role}",
        f"pronouns={min(same, 4)}",
        f"{pronoun}",
        f"{pronoun} {role}",
        f"{pronoun} at={own}",
        f"pattern={pattern_of(words, analysis, position)}",
        f"kind={kind}",
        f"previous={words[position - 1] if position else '-'} at={own[:1]}",
        f"phrase={' '.join(words[position : position + 3])}",
        f"neutral={any(c.mention.neutral and sentence - c.mention.sentence < 2 for c in candidates)}",
        f"opener={opener} {first}",
    ]
    return rows + [[f"{function}: {feature}" for feature in shared] for function in FUNCTIONS]


def own_place(words: Sequence[str], analysis: Analysis, position: int) -> str:
    """The argument slot of a pronoun."""
    if words[position] in ("its", "their"):
        tags = analysis.tags
        owned = [at for at in range(position + 1, min(position + 5, len(tags))) if tags[at] in NOUNS]
        return f"h:{analysis.lemmas[owned[0]].lower()}" if owned else ""
    return place_of(words, analysis, position, position)


_WEATHER = frozenset({"rain", "snow", "freeze", "thunder", "drizzle", "hail", "pour"})
_SEEMING = frozenset({"seem", "appear", "happen", "turn", "follow", "occur", "strike"})
_CLOCK = frozenset({"time", "o'clock", "midnight", "noon", "late", "early", "morning", "monday", "winter"})
_CLAUSES = frozenset({"to", "that", "if", "whether", "how", "why", "when", "for"})


def pattern_of(words: Sequence[str], analysis: Analysis, position: int) -> str:
    """The construction around *it* if it often has no referent: *it turns out*, *it is time*."""
    tags, lemmas, end = analysis.tags, analysis.lemmas, len(words)
    if words[position] != "it":
        return "none"
    before = lemmas[position - 1].lower() if position else ""
    # *find it hard to say*, *make it*: an object that may announce a clause.
    if position not in analysis.subjects and position and tags[position - 1] == "VERB":
        soon = words[position + 2 : position + 5]
        if position + 1 < end and tags[position + 1] == "ADJ":
            return f"judged {not _CLAUSES.isdisjoint(soon)}"
        return f"object of {before}" if before in ("make", "do", "take", "get", "put", "find") else "object"
    skipped = ("ADV", "PART")
    verb = next(
        (
            at
            for at in range(position + 1, min(position + 6, end))
            if tags[at] == "VERB" or lemmas[at].lower() == "be"
        ),
        None,
    )
    if verb is None:
        return "none"
    main = verb
    if lemmas[verb].lower() == "be":
        after_verb = [at for at in range(verb + 1, min(verb + 9, end)) if tags[at] not in skipped]
        if after_verb and tags[after_verb[0]] == "VERB":
            main = after_verb[0]
        elif after_verb:
            return _predicative(words, tags, lemmas, after_verb)
    lemma = lemmas[main].lower()
    after = words[main + 1 : main + 9]
    # Some analysers keep *raining* as it is.
    if lemma in _WEATHER or lemma.removesuffix("ing") in _WEATHER:
        return "weather"
    if lemma in _SEEMING:
        return f"seeming {lemma} {not {'that', 'to', 'out', 'like', 'as'}.isdisjoint(after[:3])}"
    if lemma in ("take", "cost", "need", "require"):
        return f"takes {'to' in after}"
    # *it is said that ...*
    if main != verb:
        return f"passive {'that' in after[:2] or 'to' in after[:1]}"
    return "none"


def _predicative(
    words: Sequence[str], tags: Sequence[str], lemmas: Sequence[str], after_verb: Sequence[int]
) -> str:
    """The predicate of *it is*: a judgement of a following clause, the time, a cleft, or a property of a
    thing.
    """
    first = after_verb[0]
    following = words[first + 1 : first + 9]
    content = next((at for at in after_verb if tags[at] not in ("DET", "ADP", "NUM")), first)
    if lemmas[content].lower() in _CLOCK:
        return f"clock {'to' in words[content + 1 : content + 3]}"
    if tags[first] == "ADJ":
        return f"judging {not _CLAUSES.isdisjoint(following[:3])}"
    if "that" in following or "who" in following:
        return f"cleft {tags[first]}"
    return f"is {tags[first]} {'to' in following}"


def _suits(pronoun: str, phrase: Phrase) -> str:
    """Whether number and semantic class allow a noun as an antecedent: yes, hardly, or no."""
    if pronoun == "they":
        if phrase.number in ("plural", "several"):
            return "yes" if phrase.sense != "time" else "hardly"
        if phrase.number == "group" or phrase.sense in ("person", "group"):
            return "hardly"
        return "name" if phrase.sense == "name" else "no"
    if phrase.number == "plural":
        return "no"
    if phrase.sense == "person":
        return "no"
    return "hardly" if phrase.sense in ("time", "name") or phrase.number == "several" else "yes"


def _bucket(number: int) -> int:
    """Counts up to 5 unchanged, larger ones as 6 (to 8), 9 (to 13) or 14 (more)."""
    return number if number < 6 else 6 if number < 9 else 9 if number < 14 else 14
