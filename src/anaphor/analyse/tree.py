"""Subjects, expletives and null subjects, read off a dependency tree in the same way for every parser.

A parse may have different tokens: parsers split *du* into *de* and *le*, or keep *didn't* whole where our
tokens are *did* and *n't*. Both sides spell the same characters, so each token corresponds to the words it
shares characters with: it takes lemma and tag of the highest of them in the tree (of *dar* and *le* in
*darle*, the verb), and is a subject if one of them is.

The roles follow the relations of Universal Dependencies:

- A subject is an `nsubj` with any subtype (`nsubj:pass`, `nsubj:outer`), or an expletive in subject position.
- An expletive is a plain `expl` or an `expl:subj`. It is not a subject if a subject of the same verb
  precedes it (*I find **it** hard to say*). The other subtypes mark clitics of verbs (French *s'en aller*,
  Spanish *quejarse*, German *sich freuen*), which are not translated as pronouns: they are neither.
- A verb phrase lacks its subject when its finite verb is in the third person and its head has no `nsubj`,
  `csubj` or subject expletive (discomt17-findings, section 3.3.1: heads tagged VERB, AUX or ADJ, third
  person, without an *nsubj* or *nsubjpass* arc). The position is that of the finite verb, because the
  paper takes the first word of the phrase. Three decisions the paper leaves open:

  - Predicates that are nouns or pronouns with a copula count too (*es un problema*, it is a problem).
  - Imperatives do not count: no English pronoun corresponds to them.
  - Impersonal *haber* counts, because *there* is a class to predict (*hay gente*, there are people).

  The second verb of a coordination counts as in the paper, although its subject may precede the first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from anaphor.core import Analysis, MismatchError, Tree, Where
from anaphor.core.text import VERBS
from anaphor.corpus.conllu import Contraction, ParsedSentence, Word

#: Languages in which a finite verb needs no subject; in others a verb without one is coordinated or elliptic.
PRO_DROP = frozenset({"ca", "el", "es", "gl", "it", "pl", "pt", "ro"})
_EXPLETIVE = frozenset({"expl", "expl:subj"})
_AUXILIARY = frozenset({"aux", "cop"})


@dataclass(frozen=True, slots=True)
class Roles:
    """The overt subjects, the expletives, and the finite verbs without a subject."""

    subjects: frozenset[int]
    expletives: frozenset[int]
    null_subjects: frozenset[int]


def roles_of(words: Sequence[Word], *, language: str) -> Roles:
    """The roles in the tree of one sentence; null subjects only in languages that allow them."""
    dependants: list[list[int]] = [[] for _ in words]
    for at, word in enumerate(words):
        if word.head is not None:
            dependants[word.head].append(at)

    def follows_subject(at: int) -> bool:
        head = words[at].head
        if words[at].relation == "expl:subj" or head is None:
            return False
        return any(_base(words[other].relation) == "nsubj" for other in dependants[head] if other < at)

    expletives = {at for at, word in enumerate(words) if word.relation in _EXPLETIVE}
    subjects = {at for at, word in enumerate(words) if _base(word.relation) == "nsubj"}
    subjects |= {at for at in expletives if not follows_subject(at)}
    nulls = set()
    for at in range(len(words)) if language in PRO_DROP else ():
        has_subject = any(
            other in subjects or _base(words[other].relation) == "csubj" for other in dependants[at]
        )
        verb = _finite_verb(at, words, dependants[at])
        if verb is not None and not has_subject:
            nulls.add(verb)
    return Roles(frozenset(subjects), frozenset(expletives), frozenset(nulls))


def _base(relation: str) -> str:
    return relation.partition(":")[0]


def _finite_verb(at: int, words: Sequence[Word], below: Sequence[int]) -> int | None:
    """The third-person finite verb of the phrase that a word heads, if it heads one and there is one."""
    if _base(words[at].relation) in _AUXILIARY:
        return None  # its own head is the head of the phrase
    auxiliaries = [other for other in below if _base(words[other].relation) in _AUXILIARY]
    for other in sorted([at, *auxiliaries]) if words[at].tag in VERBS else auxiliaries:
        features = words[other].features
        third = features.get("VerbForm") == "Fin" and features.get("Person") == "3"
        if third and features.get("Mood") != "Imp":
            return other
    return None


def analysis_of(words: Sequence[Word], *, language: str) -> Analysis:
    """The analysis that corresponds to a parse of one sentence."""
    roles = roles_of(words, language=language)
    return Analysis(
        tuple(word.lemma for word in words),
        tuple(word.tag for word in words),
        roles.subjects,
        roles.expletives,
        roles.null_subjects,
        Tree(tuple(word.head for word in words), tuple(word.relation for word in words)),
    )


def own_tokens(sentence: ParsedSentence, tokenize: Callable[[str], Sequence[str]]) -> tuple[str, ...]:
    """The words, with contractions whole unless the tokenizer splits them into the same words.

    *didn't* is *did* and *n't* for most tokenizers, *du* and *darle* are one token for ours.
    """
    words = sentence.words
    whole = {c.start: c for c in sentence.contractions if tuple(tokenize(c.form)) != _forms(c, words)}
    return tuple(form for form, _, _ in _stretches(words, whole))


def placed(sentence: ParsedSentence, tokens: Sequence[str], *, language: str, where: Where) -> Analysis:
    """The analysis of `tokens` by a parse; a `MismatchError` if they spell a different text."""
    words = sentence.words
    # Stretches of text with the words they stand for: single words where these spell the text.
    whole = {c.start: c for c in sentence.contractions if "".join(_forms(c, words)) != c.form}
    groups = _words_of_tokens(_stretches(words, whole), tokens, where)
    highest = [next(at for at in group if words[at].head not in group) for group in groups]
    roles = roles_of(words, language=language)

    def tokens_with(marked: frozenset[int]) -> frozenset[int]:
        return frozenset(token for token, group in enumerate(groups) if not marked.isdisjoint(group))

    return Analysis(
        tuple(words[at].lemma for at in highest),
        tuple(words[at].tag for at in highest),
        tokens_with(roles.subjects),
        tokens_with(roles.expletives),
        tokens_with(roles.null_subjects),
        _tree(words, groups, highest),
    )


def _forms(contraction: Contraction, words: Sequence[Word]) -> tuple[str, ...]:
    return tuple(word.form for word in words[contraction.start : contraction.end])


def _stretches(words: Sequence[Word], whole: Mapping[int, Contraction]) -> list[tuple[str, int, int]]:
    """Form, first word and end of each stretch: the contractions in `whole`, and all other words."""
    units, at = [], 0
    while at < len(words):
        contraction = whole.get(at)
        form = words[at].form if contraction is None else contraction.form
        end = at + 1 if contraction is None else contraction.end
        units.append((form, at, end))
        at = end
    return units


def _words_of_tokens(
    units: Sequence[tuple[str, int, int]], tokens: Sequence[str], where: Where
) -> list[list[int]]:
    """For each token, the words that share a character with it."""
    letters = [(letter, unit) for unit, (form, _, _) in enumerate(units) for letter in form if letter != " "]
    if "".join(letter for letter, _ in letters) != "".join(tokens).replace(" ", ""):
        raise MismatchError(
            f"the parse belongs to another sentence: {' '.join(form for form, _, _ in units)[:60]}",
            where=where,
            fix="parse the same text, one sentence per line, in the same order",
        )
    groups, at = [], 0
    for token in tokens:
        end = at + len(token.replace(" ", ""))
        shared = sorted({unit for _, unit in letters[at:end]})
        groups.append([word for unit in shared for word in range(*units[unit][1:])])
        at = end
    return groups


def _tree(words: Sequence[Word], groups: Sequence[Sequence[int]], highest: Sequence[int]) -> Tree:
    """The tree over tokens; later parts of one word depend on the first with the relation `goeswith`."""
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
