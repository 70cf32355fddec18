"""Tests decoders whose keys and values are stored in int8, bf16, f16 or f32. A llama in numpy (numpy_llama.py) computes
the same logits; its keys and values must round to the stored ones, which its next steps use. Prompts of different
lengths are one batch. Thirty steps of one token each follow. Before one of them, each sequence drops its last tokens, a
different number for each sequence, and continues after the remaining ones. Another test computes steps after a past of
several blocks of keys."""
import json

import numpy as np

import heddle
import support
from numpy_llama import Llama

LLAMA = support.ROOT / "tests" / "data" / "huggingface" / "tiny-llama"
CAPACITY = 40
APART = 5e-6  # how far rows in f32 and f64 may differ before they are rounded, relative to the largest number of a row


def found_in(tensors, precision, layer, part, place):
    """Returns the numbers that the stored rows at `place` represent, one row for each head, and for each number the
    distance between neighbouring numbers that can be stored. `tensors` are the tensors of the state; `part` is 0 for
    keys and 1 for values."""
    if precision == "int8":
        rows, scales = (tensors[4 * layer + 2 * part + i][place] for i in range(2))
        return rows * scales.astype(np.float64), np.broadcast_to(scales.astype(np.float64), rows.shape)
    rows = tensors[2 * layer + part][place]
    if precision == "bf16":
        rows = (rows.astype(np.uint32) << 16).view(np.float32)
    numbers, digits = rows.astype(np.float64), {"bf16": 7, "f16": 10, "f32": 23}[precision]
    return numbers, 2.0 ** (np.floor(np.log2(np.abs(numbers))) - digits)


class Kept:
    """Functions `store` for the llama in numpy. They return the rows that the library has stored in its state, after
    checking that these are the rows of numpy, rounded. `count` is the number of checked elements, and `moved` the
    number of elements that rounding changed by more than 1% of the distance between neighbouring stored numbers."""

    def __init__(self, test, state, precision, apart=APART):
        self.test, self.tensors, self.precision, self.apart = test, state._tensors, precision, apart
        self.count = self.moved = 0

    def store(self, sequence, position):
        """Returns the function `store` for one token of a sequence."""
        def store(layer, part, rows):
            place = (sequence, slice(None), position)
            found, step = found_in(self.tensors, self.precision, layer, part, place)
            largest = np.broadcast_to(np.abs(rows).max(axis=1, keepdims=True), rows.shape)
            if self.precision == "int8":
                np.testing.assert_allclose(step, largest / 127, rtol=self.apart)
            wrong = np.abs(found - rows) > 0.5 * step + self.apart * largest
            if wrong.any():
                self.test.fail(f"{found} is not {rows}, rounded")
            self.count += found.size
            self.moved += int((np.abs(found - rows) > 0.01 * step).sum())
            return found
        return store


