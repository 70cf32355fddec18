"""Tests calls with tensors on a device: tensors of another framework by DLPack, and outputs that stay on the device.

The CUDA tests use the fake driver in tests/runtime/devices, which executes kernels with an interpreter of PTX. It
executes the work in a stream only when somebody waits for it, so results are wrong if a call reads a tensor too early.
"""
import copy
import ctypes
import gc
import os
import pickle
import threading
import unittest

import numpy as np

import heddle
import support
from heddle import _dlpack
from support import rows, softmax_of

CUDA = 2  # DLPack's number of the kind of memory


class Driver:
    """The fake CUDA driver, which is called like CUDA's driver by the framework that Framework and Tensor imitate."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        for name in ("fake_calls", "fake_mistake"):
            getattr(self.library, name).restype = ctypes.c_char_p
        self.contexts = {}
        for device in (0, 1):
            self.contexts[device] = ctypes.c_void_p()
            self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.contexts[device]), device)

    def call(self, function, *arguments):
        """Calls a function of the driver, whose integers and addresses have 64 bits."""
        passed = [ctypes.c_uint64(a) if isinstance(a, int) else a for a in arguments]
        result = getattr(self.library, function)(*passed)
        if result:
            raise RuntimeError(f"{function}: {result}")

    def inside(self, device, function, *arguments):
        """Calls a function with the primary context of a device."""
        self.call("cuCtxPushCurrent_v2", self.contexts[device])
        try:
            self.call(function, *arguments)
        finally:
            self.call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))

    def make(self, device, function, *arguments):
        """Calls a function that stores a handle or an address at its first argument; returns what it stores."""
        made = ctypes.c_uint64()
        self.inside(device, function, ctypes.byref(made), *arguments)
        return made.value

    def calls(self):
        """Returns the names of the functions that were called since the last call of this function."""
        return self.library.fake_calls().decode().split()


class Tensor:
    """A tensor of a framework with its own stream. The framework has enqueued the copy that writes its elements; the
    copy begins when somebody waits for the stream."""

    def __init__(self, array, device=0, offset=0, strides=None, name=None):
        self.array = np.ascontiguousarray(array)
        self.device, self.strides, self.offset = device, strides, offset
        self.name = name or self.array.dtype.name
        size = max(self.array.nbytes, 1)
        self.memory = driver.make(device, "cuMemAlloc_v2", size + offset)
        self.pinned = driver.make(device, "cuMemHostAlloc", size, 0)
        self.stream = driver.make(device, "cuStreamCreate", 0)
        self.event = driver.make(device, "cuEventCreate", 0)
        ctypes.memmove(self.pinned, self.array.ctypes.data, self.array.nbytes)
        if self.array.size:
            driver.inside(device, "cuMemcpyHtoDAsync_v2", self.memory + offset, self.pinned, self.array.nbytes, self.stream)
        self.exports = 0  # the number of capsules that were not deleted yet

    def numpy(self):
        """Returns the elements after all work in the framework's stream."""
        driver.inside(self.device, "cuMemcpyDtoHAsync_v2", self.pinned, self.memory + self.offset, self.array.nbytes,
                      self.stream)
        driver.inside(self.device, "cuStreamSynchronize", self.stream)
        return np.ctypeslib.as_array(ctypes.cast(self.pinned, ctypes.POINTER(ctypes.c_uint8)),
                                     (self.array.nbytes,)).view(self.array.dtype).reshape(self.array.shape).copy()

    def __dlpack_device__(self):
        return CUDA, self.device

    def __dlpack__(self, *, stream):
        driver.inside(self.device, "cuEventRecord", self.event, self.stream)
        driver.inside(self.device, "cuStreamWaitEvent", stream, self.event, 0)
        self.exports += 1
        capsule = _dlpack.export(self.memory + self.offset, self.array.shape, self.name, (CUDA, self.device), Export(self))
        if self.strides:
            tensor = _dlpack._Tensor.from_address(_dlpack._pointer(capsule, b"dltensor"))
            for i, stride in enumerate(self.strides):
                tensor.strides[i] = stride
        return capsule

    def free(self):
        driver.inside(self.device, "cuStreamSynchronize", self.stream)
        driver.inside(self.device, "cuStreamDestroy_v2", self.stream)
        driver.inside(self.device, "cuEventDestroy_v2", self.event)
        driver.inside(self.device, "cuMemFreeHost", self.pinned)
        driver.inside(self.device, "cuMemFree_v2", self.memory)

    __del__ = free


