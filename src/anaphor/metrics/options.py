"""The options of the built-in metrics, and their keys in `Settings`.

They are not defined next to the metrics because a help text lists them and must not import NumPy. Third-party
metrics declare options in their classes; on the command line and in `Settings` these are prefixed with the
metric's name: `beta` of the metric `pron-f` is `--pron-f-beta` and `pron_f_beta`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from anaphor.core.options import PAPER_WEIGHTS, THEY, MetricOption

if TYPE_CHECKING:
    from anaphor.core import Settings


def _six_weights(weights: tuple[float, ...]) -> None:
    if len(weights) != 6 or not all(0 <= weight <= 1 for weight in weights):
        raise ValueError(
            f"not six weights between 0 and 1: {', '.join(map(str, weights))}; "
            "pass one weight for each of the cases 1 to 6, such as 1,0.5,0,0,0,0"
        )


def _some_cases(cases: tuple[int, ...]) -> None:
    if not set(cases) < {1, 2, 3, 4, 5, 6}:
        raise ValueError(
            f"cannot discard the cases {sorted(set(cases))}; "
            "name cases from 1 to 6 and keep at least one, such as 5,6"
        )


def _not_negative(value: int) -> None:
    if value < 0:
        raise ValueError(f"not a number of segments: {value}; use 0 or more")


def _detector(value: str) -> None:
    try:
        known = value in ("use", "ignore") or Path(value).is_dir()
    except OSError:  # a name that no file system takes
        known = False
    if not known:
        raise ValueError(
            f"unknown value, and no folder: {value}; "
            "pass use, ignore, or a folder that `anaphor predict detector` wrote"
        )


#: Of APT and `accept`: one option, because one text has one use of *they*.
_THEY = MetricOption(
    name="they",
    rare=True,
    type=str,
    default="default",
    choices=THEY,
    silent=True,
    help="what English they may refer to: several people, one person, or either",
)
ACCEPT = (
    MetricOption(
        name="accept-reference",
        rare=True,
        type=str,
        default="use",
        choices=("use", "ignore"),
        help="whether accept also uses the reference",
    ),
    MetricOption(
        name="accept-detector",
        rare=True,
        type=str,
        default="use",
        metavar="use|ignore|FOLDER",
        help="whether accept also uses the built-in detector of wrong pronouns (en-de, en-fr, "
        "en-es), "
        "or a larger one in a folder written by `anaphor predict detector`",
        check=_detector,
    ),
    MetricOption(
        name="accept-pointer",
        rare=True,
        type=str,
        default="use",
        choices=("use", "ignore"),
        help="whether to find the antecedents of English pronouns with a network, which is slower",
    ),
    _THEY,
)
APT = (
    MetricOption(
        name="weights",
        rare=True,
        type=float,
        many=True,
        default=PAPER_WEIGHTS,
        metavar="W1,...,W6",
        help="weights of the cases: 1 identical, 2 equivalent, 3 different, 4 candidate missing, "
        "5 reference missing, 6 both missing",
        check=_six_weights,
    ),
    MetricOption(
        name="discard",
        rare=True,
        type=int,
        many=True,
        unordered=True,
        default=(),
        metavar="CASES",
        help="cases to leave out, such as 5,6",
        check=_some_cases,
    ),
    MetricOption(
        name="other",
        rare=True,
        type=str,
        default="different",
        choices=("different", "identical", "same-word"),
        help="outcome if neither counterpart contains a listed pronoun",
    ),
    MetricOption(
        name="dropped",
        rare=True,
        type=str,
        default="ignore",
        choices=("ignore", "different", "equivalent"),
        silent=True,
        help="how APT compares a verb with a dropped subject and a pronoun, if at all",
    ),
    _THEY,
)
AUTOPRF = (
    MetricOption(
        name="clip",
        rare=True,
        type=str,
        default="pronoun",
        choices=("pronoun", "corpus"),
        help="clip counts per pronoun token or over the corpus",
    ),
)
JUDGE = (
    MetricOption(
        name="judge-server",
        type=str,
        default="",
        metavar="URL",
        help="URL of the language model that judges pronouns (metric judge); usually ends in /v1",
    ),
    MetricOption(
        name="judge-model",
        type=str,
        default="",
        metavar="NAME",
        help="name of the judge's model on the server",
    ),
    MetricOption(
        name="judge-mode",
        rare=True,
        type=str,
        default="questions",
        choices=("questions", "comparison"),
        help="question for the judge: whether a form fits, or which of two forms fits",
    ),
    MetricOption(
        name="judge-cascade",
        rare=True,
        type=str,
        default="off",
        choices=("off", "accept"),
        help="accept: use the judge only for pronouns that accept cannot decide with confidence",
    ),
    MetricOption(
        name="judge-endpoint",
        rare=True,
        type=str,
        default="chat",
        choices=("chat", "completions"),
        help="endpoint of the judge's server",
    ),
    MetricOption(
        name="judge-format",
        rare=True,
        type=str,
        default="number",
        choices=("number", "json"),
        help="json: request answers that match a JSON schema, if the server supports it",
    ),
    MetricOption(
        name="judge-logprobs",
        rare=True,
        type=int,
        default=0,
        metavar="N",
        help=(
            "number of log-probabilities of the judge's answers to request, "
            "if the server supports them (up to 20)"
        ),
    ),
    MetricOption(
        name="judge-tokens",
        rare=True,
        type=int,
        default=16,
        metavar="N",
        help="maximum answer length of the judge; 0: no limit, needed for reasoning models",
    ),
    MetricOption(
        name="judge-before",
        rare=True,
        type=int,
        default=5,
        metavar="N",
        help="number of preceding segments shown to the judge",
        check=_not_negative,
    ),
    MetricOption(
        name="judge-seed",
        rare=True,
        type=int,
        default=1,
        metavar="N",
        help="seed for the order of choices",
    ),
)
COMET = (
    MetricOption(
        name="comet-model",
        type=str,
        default="Unbabel/wmt22-comet-da",
        metavar="MODEL",
        help="COMET model, by its name on Hugging Face or the path of a checkpoint",
    ),
)
#: By metric, in the order in which help shows them.
BUILT_IN_OPTIONS: Mapping[str, tuple[MetricOption, ...]] = {
    "apt": APT,
    "autoprf": AUTOPRF,
    "accept": ACCEPT,
    "judge": JUDGE,
    "comet": COMET,
}


def option_keys(metric: str, options: Iterable[MetricOption]) -> dict[str, MetricOption]:
    """The options of a metric by their keys in `Settings`."""
    prefix = "" if metric in BUILT_IN_OPTIONS else f"{metric}_"
    return {(prefix + option.name).replace("-", "_"): option for option in options}


def known_options(
    others: Mapping[str, Iterable[MetricOption]] = MappingProxyType({}),
) -> dict[str, MetricOption]:
    """The options of the built-in metrics, and those of `others`, by their keys in `Settings`."""
    return {
        key: option
        for metric, options in {**BUILT_IN_OPTIONS, **others}.items()
        for key, option in option_keys(metric, options).items()
    }


def option_values(metric: str, options: Iterable[MetricOption], given: Mapping[str, Any]) -> dict[str, Any]:
    """The validated options of one metric by name: from `Settings.options`, or the defaults."""
    return {
        option.name: option.checked(given.get(key, option.default), where=f"--{key.replace('_', '-')}")
        for key, option in option_keys(metric, options).items()
    }


def option_value(settings: Settings, key: str) -> Any:
    """One built-in option of an experiment, such as the weights of APT, or its default."""
    option = known_options()[key]
    return option.checked(settings.options.get(key, option.default))
