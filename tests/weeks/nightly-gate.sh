# The English-German test set of WMT24. The first line of every file is a canary, not text.
tar xzf $ANAPHOR_DATA/wmt24-en-de/texts.tar.gz
tail -n +2 sources/en-de.txt > source.en
tail -n +2 references/en-de.refA.txt > reference.de
tail -n +2 documents/en-de.docs | cut -f 2 > document-ids
for name in Aya23 CUNI-NL Claude-3.5 CycleL GPT-4 ONLINE-B ONLINE-W; do \
    tail -n +2 system-outputs/$name.txt > $name.de; done

# Monday: the five systems as they are, kept as the baseline. The aligner is trained on the reference, so
# that no score depends on the other systems.
anaphor score -p en-de -s source.en -r reference.de --documents document-ids -m apt bleu \
    --train source.en reference.de \
    -c Aya23.de CUNI-NL.de Claude-3.5.de GPT-4.de ONLINE-B.de --cards -o monday.json | head -9

# Tuesday: the gate. Nothing has changed, so it holds.
anaphor score -p en-de -s source.en -r reference.de --documents document-ids -m apt bleu \
    --train source.en reference.de \
    -c Aya23.de CUNI-NL.de Claude-3.5.de GPT-4.de ONLINE-B.de --quiet \
    --fail-under apt=40 --max-regression 0.02 --baseline monday.json --junit gates.xml
anaphor score -p en-de -s source.en -r reference.de --documents document-ids -m apt bleu \
    --train source.en reference.de \
    -c Aya23.de CUNI-NL.de Claude-3.5.de GPT-4.de ONLINE-B.de --quiet \
    --fail-under apt=0.4 --max-regression 0.02 --baseline monday.json --junit gates.xml > tuesday.txt
head -2 gates.xml

# Wednesday: a new GPT-4, which is much worse; here the output of another system.
anaphor score -p en-de -s source.en -r reference.de --documents document-ids -m apt bleu \
    --train source.en reference.de \
    -c Aya23.de CUNI-NL.de Claude-3.5.de GPT-4=CycleL.de ONLINE-B.de --quiet \
    --fail-under apt=0.4 --max-regression 0.02 --baseline monday.json --junit gates.xml > wednesday.txt
head -7 wednesday.txt
grep failure gates.xml

# Thursday: a sixth system, which the baseline does not know.
anaphor score -p en-de -s source.en -r reference.de --documents document-ids -m apt bleu \
    --train source.en reference.de \
    -c Aya23.de CUNI-NL.de Claude-3.5.de GPT-4.de ONLINE-B.de ONLINE-W.de \
    --max-regression 0.02 --baseline monday.json --junit gates.xml
anaphor score -p en-de -s source.en -r reference.de --documents document-ids -m apt bleu \
    --train source.en reference.de \
    -c Aya23.de CUNI-NL.de Claude-3.5.de GPT-4.de ONLINE-B.de ONLINE-W.de \
    --max-regression 0.02 --baseline monday.json --skip-new --junit gates.xml > thursday.txt
head -2 gates.xml

# Friday: a system left no file. That is bad input, not a bad system, and the build server sees it.
rm ONLINE-B.de
anaphor score -p en-de -s source.en -r reference.de --documents document-ids -m apt bleu \
    --train source.en reference.de \
    -c Aya23.de CUNI-NL.de Claude-3.5.de GPT-4.de ONLINE-B.de \
    --fail-under apt=0.4 --max-regression 0.02 --baseline monday.json --junit gates.xml
head -2 gates.xml
