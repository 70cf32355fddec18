"""Tests calls of a model with numpy arrays: names, positions, sizes, results, and arguments that are rejected."""
import numpy as np

import heddle
import support
from support import rows, softmax_of


class Calls(support.Folder):
    @classmethod
    def setUpClass(cls):
        cls.model = support.softmax()
        cls.encoder = support.encoder()

    def test_by_position_by_name_and_as_lists(self):
        x = rows(5)
        expected = softmax_of(x)
        for result in (self.model(x), self.model(input=x), self.model.run({"input": x}), self.model(x.tolist())):
            np.testing.assert_allclose(result.out, expected, rtol=1e-5)
            self.assertEqual(result.out.dtype, np.float32)

    def test_every_size_of_the_range(self):
        for count in range(1, 65):
            x = rows(count)
            np.testing.assert_allclose(self.model(x)[0], softmax_of(x), rtol=1e-5)

    def test_outputs_are_a_tuple_with_names(self):
        ids = np.array([[1, 3, 4, 5, 2]])
        result = self.encoder(ids)
        hidden, embedding = result
        self.assertEqual(result.keys(), ("last_hidden_state", "sentence_embedding"))
        self.assertIs(result["sentence_embedding"], embedding)
        self.assertIs(result.last_hidden_state, hidden)
        self.assertEqual(dict(result).keys(), {"last_hidden_state", "sentence_embedding"})
        self.assertEqual(embedding.shape, (1, 64))
        self.assertEqual(repr(result), "Outputs(last_hidden_state=[1, 5, 64] float32, sentence_embedding=[1, 64] float32)")
        with self.check(KeyError, "no output is called 'pooled'; there are last_hidden_state, sentence_embedding"):
            result["pooled"]
        with self.assertRaises(AttributeError):
            result.pooled

    def test_selected_outputs(self):
        result = self.encoder.run({"input_ids": [[1, 2]]}, outputs=["sentence_embedding"])
        self.assertEqual(result.keys(), ("sentence_embedding",))
        with self.check(heddle.ArgumentError, "no output is called 'pooled'"):
            self.encoder.run({"input_ids": [[1, 2]]}, outputs=["pooled"])

    def test_optional_inputs_have_defaults(self):
        ids = np.array([[1, 3, 4, 5, 2]])
        alone = self.encoder(ids).sentence_embedding
        given = self.encoder(input_ids=ids, attention_mask=np.ones_like(ids), token_type_ids=None).sentence_embedding
        np.testing.assert_array_equal(alone, given)

    def test_description(self):
        self.assertEqual(self.model.inputs, (heddle.Tensor("input", "float32", ("rows", 39)),))
        self.assertEqual(self.model.sizes, (heddle.Size("rows", 1, 64),))
        ids, mask = self.encoder.inputs[:2]
        self.assertEqual((ids.dtype, ids.shape, ids.optional), ("int64", ("batch_size", "sequence_length"), False))
        self.assertEqual((ids.low, ids.high), (0, 119))
        self.assertEqual((mask.name, mask.optional, mask.default), ("attention_mask", True, 1))
        self.assertEqual([output.shape for output in self.encoder.outputs],
                         [("batch_size", "sequence_length", 64), ("batch_size", 64)])
        self.assertIn(self.encoder.variant, self.encoder.variants)
        self.assertIsNone(self.encoder.device)
        self.assertIn("input_ids: int64[batch_size, sequence_length]", repr(self.encoder))

    def test_wrong_names(self):
        with self.check(heddle.ArgumentError, "no input is called 'y'; there are input"):
            self.model(y=rows(1))
        with self.check(heddle.ArgumentError, "'input' is given by position and by name"):
            self.model(rows(1), input=rows(1))
        with self.check(heddle.ArgumentError, "expected 1 inputs at most, found 2"):
            self.model(rows(1), rows(1))
        for given in ({}, {"input": None}):
            with self.check(heddle.ArgumentError, "input"):
                self.model(**given)

    def test_wrong_shapes(self):
        for shape, pattern in (((5, 38), r"expected shape \[5, 39\], found \[5, 38\]"),
                               ((5,), "expected 2 dimensions, found 1"),
                               ((5, 39, 1), "expected 2 dimensions, found 3"), ((65, 39), "rows is 65, outside 1..64"),
                               ((0, 39), "rows is 0, outside 1..64"), ((5, 0), r"expected shape \[5, 39\], found \[5, 0\]"),
                               ((), "expected 2 dimensions, found 0"), ((0, 0), r"found \[0, 0\]|rows is 0"),
                               ((1,) * 32, "expected 2 dimensions, found 32")):
            with self.check(heddle.ArgumentError, "model: input 'input': " + pattern):
                self.model(np.zeros(shape, np.float32))
        with self.check(heddle.ArgumentError, "attention_mask"):
            self.encoder(input_ids=np.zeros((1, 5), np.int64), attention_mask=np.ones((1, 6), np.int64))

    def test_a_failed_call_changes_nothing(self):
        x = rows(3)
        before = self.model(x).out
        with self.assertRaises(heddle.ArgumentError):
            self.model(np.zeros((3, 38), np.float32))
        np.testing.assert_array_equal(self.model(x).out, before)

    def test_indices_out_of_range(self):
        for wrong in (-1, 120, 1 << 40):
            with self.check(heddle.IndexRangeError, "tiny|model") as caught:
                self.encoder([[1, wrong, 2]])
            self.assertEqual(caught.exception.status, 2)

    def test_sizes_passed_by_name(self):
        self.model.run({"input": rows(4)}, sizes={"rows": 4})
        with self.assertRaises(heddle.ArgumentError):
            self.model.run({"input": rows(4)}, sizes={"rows": 5})
        for sizes in ({"columns": 4}, {"rows": 65}, {"rows": -1}, {"rows": 1 << 80}, {"rows": 4.0}, {"rows": "4"},
                      {"rows": True}, {"rows\0": 4}, {"\ud800": 4}, {5: 4}, [4], 4):
            with self.assertRaises(heddle.ArgumentError):
                self.model.run({"input": rows(4)}, sizes=sizes)
        self.model.run({"input": rows(4)}, sizes={"rows": np.int64(4)})
        self.model(rows(7))  # The sizes of one call do not apply to the next call.

    def test_a_rejected_size_also_resets_the_sizes_before_it(self):
        ids = np.ones((2, 3), np.int64)
        for _ in range(2):
            with self.check(heddle.ArgumentError, "sequence_length"):
                self.encoder.run({"input_ids": ids}, sizes={"batch_size": 3, "sequence_length": 99})
            self.encoder(ids)  # This call uses the same struct heddle_call and must succeed.

    def test_arguments_that_are_no_dicts_of_arrays(self):
        for wrong in (None, 5, [rows(1)], rows(1), "input"):
            with self.check(heddle.ArgumentError, "model: inputs: expected a dict by name, found"):
                self.model.run(wrong)
        with self.check(heddle.ArgumentError, "model: out: expected a dict by name, found list"):
            self.model.run({"input": rows(1)}, out=[rows(1)])
        for wrong in (5, [5], [["out"]], b"out", ["a\0"]):
            with self.check(heddle.ArgumentError, "outputs: "):
                self.model.run({"input": rows(1)}, outputs=wrong)
        for wrong in ({5: rows(1)}, {None: rows(1)}, {"\ud800": rows(1)}, {"input\0": rows(1)}):
            with self.check(heddle.ArgumentError, "no input is called"):
                self.model.run(wrong)

    def test_narrow_types(self):
        a, w = rows(4, 16), rows(8, 16)
        for name, epsilon in (("float16", 2e-3), ("bfloat16", 2e-2)):
            short = {"float16": "f16", "bfloat16": "bf16"}[name]
            model = heddle.compile(f"linear m=4 n=8 k=16 type={short}")
            self.assertEqual({tensor.dtype for tensor in model.inputs + model.outputs}, {name})
            narrow = heddle.to_bfloat16 if name == "bfloat16" else lambda x: x.astype(np.float16)
            wide = heddle.from_bfloat16 if name == "bfloat16" else lambda x: x.astype(np.float32)
            inputs = {tensor.name: narrow(rows(*tensor.shape) if len(tensor.shape) == 2 else rows(1, *tensor.shape)[0])
                      for tensor in model.inputs}
            x, weight, *bias = (wide(value) for value in inputs.values())
            weight = weight if weight.shape[0] == 16 else weight.T
            expected = x @ weight + (bias[0] if bias else 0)
            result = model.run(inputs)[0]
            self.assertEqual(result.dtype, np.float32 if name == "bfloat16" else np.float16)
            np.testing.assert_allclose(result.astype(np.float32), expected, rtol=epsilon, atol=4 * epsilon)


support.main()
