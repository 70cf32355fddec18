"""Interleaved timing: every contestant in a burst of its own, round after round."""
import statistics
import time

WARM, BURST, SAMPLE = 0.005, 0.04, 0.0005  # seconds


def settle(limit=0.2):
    """Waits until the threads of the contestant before have stopped spinning."""
    end = time.perf_counter() + limit
    while time.perf_counter() < end:
        used = time.process_time()
        time.sleep(0.002)
        if time.process_time() - used < 0.0003:
            return


def calls_within(call, seconds):
    end, count = time.perf_counter() + seconds, 0
    while True:
        call()
        count += 1
        if time.perf_counter() >= end:
            return count


def burst(loop, batch, samples):
    """One contestant's turn: warm up, so that its threads are awake and its data is near, then measure."""
    calls_within(lambda: loop(batch), WARM)
    count, end = 0, time.perf_counter() + BURST
    while count < 2 or time.perf_counter() < end:
        start = time.perf_counter()
        loop(batch)
        samples.append((time.perf_counter() - start) / batch)
        count += 1


def loop_of(call):
    def loop(n):
        for _ in range(n):
            call()
    return loop


def measure(loops, duration):
    """Samples in seconds a call, by name. `loops`: name -> function that makes n calls."""
    batches, samples = {}, {name: [] for name in loops}
    for name, loop in loops.items():
        settle()
        loop(3)
        count = calls_within(lambda: loop(1), 0.02)
        batches[name] = max(1, int(count * SAMPLE / 0.02))
    end, rounds = time.perf_counter() + duration * len(loops), 0
    while rounds < 3 or time.perf_counter() < end:
        for name, loop in loops.items():
            settle()
            burst(loop, batches[name], samples[name])
        rounds += 1
    return samples


def summary(samples):
    ordered = sorted(samples)
    return {"median": statistics.median(ordered), "p90": ordered[int(0.9 * (len(ordered) - 1))],
            "min": ordered[0], "samples": len(ordered)}
