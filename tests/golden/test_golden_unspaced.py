"""Chinese and Japanese with English: ten hand-made segments per pair, each with its case of APT and why.

Only the pronoun is linked, to the named word; without a name it has no counterpart. No other word is linked,
so that there is nothing to repair.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pytest

import anaphor
from anaphor.core import LanguagePair
from anaphor.languages import Tokenizer, load_pair
from tests.support.cjk import needs_cjk

pytestmark = needs_cjk


class Segment(NamedTuple):
    """Three texts; the pronoun, and its words in the reference and in the candidate; its case, and why."""

    source: str
    reference: str
    candidate: str
    pronoun: str
    reference_word: str
    candidate_word: str
    case: int
    reason: str


SEGMENTS = {
    "en-zh": [
        Segment(
            "The bridge is old, but it is safe.",
            "这座桥很旧，但它很安全。",
            "那座桥旧了，但它安全。",
            "it",
            "它",
            "它",
            1,
            "the same form",
        ),
        Segment(
            "The children said they were tired.",
            "孩子们说他们累了。",
            "孩子們說他們累了。",
            "they",
            "他们",
            "他們",
            1,
            "traditional characters are another spelling",
        ),
        Segment(
            "The cat is hungry; it wants fish.",
            "貓餓了，牠想吃魚。",
            "猫饿了，它想吃鱼。",
            "it",
            "牠",
            "它",
            2,
            "animals have a character of their own in traditional spelling alone",
        ),
        Segment(
            "Look at it.",
            "看这个。",
            "看这。",
            "it",
            "这个",
            "这",
            2,
            "with a classifier and without",
        ),
        Segment(
            "The nurses said they were late.",
            "护士们说她们迟到了。",
            "护士们说他们迟到了。",
            "they",
            "她们",
            "他们",
            3,
            "another gender",
        ),
        Segment(
            "The firm said it would wait.",
            "公司说它会等。",
            "公司说其他人会等。",
            "it",
            "它",
            "其他人",
            3,
            "a word with 其 and 他 in it is no pronoun",
        ),
        Segment(
            "They sold their house.",
            "他们卖了他们的房子。",
            "她卖了他们的房子。",
            "They",
            "他们",
            "她",
            3,
            "another number; the possessive is a word of its own",
        ),
        Segment(
            "I bought the book, and it is good.",
            "我买了这本书，它很好。",
            "我买了这本书，很好。",
            "it",
            "它",
            "",
            4,
            "the candidate leaves the subject out",
        ),
        Segment(
            "It is raining.",
            "下雨了。",
            "它在下雨。",
            "It",
            "",
            "它",
            5,
            "the reference has no subject",
        ),
        Segment(
            "It is late.",
            "天晚了。",
            "时间不早了。",
            "It",
            "",
            "",
            6,
            "neither has a pronoun",
        ),
    ],
    "zh-en": [
        Segment(
            "桥很旧，但它很安全。",
            "The bridge is old, but it is safe.",
            "The bridge is old but it's safe.",
            "它",
            "it",
            "it",
            1,
            "the same form, cut off a contraction",
        ),
        Segment(
            "他們說貓餓了。",
            "They say the cat is hungry.",
            "They said the cat was hungry.",
            "他們",
            "They",
            "They",
            1,
            "traditional characters are evaluated as well",
        ),
        Segment(
            "他的书给了她。",
            "His book was given to her.",
            "His book was handed to her.",
            "她",
            "her",
            "her",
            1,
            "the possessive 他的 is not evaluated, as English his is not",
        ),
        Segment(
            "你看它。",
            "Look at this.",
            "Look at that.",
            "它",
            "this",
            "that",
            2,
            "often interchangeable",
        ),
        Segment(
            "她说话很快。",
            "She talks fast.",
            "He talks fast.",
            "她",
            "She",
            "He",
            3,
            "another gender",
        ),
        Segment(
            "其他人和他都来了。",
            "The others and he came.",
            "The others and they came.",
            "他",
            "he",
            "they",
            3,
            "another number; 其他人 has no pronoun",
        ),
        Segment(
            "他们把房子卖给了邻居。",
            "They sold the house.",
            "We sold the house.",
            "他们",
            "They",
            "We",
            3,
            "another person",
        ),
        Segment(
            "我认识他。",
            "I know him.",
            "I know.",
            "他",
            "him",
            "",
            4,
            "the candidate drops the object",
        ),
        Segment(
            "把它给我。",
            "Give me.",
            "Give it to me.",
            "它",
            "",
            "it",
            5,
            "the reference drops the object",
        ),
        Segment(
            "把它吃了吧。",
            "Eat up.",
            "Go ahead and eat.",
            "它",
            "",
            "",
            6,
            "neither has a pronoun",
        ),
    ],
    "en-ja": [
        Segment(
            "The bridge is old, but it is safe.",
            "橋は古いが、それは安全だ。",
            "橋は古いですが、それは安全です。",
            "it",
            "それ",
            "それ",
            1,
            "the same form, without the particle",
        ),
        Segment(
            "The children said they were tired.",
            "子供たちは彼らが疲れたと言った。",
            "子供は彼等が疲れたと言った。",
            "they",
            "彼ら",
            "彼等",
            1,
            "another spelling; the plural is one word",
        ),
        Segment(
            "The nurses said they were late.",
            "看護師は彼女たちが遅れたと言った。",
            "看護師は彼女らが遅れたと言った。",
            "they",
            "彼女たち",
            "彼女ら",
            2,
            "another suffix for the plural",
        ),
        Segment(
            "Look at it.",
            "それを見て。",
            "これを見て。",
            "it",
            "それ",
            "これ",
            2,
            "often interchangeable",
        ),
        Segment(
            "The nurses said they left.",
            "看護師は彼女たちが帰ったと言った。",
            "看護師は彼らが帰ったと言った。",
            "they",
            "彼女たち",
            "彼ら",
            3,
            "another gender",
        ),
        Segment(
            "The firm said it would wait.",
            "会社はそれが待つと言った。",
            "それでも会社は待つと言った。",
            "it",
            "それ",
            "それでも",
            3,
            "a conjunction with それ in it is no pronoun",
        ),
        Segment(
            "They sold their house.",
            "彼らは彼らの家を売った。",
            "彼女は彼らの家を売った。",
            "They",
            "彼ら",
            "彼女",
            3,
            "another number; the possessive is a word of its own",
        ),
        Segment(
            "I bought the book, and it is good.",
            "本を買った。それは良い。",
            "本を買ったが、良い。",
            "it",
            "それ",
            "",
            4,
            "the candidate leaves the subject out",
        ),
        Segment(
            "It is raining.",
            "雨が降っている。",
            "それは雨が降っている。",
            "It",
            "",
            "それ",
            5,
            "the reference has no subject for the weather",
        ),
        Segment(
            "It is late.",
            "もう遅い。",
            "遅くなった。",
            "It",
            "",
            "",
            6,
            "neither has a pronoun",
        ),
    ],
    "ja-en": [
        Segment(
            "橋は古いが、それは安全だ。",
            "The bridge is old, but it is safe.",
            "The bridge is old but it's safe.",
            "それ",
            "it",
            "it",
            1,
            "the same form, cut off a contraction",
        ),
        Segment(
            "それから彼らは帰った。",
            "Then they left.",
            "After that, they left.",
            "彼ら",
            "they",
            "they",
            1,
            "the same form; それから is a conjunction",
        ),
        Segment(
            "彼の本を彼女にあげた。",
            "I gave her his book.",
            "I gave his book to her.",
            "彼女",
            "her",
            "her",
            1,
            "the possessive 彼の is not evaluated",
        ),
        Segment(
            "それを見て。",
            "Look at this.",
            "Look at that.",
            "それ",
            "this",
            "that",
            2,
            "often interchangeable",
        ),
        Segment(
            "彼女は速く話す。",
            "She talks fast.",
            "He talks fast.",
            "彼女",
            "She",
            "He",
            3,
            "another gender",
        ),
        Segment(
            "彼等は疲れていた。",
            "They were tired.",
            "He was tired.",
            "彼等",
            "They",
            "He",
            3,
            "another number",
        ),
        Segment(
            "彼女たちは家を売った。",
            "They sold the house.",
            "We sold the house.",
            "彼女たち",
            "They",
            "We",
            3,
            "another person",
        ),
        Segment(
            "私は彼を知っている。",
            "I know him.",
            "I know.",
            "彼",
            "him",
            "",
            4,
            "the candidate drops the object",
        ),
        Segment(
            "それをください。",
            "Please.",
            "Give me it, please.",
            "それ",
            "",
            "it",
            5,
            "the reference drops the object",
        ),
        Segment(
            "それは遅い。",
            "Too late.",
            "Late again.",
            "それ",
            "",
            "",
            6,
            "neither has a pronoun",
        ),
    ],
}
#: How many of the ten segments above have each case.
CASES = {
    "en-zh": (2, 2, 3, 1, 1, 1),
    "zh-en": (3, 1, 3, 1, 1, 1),
    "en-ja": (2, 2, 3, 1, 1, 1),
    "ja-en": (3, 1, 3, 1, 1, 1),
}


@pytest.mark.parametrize("pair", SEGMENTS)
def test_every_segment_has_its_case(pair: str) -> None:
    pack = load_pair(LanguagePair.parse(pair))
    source, target = Tokenizer(pack.source).words, Tokenizer(pack.target).words
    segments = SEGMENTS[pair]
    sources, references, candidates, pronouns, expected, found, cases, reasons = zip(*segments, strict=True)

    def links(texts: Sequence[str], words: Sequence[str]) -> list[str]:
        return [
            f"{source(line).index(pronoun)}-{target(text).index(word)}" if word else ""
            for line, pronoun, text, word in zip(sources, pronouns, texts, words, strict=True)
        ]

    report = anaphor.evaluate(
        pair=pair,
        source=list(sources),
        references=list(references),
        systems={"candidate": list(candidates)},
        reference_alignments=[links(references, expected)],
        system_alignments={"candidate": links(candidates, found)},
        metrics=["apt"],
        samples=0,
    )
    verdicts = report.result.systems[0].verdicts
    assert [(verdict.pair.source.segment, verdict.pair.source.form) for verdict in verdicts] == [
        (number, pronoun.lower()) for number, pronoun in enumerate(pronouns)
    ]
    counts = [verdict.outcome.value for verdict in verdicts]
    assert list(zip(reasons, counts, strict=True)) == list(zip(reasons, cases, strict=True))
    assert tuple(counts.count(case) for case in range(1, 7)) == CASES[pair]
    # APT: of ten pronouns, an identical one counts one, an equivalent one half, any other nothing.
    assert report.scores["candidate"]["apt"] == pytest.approx((CASES[pair][0] + CASES[pair][1] / 2) / 10)
