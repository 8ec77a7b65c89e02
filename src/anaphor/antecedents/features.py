"""Features for and against an antecedent, readable by a linguist.

There are features of the candidate (kind, number, animacy, salience, grammatical role), of its distance
(sentences and candidates in between) and of the combination (parallel roles, agreement in number, clauses in
between). The function of the pronoun is decided in the same step: *event* and *pleonastic* are two more
candidates, with the features of the classifier for the function of *it*. If nouns have genders, agreement
with the pronoun is another feature.

English pronouns have separate features, in `english.py`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

from anaphor.analyse.function import AnalysedSentence, features_of
from anaphor.analyse.gender import Readings
from anaphor.antecedents.mentions import NEAREST, Line, Mention, pronoun_role
from anaphor.antecedents.source import SourceLanguage

#: How many sentences before that of the pronoun are searched.
SENTENCES_BACK = 3
#: Candidates that are no mention: the pronoun refers to what a clause says, or to nothing.
FUNCTIONS = ("event", "pleonastic")


class PlainText:
    """The analysed sentences of a document, with descriptions of their pronouns."""

    functions = FUNCTIONS

    def __init__(
        self,
        sentences: Sequence[AnalysedSentence],
        mentions: Sequence[Sequence[Mention]],
        language: SourceLanguage,
    ) -> None:
        self._sentences, self._mentions, self._language = sentences, mentions, language
        # The pronouns of a sentence are described one after another.
        self._line = lru_cache(maxsize=1)(lambda number: Line.of(*sentences[number], language))

    def describe(self, sentence: int, position: int) -> tuple[list[Mention], list[list[str]]]:
        """The candidates of a pronoun, nearest first, with the features of each and of the functions."""
        candidates = candidates_of(self._mentions, sentence, position)
        place = (sentence, position, self._line(sentence))
        return candidates, all_features(self._sentences, self._mentions, candidates, *place, self._language)


def candidates_of(mentions: Sequence[Sequence[Mention]], sentence: int, position: int) -> list[Mention]:
    """The mentions before a pronoun, nearest first, and of each sentence the nearest ones (`NEAREST`)."""
    own = mentions[sentence]
    end = bisect_left(own, position, key=lambda mention: mention.position)
    candidates = [*own[max(0, end - NEAREST) : end][::-1]]
    for back in range(1, min(SENTENCES_BACK, sentence) + 1):
        candidates += islice(reversed(mentions[sentence - back]), NEAREST)
    return candidates


def all_features(
    sentences: Sequence[AnalysedSentence],
    mentions: Sequence[Sequence[Mention]],
    candidates: Sequence[Mention],
    sentence: int,
    position: int,
    line: Line,
    language: SourceLanguage,
) -> list[list[str]]:
    """The features of every candidate in order, then those of the two functions."""
    tokens, analysis = sentences[sentence]
    word = tokens[position].lower()
    pronoun, role = language.resolved[word], pronoun_role(word, position, analysis)
    own = language.pronoun_readings(tokens, analysis.tags, position)
    boundary = line.boundary_before(position)
    frequency = Counter(mention.lemma for mention in candidates if mention.kind != "pronoun")
    # Candidates come nearest first, so the last one of a sentence is its leftmost.
    leftmost = {mention.sentence: mention for mention in candidates}
    seen: set[str] = set()
    nouns = pronouns = 0
    rows: list[list[str]] = []
    for rank, mention in enumerate(candidates):
        distance = sentence - mention.sentence
        is_pronoun = mention.kind == "pronoun"
        nouns += not is_pronoun
        pronouns += is_pronoun
        row = [
            f"kind={mention.kind}",
            f"distance={distance}",
            f"distance={distance} kind={mention.kind}",
            f"rank={_bucket(rank)} pronoun={is_pronoun}",
            f"nouns-between={_bucket(nouns)} distance={distance}",
            f"role={mention.role}",
            f"role={mention.role} pronoun-role={role} distance={min(distance, 2)}",
        ]
        if is_pronoun:
            same = language.resolved.get(mention.form) == pronoun
            row += [
                f"form={mention.form} pronoun={pronoun}",
                f"same-pronoun={same} distance={distance} pronouns-between={min(pronouns, 3)}",
                f"same-pronoun={same} role={mention.role} pronoun-role={role}",
            ]
        else:
            # Rare determiners share a feature: each alone has too few examples for a weight.
            determiner = (
                mention.determiner
                if mention.determiner in language.determiners
                else "other"
                if mention.determiner
                else "none"
            )
            row += [
                f"plural={mention.plural} pronoun={pronoun}",
                f"determiner={determiner} pronoun={pronoun}",
                f"person={mention.lemma in language.people} pronoun={pronoun}",
                f"time={mention.lemma in language.times}",
                f"vague={mention.lemma in language.vague}",
                f"frequency={min(frequency[mention.lemma], 4)}",
                f"leftmost={leftmost[mention.sentence] is mention} distance={min(distance, 2)}",
                f"repeated={mention.lemma in seen}",
                f"name={mention.kind == 'name'} subject={mention.role == 'subject'} pronoun={pronoun}",
            ]
            seen.add(mention.lemma)
        if language.genders is not None:
            fits = _fits(own, mention.readings)
            row += [
                f"agrees={fits} pronoun={pronoun}",
                f"agrees={fits} is-pronoun={is_pronoun}",
                f"agrees={fits} distance={distance}",
                f"agrees={fits} role={mention.role} pronoun-role={role}",
            ]
        if distance == 0:
            # There is no tree: verbs and conjunctions in between stand for the clauses in between.
            verbs = line.verbs[position] - line.verbs[mention.position + 1]
            clause = boundary > mention.position
            row += [
                f"words-between={_bucket(position - mention.position)}",
                f"verbs-between={min(verbs, 3)} role={mention.role} pronoun-role={role}",
                f"clause-between={clause} verbs={min(verbs, 2)} role={mention.role} pronoun-role={role}",
            ]
        else:
            # *And it ...*, *Then it ...*: a subject that opens its sentence continues what was last talked
            # about.
            first = position == 0 or (position < 3 and role == "subject")
            row += [
                f"pronoun-first={first} role={mention.role} distance={distance}",
                f"mentions={_bucket(len(mentions[mention.sentence]))} order={min(mention.order, 4)}",
            ]
        rows.append(row)
    near = sum(sentence - mention.sentence <= 1 for mention in candidates)
    shared = [
        *features_of(sentences[sentence], position, sentences[sentence - 1] if sentence else None),
        f"candidates={min(near, 8)}",
        f"pronoun={pronoun}",
        f"pronoun-role={role}",
        "bias",
    ]
    return rows + [[f"{function}: {feature}" for feature in shared] for function in FUNCTIONS]


def _fits(pronoun: Readings, candidate: Readings) -> str:
    """Whether gender and number agree: yes, partly if the candidate is ambiguous, no, or unknown."""
    if not candidate or not pronoun:
        return "unknown"
    shared = candidate & pronoun
    return "no" if not shared else "yes" if shared == candidate else "partly"


def _bucket(number: int) -> int:
    """Counts up to 5 unchanged, larger ones as 6 (to 8) or 9 (more)."""
    return number if number < 6 else 6 if number < 9 else 9
