"""Tests when memory on a CUDA device may be freed, and when work that uses it must be done: tensors of another framework
in calls, and arrays that the framework shares. The device is that of the fake driver (fake_framework.py)."""
import ctypes
import gc
import os
import subprocess
import sys
import unittest

import numpy as np

import heddle
import support
from cuda_calls import CudaCalls
from fake_framework import CUDA, Tensor, delete, driver, take, tensor_in
from heddle import _dlpack
from support import rows


def run_program(program, *arguments):
    """Runs a program in a process of its own, which can import the modules of the tests."""
    return subprocess.run([sys.executable, "-c", program, *arguments], cwd=os.path.dirname(os.path.abspath(__file__)),
                          stdout=subprocess.PIPE, timeout=60)


class Lifetimes(CudaCalls):
    def test_tensors_live_until_the_call_has_read_them(self):
        driver.calls()
        result = self.model(Tensor(self.x)).out  # only the call refers to the tensor
        gc.collect()
        calls = driver.calls()
        self.assertGreater(calls.index("cuMemFree_v2"), calls.index("cuGraphLaunch"))
        self.same(result.numpy())
        tensor, narrow = Tensor(self.x), Tensor(self.x[:, :3])
        with self.check(heddle.ArgumentError, "expected 2 dimensions|expected shape"):
            self.model(narrow)
        self.model(tensor)
        gc.collect()
        self.assertEqual((tensor.exports, narrow.exports), (0, 0))

    def test_memory_lives_as_long_as_an_object_refers_to_it(self):
        result = self.model.run({"input": self.x}, on_device=True).out
        self.assertEqual(result.__dlpack_device__(), (CUDA, 0))
        capsule = result.__dlpack__(stream=1, max_version=(1, 0))
        address = tensor_in(capsule).data
        driver.calls()
        del result
        self.assertNotIn("cuMemFree_v2", driver.calls())
        # The consumer takes the tensor, enqueues a copy of it in its own stream, and deletes the tensor before the copy
        # has begun.
        managed = take(capsule)
        del capsule
        self.assertNotIn("cuMemFree_v2", driver.calls())
        reader = Tensor(np.zeros((5, 39), np.float32))
        driver.inside(0, "cuMemcpyDtoDAsync_v2", reader.memory, address, 5 * 39 * 4, reader.stream)
        driver.calls()
        delete(managed)
        calls = driver.calls()
        self.assertLess(calls.index("cuCtxSynchronize"), calls.index("cuMemFree_v2"))
        self.same(reader.numpy())

    def test_a_capsule_that_nobody_takes(self):
        result = self.model.run({"input": self.x}, on_device=True).out
        capsule = result.__dlpack__()
        del capsule
        self.same(result.numpy())
        driver.calls()
        del result
        self.assertIn("cuMemFree_v2", driver.calls())

    def test_a_consumer_that_refuses_a_tensor(self):
        """The capsule is then deleted while the consumer's exception is pending."""
        result = self.model.run({"input": self.x}, on_device=True).out
        with self.check((RuntimeError, BufferError), "Unsupported device in DLTensor"):
            np.from_dlpack(result)
        with self.check(TypeError, "len"):
            len(result.__dlpack__())
        driver.calls()
        del result
        self.assertIn("cuMemFree_v2", driver.calls())

    def test_a_second_tensor_over_the_same_memory(self):
        """Work in the first tensor is done before the consumer gets the second."""
        result = self.model.run({"input": self.x}, on_device=True).out
        driver.calls()
        first = result.__dlpack__()
        self.assertNotIn("cuCtxSynchronize", driver.calls())
        address, writer = tensor_in(first).data, Tensor(rows(5))
        driver.inside(0, "cuMemcpyDtoDAsync_v2", address, writer.memory, writer.array.nbytes, writer.stream)
        unordered = result.__dlpack__(stream=-1)
        self.assertNotIn("cuCtxSynchronize", driver.calls())
        second, reader = result.__dlpack__(stream=2), Tensor(self.x)
        driver.inside(0, "cuMemcpyDtoDAsync_v2", reader.memory, tensor_in(second).data, reader.array.nbytes, reader.stream)
        np.testing.assert_array_equal(reader.numpy(), writer.array)
        # Nobody needs to wait again when all tensors are deleted and their work is done.
        del first, second, unordered
        for waits in (1, 0):
            driver.calls()
            np.testing.assert_array_equal(result.numpy(), writer.array)
            self.assertEqual(driver.calls().count("cuCtxSynchronize"), waits)

    def test_work_of_consumers_is_done_before_a_call_uses_the_array(self):
        result = self.model.run({"input": self.x}, on_device=True).out
        capsule = result.__dlpack__()
        address = tensor_in(capsule).data
        writer = Tensor(rows(5))
        driver.inside(0, "cuMemcpyDtoDAsync_v2", address, writer.memory, writer.array.nbytes, writer.stream)
        np.testing.assert_array_equal(self.model(result).out.numpy(), self.model(writer.array).out)
        np.testing.assert_array_equal(result.numpy(), writer.array)

    def test_arrays_in_the_child_of_a_fork(self):
        """CUDA cannot be used there: the child must neither read an array nor free it."""
        result = self.model.run({"input": self.x}, on_device=True).out
        child = os.fork()
        if not child:
            status = 1
            try:
                result.numpy()
            except heddle.CallError:
                del result
                status = 0
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.same(result.numpy())

    def test_arrays_that_live_until_the_process_ends(self):
        program = ("import heddle, numpy, sys; from fake_framework import take\n"
                   "model = heddle.load(sys.argv[1], device='cuda')\n"
                   "kept = model.run({'input': numpy.ones((2, 39), 'f4')}, on_device=True).out\n"
                   "shared = take(kept.__dlpack__()), kept.__dlpack__()\n"
                   "kept.cycle = kept\n"
                   "print(kept)")
        done = run_program(program, self.model.path)
        self.assertEqual((done.returncode, done.stdout),
                         (0, b"<heddle.DeviceArray float32[2, 39] on cuda:0>\n"))


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

    def test_tensors_that_are_deleted_after_the_interpreter_has_ended(self):
        """Frameworks delete tensors of static variables when the process exits."""
        program = ("import ctypes; from fake_framework import take; from heddle import _dlpack\n"
                   "managed = take(_dlpack.export(4096, (2, 3), 'float32', (2, 0), object()))\n"
                   "print(getattr(ctypes.CDLL(None), '__cxa_atexit')(ctypes.c_void_p(managed.deleter), ctypes.byref(managed), None))")
        done = run_program(program)
        self.assertEqual((done.returncode, done.stdout), (0, b"0\n"))


support.main()
