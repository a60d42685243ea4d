"""Ratios on a noisy machine: taken inside a round, summarised over rounds."""

import random
import statistics

RESAMPLES = 2000


def median(values):
    return statistics.median(values)


def bootstrap_interval(values, share=0.95):
    """The interval that holds `share` of the medians of resamples. Deterministic for the same values."""
    source = random.Random(len(values))
    medians = sorted(statistics.median(source.choices(values, k=len(values))) for _ in range(RESAMPLES))
    tail = (1 - share) / 2
    return medians[int(tail * (RESAMPLES - 1))], medians[int((1 - tail) * (RESAMPLES - 1))]


def calm_rounds(anchor_rates):
    """The rounds in which the anchor reached half of its best rate; all of them when fewer than three did.

    `anchor_rates` maps a round to the rate of the anchor in it.
    """
    half = max(anchor_rates.values()) / 2
    calm = sorted(round_number for round_number, rate in anchor_rates.items() if rate >= half)
    return calm if len(calm) >= 3 else sorted(anchor_rates)


def ratios_by_round(ours, theirs, rounds):
    """ours ÷ theirs in each of the rounds in which both were measured."""
    return [ours[n] / theirs[n] for n in rounds if n in ours and n in theirs and theirs[n] > 0]
