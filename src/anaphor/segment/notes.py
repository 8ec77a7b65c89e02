"""Parts of a document's output that are not translations: chatter, refusals, Markdown, loops, restarts.

Findings carry offsets into the output, a confidence and a quote. Some are removed from the segmented and
scored text (`scored_text`); every removal is listed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from anaphor.core import LanguagePair, Span
from anaphor.languages.identify import function_words, script

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_URL = re.compile(r"\b(?:https?://|www\.)\S+")
#: A sentence, or a line: what chatter and text in another language come in.
_SENTENCE = re.compile(
    r"[^\n.!?:…。！？：]*(?:[.!?:…]+[\"”»')\]]*(?=\s|$)|[。！？：]|\n|$|[.!?:…])", re.DOTALL
)
#: Longest period of a loop in words, and how often at least it is repeated.
_PERIOD, _REPEATS = 60, 3
_LONGEST_QUOTE = 160
#: Words by which a text is known to begin again.
_RESTART = 5


class NoteKind(StrEnum):
    """A finding in an output."""

    CHATTER = "chatter"
    REFUSAL = "refusal"
    MARKDOWN = "markdown"
    LOOP = "loop"
    RESTART = "restart"
    UNTRANSLATED = "untranslated"
    OTHER_SCRIPT = "other script"
    BROKEN = "broken characters"


@dataclass(frozen=True, slots=True)
class Note:
    """A finding: what it is, where, how sure, and which characters are not scored because of it."""

    kind: NoteKind
    span: Span
    confidence: float
    quote: str
    removed: tuple[Span, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Characters are counted from 0; ends are excluded."""
        return {
            "kind": self.kind.value,
            "start": self.span.start,
            "end": self.span.end,
            "confidence": self.confidence,
            "quote": self.quote,
            "removed": [[span.start, span.end] for span in self.removed],
        }


def find_notes(source: Sequence[str], text: str, pair: LanguagePair) -> tuple[Note, ...]:
    """Everything in the output for one document that does not translate its source segments, in order.

    Anything that also occurs in the source, such as list marks or talk about translations, is not noted.
    """
    original = "\n".join(source)
    spoken = list(_spoken_notes(original, text, pair))
    gone = [span for note in spoken for span in note.removed]
    rest = blanked(text, gone)
    notes = [
        *spoken,
        *_markdown_notes(original, rest),
        *_loop_notes(original, rest),
        *_restart_notes(original, rest),
        *_untranslated_notes(original, rest, pair),
        *_script_notes(original, rest, pair.target),
    ]
    return tuple(sorted(notes, key=lambda note: (note.span, note.kind)))


def scored_text(text: str, notes: Iterable[Note]) -> str:
    """The output with unscored text replaced by spaces, so offsets are unchanged."""
    return blanked(text, (span for note in notes for span in note.removed))


def blanked(text: str, spans: Iterable[Span]) -> str:
    """The text with the characters of some spans replaced by spaces; line ends are kept."""
    parts, at = [], 0
    for span in sorted(spans):
        parts += [text[at : span.start], re.sub(r"[^\n]", " ", text[max(at, span.start) : span.end])]
        at = max(at, span.end)
    return "".join([*parts, text[at:]])


def _note(
    kind: NoteKind, text: str, start: int, end: int, confidence: float, removed: Iterable[Span] | None = None
) -> Note:
    """A note, stripped of surrounding white space; by default its text is not scored."""
    stretch = text[start:end]
    start, end = start + len(stretch) - len(stretch.lstrip()), end - len(stretch) + len(stretch.rstrip())
    quote = " ".join(text[start:end].split())
    if len(quote) > _LONGEST_QUOTE:
        quote = quote[: _LONGEST_QUOTE - 1] + "…"
    spans = (Span(start, end),) if removed is None else tuple(removed)
    return Note(kind, Span(start, end), round(confidence, 2), quote, spans)


# Chatter and refusals.


@dataclass(frozen=True, slots=True)
class _Phrases:
    """The combined patterns of several languages."""

    translation: re.Pattern[str]
    opening: re.Pattern[str]
    assistant: re.Pattern[str]
    meta: re.Pattern[str]
    refusal: re.Pattern[str]
    target: re.Pattern[str]


