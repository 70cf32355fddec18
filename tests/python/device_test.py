"""Tests calls with tensors on a device: tensors of another framework by DLPack, and outputs that stay on the device.

The CUDA tests use the fake driver in tests/runtime/devices, which executes kernels with an interpreter of PTX. It
executes the work in a stream only when somebody waits for it, so results are wrong if a call reads a tensor too early.
"""
import os
import threading

import numpy as np

import heddle
import support
from cuda_calls import CudaCalls
from fake_framework import Tensor, driver, tensor_in
from heddle import _arrays
from support import rows, softmax_of


class Cuda(CudaCalls):
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

    def test_tensors_without_strides(self):
        class Dense(Tensor):
            def __dlpack__(self, *, stream):
                capsule = super().__dlpack__(stream=stream)
                tensor_in(capsule).strides = None
                return capsule

        self.same(self.model(Dense(self.x)).out.numpy())

    def test_tensors_without_elements(self):
        array, _ = _arrays.readable(Tensor(np.zeros((0, 39), np.float32)), "float32", "x", self.model._device)
        self.assertIsInstance(array, heddle.DeviceArray)
        self.assertEqual((array.shape, array.nbytes, array.numpy().shape), ((0, 39), 0, (0, 39)))
        again, _ = _arrays.readable(array, "float32", "x", self.model._device)
        self.assertIs(again, array)
        capsule = array.__dlpack__()
        tensor = tensor_in(capsule)
        self.assertEqual((tensor.data, tensor.shape[:tensor.ndim]), (None, [0, 39]))
        with self.check(heddle.ArgumentError, "rows is 0, outside 1..64"):
            self.model(array)

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
        tensor = tensor_in(capsule)
        self.assertEqual((tensor.code, tensor.bits, list(tensor.strides[:2])), (4, 16, [8, 1]))

    def test_states(self):
        sizes = {"batch_size": 2, "capacity": 16}
        dims = {"batch_size": range(1, 5), "sequence_length": range(1, 17), "capacity": range(16, 65)}
        model = heddle.compile(support.ROOT / "examples/10-decoder-state-in-c/attention.mlir", dims=dims, device="cuda")
        names = [tensor.name for tensor in model.inputs if tensor.dtype == "float32"]
        (state_name,) = [tensor.name for tensor in model.inputs if tensor.is_state]
        states = heddle.State(model, **sizes), heddle.State(model, **sizes)
        for length, past in ((5, None), (1, [5, 3])):
            at = {**sizes, "sequence_length": length}
            arrays = {t.name: support.RANDOM.standard_normal(t.shape_at(at)).astype(np.float32) for t in model.inputs
                      if t.name in names}
            on_host = {**arrays, **({"past": np.array(past)} if past else {})}
            tensors = {name: Tensor(array) for name, array in on_host.items()}
            driver.calls()
            found = model(**tensors, **{state_name: states[1]})[0]
            calls = driver.calls()
            self.assertEqual(calls.count("cuMemcpyDtoHAsync_v2"), 1 if past else 0)  # `past` is read on the host
            np.testing.assert_array_equal(found.numpy(), model(**on_host, **{state_name: states[0]})[0])
            self.assertEqual(states[0].filled, states[1].filled)
        with self.check(heddle.ArgumentError, f"input '{state_name}': expected memory of the host, found a tensor on cuda:0"):
            model(**arrays, **{state_name: Tensor(np.zeros(4096, np.int8))})

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
            with self.check(BufferError, "memory of vulkan:.* cannot be shared with other code, only memory of CUDA"):
                share()

    def test_tensors_of_other_code_are_refused(self):
        class Foreign:
            def __dlpack_device__(self):
                return 7, 0

            def __dlpack__(self, **unused):
                raise AssertionError("must not be called")

        with self.check(heddle.ArgumentError, "expected memory of the host, found a tensor on vulkan:0; memory of vulkan:. "
                                              "cannot be shared with other code, only memory of CUDA devices can"):
            self.model(Foreign())


support.main()