class StoredStates(support.Folder):
    @classmethod
    def setUpClass(cls):
        cls.llama = Llama(LLAMA)
        cls.steps = support.read_safetensors(LLAMA / "decoding.safetensors")

    def play(self, precision):
        """Compares a decoder whose states are stored in `precision` with numpy. Returns the largest difference of its
        logits from those of numpy with the same stored rows, their largest difference from those of numpy with rows
        that are not rounded, and the share of stored numbers that rounding changed."""
        steps, lengths = self.steps, [int(n) for n in self.steps["lengths"]]
        model = heddle.compile(LLAMA, decoder=True, state_precision=precision, dims={
            "batch_size": range(1, 5), "sequence_length": "1,2..8", "capacity": range(8, 65)})
        state = heddle.State(model, batch_size=len(lengths), capacity=CAPACITY)
        kept = Kept(self, state, precision)
        rounded, exact = ([self.llama.empty() for _ in lengths] for _ in range(2))
        near = far = 0.0

        def call(ids, past, counts):
            """Computes the next tokens of all sequences with the library and in numpy. Sequence i has `past[i]` earlier
            tokens and `counts[i]` new ones. Returns the logits of the last sequence without rounding."""
            nonlocal near, far
            found = model(input_ids=ids, past=past, last=[n - 1 for n in counts], state=state).logits
            for sequence, (begin, count) in enumerate(zip(past, counts)):
                for mine in rounded[sequence], exact[sequence]:
                    for parts in mine:
                        parts[:] = [rows[:, :begin] for rows in parts]
                for i, token in enumerate(ids[sequence, :count]):
                    wanted = self.llama.step(token, rounded[sequence], kept.store(sequence, begin + i))
                    wide = self.llama.step(token, exact[sequence], lambda layer, part, rows: rows)
                near = max(near, np.abs(found[sequence] - wanted).max())
                far = max(far, np.abs(found[sequence] - wide).max())
            return wide

        call(steps["prompts"], [0] * len(lengths), lengths)
        for step in range(steps["tokens"].shape[1]):
            wide = call(steps["tokens"][:, step:step + 1], [int(n) for n in steps["past"][:, step]], [1] * len(lengths))
            # Without rounding, the llama in numpy computes the same logits as transformers.
            np.testing.assert_allclose(wide, steps["logits"][-1, step + 1], rtol=0, atol=5e-6)
        print(f"{precision}: rounding changed {kept.moved} of {kept.count} stored numbers; logits differ from "
              f"those of numpy by at most {near:.2g} with the stored rows and {far:.2g} without rounding; "
              f"the largest logit is {np.abs(steps['logits']).max():.2g}")
        return near, far, kept.moved / kept.count

    def test_every_format(self):
        for precision, least in (("int8", 1e-3), ("bf16", 1e-3), ("f16", 1e-4), ("f32", 0)):
            with self.subTest(precision=precision):
                near, far, moved = self.play(precision)
                self.assertLess(near, 2e-5)
                self.assertGreaterEqual(far, least)  # The rounding of rows must have an effect.
                self.assertGreater(moved, 0.5)

    def wide_llama(self):
        """Writes a llama whose heads have as many elements as a vector of AVX-512, with three query heads per key head;
        returns its folder."""
        words, heads, stored, size, between = 13, 6, 2, 16, 64
        width = heads * size
        config = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": width,
                  "intermediate_size": between, "num_hidden_layers": 1, "num_attention_heads": heads,
                  "num_key_value_heads": stored, "head_dim": size, "vocab_size": words, "max_position_embeddings": 2048,
                  "rms_norm_eps": 1e-6, "hidden_act": "silu", "tie_word_embeddings": False,
                  "rope_parameters": {"rope_theta": 1e20, "rope_type": "default"}}  # Angles have small errors in f32.
        (self.folder / "config.json").write_text(json.dumps(config))
        layer = "model.layers.0."
        shapes = {f"{layer}self_attn.{part}_proj": (rows * size, width) for part, rows in zip("qkv", (heads, stored, stored))}
        shapes |= {f"{layer}self_attn.o_proj": (width, width), f"{layer}mlp.down_proj": (width, between)}
        shapes |= {f"{layer}mlp.{part}_proj": (between, width) for part in ("gate", "up")}
        random = np.random.default_rng(5)
        tensors = {f"{name}.weight": random.standard_normal(shape) * 2 / np.sqrt(shape[1]) for name, shape in shapes.items()}
        tensors |= {name: random.standard_normal((words, width)) for name in ("model.embed_tokens.weight", "lm_head.weight")}
        tensors |= {f"{name}norm.weight": np.ones(width)
                    for name in (f"{layer}input_layer", f"{layer}post_attention_layer", "model.")}
        support.write_safetensors(self.folder / "model.safetensors",
                                  {name: array.astype(np.float32) for name, array in tensors.items()})
        return self.folder

    def test_several_blocks_of_keys(self):
        """The logits of steps after 1300 and 700 tokens have the same bits on one thread and on two, and agree with
        numpy. The library processes the keys in blocks of 512."""
        folder, chunk, ends = self.wide_llama(), 650, (1300, 700)
        llama, random = Llama(folder), np.random.default_rng(6)
        tokens = random.integers(0, 13, (2, max(ends) + 4))
        for precision in ("int8", "bf16"):
            for cpu in (None, "x86-64-v3"):
                with self.subTest(precision=precision, cpu=cpu):
                    model = heddle.compile(folder, decoder=True, state_precision=precision, cpus=cpu, dims={
                        "batch_size": range(1, 3), "sequence_length": f"1,2..{chunk}", "capacity": range(8, 2001)})
                    state = heddle.State(model, batch_size=2, capacity=1600)
                    kept, mine = Kept(self, state, precision, apart=2e-5), [llama.empty() for _ in ends]
                    for past, counts in ([0, 0], [chunk, chunk]), ([chunk, chunk], [chunk, ends[1] - chunk]):
                        ids = np.stack([row[first:first + chunk] for row, first in zip(tokens, past)])
                        model(input_ids=ids, past=past, last=[n - 1 for n in counts], state=state)
                        for sequence, (begin, count) in enumerate(zip(past, counts)):
                            for i in range(count):
                                llama.step(ids[sequence, i], mine[sequence], kept.store(sequence, begin + i))
                    for step in range(4):
                        past = [end + step for end in ends]
                        call = dict(input_ids=np.stack([row[i:i + 1] for row, i in zip(tokens, past)]), past=past,
                                    last=[0, 0], state=state)
                        found = model.run(call, threads=1).logits.copy()
                        np.testing.assert_array_equal(model.run(call, threads=2).logits, found)
                        for sequence, begin in enumerate(past):
                            wanted = llama.step(tokens[sequence, begin], mine[sequence], kept.store(sequence, begin))
                            np.testing.assert_allclose(found[sequence], wanted, rtol=0, atol=1e-5 * np.abs(wanted).max())


support.main()
