"""Verifies cases in parallel, each in its own process, so that a crash or hang affects only one case."""
import multiprocessing
import multiprocessing.connection
import os
import signal
import time

CASE_SECONDS = 300 # the process of a case is killed after this time


class Running:
    """One case: its process, and the end of a pipe from which the result function(key) is read."""

    def __init__(self, context, key, function):
        self.key, self.begun = key, time.monotonic()
        self.results, sends = context.Pipe(duplex=False)

        def work():
            os.setsid() # makes a process group for the case, so that stop() also kills the compiler
            sends.send(function(key))
        self.process = context.Process(target=work)
        self.process.start()
        sends.close()

    def finish(self):
        """Waits for the process. Returns the result, or a text that says how the process ended without a result."""
        try:
            return self.results.recv()
        except EOFError:
            return self._code()
        finally:
            self.process.join()

    def _code(self):
        self.process.join()
        code = self.process.exitcode
        if code < 0:
            return f"the process was killed by {signal.Signals(-code).name}"
        return f"the process exited with status {code}"

    def stop(self):
        """Kills the process and its children. Returns the reason as text."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.join()
        return f"takes more than {CASE_SECONDS} s"


def verify_all(keys, function, jobs, seconds):
    """Yields pairs (key, result), in any order. The result is that of function(key), or a text with the reason if the
    process of the key was killed or ended without a result. At most `jobs` processes run at once. No process begins
    later than `seconds` after the start; keys that remain then are omitted."""
    context, deadline = multiprocessing.get_context("fork"), time.monotonic() + seconds
    running, keys = [], iter(keys)
    more = True
    while more or running:
        while more and len(running) < jobs:
            key = next(keys, None) if time.monotonic() < deadline else None
            more = key is not None
            if more:
                running.append(Running(context, key, function))
        multiprocessing.connection.wait([one.results for one in running], timeout=1)
        for one in list(running):
            late = time.monotonic() - one.begun > CASE_SECONDS
            if late or one.results.poll():
                running.remove(one)
                yield one.key, one.stop() if late else one.finish()