@cache
def _phrases(languages: tuple[str, ...], target: str) -> _Phrases:
    data = tomllib.loads(files("anaphor.segment").joinpath("chatter.toml").read_text("utf-8"))
    known = [data[code] for code in languages if code in data]

    def joined(patterns: Iterable[str], before: str = r"\b") -> re.Pattern[str]:
        text = "|".join(patterns).replace("'", "['’]")
        return re.compile(f"{before}(?:{text or '(?!)'})", re.IGNORECASE)

    return _Phrases(
        joined(phrase for entry in known for phrase in entry["translation"]),
        joined((phrase for entry in known for phrase in entry["opening"]), r"^\W*"),
        joined(phrase for entry in known for phrase in entry["assistant"]),
        joined(phrase for entry in known for phrase in entry["meta"]),
        joined(phrase for entry in known for phrase in entry["refusal"]),
        joined(entry["names"][target] for entry in known if target in entry["names"]),
    )


def _spoken_notes(source: str, text: str, pair: LanguagePair) -> Iterator[Note]:
    """Chatter at the beginning and the end, and refusals anywhere; most prompts are in English."""
    phrases = _phrases(tuple(dict.fromkeys(("en", pair.source, pair.target))), pair.target)
    sentences = [match for match in _SENTENCE.finditer(text) if match[0].strip()]
    # A document about translations, or one that itself refuses something, says the same in its own voice.
    talks = bool(phrases.translation.search(source))
    refuses = bool(phrases.refusal.search(source))
    taken: set[int] = set()
    for number, spoken in enumerate(sentences):
        if not refuses and phrases.refusal.search(spoken[0]):
            about = phrases.translation.search(spoken[0]) is not None or len(sentences) <= 3
            taken.add(number)
            yield _note(NoteKind.REFUSAL, text, *spoken.span(), 0.95 if about else 0.75)

    own, other = _telling_words(pair)

    def evidence(number: int) -> int:
        """The evidence that a sentence is chatter; zero if the source says the same."""
        sentence = sentences[number][0]
        words = [word.lower() for word in _WORD.findall(sentence)]
        foreign = sum(word in own for word in words) > max(1, 2 * sum(word in other for word in words))
        named = {
            name: (pattern := getattr(phrases, name)).search(sentence) and not pattern.search(source)
            for name in ("opening", "assistant", "meta", "target")
        }
        says = phrases.translation.search(sentence) and not talks
        return 2 * bool(says) + sum(map(bool, named.values())) + foreign

    def leads_over(number: int) -> bool:
        """Whether a sentence ends with the colon that introduces a translation."""
        return sentences[number][0].rstrip(' \n*"').endswith((":", "："))

    def confidence(points: int) -> float:
        return 1 - 0.5 ** (points - 1)

    begin = 0
    points = [evidence(number) for number in range(min(5, len(sentences)))]
    # Chatter that comes first may have several sentences: the first shows it, the last ends with a colon.
    for number, here in enumerate(points):
        if leads_over(number) and here + 1 >= 3 and points[0] and number + 1 < len(sentences):
            start, end = sentences[0].start(), sentences[number].end()
            yield _note(NoteKind.CHATTER, text, start, end, confidence(here + 1))
            begin = number + 1
            break
    # A note below the translation goes on to the end: it begins with its line, or with its sentence.
    for number in range(max(begin, len(sentences) - 8), len(sentences)):
        if number in taken or (here := evidence(number)) < 3:
            continue
        start = sentences[number].start()
        line = text.rfind("\n", 0, start) + 1
        # `Note:` is a sentence to the pattern, and belongs to the note.
        before = number - 1
        if number > begin and (
            len(sentences[before][0].split()) <= 1 or evidence(before) >= (1 if leads_over(before) else 2)
        ):
            start = sentences[before].start()
        yield _note(NoteKind.CHATTER, text, max(line, start), len(text), confidence(here))
        return


# Markdown.

