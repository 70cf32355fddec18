"""Tests heddle.State, the keys and values that a model with attention keeps between calls: continued calls, calls that
drop the last rows, copies, and arguments that are rejected."""
import copy
import pickle
import unittest.mock

import numpy as np

import heddle
import support

MODEL = support.ROOT / "examples" / "10-decoder-state-in-c" / "attention.mlir"


def new_rows(count, seed):
    """Returns random inputs with `count` new rows for each of two sequences."""
    random = np.random.default_rng(seed)
    return {name: random.standard_normal((2, heads, count, 16)).astype(np.float32)
            for name, heads in (("query", 4), ("key", 2), ("value", 2))}


class States(support.Folder):
    @classmethod
    def setUpClass(cls):
        cls.model = heddle.compile(MODEL, dims={"batch_size": 2, "sequence_length": range(1, 9), "capacity": range(8, 33)})

    def state(self):
        """Returns an empty state with room for 16 rows of each sequence."""
        return heddle.State(self.model, capacity=16)

    def test_calls_continue_from_the_state(self):
        state, whole = self.state(), self.state()
        rows = new_rows(7, 1)
        out = self.model(**rows, state=whole).out
        self.assertEqual(whole.filled, (7, 7))
        parts = [self.model(**{name: array[:, :, i:j] for name, array in rows.items()}, state=state).out
                 for i, j in ((0, 4), (4, 5), (5, 7))]
        self.assertEqual(state.filled, (7, 7))
        np.testing.assert_allclose(np.concatenate(parts, axis=2), out, rtol=1e-4, atol=1e-5)

    def test_rewind_copy_and_clone(self):
        state = self.state()
        self.model(**new_rows(5, 1), state=state)
        fork = state.clone()
        last = self.model(**new_rows(2, 2), state=state).out
        self.model(**new_rows(1, 3), state=state)
        again = self.model(**new_rows(2, 2), past=[5, 5], state=state).out
        np.testing.assert_array_equal(last, again)
        np.testing.assert_array_equal(last, self.model(**new_rows(2, 2), state=fork).out)
        fork.copy_sequence(0, 1)
        rows = {name: np.repeat(array[:1], 2, axis=0) for name, array in new_rows(1, 4).items()}
        out = self.model(**rows, state=fork).out
        np.testing.assert_array_equal(out[0], out[1])

    def test_copies_are_independent(self):
        state = self.state()
        self.model(**new_rows(5, 1), state=state)
        copies = [copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))]
        wanted = self.model(**new_rows(2, 2), state=state).out
        for other in copies:
            self.assertEqual((other.filled, other.sizes, other._memory.ctypes.data % 64), ((5, 5), state.sizes, 0))
            np.testing.assert_array_equal(self.model(**new_rows(2, 2), state=other).out, wanted)
            self.assertEqual((other.filled, state.filled), ((7, 7), (7, 7)))
        # Simulates a state whose header refers to memory on a device.
        with unittest.mock.patch.object(state, "_on_device", True):
            for make in copy.copy, copy.deepcopy, pickle.dumps, heddle.State.clone:
                with self.check(heddle.ArgumentError, "a state in memory of a device cannot be"):
                    make(state)

    def test_libraries_of_the_same_model(self):
        """A library can continue from the state of another library of the model if both support the sizes."""
        ranges = {"batch_size": range(1, 5), "sequence_length": range(1, 9), "capacity": range(8, 33)}
        first = heddle.compile(MODEL, dims=ranges)
        second = heddle.compile(MODEL, dims={**ranges, "batch_size": "1,2..3", "sequence_length": range(2, 7)})
        state = heddle.State(first, batch_size=2, capacity=16)
        first(**new_rows(5, 1), state=state)
        moved = state.clone()
        moved._model = second
        for each in state, moved:
            each.copy_sequence(0, 1)
        out = [each._model(**new_rows(2, 2), state=each).out for each in (state, moved)]
        np.testing.assert_allclose(*out, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(state._memory.view(np.float32), moved._memory.view(np.float32), rtol=1e-4, atol=1e-5)

    def test_rows_of_fewer_bytes(self):
        rows, wide = new_rows(7, 1), self.state()
        expected = self.model(**rows, state=wide).out
        # The number of bytes in which a row of 16 numbers is stored, and the allowed error of results.
        for precision, bytes_of_row, error in (("bf16", 2 * 16, 2e-2), ("f16", 2 * 16, 2e-3), ("int8", 16 + 4, 2e-2)):
            model = heddle.compile(MODEL, dims={"batch_size": 2, "sequence_length": range(1, 9), "capacity": range(8, 33)},
                                   state_precision=precision)
            state = heddle.State(model, capacity=16)
            np.testing.assert_allclose(model(**rows, state=state).out, expected, rtol=0, atol=error)
            self.assertEqual(wide._memory.size - state._memory.size, 2 * 2 * 2 * 16 * (4 * 16 - bytes_of_row))
            with self.check(heddle.CallError, "of another model"):
                self.model.run({**new_rows(1, 1), "state": state._memory}, sizes={"capacity": 16})
        with self.check(heddle.CompileError, "keeps no states"):
            heddle.compile("softmax rows=1 d=3", state_precision="int8")
        with self.check(heddle.CompileError, "'int4' is not a type in which states can be stored"):
            heddle.compile(MODEL, state_precision="int4")

    def test_refusals(self):
        state = self.state()
        self.model(**new_rows(8, 1), state=state)
        with self.check(heddle.CallError,
                        "exceeds the number of its filled rows.*: sequence 1 has 8 rows, but the past is 9$"):
            self.model(**new_rows(1, 1), past=[8, 9], state=state)
        with self.check(heddle.CallError, "no room for .*: for sequence 0, the past is 16, the number of new rows 1, "
                                          "and the capacity 16$"):
            self.model(**new_rows(8, 1), state=state)
            self.model(**new_rows(1, 1), state=state)
        with self.check(heddle.CallError, "not initialised"):
            self.model.run({**new_rows(1, 1), "state": np.zeros(1 << 20, np.int8)}, sizes={"capacity": 16})
        with self.check(heddle.ArgumentError, "'capacity', which is not given"):
            heddle.State(self.model)
        with self.check(heddle.ArgumentError, "does not depend on the size 'sequence_length'"):
            heddle.State(self.model, capacity=16, sequence_length=2)
        for capacity in (7, 33):
            with self.check(heddle.ArgumentError, f"capacity is {capacity}, outside 8..32"):
                heddle.State(self.model, capacity=capacity)
        with self.check(heddle.ArgumentError, "has no state"):
            heddle.State(support.softmax())
        with self.check(heddle.ArgumentError, "no sequence -1"):
            state.copy_sequence(-1, 0)
        for number in (2, 2**64 + 1, 0.0):
            with self.check(heddle.ArgumentError, f"no sequence {number}"):
                state.copy_sequence(0, number)


support.main()
