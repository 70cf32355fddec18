"""Generates sentences from a small grammar; the same seed gives the same sentences. Encoders split some of the words
into several tokens. The lengths of the sentences vary as in prose."""
import math
import random

# The number of tokens of a sentence, including [CLS] and [SEP], has a log-normal distribution between LEAST and MOST.
# SPREAD is the standard deviation of its logarithm.
MEDIAN, SPREAD, LEAST, MOST = 20, 0.6, 3, 100

NOUNS = ("river government teacher window market engine garden letter doctor station mountain computer language winter "
         "company village bridge student machine history museum kitchen island factory journalist thermometer "
         "infrastructure photosynthesis cardiologist").split()
VERBS = ("found built watched opened sold followed described carried changed measured visited repaired painted moved "
         "remembered refused discovered reorganized transcribed").split()
ADJECTIVES = ("old small quiet early large bright heavy local modern distant famous green narrow careful expensive "
              "unpredictable nineteenth-century").split()
PLACES = "near behind under above across inside beyond against".split()
JOINTS = ["and", "but", "while", "because", "although", ", and", ", which is why", "; later ,"]
TIMES = ["in 1987", "on Monday", "last year", "at 7:45", "every day", "for $12,500"]


def noun_phrase(generator):
    adjectives = generator.choices(ADJECTIVES, k=generator.choice([0, 0, 1, 1, 2]))
    return [generator.choice(["the", "a", "every", "her", "this"]), *adjectives, generator.choice(NOUNS)]


def clause(generator):
    words = noun_phrase(generator) + [generator.choice(VERBS)] + noun_phrase(generator)
    if generator.random() < 0.5:
        words += [generator.choice(PLACES)] + noun_phrase(generator)
    if generator.random() < 0.3:
        words += generator.choice(TIMES).split()
    return words


def length(generator):
    """Returns a random target number of tokens."""
    while True:
        drawn = round(math.exp(generator.gauss(math.log(MEDIAN), SPREAD)))
        if LEAST <= drawn <= MOST:
            return drawn


def pieces(word):
    """Estimates the number of tokens of a word."""
    return sum(1 for kind in "-:$,;" if kind in word and len(word) > 1) * 2 + 1 + (len(word) > 12)


def sentence(generator):
    """Returns a random sentence of clauses that are joined by JOINTS."""
    # The room excludes [CLS], [SEP] and the full stop. The sentence ends before the first word that exceeds the room.
    room, words = length(generator) - 3, []
    while True:
        for word in ([] if not words else generator.choice(JOINTS).split()) + clause(generator):
            if pieces(word) > room:
                text = " ".join(words) if len(words) > 1 else generator.choice(["yes", "no", "why"])
                return text[0].upper() + text[1:].replace(" ,", ",").replace(" ;", ";") + "."
            words.append(word)
            room -= pieces(word)


def make(count, seed):
    generator = random.Random(seed)
    return [sentence(generator) for _ in range(count)]
