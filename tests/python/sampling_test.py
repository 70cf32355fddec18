"""heddle.Sampling: the tokens that may be chosen and their probabilities agree with formulas that are written out here
token by token, and with the frequencies of many choices."""
import math

import numpy as np

import heddle
import support
from heddle.language import _distribution
from heddle.language.sampling import Sampler

RANDOM = np.random.default_rng(7)


def probabilities(logits):
    largest = max(logits)
    powers = [math.exp(logit - largest) for logit in logits]
    return [power / sum(powers) for power in powers]


def allowed(logits, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0):
    """Returns the probability of each token that may be chosen. The parameters are applied in the order of llama.cpp:
    top_k, top_p, min_p, temperature."""
    order = sorted(range(len(logits)), key=lambda token: (-logits[token], token))
    if top_k:
        order = order[:top_k]
    chances, kept, total = probabilities([logits[token] for token in order]), [], 0.0
    for token, chance in zip(order, chances):
        kept.append(token)
        total += chance
        if total >= top_p:
            break
    kept = [token for token, chance in zip(kept, chances) if chance >= min_p * chances[0]]
    return dict(zip(kept, probabilities([logits[token] / temperature for token in kept])))


def choices(logits, count, seed=0, prompt=(), **parameters):
    sampler = Sampler(heddle.Sampling(seed=seed, **parameters), prompt)
    return [sampler.choose(logits).token for _ in range(count)]


