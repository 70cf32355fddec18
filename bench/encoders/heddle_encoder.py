"""Heddle's own encoder, heddle.SentenceEncoder."""
import heddle

from . import Encoder


def prepare(model, exports, threads):
    encoder = heddle.SentenceEncoder(model, threads=threads)
    return {"heddle": Encoder(lambda sentences, batch: encoder.encode(sentences, batch_size=batch))}
