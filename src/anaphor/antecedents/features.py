"""What speaks for and against an antecedent: features that a linguist can read.

Each candidate has features of its own (kind, number, animacy, salience, grammatical role), of its distance
(sentences and candidates between it and the pronoun) and of both together (parallel roles, agreement in
number, clauses between them). The function of the pronoun is decided in the same step: *event* and
*pleonastic* are two more candidates, with the features of the classifier for the function of *it*. Where
nouns have genders, whether they agree with the pronoun is one more feature.

English pronouns have features of their own, in `english.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from anaphor.analyse.function import AnalysedSentence, features_of
from anaphor.analyse.gender import Readings
from anaphor.antecedents.mentions import Mention, pronoun_role
from anaphor.antecedents.source import SourceLanguage

#: How many sentences before that of the pronoun are searched.
SENTENCES_BACK = 3
#: Candidates that are no mention: the pronoun refers to what a clause says, or to nothing.
FUNCTIONS = ("event", "pleonastic")


class PlainText:
    """The analysed sentences of a document, whose pronouns can be described."""

    functions = FUNCTIONS

    def __init__(
        self,
        sentences: Sequence[AnalysedSentence],
        mentions: Sequence[Sequence[Mention]],
        language: SourceLanguage,
    ) -> None:
        self._sentences, self._mentions, self._language = sentences, mentions, language

    def describe(self, sentence: int, position: int) -> tuple[list[Mention], list[list[str]]]:
        """The candidates of a pronoun, nearest first, and the features of each and of the functions."""
        found = candidates_of(self._mentions, sentence, position)
        place = (sentence, position)
        return found, all_features(self._sentences, self._mentions, found, *place, self._language)


def candidates_of(mentions: Sequence[Sequence[Mention]], sentence: int, position: int) -> list[Mention]:
    """The mentions before a pronoun, nearest first."""
    found = [one for one in reversed(mentions[sentence]) if one.position < position]
    for back in range(1, min(SENTENCES_BACK, sentence) + 1):
        found += reversed(mentions[sentence - back])
    return found


def all_features(
    sentences: Sequence[AnalysedSentence],
    mentions: Sequence[Sequence[Mention]],
    candidates: Sequence[Mention],
    sentence: int,
    position: int,
    language: SourceLanguage,
) -> list[list[str]]:
    """The features of every candidate in order, then those of the two functions."""
    tokens, analysis = sentences[sentence]
    word = tokens[position].lower()
    pronoun, role = language.resolved[word], pronoun_role(word, position, analysis)
    own = language.pronoun_readings(tokens, analysis.tags, position)
    frequency = Counter(one.lemma for one in candidates if one.kind != "pronoun")
    leftmost = {one.sentence: one for one in candidates}
    seen: set[str] = set()
    nouns = pronouns = 0
    rows: list[list[str]] = []
    for rank, one in enumerate(candidates):
        distance = sentence - one.sentence
        is_pronoun = one.kind == "pronoun"
        nouns += not is_pronoun
        pronouns += is_pronoun
        row = [
            f"kind={one.kind}",
            f"distance={distance}",
            f"distance={distance} kind={one.kind}",
            f"rank={_bucket(rank)} pronoun={is_pronoun}",
            f"nouns-between={_bucket(nouns)} distance={distance}",
            f"role={one.role}",
            f"role={one.role} pronoun-role={role} distance={min(distance, 2)}",
        ]
        if is_pronoun:
            same = language.resolved.get(one.form) == pronoun
            row += [
                f"form={one.form} pronoun={pronoun}",
                f"same-pronoun={same} distance={distance} pronouns-between={min(pronouns, 3)}",
                f"same-pronoun={same} role={one.role} pronoun-role={role}",
            ]
        else:
            determiner = (
                one.determiner
                if one.determiner in language.determiners
                else "other"
                if one.determiner
                else "none"
            )
            row += [
                f"plural={one.plural} pronoun={pronoun}",
                f"determiner={determiner} pronoun={pronoun}",
                f"person={one.lemma in language.people} pronoun={pronoun}",
                f"time={one.lemma in language.times}",
                f"vague={one.lemma in language.vague}",
                f"frequency={min(frequency[one.lemma], 4)}",
                f"leftmost={leftmost[one.sentence] is one} distance={min(distance, 2)}",
                f"repeated={one.lemma in seen}",
                f"name={one.kind == 'name'} subject={one.role == 'subject'} pronoun={pronoun}",
            ]
            seen.add(one.lemma)
        if language.genders is not None:
            fits = _fits(own, one.readings)
            row += [
                f"agrees={fits} pronoun={pronoun}",
                f"agrees={fits} is-pronoun={is_pronoun}",
                f"agrees={fits} distance={distance}",
                f"agrees={fits} role={one.role} pronoun-role={role}",
            ]
        if distance == 0:
            tags = analysis.tags[one.position + 1 : position]
            verbs = sum(tag in ("VERB", "AUX") for tag in tags)
            clause = any(
                token.lower() in language.clause_boundaries for token in tokens[one.position + 1 : position]
            )
            row += [
                f"words-between={_bucket(position - one.position)}",
                f"verbs-between={min(verbs, 3)} role={one.role} pronoun-role={role}",
                f"clause-between={clause} verbs={min(verbs, 2)} role={one.role} pronoun-role={role}",
            ]
        else:
            first = position == 0 or (position < 3 and role == "subject")
            row += [
                f"pronoun-first={first} role={one.role} distance={distance}",
                f"mentions={_bucket(len(mentions[one.sentence]))} order={min(one.order, 4)}",
            ]
        rows.append(row)
    near = sum(sentence - one.sentence <= 1 for one in candidates)
    shared = [
        *features_of(sentences[sentence], position, sentences[sentence - 1] if sentence else None),
        f"candidates={min(near, 8)}",
        f"pronoun={pronoun}",
        f"pronoun-role={role}",
        "bias",
    ]
    return rows + [[f"{function}: {feature}" for feature in shared] for function in FUNCTIONS]


def _fits(pronoun: Readings, candidate: Readings) -> str:
    """Whether gender and number agree: yes, in part where the candidate is ambiguous, no, or unknown."""
    if not candidate or not pronoun:
        return "unknown"
    shared = candidate & pronoun
    return "no" if not shared else "yes" if shared == candidate else "partly"


def _bucket(number: int) -> int:
    """Counts up to 5 as they are, larger ones as 6 (to 8) or 9 (more)."""
    return number if number < 6 else 6 if number < 9 else 9