_MARKS: Mapping[str, re.Pattern[str]] = {
    "fence": re.compile(r"^[ \t]*(```|~~~)[ \t]*\w*[ \t]*$", re.MULTILINE),
    "heading": re.compile(r"^[ \t]*(#{1,6})[ \t]+\S", re.MULTILINE),
    "rule": re.compile(r"^[ \t]*((?:-{3,}|\*{3,}|_{3,}))[ \t]*$", re.MULTILINE),
    "bold": re.compile(r"(\*\*|__)(?=\S)(?:(?!\1)[^\n])+?(?<=\S)(\1)"),
    "list": re.compile(r"^[ \t]*([-*+•]|\d{1,2}[.)])[ \t]+\S", re.MULTILINE),
    "quote": re.compile(r"^[ \t]*(>+)[ \t]*\S", re.MULTILINE),
    "code": re.compile(r"(?<!`)(`)[^`\n]+(`)(?!`)"),
}


def _markdown_notes(source: str, text: str) -> Iterator[Note]:
    """Marks that are not in the source; only the marks are removed, the words between them stay."""
    for name, pattern in _MARKS.items():
        marks = list(pattern.finditer(text))
        # One dash or number at the start of a line may be dialogue, a score or a date.
        if not marks or pattern.search(source) or (name == "list" and len(marks) < 2):
            continue
        for mark in marks:
            spans = [Span(*mark.span(group)) for group in range(1, pattern.groups + 1)]
            if name == "fence":
                spans = [Span(*mark.span())]
            line = text.find("\n", mark.end())
            end = (
                mark.end() if name in ("bold", "code", "rule", "fence") else line if line >= 0 else len(text)
            )
            yield _note(NoteKind.MARKDOWN, text, mark.start(), end, 0.9, spans)


# Loops and restarts.


def _loop_notes(source: str, text: str) -> Iterator[Note]:
    """Words that are repeated over and over although nothing in the source is repeated as often."""
    usual = max((count for _, _, _, count in _loops(source)), default=1)
    for start, second, end, count in _loops(text):
        if count > usual + 1:
            yield _note(NoteKind.LOOP, text, start, end, 1 - 1 / (count - usual + 1), [Span(second, end)])


def _loops(text: str) -> Iterator[tuple[int, int, int, int]]:
    """Start, start of the first repetition, end, and the number of times for every loop in a text."""
    words = list(_WORD.finditer(text))
    folded = [word[0].lower() for word in words]
    # Where each word stands next: a loop comes back to its first word.
    later: dict[str, int] = {}
    following = [0] * len(words)
    for at in range(len(words) - 1, -1, -1):
        following[at] = later.get(folded[at], len(words))
        later[folded[at]] = at
    first = 0
    while first < len(words):
        length = chosen = 0
        again = following[first]
        while again < len(words) and again - first <= _PERIOD:
            period = again - first
            same = 0
            while again + same < len(words) and folded[first + same] == folded[again + same]:
                same += 1
            count = 1 + same // period
            if count >= _REPEATS and count * period >= 8 and same + period > length:
                length, chosen = same + period, period
            again = following[again]
        if length:
            last = words[first + length - 1].end()
            while last < len(text) and not text[last].isalnum() and not text[last].isspace():
                last += 1
            yield words[first].start(), words[first + chosen].start(), last, length // chosen
        first += max(length, 1)


def _restart_notes(source: str, text: str) -> Iterator[Note]:
    """A text that starts over: the shorter version, or the second of two alike, is not scored."""
    words = list(_WORD.finditer(text))
    folded = [match[0].lower() for match in words]
    if len(words) < 2 * _RESTART:
        return
    begin = folded[:_RESTART]
    again = [at for at in range(_RESTART, len(words) - _RESTART + 1) if folded[at : at + _RESTART] == begin]
    original = [match[0].lower() for match in _WORD.finditer(source)]
    opening = original[:_RESTART]
    repeated = sum(original[at : at + _RESTART] == opening for at in range(_RESTART, len(original)))
    if len(again) <= repeated:
        return
    at = again[0]
    parts = (folded[:at], folded[at:])
    grams = [{tuple(part[i : i + 3]) for i in range(len(part) - 2)} for part in parts]
    overlap = len(grams[0] & grams[1]) / max(1, min(map(len, grams)))
    if overlap < 0.25 or len(folded) < 1.2 * len(original) * 0.6:
        return
    cut = words[at].start()
    # An opening quotation mark or bracket belongs to what it opens.
    while cut > 0 and not text[cut - 1].isspace():
        cut -= 1
    first = len(parts[0]) < 0.9 * len(parts[1])
    start, end = (words[0].start(), cut) if first else (cut, len(text))
    yield _note(NoteKind.RESTART, text, start, end, min(0.99, 0.5 + overlap / 2))


