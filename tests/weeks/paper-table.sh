# The English-German test set of WMT24, with two references. The first line of every file is a canary, not text.
tar xzf $ANAPHOR_DATA/wmt24-en-de/texts.tar.gz
tail -n +2 sources/en-de.txt > source.en
for name in A B; do tail -n +2 references/en-de.ref$name.txt > reference$name.de; done
tail -n +2 documents/en-de.docs | cut -f 2 > document-ids
for name in Aya23 CUNI-NL Claude-3.5 GPT-4 ONLINE-W; do tail -n +2 system-outputs/$name.txt > $name.de; done

# Monday: the first score. One file went wrong on the way, and the notes say which.
anaphor score -p en-de -s source.en -r referenceA.de -c Aya23.de GPT-4=source.en Claude-3.5.de \
    -m apt --samples 0

# Tuesday: intervals over documents, and tests against the first system. The reference itself is far from 100.
anaphor score -p en-de -s source.en -r referenceA.de -c Aya23.de CUNI-NL.de Claude-3.5.de GPT-4.de ONLINE-W.de \
    --documents document-ids -m apt bleu --paired

# Wednesday: two references. What does one get by the other, and what does shuffled output get?
anaphor score -p en-de -s source.en -r referenceA.de referenceB.de \
    -c Aya23.de CUNI-NL.de Claude-3.5.de GPT-4.de ONLINE-W.de \
    --documents document-ids -m apt autoprf bleu --paired --bounds -o result.json | head -14

# Thursday: a co-author computes it all again.
anaphor verify result.json

# Friday: the table of the paper, and the same for the README beside the data.
anaphor report result.json -o table.tex
grep -v "^%" table.tex
anaphor report result.json -o table.md
head -14 table.md
