"""How much faster one contestant is than another, by the rounds that both took part in.

A busy neighbour slows down a round for everybody: the ratio within a round stays, where the ratio of two medians over
a whole row does not. Quartiles say how far apart the rounds are.
"""
import statistics

# As `heddle bench` has them.
SPREAD = 0.15    # quartiles further apart than this part of the median
DISAGREE = 0.05  # the ratio of the minima is further off than this


def compare(slow, fast):
    """`slow` over `fast`: each a list of rounds, a round a list of seconds a call."""
    ratios = [statistics.median(a) / statistics.median(b) for a, b in zip(slow, fast)]
    lower, middle, upper = statistics.quantiles(ratios, n=4, method="inclusive")
    return {"median": middle, "lower": lower, "upper": upper,
            "minima": min(map(min, slow)) / min(map(min, fast)), "rounds": len(ratios)}


def doubts(ratio):
    """Why a ratio is not to be trusted; empty where it is."""
    reasons = []
    if ratio["upper"] - ratio["lower"] > SPREAD * ratio["median"]:
        reasons.append(f"half of the rounds are between {ratio['lower']:.2f} and {ratio['upper']:.2f}")
    if abs(ratio["minima"] - ratio["median"]) > DISAGREE * ratio["median"]:
        reasons.append(f"the ratio of the minima is {ratio['minima']:.2f}")
    return reasons