# Text that was not translated.


@cache
def _telling_words(pair: LanguagePair) -> tuple[frozenset[str], frozenset[str]]:
    """Frequent words exclusive to the source or target language; none for an unknown language.

    Single letters are not informative: "I" is a numeral and an initial as well.
    """
    known = function_words()
    if pair.source not in known or pair.target not in known:
        return frozenset(), frozenset()
    theirs, ours = ({word for word in known[code][1] if len(word) > 1} for code in (pair.source, pair.target))
    return frozenset(theirs - ours), frozenset(ours - theirs)


def _untranslated_notes(source: str, text: str, pair: LanguagePair) -> Iterator[Note]:
    """Sentences in the source language, and longer stretches that are copied from the source.

    They stay in the scored text, because they are part of what the system produced.
    """
    own, other = _telling_words(pair)
    text = blanked(text, (Span(*match.span()) for match in _URL.finditer(text)))
    original = [match[0].lower() for match in _WORD.finditer(source)]
    copies = {tuple(original[i : i + 4]) for i in range(len(original) - 3)}
    words = list(_WORD.finditer(text))
    folded = [match[0].lower() for match in words]
    copied = []
    at = 0
    while at < len(words) - 3:
        if tuple(folded[at : at + 4]) not in copies:
            at += 1
            continue
        end = at + 4
        while end < len(words) and tuple(folded[end - 3 : end + 1]) in copies:
            end += 1
        stretch = folded[at:end]
        telling = sum(word in own for word in stretch)
        # Titles of works and names of organizations are often kept: their words have capitals.
        titled = all(words[k][0][0].isupper() for k in range(at, end) if folded[k] not in own)
        if telling >= 2 and telling > sum(word in other for word in stretch) and not titled:
            sure = 1 - 0.5 ** (telling / 2) * (0.9 if len(stretch) > 8 else 1)
            yield _note(NoteKind.UNTRANSLATED, text, words[at].start(), words[end - 1].end(), sure, ())
            copied.append(Span(words[at].start(), words[end - 1].end()))
        at = end
    for sentence in _SENTENCE.finditer(blanked(text, copied)):
        stretch = [word.lower() for word in _WORD.findall(sentence[0])]
        telling, against = (sum(word in group for word in stretch) for group in (own, other))
        if telling >= 3 and telling > 3 * against and telling >= 0.2 * len(stretch):
            yield _note(NoteKind.UNTRANSLATED, text, *sentence.span(), 1 - 0.5 ** (telling / 2), ())


def _script_notes(source: str, text: str, target: str) -> Iterator[Note]:
    """Letters of a script that neither the target language nor the source has; broken characters.

    For an unknown language, the script of most letters is used.
    """
    known = function_words()
    expected = script(known[target][1]) if target in known else script([text])
    usual = {expected, *(_script(letter) for letter in set(source) if letter.isalpha())}
    strange = {letter for letter in set(text) if letter.isalpha() and _script(letter) not in usual}
    if strange:
        letters = "".join(map(re.escape, sorted(strange)))
        # Marks and digits between strange letters belong to them, as punctuation in Chinese does.
        for run in re.finditer(rf"[{letters}]+(?:[\W\d_]{{1,3}}[{letters}]+)*", text):
            sure = 1 - 0.1 ** len(run[0])
            yield _note(NoteKind.OTHER_SCRIPT, text, *run.span(), sure, ())
    if "\ufffd" not in source:
        for run in re.finditer("\ufffd+", text):
            yield _note(NoteKind.BROKEN, text, *run.span(), 0.99, ())


@cache
def _script(letter: str) -> str | None:
    return script([letter])
