"""Measures the CPU use of other processes, so a disturbed measurement can be repeated."""
import os
import pathlib
import time

TICK = 1 / os.sysconf("SC_CLK_TCK")  # seconds


def busy(cpus):
    """Returns the seconds since boot during which these CPUs were busy, or were taken away by another virtual
    machine."""
    seconds = 0.0
    for line in pathlib.Path("/proc/stat").read_text().splitlines():
        name, *fields = line.split()
        if name[:3] == "cpu" and name[3:].isdigit() and int(name[3:]) in cpus:
            user, nice, system, _idle, _wait, interrupts, soft, steal = map(int, fields[:8])
            seconds += (user + nice + system + interrupts + soft + steal) * TICK
    return seconds


class Watch:
    """`foreign()` returns the share of this process's CPUs that other processes have used since the object was
    created."""

    def __init__(self):
        self.cpus = os.sched_getaffinity(0)
        self.start = time.perf_counter(), busy(self.cpus), time.process_time()

    def foreign(self):
        seconds, used, own = (now - then for now, then in zip(
            (time.perf_counter(), busy(self.cpus), time.process_time()), self.start))
        return max(0.0, used - own) / (seconds * len(self.cpus))


def undisturbed(measure, doubts=lambda result: [], limit=0.03, attempts=3):
    """Calls `measure` up to `attempts` times. Returns the result of one attempt, and the share of the CPUs that other
    processes used during this attempt. An attempt is good if this share is at most `limit`, and if `doubts`, applied to
    the result, returns no reasons to distrust it. Returns the first good attempt. If there is none, returns the attempt
    with the fewest reasons; among several such attempts, the one with the smallest share."""
    best = None
    for _ in range(attempts):
        watch = Watch()
        result, foreign = measure(), watch.foreign()
        rank = len(doubts(result)), foreign
        if best is None or rank < best[0]:
            best = rank, result, foreign
        if not rank[0] and foreign <= limit:
            break
    return best[1:]
