"""Compares the speed of two contestants (Heddle and another program) by the ratios of their times in each round.

Another busy program on the machine slows down all contestants of a round, so the ratio within the round stays the same,
unlike the ratio of two medians over all rounds. The quartiles measure how much the rounds differ.
"""
import statistics

# A ratio that exceeds one of these limits is not trusted. (The limits of `heddle bench` are 0.1 and 0.05.)
SPREAD = 0.15    # maximum distance of the quartiles, relative to the median
DISAGREE = 0.05  # maximum relative difference between the median and the ratio of the minima


def compare(slow, fast):
    """Divides the median of `slow` by that of `fast` in each round. Returns the median and the quartiles of these
    ratios, the ratio of the minima over all rounds, and the number of rounds. Each argument is a list of rounds, and a
    round is a list of samples, in seconds for a call."""
    ratios = [statistics.median(a) / statistics.median(b) for a, b in zip(slow, fast)]
    lower, middle, upper = statistics.quantiles(ratios, n=4, method="inclusive")
    return {"median": middle, "lower": lower, "upper": upper,
            "minima": min(map(min, slow)) / min(map(min, fast)), "rounds": len(ratios)}


def doubts(ratio):
    """Returns the reasons why a ratio is not trusted; empty if it is trusted."""
    reasons = []
    if ratio["upper"] - ratio["lower"] > SPREAD * ratio["median"]:
        reasons.append(f"half of the rounds are between {ratio['lower']:.2f} and {ratio['upper']:.2f}")
    if abs(ratio["minima"] - ratio["median"]) > DISAGREE * ratio["median"]:
        reasons.append(f"the ratio of the minima is {ratio['minima']:.2f}")
    return reasons
