"""The classes of a prediction task: which label a word has, and which labels a file may use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from anaphor.core import LanguagePair, OptionError
from anaphor.languages import fold, load_pair

OTHER = "OTHER"
NONE = "NONE"
LATEST_YEAR = 2017


@dataclass(frozen=True, slots=True)
class TaskClasses:
    """One sub-task: the hidden words and their classes.

    - `source_pronouns`: folded source forms whose translations are hidden; `null_subjects`: also those of
      verbs without a subject.
    - `dropped`: the label of a subject that the target language leaves out; None if it has none.
    - `classes`: labels in the order of the official scorer, the catch-all class last.
    - `members`: word of the target language, folded, to its class; words outside are `other`.
    - `aliases`: every label that a file may use, to its class; case and spelling count.
    - `fillers`, `other_fillers`: words the language-model baseline tries, of the classes and outside them.
    """

    pair: LanguagePair
    year: int
    source_pronouns: tuple[str, ...]
    null_subjects: bool
    classes: tuple[str, ...]
    members: Mapping[str, str]
    aliases: Mapping[str, str]
    fillers: tuple[str, ...]
    other_fillers: tuple[str, ...]
    other: str = OTHER
    dropped: str | None = None

    def class_of(self, word: str) -> str:
        """The class of a word form, in any case and with any apostrophe, without part-of-speech tag."""
        return self.members.get(fold(word), self.other)


def task_classes(pair: LanguagePair, *, year: int = LATEST_YEAR, folder: Path | None = None) -> TaskClasses:
    """The classes of the prediction task for a pair and a year, from the pair's pack.

    Args:
        pair: The language pair.
        year: The year of the shared task.
        folder: A folder with your own language packs.

    Returns:
        The classes, the words of each class, and the source pronouns whose translations are hidden.

    Raises:
        UserError: The pair has no prediction task, or none for this year.

    Example:
        >>> from anaphor.core import LanguagePair
        >>> from anaphor.task import task_classes
        >>> print(task_classes(LanguagePair.parse("en-de"), year=2016).classes)
        ('er', 'sie', 'es', 'man', 'OTHER')
    """
    pack = load_pair(pair, folder=folder).prediction
    if pack is None:
        raise OptionError(
            f"the pack of {pair} has no prediction task",
            where="--pair",
            fix="choose another pair, or add a section [prediction] to a pack of your own (docs/packs.md)",
        )
    class_set = next((known for known in pack.class_sets if year in known.years), None)
    if class_set is None:
        years = sorted(each for known in pack.class_sets for each in known.years)
        raise OptionError(
            f"the prediction task of {pair} has no classes for {year}",
            where="--year",
            fix=f"choose one of {', '.join(map(str, years))}",
        )
    members = class_set.words()
    without_word = () if pack.dropped is None else (pack.dropped,)
    return TaskClasses(
        pair=pair,
        year=year,
        source_pronouns=pack.source_pronouns,
        null_subjects=pack.null_subjects,
        classes=(*class_set.labels, *without_word, OTHER),
        members=members,
        # A word without a translation is NONE in the second column, and so in some files in the first.
        aliases={**members, **{label: label for label in without_word}, OTHER: OTHER, NONE: OTHER},
        fillers=pack.fillers,
        other_fillers=pack.other_fillers,
        dropped=pack.dropped,
    )
