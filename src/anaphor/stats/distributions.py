"""The two distributions the tests need: Student's t and the fair coin, both computed from the incomplete beta
function.
"""

from __future__ import annotations

import math
from functools import lru_cache


def incomplete_beta(x: float, *, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b) for 0 <= x <= 1 and positive a and b."""
    if x > 0.5:
        return 1 - _lower_half(1 - x, a=b, b=a)
    return _lower_half(x, a=a, b=b)


def _lower_half(x: float, *, a: float, b: float) -> float:
    """I_x(a, b) for x <= 1/2 by its power series; all terms are positive, so nothing cancels."""
    if x == 0:
        return 0.0
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    # The first factors may underflow although the sum is large; they are added as logarithms.
    log_front = a * math.log(x) + b * math.log1p(-x) - math.log(a) - log_beta
    term = total = 1.0
    n = 0
    while term > total * 1e-17:
        term *= x * (a + b + n) / (a + 1 + n)
        total += term
        n += 1
    return math.exp(log_front + math.log(total))


def t_outside(t: float, *, freedom: float) -> float:
    """The probability that Student's t with these degrees of freedom lies outside -t .. t, for t >= 0."""
    return incomplete_beta(freedom / (freedom + t * t), a=freedom / 2, b=0.5)


# Systems and their differences ask for the same quantiles again and again, and bisection is slow.
@lru_cache(maxsize=512)
def t_quantile(probability: float, *, freedom: float) -> float:
    """The value below which Student's t lies with this probability, between 0 and 1 exclusive."""
    if probability < 0.5:
        return -t_quantile(1 - probability, freedom=freedom)
    outside = 2 * (1 - probability)
    low, high = 0.0, 1.0
    while t_outside(high, freedom=freedom) > outside:
        high *= 2
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if t_outside(middle, freedom=freedom) > outside:
            low = middle
        else:
            high = middle
    return high


def coin_at_most(heads: int, *, tosses: int) -> float:
    """The probability of at most this many heads when a fair coin is tossed; heads < tosses."""
    return incomplete_beta(0.5, a=tosses - heads, b=heads + 1)
