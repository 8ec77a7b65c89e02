"""A small test set, and scores of its variants in every format."""

from __future__ import annotations

import json
from collections.abc import Callable

from anaphor.bench.items import Bench, BenchItem
from anaphor.core import LanguagePair

LAMP = BenchItem(
    "lamp",
    ("The lamp is old.", "It still works."),
    variants=("Sie funktioniert noch.", "Er funktioniert noch.", "Es funktioniert noch."),
    expected=("sie",),
    pronoun="It",
    distance=1,
    document="house",
)

KEY = BenchItem(
    "key",
    ("Where is the key?", "I saw it."),
    variants=("Ich habe ihn gesehen.", "Ich habe sie gesehen."),
    expected=("ihn",),
    pronoun="it",
    distance=5,
    document="house",
)

TEA = BenchItem("tea", ("Drink it.",), variants=("Trink ihn.", "Trink es."), document="tea")

BENCH = Bench("mine", LanguagePair("en", "de"), "contrapro", (LAMP, KEY, TEA))

#: One log-probability per variant: the lamp is right, the key wrong, the tea a tie.
VALUES = [-1.5, -2.0, -3.0, -4.0, -3.5, -2.25, -2.25]

LINES = [variant for item in BENCH.items for variant in item.variants]


def lines_of(*lines: object) -> str:
    return "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)


def plain() -> str:
    return lines_of(*map(str, VALUES))


def marian() -> str:
    return lines_of(*(f"{value:.6f} ||| WordScores= {value - 1:.4f} 1.0" for value in VALUES))


def marian_n_best() -> str:
    owners = [at for at, item in enumerate(BENCH.items) for _ in item.variants]
    return lines_of(
        *(
            f"{at} ||| {text} ||| F0= -9.5 Score= {value} ||| -0.43"
            for at, text, value in zip(owners, LINES, VALUES, strict=True)
        )
    )


def fairseq() -> str:
    """Unordered, between other lines, and tokenized into subwords."""
    rows = []
    for at in (3, 0, 6, 2, 1, 5, 4):
        words = LINES[at].replace(".", " .").replace("funktioniert", "funk@@ tioniert")
        rows += [f"S-{at}\tsource", f"T-{at}\t{words}", f"H-{at}\t{VALUES[at]}\t{words}"]
        rows.append(f"P-{at}\t{VALUES[at]:.4f} {VALUES[at]:.4f}")
    return lines_of("2026-01-01 | INFO | generating", *rows)


def ctranslate2() -> str:
    return lines_of(
        *(
            {"tokens": ["▁" + word for word in text.split()], "log_probs": [value - 1, 1.0]}
            for text, value in zip(LINES, VALUES, strict=True)
        )
    )


def echo() -> str:
    """OpenAI's replies with `echo`: the prompt's tokens first, then a generated one."""
    rows = []
    for text, value in zip(LINES, VALUES, strict=True):
        first, _, rest = text.partition(" ")
        logprobs = {
            "tokens": ["Say: ", first, f" {rest}", " oh"],
            "token_logprobs": [None, value - 1, 1.0, -7],
        }
        rows.append({"choices": [{"logprobs": logprobs}], "usage": {"prompt_tokens": 3}})
    return lines_of(*rows)


def vllm() -> str:
    """vLLM's `prompt_logprobs`; the first token has none, and another candidate may stand beside a token."""
    rows = []
    for text, value in zip(LINES, VALUES, strict=True):
        own = {"logprob": value, "rank": 2, "decoded_token": text}
        listed = [
            None,
            {"5": {"logprob": -1.0, "rank": 1, "decoded_token": ": "}},
            {"9": own, "3": {"logprob": -0.1, "rank": 1, "decoded_token": "x"}},
        ]
        rows.append({"choices": [{"text": "", "prompt_logprobs": listed}]})
    return lines_of(*rows)


def batch() -> str:
    """The same as a batch, in another order."""
    keys = [f"{item.id}#{place}" for item in BENCH.items for place in range(len(item.variants))]
    rows = [
        {"custom_id": key, "response": {"body": json.loads(line)}}
        for key, line in zip(keys, vllm().splitlines(), strict=True)
    ]
    return lines_of(*reversed(rows))


def lm_eval() -> str:
    rows, at = [], 0
    for number, item in enumerate(BENCH.items):
        order = list(reversed(range(len(item.variants))))
        replies = [[str(VALUES[at + place]), "False"] for place in order]
        doc = {"id": item.id, "set_hash": BENCH.hash, "order": order}
        rows.append({"doc_id": number, "doc": doc, "filtered_resps": replies})
        at += len(item.variants)
    return lines_of(*reversed(rows))


FILES: dict[str, Callable[[], str]] = {
    "marian": marian,
    "marian_n_best": marian_n_best,
    "ctranslate2": ctranslate2,
    "echo": echo,
    "vllm": vllm,
    "batch": batch,
    "lm_eval": lm_eval,
}
