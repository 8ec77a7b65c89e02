"""Doubts: reasons why a pronoun that the verdict rejects may be right after all.

The verdict was fitted on machine translations, where one pronoun in five is wrong. People are wrong far less
often, and they know more than the text says, such as what a film shows or where a string of a program
appears. Each doubt is a known cause of false findings; `benchmarks/check/README.md` has the counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum

from anaphor.check.cast import Cast
from anaphor.check.doubts import antecedents, clauses, names, nouns, omissions, others
from anaphor.check.doubts.suspect import Suspect
from anaphor.check.linking import LinkedBlock
from anaphor.check.verdicts import Examined

__all__ = ["Doubt", "doubts"]


class Doubt(Enum):
    """Why a finding may be false, and the test for it, in the order in which they are said."""

    PERSON = "the antecedent is a person of the cast", names.is_person
    CAST = "it may render a thing of the cast", names.is_thing
    NO_ANTECEDENT = "no antecedent in the text, and the form was chosen", antecedents.is_unknown
    NO_NOUN = "the antecedent is linked to no noun", antecedents.is_no_noun
    OTHER_PRONOUN = "the word may render another pronoun", others.renders_another
    OTHER_NOUN = "another noun nearby agrees with it", nouns.another_agrees
    CHAIN = "a pronoun of the same gender and number is near", others.follows_its_form
    COMPLEMENT = "the second noun of *a cup of tea* agrees with it", nouns.complement_agrees
    BY_SENSE = "a plural for a group", antecedents.is_group
    NO_CONFLICT = "no antecedent contradicts it", antecedents.hardly_differ
    OTHER_STRING = "the antecedent is in another string of a program", antecedents.is_in_another_string
    LONG = "the unit is so long that links and antecedents go astray", antecedents.is_in_long_unit
    NAME = "a name before it has no gender of its own", names.follows_name
    IDIOM = "*es* stands for an infinitive, or belongs to an idiom", clauses.is_idiom
    FREE_CLITIC = "an object that nothing else explains", omissions.has_free_clitic
    ADDRESS = "the word addresses the reader", others.is_address
    OBJECT = "as an object, *es* often stands for no noun", clauses.is_object
    PREDICATE = "what the object is called agrees with it", nouns.predicate_agrees
    IMPERSONAL = "*es* stands for no plural, so the clause was put in another way", clauses.is_impersonal
    NOT_ENGLISH = "the word is also one of the target language", omissions.is_not_english
    FREE = "people leave it out by saying it in another way", omissions.is_free
    PURPOSE = "what has a purpose is often a fact, not the noun before it", clauses.has_purpose
    OWN_SUBJECT = "the antecedent is the subject of the same verb", antecedents.is_own_subject
    NEARER_NOUN = "a noun that agrees with it is nearer than the antecedent", nouns.nearer_agrees
    CLAUSE = "its subject is the clause that follows", clauses.has_clause
    PLACEHOLDER = "a placeholder before it has no gender of its own", names.follows_placeholder
    SINGULAR_THEY = "*they* may be one person, whoever that is", others.is_anyone
    SAME = "the whole text is left as it is", omissions.is_untouched
    BORROWED = "a borrowed word before it has no gender of its own", names.follows_borrowed_word
    INDEFINITE = "it may be the *something* before it", names.follows_indefinite

    def __init__(self, reason: str, holds: Callable[[Suspect], bool]) -> None:
        self.reason = reason
        self.holds = holds


def doubts(block: LinkedBlock, pronoun: Examined, cast: Cast) -> Iterator[Doubt]:
    """Every doubt about one rejected pronoun."""
    suspect = Suspect(block, pronoun, cast)
    if not clauses.clashes_with_verb(suspect):
        yield from (doubt for doubt in Doubt if doubt.holds(suspect))
