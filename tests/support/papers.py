"""The papers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Paper:
    """What can be cited in a paper, counted in its text, and the fewest rows that may cite it."""

    sections: str
    tables: int
    figures: int
    rows: int


PAPERS = {
    "apt-2017": Paper("1 2 2.1 2.2 2.3 2.4 2.5 3 3.1 3.2 3.3 4 4.1 4.2 4.3 5", 5, 2, 70),
    "protest-2016": Paper("1 2 3 4 5 5.1 5.2 6 7 8 8.1 8.2 9", 3, 0, 65),
    "guillou-hardmeier-2018": Paper("1 2 3 4 5 6 7", 4, 0, 40),
    "wmt16-findings": Paper(
        "1 2 2.1 2.2 2.3 2.4 3 3.1 3.1.1 3.1.2 3.2 3.3 3.3.1 3.3.2 3.3.3 4 5 5.1 5.2 5.3 5.4 5.5 5.6 5.7 5.8"
        " 5.9 5.10 5.11 6 7 8 8.1 8.2 8.3 9",
        9,
        2,
        110,
    ),
    "discomt17-findings": Paper(
        "1 2 3 3.1 3.1.1 3.1.2 3.2 3.3 3.3.1 3.3.2 4 5 5.1 5.2 5.3 5.4 5.5 6 7 8 9", 13, 2, 85
    ),
}
