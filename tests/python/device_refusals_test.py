"""Tests the errors of calls with tensors on a CUDA device, which is that of the fake driver (fake_framework.py)."""
import copy
import ctypes
import pickle

import numpy as np

import heddle
import support
from cuda_calls import CudaCalls
from fake_framework import CUDA, Tensor, delete, driver, take, tensor_in
from heddle import _arrays, _devices, _dlpack, _native


class Refusals(CudaCalls):
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
            delete(take(capsule))
            return capsule

        def shapeless(capsule):
            tensor_in(capsule).shape = None
            return capsule

        def reversed_(capsule):
            tensor_in(capsule).ndim = -1
            return capsule

        def negative(capsule):
            tensor_in(capsule).shape[1] = -39
            return capsule

        broken(outside, "780 bytes at byte 400 of an allocation of 780 bytes extend beyond its end")
        broken(on_host, "the address 0x[0-9a-f]+ is not in the memory of a CUDA device")
        broken(elsewhere, "expected memory of the host or of cuda:0, found a tensor on cuda:1")
        broken(consumed, "Broken cannot be exported with DLPack: its capsule was consumed before")
        for change in (shapeless, reversed_, negative):
            broken(change, "Broken cannot be exported with DLPack: its capsule has no valid shape")
        broken(lambda capsule: 7, "Broken cannot be exported with DLPack: PyCapsule_GetPointer")

    def test_outputs_that_must_not_be_written(self):
        class Versioned(Tensor):
            """A tensor whose library knows the flags of DLPack 1.0."""
            version, flags = 1, 0

            def __dlpack__(self, *, stream, max_version=None):
                legacy = super().__dlpack__(stream=stream)
                if max_version is None:
                    return legacy
                self.legacy = legacy  # owns the memory in place of the capsule
                self.struct = _dlpack._Versioned(self.version, 0, None, None, self.flags, tensor_in(legacy))
                return make_capsule(ctypes.addressof(self.struct), b"dltensor_versioned", None)

        make_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
            ("PyCapsule_New", ctypes.pythonapi))

        tensor = Versioned(np.full_like(self.x, np.nan))
        for flags, found in ((1, "a tensor that may only be read"), (2, "a copy of the tensor")):
            tensor.flags = flags
            with self.check(heddle.ArgumentError, "output 'out': expected memory to write to, found " + found):
                self.model.run({"input": self.x}, out={"out": tensor})
        tensor.flags, tensor.version = 0, 2
        with self.check(heddle.ArgumentError, "its capsule has version 2.0 of DLPack"):
            self.model.run({"input": self.x}, out={"out": tensor})
        tensor.version = 1
        self.model.run({"input": self.x}, out={"out": tensor})
        np.testing.assert_array_equal(tensor.numpy(), self.expected)
        tensor.flags = 1
        self.model(tensor)  # an input may be read-only
        tensor.legacy = None  # the capsule refers to the tensor

    def test_an_older_runtime(self):
        """The table of a device of an older libheddle ends before the functions that share memory."""
        table = _native.Device.from_buffer_copy(self.model._device._table)
        table.size = _native.Device.wrap.offset
        old = _devices.Device(ctypes.addressof(table))
        self.assertIsNone(old.dlpack)
        with self.check(heddle.ArgumentError, "x: expected memory of the host, found a tensor on cuda:0; memory of cuda:0 "
                                              "cannot be shared with other code by this version of libheddle"):
            _arrays.readable(Tensor(self.x), "float32", "x", old)
        with self.check(BufferError, "cannot be shared with other code by this version of libheddle"):
            heddle.DeviceArray.allocate((2, 3), "float32", old, "x").__dlpack__()

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
        with self.check(TypeError, r"is not converted to numpy implicitly; numpy\(\) makes a copy"):
            np.asarray(result)
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

    def test_device_memory_that_is_used_up(self):
        tensor, held, size = Tensor(self.x), [], 8 << 30
        try:
            while size >= 16:
                try:
                    held.append(driver.make(0, "cuMemAlloc_v2", size))
                except RuntimeError:  # less memory is left
                    size //= 2
            with self.check(heddle.CallError, "model: output 'out': cuMemAlloc: out of memory") as caught:
                self.model(tensor)
            self.assertEqual(caught.exception.status, 8)  # HEDDLE_OUT_OF_DEVICE_MEMORY
        finally:
            for address in held:
                driver.inside(0, "cuMemFree_v2", address)
        np.testing.assert_array_equal(self.model(tensor).out.numpy(), self.expected)


support.main()