class Choices(support.Folder):
    def test_tokens_that_may_be_chosen(self):
        for case in range(150):
            size = int(RANDOM.integers(1, 40)) if case % 10 else 3000
            logits = np.round(RANDOM.normal(0, 3, size), 1)  # some are equal
            parameters = {"temperature": RANDOM.uniform(0.3, 2), "top_k": int(RANDOM.integers(0, 12)),
                          "top_p": RANDOM.choice([1.0, RANDOM.uniform(0.05, 1)]), "min_p": RANDOM.choice([0, 0.05, 0.3, 1])}
            wanted = allowed(list(logits), **parameters)
            tokens, found = _distribution.candidates(logits, **parameters)
            self.assertEqual(set(map(int, tokens)), set(wanted), parameters)
            for token, chance in zip(tokens, found):
                self.assertAlmostEqual(chance, wanted[int(token)], delta=1e-12)

    def test_frequencies(self):
        logits, count = np.log([0.5, 0.2, 0.15, 0.1, 0.05]), 3000
        for parameters in ({"temperature": 1}, {"temperature": 0.5}, {"temperature": 2.0, "top_k": 3},
                           {"temperature": 1, "top_p": 0.8}, {"temperature": 1.5, "min_p": 0.25}):
            wanted = allowed(list(logits), **{"temperature": 1.0, **parameters})
            found = np.bincount(choices(logits, count, penalty_tokens=0, **parameters), minlength=5)
            for token in range(5):
                chance = wanted.get(token, 0.0)
                self.assertLessEqual(abs(found[token] - count * chance), 4 * math.sqrt(count * chance * (1 - chance)) + 1e-9)

    def test_forbidden_tokens_are_never_drawn(self):
        logits = np.array([-np.inf, 0.0, -np.inf, 1.0, -np.inf])
        self.assertEqual(set(choices(logits, 500, temperature=5)), {1, 3})
        self.assertEqual([_distribution.draw(np.array([0, 0.5, 0, 0.5, 0]), number) for number in (0.0, 0.499, 0.5, 1 - 2**-53)],
                         [1, 1, 3, 3])

    def test_extreme_numbers(self):
        for temperature in (1e-308, 1e-3, 1e300):
            found = set(choices(np.array([5.0, 1.0, 3.0, -4.0]), 50, temperature=temperature))
            self.assertTrue(found == {0} if temperature < 1 else len(found) > 2, found)
        # For a flat distribution, top_p keeps most tokens, more than the 1024 that `candidates` sorts first.
        logits = RANDOM.normal(0, 1e-3, 5000)
        wanted = allowed(list(logits), top_p=0.9)
        tokens, _ = _distribution.candidates(logits, 1.0, 0, 0.9, 0.0)
        self.assertEqual(set(map(int, tokens)), set(wanted))
        self.assertGreater(len(wanted), 4000)

    def test_temperature_0_chooses_the_first_largest(self):
        self.assertEqual(choices(np.array([1.0, 3.0, 3.0]), 5), [1] * 5)

    def test_seeds(self):
        logits = np.zeros(1000)
        first, again, other = (choices(logits, 20, seed=seed, temperature=1) for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        sampling = heddle.Sampling(temperature=1, seed=1)
        numbered = [Sampler(sampling, (), number).choose(logits).token for number in range(50)]
        self.assertGreater(len(set(numbered)), 40)

    def test_penalties(self):
        logits, tokens = np.array([2.0, -1.0, 0.5, 4.0]), [0, 1, 1, 3, 1]
        changed = logits.copy()
        _distribution.penalise(changed, tokens, 2.0, 0.25, 0.1)
        np.testing.assert_allclose(changed, [2 / 2 - 0.25 - 0.1, -1 * 2 - 0.25 - 0.3, 0.5, 4 / 2 - 0.25 - 0.1], rtol=1e-15)
        # Penalties apply to the last `penalty_tokens` tokens, including those that were chosen.
        logits = np.array([3.0, 2.0, 1.0])
        self.assertEqual(choices(logits, 6, presence_penalty=10, penalty_tokens=1), [0, 1, 0, 1, 0, 1])
        self.assertEqual(choices(logits, 6, presence_penalty=10, penalty_tokens=2), [0, 1, 2, 0, 1, 2])
        self.assertEqual(choices(logits, 2, prompt=[0], presence_penalty=10, penalty_tokens=-1), [1, 2])
        self.assertEqual(choices(logits, 3, frequency_penalty=0.6, penalty_tokens=-1), [0, 0, 1])
        self.assertEqual(choices(logits, 3, presence_penalty=10, penalty_tokens=0), [0, 0, 0])

    def test_log_probabilities(self):
        logits = RANDOM.normal(0, 3, 50)
        wanted = np.log(probabilities(list(logits)))
        sampler = Sampler(heddle.Sampling(temperature=1, top_k=1, presence_penalty=50.0), [int(np.argmax(logits))], logprobs=4)
        choice = sampler.choose(logits)
        order = np.argsort(-logits)
        self.assertEqual(choice.token, order[1])  # The penalty does not change the model's log-probabilities.
        self.assertAlmostEqual(choice.logprob, wanted[order[1]], delta=1e-12)
        self.assertEqual([token for token, _ in choice.top], list(order[:4]))
        np.testing.assert_allclose([value for _, value in choice.top], wanted[order[:4]], rtol=1e-12)
        self.assertEqual(Sampler(heddle.Sampling(), [], logprobs=0).choose(logits).top, ())

    def test_processor(self):
        seen = []

        def only_two(tokens, logits):
            seen.append(tokens)
            logits[:] = np.where(np.arange(4) == 2, 0.0, -np.inf)
            return logits

        logits = np.arange(4.0)
        sampler = Sampler(heddle.Sampling(temperature=1), [9], processor=only_two, logprobs=1)
        self.assertEqual([sampler.choose(logits).token for _ in range(2)], [2, 2])
        self.assertEqual(seen, [[9], [9, 2]])
        np.testing.assert_array_equal(logits, np.arange(4.0))
        for found, pattern in ((np.zeros(3), r"expected 4 logits, found an array of shape \[3\]"), (None, "expected 4 logits"),
                               (np.full(4, np.nan), "with NaN"), (np.full(4, -np.inf), "all tokens are forbidden"),
                               (np.array([0, np.inf, 0, 0]), "a logit is inf")):
            with self.check(heddle.ArgumentError, f"logits_processor: .*{pattern}"):
                Sampler(heddle.Sampling(), [], processor=lambda tokens, logits: found).choose(logits)

    def test_parameters(self):
        for name, wrong in (("temperature", (-0.1, math.nan, math.inf, "1", True, None)), ("top_k", (-1, 1.5, None)),
                            ("top_p", (0, 1.01, math.nan)), ("min_p", (-0.1, 1.1)), ("repetition_penalty", (0, -1)),
                            ("presence_penalty", (math.inf,)), ("frequency_penalty", ("a",)), ("penalty_tokens", (-2, 0.5)),
                            ("seed", (-1, 0.5))):
            for value in wrong:
                with self.check(heddle.ArgumentError, f"{name}: expected .*, found {value!r}"):
                    heddle.Sampling(**{name: value})
        with self.check(heddle.ArgumentError, "no parameter is called 'tempreture'; the parameters of sampling are temperature,"):
            heddle.Sampling.of({"tempreture": 1})


support.main()
