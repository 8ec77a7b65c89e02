"""DiaBLa: bilingual dialogues in JSON, whose translated utterances were judged as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from anaphor.core import InputError, LanguagePair
from anaphor.core.records import Record
from anaphor.corpus.text import decode, is_folder, read_bytes
from anaphor.files.compression import read_tar
from anaphor.files.folders import files_inside
from anaphor.meta.annotation import REFERENCE, UNNAMED, MarkedSpan, SpanAnnotation, Spans

#: The languages of the dialogues, by the names that they have there.
_NAMES = {"english": "en", "french": "fr"}
#: The name that the text gets which the machine translated.
_SYSTEM = "mt"


def read_diabla(path: str | Path, *, pair: str = "en-fr") -> SpanAnnotation:
    """All dialogues of a folder or of an archive, from English to French or back.

    A dialogue is a document with all utterances in order, so antecedents in the other person's turns are
    found: what was written in the target language appears with its translation as the source. Utterances in
    the source language are judged: each ticked problem, and any quality other than `perfect`, marks the whole
    translation, with the problem as the category and the quality as the severity.
    """
    if pair not in ("en-fr", "fr-en"):
        raise InputError(
            f"DiaBLa's dialogues are not in {pair}", where=str(path), fix="use the pair en-fr or fr-en"
        )
    target = LanguagePair.parse(pair).target
    source: list[str] = []
    documents: list[str] = []
    systems: dict[str, list[str]] = {_SYSTEM: [], REFERENCE: []}
    marks: dict[tuple[str, int], dict[str, Spans]] = {}
    for name, content in _dialogues(path):
        utterances = Record.from_json(content, where=name).table("utterances")
        for key in sorted(utterances, key=lambda key: (len(key), key)):
            utterance = utterances.table(key)
            translated = " ".join(utterance.text("postprocessed_text", blank=True).split())
            written = utterance.text("normalised_version", "", blank=True) or utterance.text(
                "original_text", blank=True
            )
            written = " ".join(written.split())
            if _NAMES[utterance.choice("language", (*_NAMES,))] == target:
                source.append(translated)
                lines = (written, written)
            else:
                source.append(written)
                lines = (
                    translated,
                    " ".join(utterance.text("reference_translation", "", blank=True).split()),
                )
                judged = utterance.table("eval", {})
                if "judgment" in judged and judged.raw("judgment") is not None:
                    quality = judged.choice("judgment", ("perfect", "medium", "poor"))
                    ticked = judged.texts("problems", ()) or (UNNAMED,)
                    spans = tuple(MarkedSpan(0, len(translated), problem, quality) for problem in ticked)
                    place = (_SYSTEM, len(source) - 1)
                    marks[place] = {"": () if quality == "perfect" else spans}
            documents.append(Path(name).stem)
            for system, line in zip(systems.values(), lines, strict=True):
                system.append(line)
    if not marks:
        raise InputError(
            "there are no judged dialogues",
            where=str(path),
            fix="use the folder or archive of DiaBLa's dialogues",
        )
    lines_of = {name: tuple(lines) for name, lines in systems.items()}
    texts = tuple(source), tuple(documents), lines_of
    return SpanAnnotation(*texts, marks, whole_segments=True, path=str(path))


def _dialogues(path: str | Path) -> Iterator[tuple[str, str]]:
    """Name and content of the JSON files of a folder or of a tar archive, in the order of their names."""
    if is_folder(path):
        contents = {str(file): read_bytes(file) for file in files_inside(path, "*.json")}
    else:
        members = read_tar(read_bytes(path), where=str(path))
        contents = {name: content for name, content in members.items() if name.endswith(".json")}
    for name in sorted(contents):
        yield name, decode(contents[name], path=name)
