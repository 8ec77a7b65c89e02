"""Subjects, expletives and left-out subjects, read off a dependency tree in the same way for every parser.

The rules follow the relations of Universal Dependencies:

- A subject is an `nsubj` with any subtype (`nsubj:pass`, `nsubj:outer`), or an expletive in subject position.
- An expletive is a plain `expl` or an `expl:subj`. It is no subject when a subject of the same verb stands
  before it (*I find **it** hard to say*). The other subtypes mark clitics of verbs (French *s'en aller*,
  Spanish *quejarse*, German *sich freuen*), which nobody translates as pronouns: they are neither.
- A verb phrase lacks its subject when its finite verb is in the third person and its head has no `nsubj`,
  `csubj` or subject expletive (discomt17-findings, section 3.3.1: heads tagged VERB, AUX or ADJ, third
  person, without an *nsubj* or *nsubjpass* arc). The position is that of the finite verb, for the paper
  takes the first word of the phrase. Three decisions the paper leaves open:

  - Predicates that are nouns or pronouns with a copula count too (*es un problema*, it is a problem).
  - Imperatives do not count: no English pronoun answers them.
  - Impersonal *haber* counts, for *there* is one of the classes to predict (*hay gente*, there are people).

  The second verb of a coordination counts as in the paper, though its subject may stand with the first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from anaphor.core import Analysis, MismatchError, Tree, Where
from anaphor.corpus.conllu import Contraction, ParsedSentence, Word

#: Languages in which a finite verb needs no subject; in others a verb without one is coordinated or elliptic.
PRO_DROP = frozenset({"ca", "el", "es", "gl", "it", "pl", "pt", "ro"})
_EXPLETIVE = frozenset({"expl", "expl:subj"})
_AUXILIARY = frozenset({"aux", "cop"})


@dataclass(frozen=True, slots=True)
class Roles:
    """Which words are overt subjects, which expletives, which finite verbs lack their subject."""

    subjects: frozenset[int]
    expletives: frozenset[int]
    null_subjects: frozenset[int]


def roles_of(words: Sequence[Word], *, language: str) -> Roles:
    """The roles that the tree of one sentence says; null subjects in languages that leave subjects out."""
    dependants = _dependants(words)
    expletives = {at for at, word in enumerate(words) if word.relation in _EXPLETIVE}
    subjects = {at for at, word in enumerate(words) if _base(word.relation) == "nsubj"}
    subjects |= {at for at in expletives if not _follows_subject(at, words, dependants)}
    nulls = _null_subjects(words, dependants, subjects) if language in PRO_DROP else set()
    return Roles(frozenset(subjects), frozenset(expletives), frozenset(nulls))


def analysis_of(words: Sequence[Word], *, language: str) -> Analysis:
    """The analysis that a parse of one sentence amounts to."""
    roles = roles_of(words, language=language)
    return Analysis(
        tuple(word.lemma for word in words),
        tuple(word.tag for word in words),
        roles.subjects,
        roles.expletives,
        roles.null_subjects,
        Tree(tuple(word.head for word in words), tuple(word.relation for word in words)),
    )


def _base(relation: str) -> str:
    return relation.partition(":")[0]


def _dependants(words: Sequence[Word]) -> list[list[int]]:
    below: list[list[int]] = [[] for _ in words]
    for at, word in enumerate(words):
        if word.head is not None:
            below[word.head].append(at)
    return below


def _follows_subject(at: int, words: Sequence[Word], dependants: Sequence[Sequence[int]]) -> bool:
    head = words[at].head
    if words[at].relation == "expl:subj" or head is None:
        return False
    return any(_base(words[other].relation) == "nsubj" for other in dependants[head] if other < at)


def _null_subjects(
    words: Sequence[Word], dependants: Sequence[Sequence[int]], subjects: set[int]
) -> set[int]:
    nulls = set()
    for at in range(len(words)):
        has_subject = any(
            other in subjects or _base(words[other].relation) == "csubj" for other in dependants[at]
        )
        verb = _finite_verb(at, words, dependants[at])
        if verb is not None and not has_subject:
            nulls.add(verb)
    return nulls


def _finite_verb(at: int, words: Sequence[Word], below: Sequence[int]) -> int | None:
    """The third-person finite verb of the phrase that a word heads, if it heads one and there is one."""
    if _base(words[at].relation) in _AUXILIARY:
        return None  # its own head is the head of the phrase
    auxiliaries = [other for other in below if _base(words[other].relation) in _AUXILIARY]
    candidates = sorted([at, *auxiliaries]) if words[at].tag in ("VERB", "AUX") else auxiliaries
    return next((other for other in candidates if _is_third_person(words[other])), None)


def _is_third_person(word: Word) -> bool:
    features = word.features
    return (
        features.get("VerbForm") == "Fin" and features.get("Person") == "3" and features.get("Mood") != "Imp"
    )


def own_tokens(sentence: ParsedSentence, cut: Callable[[str], Sequence[str]]) -> tuple[str, ...]:
    """The words, but contractions whole unless `cut`, a tokeniser, makes the same words of them.

    *didn't* is *did* and *n't* for most tokenisers, *du* and *darle* are one token for ours.
    """
    whole = {c.start: c for c in sentence.contractions if tuple(cut(c.form)) != _forms(c, sentence.words)}
    return tuple(form for form, _, _ in _stretches(sentence.words, whole))


def placed(sentence: ParsedSentence, tokens: Sequence[str], *, language: str, where: Where) -> Analysis:
    """The analysis of `tokens` that the parse amounts to; a `MismatchError` when they spell another text."""
    words = sentence.words
    groups = _words_of_tokens(_units(sentence), tokens, where)
    highest = [_highest(group, words) for group in groups]
    roles = roles_of(words, language=language)
    return Analysis(
        tuple(words[at].lemma for at in highest),
        tuple(words[at].tag for at in highest),
        _tokens_with(groups, roles.subjects),
        _tokens_with(groups, roles.expletives),
        _tokens_with(groups, roles.null_subjects),
        _tree(words, groups, highest),
    )


def _units(sentence: ParsedSentence) -> list[tuple[str, int, int]]:
    """Stretches of text with the words they stand for (form, first word, end): words where these spell it."""
    words = sentence.words
    return _stretches(
        words, {c.start: c for c in sentence.contractions if "".join(_forms(c, words)) != c.form}
    )


def _stretches(words: Sequence[Word], whole: Mapping[int, Contraction]) -> list[tuple[str, int, int]]:
    units, at = [], 0
    while at < len(words):
        contraction = whole.get(at)
        form = words[at].form if contraction is None else contraction.form
        end = at + 1 if contraction is None else contraction.end
        units.append((form, at, end))
        at = end
    return units


def _forms(contraction: Contraction, words: Sequence[Word]) -> tuple[str, ...]:
    return tuple(word.form for word in words[contraction.start : contraction.end])


def _words_of_tokens(
    units: Sequence[tuple[str, int, int]], tokens: Sequence[str], where: Where
) -> list[list[int]]:
    """For each token, the words that share a character with it."""
    letters = [(letter, unit) for unit, (form, _, _) in enumerate(units) for letter in form if letter != " "]
    if "".join(letter for letter, _ in letters) != "".join(tokens).replace(" ", ""):
        raise MismatchError(
            f"the parse is of another sentence: {' '.join(form for form, _, _ in units)[:60]}",
            where=where,
            fix="parse the same text, one sentence a line, in the same order",
        )
    groups, at = [], 0
    for token in tokens:
        end = at + len(token.replace(" ", ""))
        shared = sorted({unit for _, unit in letters[at:end]})
        groups.append([word for unit in shared for word in range(*units[unit][1:])])
        at = end
    return groups


def _highest(group: Sequence[int], words: Sequence[Word]) -> int:
    return next(at for at in group if words[at].head not in group)


def _tokens_with(groups: Sequence[Sequence[int]], marked: frozenset[int]) -> frozenset[int]:
    return frozenset(token for token, group in enumerate(groups) if not marked.isdisjoint(group))


def _tree(words: Sequence[Word], groups: Sequence[Sequence[int]], highest: Sequence[int]) -> Tree:
    """The tree over tokens; later parts of one word hang on the first with the relation `goeswith`."""
    token_of: dict[int, int] = {}
    for token, group in enumerate(groups):
        for word in group:
            token_of.setdefault(word, token)
    heads: list[int | None] = []
    relations = []
    for token, at in enumerate(highest):
        first = token_of[at]
        head = words[at].head
        heads.append(first if first != token else None if head is None else token_of[head])
        relations.append("goeswith" if first != token else words[at].relation)
    return Tree(tuple(heads), tuple(relations))
