"""Everything found in whole-document outputs of two language models, for a reader to judge.

`results/findings-read.tsv` has the judgements of one reader, without any text. Data as for `modes.py`.

    ANAPHOR_DATA=... python benchmarks/segment/findings.py > findings.tsv
"""

from __future__ import annotations

from modes import MODELS, outputs, read_set

from anaphor.core import LanguagePair
from anaphor.segment.candidate import segment_candidate
from anaphor.segment.whole_documents import whole_documents_of


def main() -> None:
    files = read_set()
    source = files["sources/en-de.txt"].splitlines()
    documents = [line.split("\t")[1] for line in files["documents/en-de.docs"].splitlines()]
    print("model", "document", "kind", "segment", "start", "end", "confidence", "quote", sep="\t")
    for model in MODELS:
        whole = whole_documents_of(outputs(files, model, "single"), documents, name=model)
        for one in segment_candidate(source, documents, whole, LanguagePair("en", "de")).findings:
            place = (one.segment, one.start, one.end, one.confidence)
            cells = ("-" if value is None else value for value in place)
            print(model, one.document, one.kind, *cells, " ".join(one.quote.split()), sep="\t")


if __name__ == "__main__":
    main()
