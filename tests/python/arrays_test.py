"""Tests which arrays a model accepts as inputs and for results (arrays of other frameworks by DLPack, arrays with
strides) and which arrays it rejects."""
import ctypes
import weakref

import numpy as np

import heddle
import support
from heddle import _dlpack
from support import rows


class Foreign:
    """An array of another framework, which supports only DLPack. __dlpack_device__ returns `device`. If `code` is not
    None, it replaces the type code of DLPack."""

    def __init__(self, array, device=(1, 0), code=None):
        self.array, self.device, self.code = array, device, code
        self.shape = array.shape

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **unused):
        capsule = self.array.__dlpack__()
        if self.code is not None:  # The code 4 is bfloat16, which numpy does not have.
            _dlpack._Tensor.from_address(_dlpack._pointer(capsule, b"dltensor")).code = self.code
        return capsule


class Interface:
    """An array with __array_interface__."""

    def __init__(self, array):
        self.array, self.__array_interface__ = array, array.__array_interface__


class Arrays(support.Folder):
    @classmethod
    def setUpClass(cls):
        cls.model = support.softmax()
        cls.x = rows(5)
        cls.expected = cls.model(cls.x).out

    def same(self, x):
        """Checks that the model computes the expected results for x."""
        np.testing.assert_array_equal(self.model(x).out, self.expected)

    def test_other_frameworks(self):
        self.same(Foreign(self.x))
        self.same(Interface(self.x))
        self.same(memoryview(self.x))
        self.same(Foreign(np.asfortranarray(self.x)))
        self.same(Foreign(np.repeat(self.x, 2, axis=0)[::2]))

    def test_dense_memory_is_not_copied(self):
        for given in (self.x, Foreign(self.x), Interface(self.x)):
            array, _ = heddle.model._arrays.readable(given, "float32", "x", None)
            self.assertEqual(array.ctypes.data, self.x.ctypes.data)

    def test_strides_are_copied(self):
        self.same(np.asfortranarray(self.x))
        self.same(np.repeat(self.x, 2, axis=0)[::2])
        self.same(self.x[::-1][::-1])
        self.same(np.concatenate([self.x, self.x], axis=1)[:, :39])
        bytes_ = np.zeros(self.x.nbytes + 1, np.uint8)
        unaligned = bytes_[1:].view(np.float32).reshape(self.x.shape)
        unaligned[...] = self.x
        self.same(unaligned)
        self.same(np.broadcast_to(self.x, self.x.shape))

    def test_strided_views_larger_than_memory(self):
        one = np.float32(1)
        self.assertEqual(self.model(np.broadcast_to(one, (64, 39))).out.shape, (64, 39))
        for shape, pattern in (((1 << 40, 39), "rows is 1099511627776, outside 1..64"),
                               ((1, 39, 1 << 50), "expected 2 dimensions"),
                               ((2, 1 << 50), r"expected shape \[2, 39\], found \[2, 1125899906842624\]")):
            with self.check(heddle.ArgumentError, "model: input 'input': " + pattern):
                self.model(np.broadcast_to(one, shape))
        with self.check(heddle.ArgumentError, "rows"):
            self.model.run({"input": np.asfortranarray(self.x)}, sizes={"rows": 4})

    def test_read_only_arrays(self):
        x = self.x.copy()
        x.flags.writeable = False
        self.same(x)

    def test_types_are_not_converted(self):
        for dtype in (np.float64, np.float16, np.int32, np.complex64, ">f4", object):
            with self.check(heddle.ArgumentError, "softmax|model.*: input 'input': expected float32, found"):
                self.model(self.x.astype(dtype))
        with self.check(heddle.ArgumentError, r"expected float32, found int64; .astype\('float32'\) makes a copy that fits"):
            self.model(Foreign(np.zeros((1, 39), np.int64)))

    def test_lists_must_fit_the_type(self):
        encoder = support.encoder()
        for wrong in ([[1.5]], [["a"]], [[None]], [[1 << 70]], [[1], [2, 3]], [[object()]]):
            with self.check(heddle.ArgumentError, "input 'input_ids'"):
                encoder(wrong)
        with self.check(heddle.ArgumentError, "input 'input'"):
            self.model("text")
        with self.check(heddle.ArgumentError, "input 'input'"):
            self.model(b"bytes")

    def test_values_that_are_no_arrays(self):
        inside = []
        inside.append(inside)
        for wrong in (None, (x for x in [1.0]), object(), {"a": 1}, {1.0}, lambda: 0, np.array("text"), np.array(["a", "b"]),
                      np.array([None, 1.0], dtype=object), np.zeros(3, "V8"), np.zeros(2, [("a", "f4")]), np.float32, inside,
                      np.datetime64("2020-01-01"), np.array([1 + 2j]), "\ud800", "a\0", ["x", None], float("nan")):
            with self.check(heddle.ArgumentError, "model: input 'input'"):
                self.model(wrong)

    def test_devices_are_refused(self):
        with self.check(heddle.ArgumentError, "expected memory of the host, found a tensor on cuda"):
            self.model(Foreign(self.x, device=(2, 0)))

    def test_objects_whose_dlpack_method_fails(self):
        class Broken(Foreign):
            def __dlpack__(self, **unused):
                raise BufferError("needs a gradient")

        with self.check(heddle.ArgumentError, "Broken cannot be exported with DLPack: needs a gradient"):
            self.model(Broken(self.x))

        class Other(Foreign):
            def __dlpack__(self, **unused):
                return self.array

        with self.check(heddle.ArgumentError, "Other cannot be exported with DLPack: PyCapsule_GetPointer"):
            self.model(Other(self.x))
        with self.check(heddle.ArgumentError, "Foreign does not tell its device by DLPack"):
            self.model(Foreign(self.x, device="cpu"))

    def test_bfloat16_by_dlpack(self):
        model = heddle.compile("softmax rows=3 d=8 type=bf16")
        bits = heddle.to_bfloat16(rows(3, 8))
        expected = model(bits).out
        np.testing.assert_array_equal(model(Foreign(bits, code=4)).out, expected)
        with self.check(heddle.ArgumentError, "expected bfloat16, found float32; heddle.to_bfloat16 makes a rounded copy"):
            model(rows(3, 8))
        with self.check(heddle.ArgumentError, "expected float32, found bfloat16"):
            self.model(Foreign(heddle.to_bfloat16(self.x), code=4))
        out = np.zeros((3, 8), np.uint16)
        self.assertEqual(model.run({"input": bits}, out={"out": out}).out.dtype, np.uint16)
        np.testing.assert_array_equal(heddle.from_bfloat16(out), expected)

    def test_results_in_memory_of_the_caller(self):
        out = np.full((5, 39), np.nan, np.float32)
        result = self.model.run({"input": self.x}, out={"out": out})
        self.assertIs(result.out, out)
        np.testing.assert_array_equal(out, self.expected)
        foreign = Foreign(np.full((5, 39), np.nan, np.float32))
        self.assertIs(self.model.run({"input": self.x}, out={"out": foreign}).out, foreign)
        np.testing.assert_array_equal(foreign.array, self.expected)

    def test_views_keep_memory_of_others_alive(self):
        array = rows(5)
        reference = weakref.ref(array)
        view = heddle.model._arrays.writable(Foreign(array), "float32", "x", None)
        del array
        self.assertIsNotNone(reference())
        del view
        self.assertIsNone(reference())

    def test_read_only_tensors_of_others(self):
        class Versioned(Foreign):
            def __dlpack__(self, **arguments):
                return self.array.__dlpack__(**arguments)

        read_only = self.expected.copy()
        read_only.flags.writeable = False
        # Before version 2.1, numpy itself refuses to export the array.
        with self.check(heddle.ArgumentError, "output 'out': (expected memory to write to, found a tensor that may only be read"
                                              "|Versioned cannot be exported)"):
            self.model.run({"input": self.x}, out={"out": Versioned(read_only)})
        out = np.full((5, 39), np.nan, np.float32)
        self.model.run({"input": self.x}, out={"out": Versioned(out)})
        np.testing.assert_array_equal(out, self.expected)

    def test_memory_that_cannot_be_written(self):
        def refused(out, pattern):
            with self.check(heddle.ArgumentError, pattern):
                self.model.run({"input": self.x}, out={"out": out})

        refused(np.zeros((5, 39), np.float64), "output 'out': expected float32, found float64")
        refused(np.zeros((39, 5), np.float32).T, "expected dense memory in row-major order")
        refused(np.zeros((4, 39), np.float32), "out")
        refused(self.x, "output 'out': expected memory of its own, found the memory of 'input'")
        refused([[0.0]], "expected an array to write to, found list")
        read_only = np.zeros((5, 39), np.float32)
        read_only.flags.writeable = False
        refused(read_only, "an array that may only be read")
        with self.check(heddle.ArgumentError, "no output is called 'y'"):
            self.model.run({"input": self.x}, out={"y": self.x})

    def test_bfloat16_rounds_to_the_nearest(self):
        numbers = np.array([1.0, 1 + 2**-9, 1 + 3 * 2**-8, -0.0, np.inf, -np.inf, 3.4e38], np.float32)
        expected = np.array([1.0, 1.0, 1 + 2**-6, -0.0, np.inf, -np.inf, np.inf], np.float32)
        np.testing.assert_array_equal(heddle.from_bfloat16(heddle.to_bfloat16(numbers)), expected)
        self.assertTrue(np.isnan(heddle.from_bfloat16(heddle.to_bfloat16(np.float32(np.nan)))))
        not_a_number = np.array([0x7F800001], np.uint32).view(np.float32)
        self.assertTrue(np.isnan(heddle.from_bfloat16(heddle.to_bfloat16(not_a_number)))[0])


assert ctypes.sizeof(_dlpack._Tensor) == 48
support.main()