class Export:
    """Keeps a tensor alive until its capsule is deleted."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __del__(self):
        self.tensor.exports -= 1


class Cuda(support.Folder):
    @classmethod
    def setUpClass(cls):
        cls.model = heddle.compile("softmax rows=1..64 d=39", device="cuda")
        cls.x = rows(5)
        cls.expected = cls.model(cls.x).out

    def setUp(self):
        super().setUp()
        driver.calls()

    def tearDown(self):
        self.assertEqual(driver.library.fake_mistake(), b"")

    def same(self, found):
        np.testing.assert_array_equal(found, self.expected)

    def test_host_tensors_as_before(self):
        self.assertIsInstance(self.expected, np.ndarray)
        np.testing.assert_allclose(self.expected, softmax_of(self.x), rtol=1e-6)

    def test_tensors_are_not_copied_through_the_host(self):
        tensor = Tensor(self.x)
        driver.calls()
        result = self.model(tensor).out
        calls = driver.calls()
        self.same(result.numpy())
        # The host waits for the framework's work before the launch, and for the result after it.
        order = [call for call in calls if call in ("cuEventRecord", "cuStreamWaitEvent", "cuStreamSynchronize",
                                                    "cuMemcpyDtoDAsync_v2", "cuGraphLaunch")]
        self.assertEqual(order, ["cuEventRecord", "cuStreamWaitEvent", "cuStreamSynchronize", "cuMemcpyDtoDAsync_v2",
                                 "cuGraphLaunch", "cuMemcpyDtoDAsync_v2", "cuStreamSynchronize"])
        # The sizes of the call are copied to the device, and nothing is copied back.
        self.assertEqual(calls.count("cuMemcpyHtoDAsync_v2"), 1)
        self.assertNotIn("cuMemcpyDtoHAsync_v2", calls)
        self.assertEqual((result.shape, result.dtype, result.device, result.ndim, result.nbytes),
                         ((5, 39), "float32", "cuda:0", 2, 5 * 39 * 4))
        self.assertEqual(repr(result), "<heddle.DeviceArray float32[5, 39] on cuda:0>")

    def test_places_can_be_mixed(self):
        host = self.model.run({"input": Tensor(self.x)}, on_device=False).out
        self.assertIsInstance(host, np.ndarray)
        self.same(host)
        device = self.model.run({"input": self.x}, on_device=True).out
        self.assertIsInstance(device, heddle.DeviceArray)
        self.same(device.numpy())
        out = np.full((5, 39), np.nan, np.float32)
        self.assertIs(self.model.run({"input": Tensor(self.x)}, out={"out": out}).out, out)
        self.same(out)

    def test_results_in_tensors_of_the_caller(self):
        out = Tensor(np.full((5, 39), np.nan, np.float32))  # this write is still enqueued when the call begins
        for given in (Tensor(self.x), self.x):
            driver.calls()
            self.assertIs(self.model.run({"input": given}, out={"out": out}).out, out)
            self.assertNotIn("cuMemcpyDtoHAsync_v2", driver.calls())
            self.same(out.numpy())
        self.assertEqual(out.exports, 0)

    def test_outputs_are_inputs_of_later_calls(self):
        first = self.model.run({"input": self.x}, on_device=True).out
        driver.calls()
        second = self.model(first).out
        self.assertNotIn("cuMemcpyDtoHAsync_v2", driver.calls())
        np.testing.assert_allclose(second.numpy(), softmax_of(softmax_of(self.x)), rtol=1e-6)
        self.model.run({"input": self.x}, out={"out": second})
        self.same(second.numpy())

    def test_inputs_that_the_host_checks(self):
        encoder = support.encoder(device="cuda")
        ids = np.array([[101, 7, 8, 102]])
        expected = encoder(ids)
        found = encoder(Tensor(ids))
        for one, other in zip(found, expected):
            self.assertIsInstance(one, heddle.DeviceArray)
            np.testing.assert_array_equal(one.numpy(), other)
        with self.check(heddle.IndexRangeError, r"input 'input_ids': element \[0, 1\] is 1000000, outside 0\.\."):
            encoder(Tensor(np.array([[101, 1000000]])))

    def test_tensors_live_until_the_call_has_read_them(self):
        driver.calls()
        result = self.model(Tensor(self.x)).out  # only the call refers to the tensor
        gc.collect()
        calls = driver.calls()
        self.assertGreater(calls.index("cuMemFree_v2"), calls.index("cuGraphLaunch"))
        self.same(result.numpy())
        tensor = Tensor(self.x)
        with self.check(heddle.ArgumentError, "expected 2 dimensions|expected shape"):
            self.model(Tensor(self.x[:, :3]))
        self.model(tensor)
        gc.collect()
        self.assertEqual(tensor.exports, 0)

    def test_memory_lives_as_long_as_an_object_refers_to_it(self):
        result = self.model.run({"input": self.x}, on_device=True).out
        self.assertEqual(result.__dlpack_device__(), (CUDA, 0))
        capsule = result.__dlpack__(stream=1, max_version=(1, 0))
        managed = _dlpack._Managed.from_address(_dlpack._pointer(capsule, b"dltensor"))
        address = managed.tensor.data
        driver.calls()
        del result
        self.assertNotIn("cuMemFree_v2", driver.calls())
        # The consumer takes the tensor, enqueues a copy of it in its own stream, and deletes the tensor before the copy
        # has begun.
        ctypes.pythonapi.PyCapsule_SetName(ctypes.py_object(capsule), b"used_dltensor")
        del capsule
        self.assertNotIn("cuMemFree_v2", driver.calls())
        reader = Tensor(np.zeros((5, 39), np.float32))
        driver.inside(0, "cuMemcpyDtoDAsync_v2", reader.memory, address, 5 * 39 * 4, reader.stream)
        driver.calls()
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(managed.deleter)(ctypes.addressof(managed))
        calls = driver.calls()
        self.assertLess(calls.index("cuCtxSynchronize"), calls.index("cuMemFree_v2"))
        self.same(reader.numpy())

    def test_a_capsule_that_nobody_takes(self):
        result = self.model.run({"input": self.x}, on_device=True).out
        capsule, count = result.__dlpack__(), len(_dlpack._exported)
        del capsule
        self.assertEqual(len(_dlpack._exported), count - 1)
        self.same(result.numpy())

    def test_work_of_consumers_is_done_before_a_call_uses_the_array(self):
        result = self.model.run({"input": self.x}, on_device=True).out
        capsule = result.__dlpack__()
        address = _dlpack._Tensor.from_address(_dlpack._pointer(capsule, b"dltensor")).data
        writer = Tensor(rows(5))
        driver.inside(0, "cuMemcpyDtoDAsync_v2", address, writer.memory, writer.array.nbytes, writer.stream)
        np.testing.assert_array_equal(self.model(result).out.numpy(), self.model(writer.array).out)
        np.testing.assert_array_equal(result.numpy(), writer.array)

    def test_memory_must_not_overlap(self):
        tensor = Tensor(self.x)
        result = self.model.run({"input": tensor}).out
        for given, out in ((tensor, tensor), (result, result)):
            with self.check(heddle.ArgumentError, "output 'out': expected memory of its own, found the memory of 'input'"):
                self.model.run({"input": given}, out={"out": out})

    def test_wrong_tensors(self):
        def refused(tensor, pattern):
            with self.check(heddle.ArgumentError, "model: input 'input': " + pattern):
                self.model(tensor)

        refused(Tensor(self.x, device=1), "expected memory of the host or of cuda:0, found a tensor on cuda:1")
        refused(Tensor(self.x, strides=(1, 5)), r"expected dense memory in row-major order, found strides \(1, 5\)")
        refused(Tensor(self.x, offset=2), "expected memory aligned to 4 bytes")
        refused(Tensor(self.x.astype(np.float64)), r"expected float32, found float64; .astype\('float32'\)")
        refused(Tensor(self.x.view(np.int32), name="uint32"), "expected float32, found uint32")
        refused(Tensor(self.x[0]), "expected 2 dimensions, found 1")
        single = Tensor(self.x[:1], strides=(77, 1))  # the stride of a dimension of extent 1 is not used
        np.testing.assert_array_equal(self.model(single).out.numpy(), self.expected[:1])

        class Broken(Tensor):
            def __dlpack__(self, *, stream):
                return self.change(super().__dlpack__(stream=stream))

        def broken(change, pattern):
            tensor = Broken(self.x)
            tensor.change = change
            refused(tensor, pattern)
            del tensor.change

        def tensor_in(capsule):
            return _dlpack._Tensor.from_address(_dlpack._pointer(capsule, b"dltensor"))

        def outside(capsule):
            tensor_in(capsule).byte_offset = 400
            return capsule

        def on_host(capsule):
            tensor_in(capsule).data = self.x.ctypes.data
            return capsule

        def elsewhere(capsule):
            tensor_in(capsule).device_id = 1
            return capsule

        def consumed(capsule):
            managed = tensor_in(capsule)
            ctypes.pythonapi.PyCapsule_SetName(ctypes.py_object(capsule), b"used_dltensor")
            _dlpack._delete(ctypes.addressof(managed))
            return capsule

        broken(outside, "780 bytes at byte 400 of an allocation of 780 bytes extend beyond its end")
        broken(on_host, "the address 0x[0-9a-f]+ is not in the memory of a CUDA device")
        broken(elsewhere, "expected memory of the host or of cuda:0, found a tensor on cuda:1")
        broken(consumed, "Broken cannot be exported with DLPack: its capsule was consumed before")
        broken(lambda capsule: 7, "Broken cannot be exported with DLPack: PyCapsule_GetPointer")

    def test_memory_of_another_context(self):
        context, tensor = ctypes.c_void_p(), Tensor(self.x)
        driver.call("cuCtxCreate_v2", ctypes.byref(context), 0, 0)
        foreign = ctypes.c_uint64()
        driver.call("cuMemAlloc_v2", ctypes.byref(foreign), self.x.nbytes)
        tensor.offset = foreign.value - tensor.memory
        with self.check(heddle.ArgumentError, "the memory belongs to another context than the primary context of cuda:0"):
            self.model(tensor)
        driver.call("cuMemFree_v2", foreign)
        driver.call("cuCtxPopCurrent_v2", ctypes.byref(context))

    def test_arrays_cannot_be_shared_elsewhere_or_copied(self):
        result = self.model.run({"input": self.x}, on_device=True).out
        for arguments in ({"copy": True}, {"dl_device": (1, 0)}, {"dl_device": (CUDA, 1)}):
            with self.check(BufferError, "can be shared only there and without a copy"):
                result.__dlpack__(**arguments)
        for function in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.check(heddle.ArgumentError, "an array on cuda:0 cannot be copied or pickled"):
                function(result)
        other = heddle.compile("softmax rows=1..64 d=39")
        with self.check(heddle.ArgumentError, "expected memory of the host, found an array on cuda:0"):
            other(result)
        with self.check(heddle.ArgumentError, "expected memory of the host, found a tensor on cuda:0"):
            other(Tensor(self.x))
        with self.check(heddle.ArgumentError, "on_device: the model's code is for a CPU"):
            other.run({"input": self.x}, on_device=True)

    def test_names_of_one_device_share_it(self):
        with heddle.load(self.model.path, device="cuda:0") as named, heddle.load(self.model.path, device="cuda:1") as second:
            array = self.model.run({"input": self.x}, on_device=True).out
            np.testing.assert_array_equal(named(array).out.numpy(), self.model(array).out.numpy())
            with self.check(heddle.ArgumentError, "expected memory of the host or of cuda:1, found an array on cuda:0"):
                second(array)
            tensor = Tensor(self.x, device=1)
            self.assertEqual(second(tensor).out.device, "cuda:1")

    def test_bfloat16(self):
        model = heddle.compile("softmax rows=3 d=8 type=bf16", device="cuda")
        bits = heddle.to_bfloat16(rows(3, 8))
        result = model(Tensor(bits, name="bfloat16")).out
        self.assertEqual(result.dtype, "bfloat16")
        np.testing.assert_array_equal(result.numpy(), model(bits).out)
        capsule = result.__dlpack__()
        tensor = _dlpack._Tensor.from_address(_dlpack._pointer(capsule, b"dltensor"))
        self.assertEqual((tensor.code, tensor.bits, list(tensor.strides[:2])), (4, 16, [8, 1]))

    def test_threads(self):
        def run(seed, failures):
            try:
                for i in range(5):
                    x = np.random.default_rng(seed + i).standard_normal((1 + seed % 7, 39)).astype(np.float32)
                    np.testing.assert_allclose(self.model(Tensor(x)).out.numpy(), softmax_of(x), rtol=1e-5)
            except BaseException as reason:
                failures.append(reason)

        failures = []
        threads = [threading.Thread(target=run, args=(10 * i, failures)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_device_memory_that_is_used_up(self):
        model = heddle.compile("softmax rows=1..64 d=39", device="cuda")
        real, error = model._device.allocate, heddle.CallError("no memory", 8)
        try:
            def fail(size, what):
                raise error
            model._device.allocate = fail
            with self.check(heddle.CallError, "no memory"):
                model.run({"input": self.x}, on_device=True)
        finally:
            del model._device.allocate
        self.same(model.run({"input": self.x}, on_device=True).out.numpy())


class Capsules(unittest.TestCase):
    def test_exported_structs_are_valid(self):
        """numpy reads a capsule over memory of the host, whose struct is made like those of memory of a device."""
        array = rows(3, 4)

        class Exported:
            deleted = 0

            def __dlpack_device__(self):
                return 1, 0

            def __dlpack__(self, **unused):
                return _dlpack.export(array.ctypes.data, array.shape, "float32", (1, 0), Keeper())

        class Keeper:
            def __del__(self):
                Exported.deleted += 1

        view = np.from_dlpack(Exported())
        np.testing.assert_array_equal(view, array)
        self.assertEqual(view.ctypes.data, array.ctypes.data)
        self.assertEqual(Exported.deleted, 0)
        del view
        self.assertEqual(Exported.deleted, 1)


class Vulkan(support.Folder):
    """Vulkan devices cannot share memory with other code, but outputs stay there for later calls."""

    def setUp(self):
        super().setUp()
        try:
            self.model = heddle.compile("softmax rows=1..64 d=39", device="vulkan")
        except heddle.LoadError as reason:
            if os.environ.get("HEDDLE_TESTS_NEED_TOOLS"):
                raise
            self.skipTest(str(reason))

    def test_outputs_stay_on_the_device(self):
        x = rows(5)
        expected = self.model(self.model(x).out).out
        array = self.model.run({"input": x}, on_device=True).out
        self.assertTrue(array.device.startswith("vulkan:"))
        np.testing.assert_array_equal(self.model(array).out.numpy(), expected)
        for share in (array.__dlpack__, array.__dlpack_device__):
            with self.check(BufferError, "memory of vulkan:.* cannot be shared by DLPack, only memory of CUDA devices can"):
                share()

    def test_tensors_of_other_code_are_refused(self):
        class Foreign:
            def __dlpack_device__(self):
                return 7, 0

            def __dlpack__(self, **unused):
                raise AssertionError("must not be called")

        with self.check(heddle.ArgumentError, "expected memory of the host or of vulkan:., found a tensor on vulkan:0"):
            self.model(Foreign())


driver = Driver()
support.main()
