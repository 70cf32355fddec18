"""One step of a transformers decoder. The past is in a static cache, which has room for one more position."""
import torch

from . import Contestant

NAME, PACKAGE = "transformers", "transformers"


def prepare(work, threads):
    from transformers import StaticCache
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    decoder, token, last = work.decoder, work.tensor("input_ids"), []
    cache = work.filled(StaticCache(config=decoder.config, max_cache_len=work.past + 1))

    def call():
        # Discards the token of the previous call, so each call continues the same past.
        for layer in cache.layers:
            layer.cumulative_length.fill_(work.past)
        last[:] = [decoder(input_ids=token, past_key_values=cache).logits[:, -1]]
    return Contestant(call, lambda: {"logits": last[0].numpy()})
