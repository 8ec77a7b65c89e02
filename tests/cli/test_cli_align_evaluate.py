"""`anaphor align evaluate`: AER, precision, recall, F and the links of pronouns, counted by hand.

The gold is ref.align of the experiment, all links sure. Beside it, b.align:

    segment  gold  proposed  right   pronoun  gold  proposed
    0        3     3         3       It       0-0   0-0
    1        8     7         7       it       4-4   -
    2        3     3         3       They     0-0   0-0
    3        5     5         5       It       0-0   0-0
    4        4     3         1       it       2-1   -
    5        4     4         4       They     0-0   0-0
                                     they     -     -       rightly left alone
    all      27    25        23

Precision is 23 / 25, recall 23 / 27, F 2 * 23 / (25 + 27) and, as all is sure, AER 1 - F.
Pronouns: precision 4 / 4, recall 4 / 6, F 2 * 4 / (4 + 6).
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from anaphor.align.gold import LAYOUTS as LAYOUTS_WITH_ALL_LINKS
from anaphor.cli.align import LAYOUTS

Command = Callable[..., tuple[int, str, str]]

EVALUATE = ("align", "evaluate", "--gold", "ref.align", "--alignment", "b.align")
TEXTS = ("--source", "src.en", "--target", "ref.fr")
ASKED = {
    "pharaoh": ("--gold", "ref.align", *TEXTS),
    "hansards": ("--gold", "hansards.gold", "--gold-layout", "hansards", "--text", "hansards.text"),
    "xl-wa": ("--gold", "gold.tsv", "--gold-layout", "xl-wa"),
}
PRONOUNS = {"it": ((0, 0), (1, 4), (3, 0), (4, 2)), "they": ((2, 0), (5, 0), (5, 3))}

LINKS_TABLE = """\
links  proposed  sure   AER  precision  recall     F
all          25    27  11.5       92.0    85.2  88.5
"""
PRONOUN_TABLE = """\
pronouns  items  precision  recall      F  unaligned  left alone
all           7      100.0    66.7   80.0          1       100.0
it            4      100.0    50.0   66.7          0         n/a
they          3      100.0   100.0  100.0          1       100.0
"""
ITEMS_TABLE = """\
pronouns    items  precision  recall      F  unaligned  left alone
all             7      100.0    66.7   80.0          1       100.0
it              4      100.0    50.0   66.7          0         n/a
they            3      100.0   100.0  100.0          1       100.0
anaphoric       3      100.0   100.0  100.0          1       100.0
pleonastic      4      100.0    50.0   66.7          0         n/a
"""


def item(row: tuple[str, ...], place: tuple[int, int], *, form: str) -> str:
    """The pronoun at a place (segment, token) as a line of a pronoun-links file."""
    source, target, gold, _ = row
    links = [tuple(map(int, link.split("-"))) for link in gold.split()]
    content = {
        "id": "{}.{}".format(*place),
        "pair": "en-fr",
        "source": source.split(),
        "target": target.split(),
        "pronoun": place[1],
        "sure": [j for i, j in links if i == place[1]],
        "possible": [],
        "function": "pleonastic" if form == "it" else "anaphoric",
    }
    return json.dumps(content)


@pytest.fixture
def golds(folder: Path) -> Path:
    """The gold of the experiment in every layout, and b.align with a line for every pronoun."""
    names = ("src.en", "ref.fr", "ref.align", "b.align")
    sides = [(folder / name).read_text(encoding="utf-8").splitlines() for name in names]
    rows = list(zip(*sides, strict=True))
    one_up = ([[str(int(n) + 1) for n in link.split("-")] for link in row[2].split()] for row in rows)
    files = {
        "gold.tsv": ["\t".join(row[:3]) for row in rows],
        "hansards.text": [" ||| ".join(row[:2]) for row in rows],
        "hansards.gold": [" ".join(map("-".join, links)) for links in one_up],
        "items.jsonl": [
            item(rows[place[0]], place, form=form) for form, places in PRONOUNS.items() for place in places
        ],
        "items.align": [rows[segment][3] for places in PRONOUNS.values() for segment, _ in places],
    }
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder


@pytest.mark.parametrize("layout", ASKED)
def test_all_layouts_give_the_same_figures(anaphor: Command, golds: Path, layout: str) -> None:
    options = (*EVALUATE, *ASKED[layout])
    assert anaphor(*options) == (0, f"b.align, 6 segments\n\n{LINKS_TABLE}", "")
    expected = f"b.align, 6 segments\n\n{LINKS_TABLE}\n{PRONOUN_TABLE}"
    assert anaphor(*options, "--pronouns", "--pair", "en-fr") == (0, expected, "")


@pytest.mark.parametrize("layout", ["pharaoh", "hansards"])
def test_links_alone_are_judged_without_the_text(anaphor: Command, golds: Path, layout: str) -> None:
    gold = ASKED[layout][:4] if layout == "hansards" else ()
    assert anaphor(*EVALUATE, *gold)[1].endswith(LINKS_TABLE)


def test_possible_links_cost_neither_precision_nor_recall(anaphor: Command, folder: Path) -> None:
    (folder / "gold").write_text("0-0 1-1 2?2\n0-1 1p0\n\n", encoding="utf-8")
    (folder / "found").write_text("0-0 1-1 2-2\n1-1\n0-0\n", encoding="utf-8")
    content = json.loads(anaphor(*EVALUATE, "--gold", "gold", "--alignment", "found", "--json")[1])
    # 5 proposed, 3 of them possible, 2 sure; 3 sure in gold: AER 1 - (2 + 3) / (5 + 3)
    assert content == {
        "gold": "gold",
        "judged": "found",
        "segments": 3,
        "links": {
            "proposed": 5,
            "sure": 3,
            "in_possible": 3,
            "in_sure": 2,
            "precision": 3 / 5,
            "recall": 2 / 3,
            "f": pytest.approx(2 * 3 / 5 * 2 / 3 / (3 / 5 + 2 / 3)),
            "aer": pytest.approx(3 / 8),
        },
        "pronouns": None,
    }


def test_items_are_judged_by_form_and_by_function(anaphor: Command, golds: Path) -> None:
    layout = ("--gold", "items.jsonl", "--gold-layout", "pronoun-links")
    _, out, _ = anaphor("align", "evaluate", *layout, "--alignment", "items.align")
    assert out == f"items.align, 7 segments\n\n{ITEMS_TABLE}"
    content = json.loads(anaphor("align", "evaluate", *layout, "--alignment", "items.align", "--json")[1])
    assert (content["links"], content["segments"]) == (None, 7)
    assert content["pronouns"]["by_function"]["pleonastic"] == content["pronouns"]["by_form"]["it"]
    assert content["pronouns"]["by_form"]["it"]["share_left_alone"] is None
    assert content["pronouns"]["share_left_alone"] == 1


def test_the_text_of_the_gold_file_is_aligned_and_judged(anaphor: Command, folder: Path) -> None:
    rows = ("red houses\tmaisons rouges", "blue cars\tvoitures bleues", "red cars\tvoitures rouges")
    (folder / "gold.tsv").write_text("".join(f"{row}\t0-1 1-0\n" for row in rows), encoding="utf-8")
    options = ("--gold-layout", "xl-wa", "--align", "--pair", "en-fr", "--priors", "none", "--method", "ibm1")
    command = ("align", "evaluate", "--gold", "gold.tsv", *options)
    (folder / "more.en").write_text("blue houses\n", encoding="utf-8")
    (folder / "more.fr").write_text("maisons bleues\n", encoding="utf-8")
    content = json.loads(anaphor(*command, "--train", "more.en", "more.fr", "--json")[1])
    assert content["judged"] == "anaphor-ibm1-4+posterior+prior-none"
    assert content["links"]["aer"] == 0  # each two words are together twice, no others are
    assert content["links"]["proposed"] == 6


def test_a_gold_file_and_raw_text_are_all_that_an_error_rate_needs(
    anaphor: Command, folder: Path, data_dir: Path
) -> None:
    """XL-WA en-es, development part: 1,961 links in 105 segments, counted by `grep -o '[0-9]-[0-9]'`."""
    pairs = (
        data_dir / "europarl" / "europarl.en-es.docs.tsv.gz",
        folder / "more.en.gz",
        folder / "more.es.gz",
    )
    with gzip.open(pairs[0], "rt", encoding="utf-8") as rows:
        columns = [line.rstrip("\n").split("\t")[-2:] for line in islice(rows, 1, 1001)]
    for path, lines in zip(pairs[1:], zip(*columns, strict=True), strict=True):
        path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    gold = str(data_dir / "gold-alignments" / "xlwa-en-es" / "dev.tsv")
    evaluate = ("align", "evaluate", "--gold", gold, "--gold-layout", "xl-wa", "--pair", "en-es", "--align")
    learned = [
        json.loads(anaphor(*evaluate, "--json", "--priors", "none", *more)[1])
        for more in ((), ("--train", "more.en.gz", "more.es.gz"))
    ]
    for content in learned:
        assert (content["segments"], content["links"]["sure"]) == (105, 1961)
    assert learned[1]["links"]["aer"] < learned[0]["links"]["aer"] < 0.5  # more text, fewer errors


def test_items_bring_their_language_pair(anaphor: Command, golds: Path) -> None:
    layout = ("--gold", "items.jsonl", "--gold-layout", "pronoun-links", "--align")
    code, out, err = anaphor("align", "evaluate", *layout)
    assert (code, err) == (0, "")
    assert out.startswith("anaphor-hmm-4+posterior+prior-")


def test_the_layouts_are_those_that_can_be_read() -> None:
    assert set(LAYOUTS) == {*LAYOUTS_WITH_ALL_LINKS, "pronoun-links"}


def test_links_to_evaluate_are_required(anaphor: Command, capsys: pytest.CaptureFixture[str]) -> None:
    for options in ((), ("--align", "--alignment", "b.align")):
        with pytest.raises(SystemExit) as stop:
            anaphor("align", "evaluate", "--gold", "ref.align", *options)
        assert stop.value.code == 2
    assert "--alignment" in capsys.readouterr().err


OUTSIDE = "points outside the sentence"
XL_WA = "--gold gold.tsv --gold-layout xl-wa"
ITEMS = "--gold items.jsonl --gold-layout pronoun-links"
# Options on top of good ones; then what the message says and where.
FAULTY = {
    "an alignment with fewer lines": ("--alignment short", "for 5 segments, the text has 6", "short:6"),
    "the same with a text": (f"{XL_WA} --alignment short", "for 5 segments, the text has 6", "short:6"),
    "items without a line each": (
        f"{ITEMS} --alignment b.align",
        "for 6 segments, the text has 7",
        "b.align:7",
    ),
    "a link outside its sentence": (f"{XL_WA} --alignment outside", OUTSIDE, "outside:1:5"),
    "gold outside its sentence": (f"--gold outside {' '.join(TEXTS)}", OUTSIDE, "outside:1:5"),
    "gold that is no links": ("--gold src.en", "not a gold link: 'It'", "src.en:1:1"),
    "pronouns without a text": ("--pronouns --pair en-fr", "the text of the gold", "--source, --target"),
    "half a text": ("--source src.en", "the text of the gold file is missing", "--source, --target"),
    "no text in two columns": (
        "--gold hansards.gold --gold-layout hansards --pronouns --pair en-fr",
        "the text of the gold file is missing",
        "--text",
    ),
    "a text too many": (f"{XL_WA} --text hansards.text", "--text would be ignored", "--text, --gold-layout"),
    "pronouns without a pair": (f"{XL_WA} --pronouns", "no language pair is given", "--pair"),
    "an unknown pair": (f"{XL_WA} --pronouns --pair en-fi", "unknown language pair", "the built-in packs"),
    "another pair than the items'": (f"{ITEMS} --pair en-de", "en-de, en-fr", "items.jsonl"),
    "training without aligning": ("--train src.en ref.fr", "nothing is aligned", "--train, --alignment"),
    "two files on one input": ("--gold - --alignment -", "can only be used for one file", "-"),
    "gold that is read twice": (f"--gold - {' '.join(TEXTS)}", "can only be used for one file", "-"),
    "packs that nothing needs": ("--packs .", "they are for --align and --pronouns", "--packs, --alignment"),
    "an aligner without aligning": ("--aligner eflomal", "nothing is aligned", "--aligner, --alignment"),
}


@pytest.mark.parametrize(("options", "what", "where"), FAULTY.values(), ids=FAULTY.keys())
def test_a_mistake_is_explained(anaphor: Command, golds: Path, options: str, what: str, where: str) -> None:
    lines = (golds / "b.align").read_text(encoding="utf-8").splitlines(keepends=True)
    (golds / "short").write_text("".join(lines[:5]), encoding="utf-8")
    (golds / "outside").write_text("0-0 1-9\n" + "".join(lines[1:]), encoding="utf-8")
    code, out, err = anaphor(*EVALUATE, *options.split())
    assert (code, out) == (1, "")
    assert what in err
    assert f"\nwhere: {where}\n" in err


def test_aligning_needs_a_pair(anaphor: Command, golds: Path) -> None:
    _, _, err = anaphor("align", "evaluate", *XL_WA.split(), "--align")
    assert err.startswith("error: no language pair is given\nwhere: --pair\n")
