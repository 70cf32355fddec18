"""Interleaved timing: in each round every contestant (Heddle or another program) makes a burst of calls."""
import statistics
import time

# Durations in seconds: of the calls before a burst (which are not counted), of the burst, and of a sample in the burst.
WARM, BURST, SAMPLE = 0.005, 0.02, 0.0005
ROUNDS = 9     # minimum number of rounds; quartiles of fewer rounds are meaningless
# Number of timed calls in a burst with cold caches; only a few, since filling the caches takes longer than most calls.
COLD_CALLS = 4


def settle(limit=0.2):
    """Waits until the threads of the previous contestant have stopped spinning, at most `limit` seconds."""
    end = time.perf_counter() + limit
    while time.perf_counter() < end:
        used = time.process_time()
        time.sleep(0.002)
        if time.process_time() - used < 0.0003:
            return


def calls_within(call, seconds):
    """Calls `call` at least once, and again until `seconds` seconds have passed. Returns the number of calls."""
    end, count = time.perf_counter() + seconds, 0
    while True:
        call()
        count += 1
        if time.perf_counter() >= end:
            return count


def timed(loop, batch):
    """Returns the seconds for a call: the mean of `batch` calls, which loop(batch) makes."""
    start = time.perf_counter()
    loop(batch)
    return (time.perf_counter() - start) / batch


def burst(loop, batch):
    """Runs one contestant's burst and returns its samples. Calls that are not measured come first, so the
    contestant's threads are awake and its data is in the caches."""
    calls_within(lambda: loop(batch), WARM)
    samples, end = [], time.perf_counter() + BURST
    while not samples or time.perf_counter() < end:
        samples.append(timed(loop, batch))
    return samples


def nothing(_):
    pass


def cold_burst(loop, touch):
    """Runs one contestant's burst with caches full of other memory, and returns its samples. Before each sample, calls
    of an empty function bring Python's own code back into the caches."""
    samples = []
    for _ in range(1 + COLD_CALLS):
        touch()
        for _ in range(20):
            timed(nothing, 1)
        samples.append(timed(loop, 1))
    return samples[1:]  # the first call also includes the time to wake threads that have slept for a long time


def loop_of(call):
    """Returns a function of n that makes n calls."""
    def loop(n):
        for _ in range(n):
            call()
    return loop


def measure(loops, duration, touch=None, started=nothing):
    """Returns a list of rounds by name; a round is a list of samples, in seconds for a call. `loops` maps names to
    functions that make n calls. The rounds take `duration` seconds for each loop, or longer to reach ROUNDS. `touch`,
    if given, fills the caches with other memory before each call. started(name) is called whenever the turn of another
    contestant begins."""
    batches, rounds = {}, {name: [] for name in loops}
    for name, loop in loops.items():
        started(name)
        settle()
        loop(3)
        count = calls_within(lambda: loop(1), 0.02)
        batches[name] = max(1, int(count * SAMPLE / 0.02))
    order, end = list(loops), time.perf_counter() + duration * len(loops)
    while order and (len(rounds[order[0]]) < ROUNDS or time.perf_counter() < end):
        for name in order:
            started(name)
            settle()
            rounds[name].append(cold_burst(loops[name], touch) if touch else burst(loops[name], batches[name]))
        # The reverse order gives each contestant another predecessor, and cancels slow drifts.
        order.reverse()
    return rounds


def summary(rounds):
    """Returns the median, the 90th percentile, the minimum and the number of all samples."""
    ordered = sorted(sample for samples in rounds for sample in samples)
    return {"median": statistics.median(ordered), "p90": ordered[int(0.9 * (len(ordered) - 1))],
            "min": ordered[0], "samples": len(ordered)}
