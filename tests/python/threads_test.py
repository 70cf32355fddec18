"""Tests concurrent calls of a model from several threads: their results, the lock of the Python interpreter, and
closing the model during calls."""
import threading
import time

import numpy as np

import heddle
import support
from support import rows


class Threads(support.Folder):
    def test_all_threads_get_the_same_bits(self):
        for threads in (1, 2, 3):
            with support.softmax() as made:
                model = heddle.load(made.path, threads=threads)
            inputs = [rows(1 + i % 64) for i in range(40)]
            expected = [model.run({"input": x}, threads=1).out for x in inputs]
            failures = []

            def work(seed):
                for i in np.random.default_rng(seed).permutation(len(inputs)).tolist() * 5:
                    if not np.array_equal(model(inputs[i]).out, expected[i]):
                        failures.append(i)

            workers = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            self.assertEqual(failures, [])
            self.assertLessEqual(len(model._handles._idle), 8)  # There is at most one arena for each of the 8 threads.
            model.close()

    def test_other_threads_run_during_a_call(self):
        model = heddle.compile("attention hq=12 s=2048 d=64", threads=1)
        inputs = {tensor.name: rows(12 * 2048, 64).reshape(tensor.shape) for tensor in model.inputs}
        ended, turns = threading.Event(), 0

        def call():
            model.run(inputs)
            ended.set()

        worker = threading.Thread(target=call)
        worker.start()
        while not ended.is_set():
            turns += 1
            time.sleep(0.0002)
        worker.join()
        # If the call held the lock of the Python interpreter, this thread would run once before the call and once after
        # it.
        self.assertGreater(turns, 10)

    def test_closing_waits_for_calls(self):
        model = heddle.compile("attention hq=12 s=2048 d=64", threads=1)
        inputs = {tensor.name: rows(12 * 2048, 64).reshape(tensor.shape) for tensor in model.inputs}
        expected = model.run(inputs).out
        results, errors = [], []

        def work():
            try:
                while True:
                    results.append(model.run(inputs).out)
            except heddle.ClosedError as reason:
                errors.append(reason)

        workers = [threading.Thread(target=work) for _ in range(3)]
        for worker in workers:
            worker.start()
        while not results:
            time.sleep(0.01)
        model.close()
        for worker in workers:
            worker.join()
        self.assertEqual(len(errors), 3)
        for result in results:
            np.testing.assert_array_equal(result, expected)


support.main()
