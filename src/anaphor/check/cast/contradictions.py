"""Words of a translation that contradict the cast: pronouns, adjectives, nouns, titles, address."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from anaphor.antecedents import TargetLanguage
from anaphor.check.cast.address import SENTENCE_STARTS, SINGULAR_IN_N, address_forms
from anaphor.check.cast.genders import Forms, adjective_gender, load_forms, person_noun_gender
from anaphor.check.cast.members import Cast, Member
from anaphor.check.cast.scene import POSSESSIVE, PRONOUNS, CastMention, Scene, SceneRow, Speech
from anaphor.check.findings import Finding, Kind
from anaphor.check.linking import LinkedBlock
from anaphor.check.verdicts import located
from anaphor.core import Analysis, Span
from anaphor.languages import FormMatcher, fold, load_language

#: How probable it is that a word of each kind is wrong where it contradicts the cast.
_PRONOUN, _UNLINKED, _NAMED, _LEFT_OVER = 0.92, 0.85, 0.85, 0.75
_ADJECTIVE, _NOUN, _TITLE, _ARTICLE, _ADDRESS = 0.85, 0.8, 0.92, 0.85, 0.85
#: Words whose place in the sentence differs more do not belong together.
_FARTHEST = 0.4
_OTHER = {
    "er": "sie",
    "ihn": "sie",
    "ihm": "ihr",
    "sie": "er",
    "il": "elle",
    "elle": "il",
    "le": "la",
    "la": "le",
    "lui": "elle",
    "él": "ella",
    "ella": "él",
    "lo": "la",
}
_NAMES = {"m": "masculine", "f": "feminine", "n": "neuter"}


@dataclass(frozen=True, slots=True)
class _Form:
    """A pronoun of the translation that shows a gender.

    `role` is subject, object, personal (either), possessive, or neuter for *es*.
    """

    position: int
    form: str
    genders: frozenset[str]
    role: str


def cast_findings(block: LinkedBlock, cast: Cast) -> tuple[list[Finding], set[tuple[int, int]]]:
    """Every contradiction of the cast in a block, and the pronouns that the cast has decided.

    Such a pronoun, given by row and source token, is a *they* for one person; it is not left to the verdict,
    which only knows the usual pronouns.
    """
    findings: list[Finding] = []
    decided: set[tuple[int, int]] = set()
    forms = load_forms(block.pair.target)
    if block.pair.source != "en" or forms is None or not cast.members:
        return findings, decided
    rows = range(len(block.rows))
    for _, members in groupby(rows, key=lambda row: block.rows[row].document):
        scene = Scene(cast, block, list(members))
        for scene_row in scene.rows:
            check = _RowCheck(scene, scene_row, forms)
            findings += check.findings()
            decided |= check.decided()
    return findings, decided


class _RowCheck:
    """The words of one row against the cast."""

    def __init__(self, scene: Scene, row: SceneRow, forms: Forms) -> None:
        self.scene, self.row, self.forms = scene, row, forms
        self.block = scene.block
        self.language = scene.block.pair.target
        self.target = self.block.target(row.row).tokens
        self.folded = [fold(token) for token in self.target]
        links = self.block.links(row.row)
        self.links, self.back = links.by_source(), links.by_target()
        self._marked: set[int] = set()

    @cached_property
    def analysis(self) -> Analysis:
        return self.block.target_analysis(self.row.row)

    @cached_property
    def source_analysis(self) -> Analysis:
        return self.block.source_analysis(self.row.row)

    @cached_property
    def nouns(self) -> frozenset[int]:
        """Common nouns of the source that are not names of members."""
        named = {at for mention in self.row.mentions for at in range(mention.start, mention.end)}
        return frozenset(
            at
            for at, tag in enumerate(self.source_analysis.tags)
            if tag in ("NOUN", "PROPN") and at not in named
        )

    @cached_property
    def _own_forms(self) -> frozenset[str]:
        """The words that the cast lists for members without a usual pronoun."""
        return frozenset(
            form for member in self.scene.cast.members for form in member.forms.get(self.language, ())
        )

    @property
    def is_relevant(self) -> bool:
        """Whether the source names, addresses or refers to anybody."""
        words = {token.lower() for token in self.row.tokens}
        return (
            bool(self.row.mentions)
            or bool(words & PRONOUNS.keys())
            or (bool(self.row.speeches) and bool(words & {"i", "you", "your", "my", "me"}))
        )

    def findings(self) -> Iterator[Finding]:
        if not self.is_relevant:
            return
        yield from self.pronouns()
        yield from self.names()
        yield from self.predicates()
        yield from self.address()

    def decided(self) -> set[tuple[int, int]]:
        """The pronouns *they* and *them* of the row that refer to one member."""
        return {
            (self.row.row, at)
            for at, token in enumerate(self.row.tokens)
            if token.lower() in ("they", "them") and self.scene.referents(self.row, at, "they")
        }

    # Pronouns and possessives.

    @cached_property
    def target_forms(self) -> list[_Form]:
        """The pronouns of the translation that show gender."""
        return [form for at in range(len(self.target)) if (form := self._form(at)) is not None]

    def _form(self, at: int) -> _Form | None:
        word = self.folded[at]
        # *dem* and *elle* can be listed for somebody who is *they*; articles are none of them.
        if word in self._own_forms and self.analysis.tags[at] != "DET":
            return _Form(at, word, frozenset("-"), "personal")
        read = {"de": self._german, "fr": self._french, "es": self._spanish}[self.language]
        genders, role = read(at, word.removeprefix("-").removeprefix("t-"))
        return _Form(at, word.removeprefix("-").removeprefix("t-"), genders, role) if genders else None

    def _german(self, at: int, word: str) -> tuple[frozenset[str], str]:
        tags = self.analysis.tags
        tag = tags[at]
        capital = at > 0 and self.target[at][:1].isupper() and self.target[at - 1] not in SENTENCE_STARTS
        if word in self.forms["m"]:
            return frozenset("m"), "subject" if word == "er" else "object"
        if word in self.forms["m_or_n"]:
            return frozenset("mn"), "object"
        if word == "es":
            return frozenset("n"), "neuter"
        if word == "sie" and not capital:
            number = self._german_number(at) if self._is_subject(at) else ""
            # *fragte sie* after a quotation is a subject.
            after_quotation = at > 1 and tags[at - 1] == "VERB" and tags[at - 2] == "PUNCT"
            role = "subject" if number and after_quotation else "personal"
            return frozenset({"f", "p"} if not number else {"f" if number == "s" else "p"}), role
        if word in self.forms.possessive_m and (tag in ("DET", "PRON") or word != "sein"):
            return frozenset("mn"), "possessive"
        if word in self.forms.possessive_f and not capital:
            # *ihr* before a noun is a possessive, and else *to her* or *you*.
            if word == "ihr" and tag != "DET":
                return frozenset({"f", "y"}), "object"
            return frozenset("fp"), "possessive"
        return frozenset(), ""

    def _is_subject(self, at: int) -> bool:
        """Whether *sie* is the subject of its clause, not the object of one that has another subject or none:
        *Kannst du sie wecken?*, *und gab sie her*.
        """
        tags, subjects = self.analysis.tags, self.analysis.subjects
        before = tags[at - 1] if at else ""
        joined = at > 1 and before in ("VERB", "AUX") and self.folded[at - 2] in ("und", "oder", "aber")
        if at not in subjects or before == "ADP" or joined:
            return False
        start = next((i + 1 for i in range(at - 1, -1, -1) if tags[i] in _CLAUSE_TAGS), 0)
        end = next((i for i in range(at + 1, len(tags)) if tags[i] in _CLAUSE_TAGS), len(tags))
        others = [other for other in range(start, end) if other != at]
        return not any(other in subjects or self.folded[other] in _NOMINATIVE for other in others)

    def _german_number(self, at: int) -> str:
        """The number of the finite verb next to *sie*, empty if there is none in reach."""
        tags = self.analysis.tags
        # The auxiliary of a question is finite, and an infinitive may follow: *wird sie fliegen*.
        if at and tags[at - 1] in ("VERB", "AUX") and self._is_singular(at - 1):
            return "s"
        last = at
        while last + 1 < len(tags) and tags[last + 1] in ("VERB", "AUX"):
            last += 1
        if last > at:
            # *sie kann gehen*, but *sie gegangen war* and *sie gesagt haben*.
            participle = last > at + 1 and self.folded[at + 1].startswith("ge")
            finite = (last,) if participle else (at + 1, last)
            return "s" if any(map(self._is_singular, finite)) else "p"
        return "p" if at and self.folded[at - 1] == "sind" else ""

    def _is_singular(self, verb: int) -> bool:
        """Whether a finite German verb is in the singular: the third person plural always ends in *n*."""
        word = self.folded[verb]
        return word in SINGULAR_IN_N or not (word.endswith("n") or word == "sind")

    def _french(self, at: int, word: str) -> tuple[frozenset[str], str]:
        before = self.folded[at - 1] if at else ""
        # *il dit*, *dit-elle* are subjects; *avec elle*, *c'est lui* may be anything.
        prepositional = before in self.forms["prepositions"] or before in ("c'est", "est")
        following = self.analysis.tags[at + 1] if at + 1 < len(self.target) else ""
        role = "personal" if prepositional and self.target[at][0] != "-" else "subject"
        for gender in "mf":
            if word in self.forms[f"emphatic_{gender}"]:
                return frozenset(gender), "personal"
            if word in self.forms[gender]:
                return frozenset(gender), role
            if word in self.forms[f"plural_{gender}"]:
                return frozenset({"p", gender}), "personal"
            if word in self.forms[f"object_{gender}"] and self._is_clitic(at):
                return frozenset(gender), "object"
        # *et lui noua un foulard* has the dative of either gender.
        clitic = following in ("VERB", "AUX") or (following and self._stands_for_verb(at + 1))
        if word == "lui" and prepositional and not clitic:
            return frozenset("m"), "personal"
        return frozenset(), ""

    def _spanish(self, at: int, word: str) -> tuple[frozenset[str], str]:
        before = self.folded[at - 1] if at else ""
        for gender in "mf":
            if word in self.forms[gender]:
                # *como él*, *que ella* may be either.
                role = "personal" if before in ("como", "que", "según", "entre") else "subject"
                return frozenset(gender), "object" if before in self.forms["prepositions"] else role
            if word in self.forms[f"plural_{gender}"]:
                return frozenset({"p", gender}), "personal"
            if word in self.forms[f"object_{gender}"] and self._is_clitic(at):
                following = self.folded[at + 1] if at + 1 < len(self.folded) else ""
                return (frozenset(), "") if following == "que" else (frozenset(gender), "object")
        if word.endswith(("lo", "la")) and self.analysis.tags[at] == "VERB":
            forms = _spanish_clitics().forms_in(self.target[at])
            for gender, clitic in (("m", "lo"), ("f", "la")):
                if clitic in forms:
                    return frozenset(gender), "object"
        return frozenset(), ""

    def _is_clitic(self, at: int) -> bool:
        """Whether *le*, *la*, *lo* is an object rather than an article: a verb follows, or the analyser says
        so.
        """
        following = self.analysis.tags[at + 1] if at + 1 < len(self.target) else ""
        return (
            self.analysis.tags[at] == "PRON"
            or following in ("VERB", "AUX")
            or self.target[at][0] == "-"
            or (following == "NOUN" and self._stands_for_verb(at + 1))
        )

    def _stands_for_verb(self, target: int) -> bool:
        """Whether an unknown word translates a verb; the analyser knows few of the past forms used in
        stories."""
        # Without its article, which would make a noun of any word.
        if TargetLanguage.load(self.language).noun_readings((self.target[target],), 0):
            return False
        return any(self.source_analysis.tags[source] == "VERB" for source in self.back.get(target, ()))

    def pronouns(self) -> Iterator[Finding]:
        """Every third-person pronoun of the source with the form that renders it."""
        waiting: list[int] = []
        taken: set[int] = set()
        positions = [at for at, token in enumerate(self.row.tokens) if token.lower() in PRONOUNS]
        by_position = {form.position: form for form in self.target_forms}
        by_verb = self._subjects_by_verb(by_position.values())
        for position, subject in by_verb.items():
            taken.add(position)
            if subject in positions:
                yield from self._pronoun(subject, by_position[position], _PRONOUN)
            else:
                yield from self._named(by_position[position], subject)
        paired = set(by_verb.values())
        for at in positions:
            if at in paired:
                continue
            own = [by_position[target] for target in self.links.get(at, ()) if target in by_position]
            own = [form for form in own if self._same_role(at, form) and form.position not in taken]
            if own:
                taken |= {form.position for form in own}
                for form in own:
                    yield from self._pronoun(at, form, _PRONOUN)
            else:
                waiting.append(at)
        free = [
            form
            for form in self.target_forms
            if form.position not in taken
            and form.role != "neuter"
            and not any(
                at in positions and self._same_role(at, form) for at in self.back.get(form.position, ())
            )
        ]
        # The nearest belong together first.
        near = sorted(
            (self._distance(at, form), at, form.position)
            for at in waiting
            for form in free
            if (self._same_role(at, form) or self._is_dative_of(at, form))
            and self._distance(at, form) <= self._reach(form)
        )
        for _, at, position in near:
            if at in waiting and any(form.position == position for form in free):
                waiting.remove(at)
                free = [form for form in free if form.position != position]
                yield from self._pronoun(at, by_position[position], _UNLINKED)
        yield from self._left_over(waiting, free)
        for form in free:
            for source in self.back.get(form.position, ()):
                yield from self._named(form, source)

    def _left_over(self, waiting: Sequence[int], free: Sequence[_Form]) -> Iterator[Finding]:
        """The only pronoun and the only form of a row that are left, though their functions differ:
        *How is she?*, *Wie geht es ihr?*
        """
        sources = [at for at in waiting if PRONOUNS[self.row.tokens[at].lower()] != "it"]
        if len(sources) == 1 and len(free) == 1 and len(self.row.mentions) == 0:
            (at,), (form,) = sources, free
            if self._is_possessive(at) == (form.role == "possessive"):
                yield from self._pronoun(at, form, _LEFT_OVER)

    def _subjects_by_verb(self, forms: Iterable[_Form]) -> dict[int, int]:
        """The subject of the source for each form next to a verb that translates the verb of this subject.

        Links of pronouns stray more often than those of verbs: *Winter asked him*, *fragte sie*.
        """
        pairs: dict[int, int] = {}
        forms = list(forms)
        persons = any(form.role not in ("neuter", "possessive") for form in forms)
        for form in forms:
            if form.role not in ("subject", "personal", "neuter") or (form.role == "neuter" and persons):
                continue
            for beside in (form.position - 1, form.position + 1):
                if not 0 <= beside < len(self.target) or self.analysis.tags[beside] not in ("VERB", "AUX"):
                    continue
                subjects = {self._subject_of_verb(source) for source in self.back.get(beside, ())} - {None}
                (subject,) = subjects if len(subjects) == 1 else (None,)
                if subject is not None and subject not in pairs.values():
                    pairs[form.position] = subject
                    break
        return pairs

    def _subject_of_verb(self, verb: int) -> int | None:
        """A *he*, *she* or *they*, or the start of a name, right before a verb, or after an inverted one."""
        tags, tokens = self.source_analysis.tags, self.row.tokens
        if tags[verb] not in ("VERB", "AUX"):
            return None
        before = verb - 1
        while before >= 0 and tags[before] in ("ADV", "AUX", "PART"):
            before -= 1
        for at in (before, verb + 1):
            if not 0 <= at < len(tokens):
                continue
            inverted = at > verb
            if tokens[at].lower() in ("he", "she", "they"):
                # *the story she told*, *as she spoke*: only in questions and reports the verb is first.
                if not inverted or tags[verb] == "AUX" or tags[verb - 1 : verb] == ("PUNCT",):
                    return at
            elif (mention := self._mention_at(at)) is not None and mention.proper:
                begins = mention.start == 0 or tags[mention.start - 1] in _CLAUSE_TAGS
                if any(self._is_name(word, tokens[mention.start : mention.end]) for word in self.target):
                    continue
                if (inverted and verb and tags[verb - 1] == "PUNCT") or (not inverted and begins):
                    return mention.start
        return None

    def _is_possessive(self, at: int) -> bool:
        """Whether a source pronoun is a possessive; *her* is one before a noun or its adjectives."""
        word = self.row.tokens[at].lower()
        if word != "her":
            return word in POSSESSIVE
        following = self.source_analysis.tags[at + 1] if at + 1 < len(self.row.tokens) else ""
        # *found her sitting*, *kept her awake*: what a verb of an object says.
        if at + 1 < len(self.row.tokens) and self.row.tokens[at + 1].endswith("ing"):
            return self.source_analysis.tags[at - 1 : at] != ("VERB",) and following in ("NOUN", "ADJ")
        return following in ("NOUN", "ADJ", "PROPN", "NUM")

    def _same_role(self, at: int, form: _Form) -> bool:
        """Whether a form can have the function of a source pronoun in its clause."""
        if self._is_possessive(at) or form.role == "possessive":
            return self._is_possessive(at) and form.role == "possessive"
        word = self.row.tokens[at].lower()
        if form.role == "personal" or word.endswith(("self", "selves")) or PRONOUNS[word] == "it":
            return True
        # *es* is often nobody; it counts where a link leads to it.
        return form.role == "neuter" or (form.role == "subject") == (word in ("he", "she", "they"))

    def _is_dative_of(self, at: int, form: _Form) -> bool:
        """Whether a form may be the owner in the dative: *over her shoulders*, *ihr um die Schultern*."""
        return self.language == "de" and self._is_possessive(at) and form.form in ("ihm", "ihr")

    @staticmethod
    def _reach(form: _Form) -> float:
        # Romance objects stand before their verbs: *I will call her*, *lo llamaré*.
        return 2 * _FARTHEST if form.role == "object" else _FARTHEST

    def _distance(self, at: int, form: _Form) -> float:
        return abs(at / max(1, len(self.row.tokens)) - form.position / max(1, len(self.target)))

    def _pronoun(self, at: int, form: _Form, confidence: float) -> Iterator[Finding]:
        word = self.row.tokens[at].lower()
        kind = PRONOUNS[word]
        if kind == "it" or form.position in self._marked:
            return
        members = self.scene.referents(self.row, at, kind)
        # A girl may be *es* in German, whatever she is called; a ship that is *she* may not.
        if form.role == "neuter" and not all(member.thing for member in members):
            return
        if self._contradicts(members, form.genders, form.form):
            if self._agrees_with_noun(members, form):
                return
            if not self.scene.is_certain(self.row, at, kind) and self._fits_another(kind, members, form):
                return
            yield self._finding(
                form.position,
                at,
                members,
                f"*{self.row.tokens[at]}* is {self._described(members)}; "
                f"*{form.form}* is {_shown(form.genders)}",
                confidence,
                suggestion=self._other(form, members),
            )

    def _agrees_with_noun(self, members: Sequence[Member], form: _Form) -> bool:
        """Whether a thing of the cast was just called by a noun that agrees with it: *der Ballon … er*."""
        language = TargetLanguage.load(self.language)
        things = {member.name for member in members if member.thing}
        for mention in self.row.mentions:
            if mention.proper or not mention.members & things:
                continue
            for target in self.links.get(mention.end - 1, ()):
                readings = language.noun_readings(self.target, target)
                if target < form.position and {reading.gender for reading in readings} & form.genders:
                    return True
        return False

    def _fits_another(self, kind: str, members: Sequence[Member], form: _Form) -> bool:
        """Whether a form agrees with another member of the same pronoun."""
        others = [m for m in self.scene.cast.members if m.pronouns == kind and m not in members]
        return any(not self._contradicts([member], form.genders, form.form) for member in others)

    def _named(self, form: _Form, source: int) -> Iterator[Finding]:
        """A subject pronoun that renders a name of the source."""
        mention = self._mention_at(source)
        if mention is None or form.role not in ("subject", "personal") or form.position in self._marked:
            return
        members = self.scene.of(mention.members)
        if len(members) == 1 and self._contradicts(members, form.genders, form.form):
            reason = f"*{form.form}* stands for {self._described(members)} and is {_shown(form.genders)}"
            yield self._finding(form.position, source, members, reason, _NAMED)

    def _mention_at(self, position: int) -> CastMention | None:
        return next((m for m in self.row.mentions if m.start <= position < m.end), None)

    def _contradicts(self, members: Sequence[Member], shown: frozenset[str], form: str) -> bool:
        """Whether a word that shows these genders fits none of some members."""
        for member in members:
            allowed = member.forms.get(self.language, ())
            if form in allowed:
                return False
            gender = member.gender(self.language)
            if gender is None or gender in shown:
                return False
            # *they* of one person: a plural may be meant, and *ihm* may be anything.
            if gender == "-" and ("p" in shown or "y" in shown) and not shown <= {"p", "m", "f"} - {"p"}:
                return False
            if gender == "m" and "n" in shown:
                return False
        return bool(members)

    def _other(self, form: _Form, members: Sequence[Member]) -> str:
        member = members[0]
        if forms := member.forms.get(self.language):
            return forms[0]
        if form.role == "possessive":
            stem = "sein" if form.form.startswith("ihr") else "ihr"
            return stem + form.form.removeprefix("sein").removeprefix("ihr")
        wanted = member.gender(self.language)
        other = _OTHER.get(form.form, "")
        return other if wanted in ("m", "f") else ""

    # Names: articles and titles before them, nouns that stand for them.

    def names(self) -> Iterator[Finding]:
        """Titles and articles before a name, and nouns that translate one."""
        for at, word in enumerate(self.folded):
            yield from self._title(at, word)
        for mention in self.row.mentions:
            members = self.scene.of(mention.members)
            name = {fold(token) for token in self.row.tokens[mention.start : mention.end]}
            if len(members) != 1 or (self.language != "de" and members[0].thing and not mention.proper):
                continue
            # *Captain Alex Moreau*: the title belongs to the name.
            start = mention.start - self._is_titled(mention)
            targets = sorted({t for at in range(start, mention.end) for t in self.links.get(at, ())})
            for target in targets:
                yield from self._article(mention, members, target)
                untranslated = self.folded[target] in name and self.target[target][:1].isupper()
                if not members[0].thing and not untranslated:
                    yield from self._noun(mention.end - 1, members, target)

    def _is_titled(self, mention: CastMention) -> bool:
        """Whether a capitalized noun right before a name is a title."""
        before = mention.start - 1
        return (
            mention.proper
            and before >= 0
            and self.row.tokens[before][:1].isupper()
            and self.source_analysis.tags[before] in ("NOUN", "PROPN")
            and self._mention_at(before) is None
        )

    def _title(self, at: int, word: str) -> Iterator[Finding]:
        for gender in "mf":
            if word not in self.forms[f"titles_{gender}"] or at + 1 >= len(self.target):
                continue
            for ahead in (at + 1, at + 2):
                name = self.target[ahead] if ahead < len(self.target) else ""
                members = self._with_name(name) if name[:1].isupper() else []
                if members and not any(member.gender(self.language) in (gender, None) for member in members):
                    reason = f"*{self.target[at]}* before the name of {self._described(members)}"
                    yield self._finding(at, None, members, reason, _TITLE)
                    break

    def _with_name(self, word: str) -> list[Member]:
        """The members whose names contain a word."""
        own = fold(word)
        return [
            member
            for member in self.scene.cast.members
            if any(own == fold(part) for name in member.names if name[:1].isupper() for part in name.split())
        ]

    def _article(self, mention: CastMention, members: list[Member], target: int) -> Iterator[Finding]:
        """An article directly before a proper name: *der Albatross*, *la Albatros*."""
        name = self.row.tokens[mention.start : mention.end]
        before = self.folded[target - 1] if target else ""
        if not mention.proper or before not in _ARTICLES or not self._is_name(self.target[target], name):
            return
        readings = TargetLanguage.load(self.language).determiners.get(before, frozenset())
        singular = frozenset(reading.gender for reading in readings if reading.number == "s")
        # Without readings in the singular it is a plural, or no article.
        if self.language == "de" and before in ("der", "den", "dem", "des"):
            singular = {"den": frozenset("m"), "dem": frozenset("mn"), "des": frozenset("mn")}.get(
                before, frozenset()
            )
        gender = members[0].gender(self.language)
        if singular and gender in ("m", "f", "n") and gender not in singular and before not in ("l'", "d'"):
            reason = f"*{self.target[target - 1]}* before {self._described(members)} is {_shown(singular)}"
            yield self._finding(target - 1, mention.start, members, reason, _ARTICLE)

    @staticmethod
    def _is_name(word: str, name: Sequence[str]) -> bool:
        return any(fold(word)[:4] == fold(part)[:4] for part in name if part[:1].isupper())

    def _noun(self, source: int, members: list[Member], target: int) -> Iterator[Finding]:
        before = self.folded[target - 1] if target else ""
        titled = any(before in self.forms[f"titles_{gender}"] for gender in "mf")
        # *Kapitän Voss* is also a woman's title.
        following = self.target[target + 1] if target + 1 < len(self.target) else ""
        titled = titled or (
            self.language == "de" and following[:1].isupper() and bool(self._with_name(following))
        )
        if target in self._marked or titled:
            return
        gender = person_noun_gender(self.language, self.target, target)
        wanted = members[0].gender(self.language)
        if gender and wanted in ("m", "f") and gender != wanted:
            reason = f"*{self.target[target]}* is {_NAMES[gender]}, and {self._described(members)} is not"
            yield self._finding(target, source, members, reason, _NOUN)

    # Predicates: adjectives, participles and nouns that agree with a subject.

    def predicates(self) -> Iterator[Finding]:
        """The predicates of a member after *is*, *was*, *am*, *are*."""
        for target in range(len(self.target)):
            if target in self._marked or self.analysis.tags[target] not in ("ADJ", "VERB", "NOUN", "PROPN"):
                continue
            shown, confidence = self._predicate_gender(target)
            complement = None
            if not shown:
                complement = self._object_of_complement(target)
                shown, confidence = self._agreeing_gender(target), _ADJECTIVE
            if not shown or (complement is None and self._copula_before(target) is None):
                continue
            subjects = (
                [complement]
                if complement is not None
                else [
                    self.scene.subject(self.row, source, self._subject_nouns(source))
                    for source in self.back.get(target, ()) or self._joined(target)
                ]
                or [self._unlinked_subject(target)]
            )
            for subject in subjects:
                if subject is None or self.row.tokens[subject[0]].lower() in POSSESSIVE:
                    continue
                at, members = subject
                wanted = {member.gender(self.language) for member in members}
                if members and not wanted & {shown, None, "n"}:
                    if wanted == {"-"} and self._allowed(members, target):
                        continue
                    reason = (
                        f"*{self.target[target]}* is {_NAMES[shown]}, and *{self.row.tokens[at]}* is "
                        f"{self._described(members)}"
                    )
                    yield self._finding(target, at, members, reason, confidence)
                break

    def _joined(self, target: int) -> Iterable[int]:
        """What the predicate is linked to that an unlinked one is joined to: *pâle et fatigué*."""
        joined = target > 1 and self.analysis.tags[target - 1] == "CCONJ"
        return self.back.get(target - 2, ()) if joined else ()

    def _object_of_complement(self, target: int) -> tuple[int, list[Member]] | None:
        """The object that a predicate describes: *found her sitting*, *la trouva assise*."""
        if self.language == "de" or self._copula_before(target) is not None:
            return None
        for source in self.back.get(target, ()):
            word = self.row.tokens[source - 1].lower() if source else ""
            tag = self.source_analysis.tags[source]
            complement = tag in ("ADJ", "VERB") or self.row.tokens[source].endswith("ing")
            if word in ("him", "her", "them") and complement and not self._is_possessive(source - 1):
                return source - 1, self.scene.referents(self.row, source - 1, PRONOUNS[word])
        return None

    def _agreeing_gender(self, target: int) -> str:
        """The gender that an adjective or a participle shows, anywhere in the sentence."""
        if self.language == "de" or (self.language == "es" and self.folded[target].endswith("s")):
            return ""
        lemma, tag = self.analysis.lemmas[target], self.analysis.tags[target]
        return adjective_gender(self.language, self.target[target], lemma, tag) if tag != "NOUN" else ""

    def _unlinked_subject(self, target: int) -> tuple[int, list[Member]] | None:
        """The *I* or *you* of a source whose copula in the translation shows that person."""
        copula = self._copula_before(target)
        if copula is None:
            return None
        word = self.folded[copula].lstrip("-")
        person = next((person for person, copulas in _PERSONS[self.language].items() if word in copulas), "")
        at = next((at for at, token in enumerate(self.row.tokens) if token.lower() == person), None)
        speech = None if at is None else self.row.speech_at(at)
        if at is None or speech is None:
            return None
        return at, self.scene.of(speech.speakers if person == "i" else speech.listeners)

    def _subject_nouns(self, source: int) -> frozenset[int]:
        """Nouns before a predicate that could be its subject, excluding the predicate's own words."""
        tags, tokens = self.source_analysis.tags, self.row.tokens
        own = source
        while own > 0 and (
            tags[own - 1] in ("DET", "ADJ", "ADV", "NUM") or tokens[own - 1].lower() in ("a", "an")
        ):
            own -= 1
        return frozenset(at for at in self.nouns if at < own and not self._is_prepositional(at))

    def _is_prepositional(self, noun: int) -> bool:
        """Whether a preposition governs a noun of the source, which is then not a subject."""
        tags = self.source_analysis.tags
        at = noun - 1
        while at >= 0 and tags[at] in ("DET", "ADJ", "NUM", "NOUN", "PROPN"):
            at -= 1
        return at >= 0 and tags[at] == "ADP"

    def _allowed(self, members: Sequence[Member], target: int) -> bool:
        return any(self.folded[target] in member.forms.get(self.language, ()) for member in members)

    def _predicate_gender(self, target: int) -> tuple[str, float]:
        """The gender that a predicate shows; empty if it does not describe a person."""
        tags, lemmas = self.analysis.tags, self.analysis.lemmas
        word = self.folded[target]
        copula = self._copula_before(target)
        if self.language == "de":
            if copula is None or tags[target] not in ("NOUN", "PROPN") or self._follows_preposition(target):
                return "", 0.0
            return person_noun_gender("de", self.target, target), _NOUN
        if copula is None:
            return "", 0.0
        following = tags[target + 1] if target + 1 < len(tags) else ""
        article = any(
            tags[at] == "DET" and self.folded[at] not in ("tout", "toute") for at in range(copula + 1, target)
        )
        noun = person_noun_gender(self.language, self.target, target)
        if article:
            return (noun, _NOUN) if following not in ("NOUN", "PROPN") else ("", 0.0)
        if following in ("NOUN", "PROPN") and self.language == "fr":
            return "", 0.0
        shown = adjective_gender(self.language, self.target[target], lemmas[target], tags[target])
        if word.endswith("s") and self.language == "es":
            return "", 0.0
        return (shown or noun), (_ADJECTIVE if shown else _NOUN)

    def _follows_preposition(self, target: int) -> bool:
        """Whether a noun of the translation belongs to a prepositional phrase such as *an der Leiter*."""
        at = target - 1
        while at >= 0 and self.analysis.tags[at] in ("DET", "ADJ", "NUM"):
            at -= 1
        return at >= 0 and self.analysis.tags[at] == "ADP" and self.folded[at] not in ("als", "wie")

    def _copula_before(self, target: int) -> int | None:
        """The copula or auxiliary that links a word to its subject, a few words before it."""
        copulas = _GERMAN_COPULAS if self.language == "de" else self.forms["copulas"]
        for at in range(target - 1, max(-1, target - 7), -1):
            word = self.folded[at].lstrip("-")
            if word in copulas:
                return at
            if self.analysis.tags[at] in ("VERB", "PUNCT", "SCONJ") and word not in (",",):
                # *estoy cansada y aburrida*: participles are called verbs.
                if self.analysis.tags[at] == "VERB" and adjective_gender(
                    self.language, self.target[at], self.analysis.lemmas[at], "ADJ"
                ):
                    continue
                return None
            # *sin aliento y muy orgulloso*: what a conjunction joins goes back to the copula.
            joined = any(self.analysis.tags[between] == "CCONJ" for between in range(at + 1, target))
            if word == "," or (self.analysis.tags[at] == "ADP" and self.language != "de" and not joined):
                return None
        return None

    # Address.

    def address(self) -> Iterator[Finding]:
        """Forms of address that contradict the cast's entry for speaker and listener."""
        if not self.scene.cast.address:
            return
        for speech in self.row.speeches:
            wanted = {
                self.scene.cast.address_of(speaker, listener)
                for speaker in self.scene.of(speech.speakers)
                for listener in self.scene.of(speech.listeners)
            }
            if len(wanted) != 1 or "" in wanted or speech.several:
                continue
            (form,) = wanted
            inside = self._target_range(speech.start, speech.end)
            said = self.row.tokens[speech.start : speech.end]
            uses = [
                *address_forms(self.target, self.analysis.tags, self.forms, said),
                *self._addressing_verbs(speech),
            ]
            for at, used in sorted(uses):
                if used != form and at in inside and at not in self._marked:
                    speaker, listener = self.scene.of(speech.speakers)[0], self.scene.of(speech.listeners)[0]
                    reason = (
                        f"{speaker.name} addresses {listener.name} with the {form} form; "
                        f"*{self.target[at]}* is {used}"
                    )
                    yield self._finding(at, None, [listener], reason, _ADDRESS)
                    break  # one finding for a speech: its other forms follow

    def _addressing_verbs(self, speech: Speech) -> Iterator[tuple[int, str]]:
        """Spanish verbs whose subject *you* is dropped: *tienes*, *tiene*."""
        if self.language != "es":
            return
        said = {token.lower() for token in self.row.tokens[speech.start : speech.end]}
        if "you" not in said:
            return
        tags = self.analysis.tags
        for at, word in enumerate(self.folded):
            finite = tags[at] in ("VERB", "AUX")
            sources = [s for s in self.back.get(at, ()) if speech.start <= s < speech.end]
            of_you = any(self._is_said_of_you(source, speech.start) for source in sources)
            # These endings have no other person, so that no link is needed.
            only_familiar = word in _FAMILIAR_VERBS or (finite and word.endswith(_FAMILIAR_ENDINGS))
            if only_familiar or (finite and of_you and word.endswith(("as", "es")) and word != "es"):
                yield at, "familiar"
            elif of_you and (word == "es" or (finite and not word.endswith(("n", "s")))):
                begins = at == 0 or tags[at - 1] == "PUNCT"
                if begins or at in self.analysis.null_subjects:
                    yield at, "formal"

    def _is_said_of_you(self, verb: int, start: int) -> bool:
        """Whether *you* is the subject of a verb of the source."""
        tags, tokens = self.source_analysis.tags, self.row.tokens
        if tokens[verb].lower() == "you":
            return True
        if tags[verb] not in ("VERB", "AUX", "ADJ"):
            return False
        at = verb - 1
        while at >= start and tags[at] in ("AUX", "ADV", "PART", "VERB"):
            at -= 1
        inverted = tags[verb] == "AUX" and verb + 1 < len(tokens) and tokens[verb + 1].lower() == "you"
        return inverted or (at >= start and tokens[at].lower() == "you")

    def _target_range(self, start: int, end: int) -> range:
        """The target tokens of a speech: all, or those inside quotation marks."""
        if start == 0 and end == len(self.row.tokens):
            return range(len(self.target))
        linked = [t for at in range(start, end) for t in self.links.get(at, ())]
        return range(min(linked), max(linked) + 1) if linked else range(0)

    # What a finding says.

    def _described(self, members: Iterable[Member]) -> str:
        return " or ".join(member.described(self.language) for member in members)

    def _finding(
        self,
        target: int,
        source: int | None,
        members: Sequence[Member],
        reason: str,
        confidence: float,
        *,
        suggestion: str = "",
    ) -> Finding:
        self._marked.add(target)
        sentence = self.block.source(self.row.row)
        span = self.block.target(self.row.row).span(target)
        if len(members) > 1:
            confidence -= 0.05
        return located(
            self.block.rows[self.row.row],
            kind=Kind.CAST,
            source_span=None if source is None else sentence.span(source),
            target_span=Span(*span),
            refers_to=" or ".join(member.name for member in members),
            reason=reason,
            suggestion=suggestion,
            confidence=confidence,
        )


