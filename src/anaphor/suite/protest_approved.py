"""Translations that annotators of a PROTEST database approved, as alternatives of the examples."""

from __future__ import annotations

import re
from collections import defaultdict

from anaphor.core import Alternative
from anaphor.corpus.protest_db_rows import AnnotationRow, CandidateRow, ProtestDatabase

_OK = "ok"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def approved_translations(
    database: ProtestDatabase, *, references: set[int]
) -> dict[int, tuple[Alternative, ...]]:
    """By example, what is judged `ok` in translations that are not references, which are numbers of corpora.

    An annotator marks the tokens that make a translation right; a judgement without a marked pronoun gives
    no alternative. PROTEST keeps no date of a judgement: it is that of the file, where it has one.
    """
    candidates = {row.id: row for row in database.pro_candidates}
    agreement = {row.id: row.antagreement == 1 for row in database.categories}
    marked = _MarkedWords(database)
    found: dict[int, dict[Alternative, None]] = defaultdict(dict)
    for judged in database.annotations:
        candidate = candidates.get(judged.candidate)
        if candidate is None or candidate.tgtcorpus in references:
            continue
        head_counts = agreement.get(candidate.category_no, False)
        if judged.anaph_annotation == _OK and (not head_counts or judged.ant_annotation == _OK):
            alternative = marked.alternative(judged, candidate, heads=head_counts)
            if alternative.pronoun and all(alternative.heads):
                found[candidate.example_no][alternative] = None
    return {number: tuple(alternatives) for number, alternatives in found.items()}


class _MarkedWords:
    """The tokens that annotators approved, told apart into those of the pronoun and of each head."""

    def __init__(self, database: ProtestDatabase) -> None:
        self._annotators = {row.id: row.name for row in database.annotators}
        dates = [_DATE.match(row.tag_value or "") for row in database.meta_data if row.tag == "time_created"]
        self._when = next((match[0] for match in dates if match), None)
        self._lines = {(row.corpus, row.line): row.sentence.split(" ") for row in database.sentences}
        self._heads = defaultdict(set)
        for antecedent in database.pro_antecedents:
            self._heads[antecedent.tgtcorpus, antecedent.example_no].add(antecedent.ant_no)
        self._parts: dict[tuple[int, int, int | None], set[tuple[int, int]]] = defaultdict(set)
        for row in database.translations:
            self._parts[row.tgtcorpus, row.example_no, row.ant_no].add((row.line, row.tgtpos))
        self._approved: dict[tuple[int, int], set[tuple[int, int]]] = defaultdict(set)
        for token in database.token_annotations:
            if token.annotation == _OK:
                self._approved[token.candidate, token.annotator_id].add((token.line, token.token))

    def alternative(self, judged: AnnotationRow, candidate: CandidateRow, *, heads: bool) -> Alternative:
        approved = self._approved[judged.candidate, judged.annotator_id]
        numbers = sorted(self._heads[candidate.tgtcorpus, candidate.example_no]) if heads else ()
        return Alternative(
            self._text(candidate, None, approved),
            tuple(self._text(candidate, number, approved) for number in numbers),
            self._annotators.get(judged.annotator_id, f"annotator {judged.annotator_id}"),
            self._when,
        )

    def _text(self, candidate: CandidateRow, part: int | None, approved: set[tuple[int, int]]) -> str:
        corpus = candidate.tgtcorpus
        tokens = sorted(self._parts[corpus, candidate.example_no, part] & approved)
        words = [
            self._lines[corpus, line][position]
            for line, position in tokens
            if 0 <= position < len(self._lines.get((corpus, line), ()))
        ]
        return " ".join(words)
