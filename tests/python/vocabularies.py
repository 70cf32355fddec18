"""Vocabularies for tests of tokenizers, and a slow tokenizer that follows the definition of SentencePiece."""
import numpy as np

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
TEXT = """The cat sleeps in the warm sun, and a man plays the guitar on the stage. Share prices fell sharply this morning;
the kitten is napping on the window sill. 1234567 numbers, 42 more! don't I'LL we've naïve café Straße 日本語 здравствуй 😀
def f(x):\n    return x + 1\n\n\n\t"""


def letters():
    """Returns a map from each of the 256 bytes to the letter that represents it in vocabularies of GPT-2."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {**{byte: chr(byte) for byte in shown}, **{byte: chr(256 + i) for i, byte in enumerate(hidden)}}


def merges(count, seed=1):
    """Returns `count` merges, each a pair of tokens, as byte-pair encoding learns them from TEXT: each merges the most
    frequent pair of neighbours."""
    spelled = letters()
    words = [[spelled[byte] for byte in (" " + word).encode()] for word in TEXT.split()]
    found = []
    while len(found) < count:
        pairs = {}
        for word in words:
            for pair in zip(word, word[1:]):
                pairs[pair] = pairs.get(pair, 0) + 1
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        found.append(best)
        words = [merged(word, best) for word in words]
    return found


def merged(word, pair):
    """Returns a word in which the neighbours `pair` are one token, from left to right."""
    out, i = [], 0
    while i < len(word):
        if tuple(word[i:i + 2]) == pair:
            out.append(word[i] + word[i + 1])
            i += 2
        else:
            out.append(word[i])
            i += 1
    return out


def byte_level(special=("<|start|>", "<|end|>", "<think>"), count=80, pre="gpt-2"):
    """Returns keys of a file with a vocabulary of bytes: special tokens (the last one is user-defined), the bytes, and
    `count` merges."""
    pairs = merges(count)
    tokens = [*special, *letters().values(), *(left + right for left, right in pairs)]
    kinds = [CONTROL] * (len(special) - 1) + [USER_DEFINED] + [NORMAL] * (len(tokens) - len(special))
    return {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": pre, "tokenizer.ggml.tokens": tokens,
            "tokenizer.ggml.token_type": kinds, "tokenizer.ggml.merges": [" ".join(pair) for pair in pairs],
            "tokenizer.ggml.bos_token_id": 0, "tokenizer.ggml.eos_token_id": 1}


def sentence_piece(count=120, prefix=True):
    """Returns keys of a file with a vocabulary of SentencePiece: <unk>, <s>, </s>, a user-defined token, the bytes,
    characters, and pieces of TEXT with random scores."""
    random = np.random.default_rng(2)
    plain = TEXT.replace(" ", "\u2581").replace("\n", "")
    starts = random.integers(0, len(plain) - 6, 40 * count)
    pieces = dict.fromkeys(plain[i:i + int(n)] for i, n in zip(starts, random.integers(2, 6, len(starts))))
    characters = sorted(set(plain) - set("日本語😀"))
    chosen = [piece for piece in pieces if not set(piece) & set("日本語😀")][:count]
    # Each piece can be merged from two tokens, as in vocabularies that SentencePiece has learned.
    parts = dict.fromkeys(piece[:end] for piece in chosen for end in range(2, len(piece) + 1))
    tokens = ["<unk>", "<s>", "</s>", "<think>", *(f"<0x{byte:02X}>" for byte in range(256)), *characters, *parts]
    kinds = [UNKNOWN, CONTROL, CONTROL, USER_DEFINED, *[BYTE] * 256, *[NORMAL] * (len(characters) + len(parts))]
    scores = [0.0] * 260 + [-1000.0] * len(characters) + [float(score) for score in -1.0 - random.permutation(len(parts))]
    return {"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": tokens, "tokenizer.ggml.token_type": kinds,
            "tokenizer.ggml.scores": scores, "tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.eos_token_id": 2,
            "tokenizer.ggml.unknown_token_id": 0, "tokenizer.ggml.add_space_prefix": prefix}


def sentence_piece_ids(keys, text):
    """Returns the token ids of a text that contains no special tokens: the neighbours whose joined text has the highest
    score are merged until no two neighbours form a token; characters without a token become bytes."""
    tokens, scores = keys["tokenizer.ggml.tokens"], keys["tokenizer.ggml.scores"]
    numbers = {token: i for i, token in enumerate(tokens)}
    prefix = " " if keys["tokenizer.ggml.add_space_prefix"] else ""
    word = list((prefix + text).replace(" ", "\u2581"))
    while True:
        best = max(((scores[numbers[a + b]], -i) for i, (a, b) in enumerate(zip(word, word[1:])) if a + b in numbers),
                   default=None)
        if best is None:
            break
        i = -best[1]
        word[i:i + 2] = [word[i] + word[i + 1]]
    return [number for piece in word
            for number in ([numbers[piece]] if piece in numbers else [4 + byte for byte in piece.encode()])]


def word_piece():
    """Returns keys of a file with a vocabulary of BERT, as llama.cpp writes it."""
    words = ["the", "cat", "sleep", "sun", "cafe", "un", "##s", "##ing", "##able", ",", ".", "want", "日", "##a", "a"]
    spelled = [word[2:] if word.startswith("##") else "\u2581" + word for word in words]
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *spelled]
    return {"tokenizer.ggml.model": "bert", "tokenizer.ggml.tokens": tokens,
            "tokenizer.ggml.token_type": [CONTROL] * 4 + [NORMAL] * len(words), "tokenizer.ggml.cls_token_id": 2,
            "tokenizer.ggml.seperator_token_id": 3, "tokenizer.ggml.unknown_token_id": 1,
            "tokenizer.ggml.padding_token_id": 0}