#: Endings and forms of Spanish verbs that only *tú* has.
_FAMILIAR_ENDINGS = ("ás", "aste", "iste")
_FAMILIAR_VERBS = frozenset({"eres", "estás", "has", "vas", "vienes", "tienes", "quieres", "puedes", "sabes"})
_ARTICLES = frozenset(
    (
        *("der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer"),
        *("le", "la", "du", "au", "un", "une", "el", "del", "al", "una"),
    )
)
_NOMINATIVE = frozenset({"ich", "du", "er", "wir", "man"})
#: What separates clauses.
_CLAUSE_TAGS = frozenset({"PUNCT", "CCONJ", "SCONJ"})
#: Copulas that show who is spoken of, by target language; German adjectives show no gender.
_PERSONS: Mapping[str, Mapping[str, frozenset[str]]] = {
    "de": {"i": frozenset({"bin"}), "you": frozenset({"bist", "warst"})},
    "fr": {"i": frozenset({"suis"}), "you": frozenset({"es"})},
    "es": {"i": frozenset({"estoy", "soy"}), "you": frozenset({"eres", "estás"})},
}
_GERMAN_COPULAS = frozenset(
    (
        *("bin", "bist", "ist", "war", "warst", "wäre", "sei", "wird", "wurde", "werde", "werden", "sein"),
        *("sind", "seid", "waren", "wart", "wären", "gewesen", "geworden", "bleibt", "blieb", "bleibe"),
    )
)


def _spanish_clitics() -> FormMatcher:
    return FormMatcher(load_language("es"), ("lo", "la"))


def _shown(genders: Iterable[str]) -> str:
    names = {**_NAMES, "p": "plural", "y": "an address", "-": "for somebody who is *they*"}
    return " or ".join(names[gender] for gender in sorted(genders) if gender != "y")
