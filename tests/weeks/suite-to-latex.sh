# The talks of ParCorFull, annotated in MMAX2.
tar xzf $ANAPHOR_DATA/parcorfull/parcor-full-corpus.tar.gz corpus/DiscoMT corpus/news

# Monday: a suite of 250 items, by the plan of PROTEST.
anaphor suite build --corpus corpus/DiscoMT/EN --reference human=corpus/DiscoMT/FR -p en-fr \
    --name discomt -o discomt | head -30

# Another corpus has a broken file; on request, it is left out.
anaphor suite build --corpus corpus/news/EN --reference human=corpus/news/DE -p en-de -o news
anaphor suite build --corpus corpus/news/EN --reference human=corpus/news/DE -p en-de -o news \
    --skip-broken | grep "^total"

# Tuesday: can the suite be trusted?
anaphor suite check discomt | cut -c 1-100

# Wednesday: two systems. Both translate like the reference; the first always chooses the masculine, the
# second only in the singular.
anaphor suite export discomt --source talks.en
cat discomt/documents/human/*.txt | perl -pe 's/\bElle(s?)\b/Il$1/g; s/\belle(s?)\b/il$1/g' > masculine.fr
cat discomt/documents/human/*.txt | perl -pe 's/\bElle\b/Il/g; s/\belle\b/il/g' > plural.fr

# Thursday: match by match, a list for annotators, a page, and a gate.
anaphor suite evaluate discomt -c masculine.fr plural.fr --work-list todo.tsv --report discomt.html \
    --fail-under 0.85 anaphoric_inter_subject_it=0.5 --junit gates.xml
cut -f 2-5 todo.tsv | head -4

# Friday: the table of the paper.
anaphor suite evaluate discomt -c masculine.fr plural.fr --latex
