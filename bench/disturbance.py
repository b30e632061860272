"""Was a run disturbed: did other processes use the processors, or did a core run below its speed?

A virtual core whose sibling thread is busy for another guest runs at about 0.55 of its speed, for seconds or milliseconds. Load,
processor time and stolen time do not show it. Only the time of a fixed piece of work, repeated on each core, does, independent of
the rate of the run.
"""
import ctypes
import dataclasses
import os
import resource
import threading
import time

# Share of a processor used by other processes up to which a run counts as undisturbed.
LEFT_TO_OTHERS = 0.06
# Share of a run's time for which a core may be slow.
SLOW_AT_MOST = 0.25
# Slow-down relative to the core's best time that counts as slow; above the effect of a turbo clock for one busy core.
SLOW = 1.3
# Seconds between pieces: 0.1 ms of work every 20 ms is 0.5 % of a core.
BETWEEN_PIECES = 0.02


def add_options(parser):
    """Adds the options of Calm."""
    parser.add_argument("--tries", type=int, default=3, help="runs at most where somebody disturbs them")


def adopt_what_children_leave():
    """Adopts the daemons that mpirun starts on other (emulated) hosts and that leave their parents."""
    PR_SET_CHILD_SUBREAPER = 36
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def await_children(seconds=2):
    """Waits for the end of all children, including adopted ones, so that their processor time is known."""
    until = time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.01)
    except ChildProcessError:
        pass


class CoreWatch:
    """Times a fixed piece of work in a thread on each core of this host, in CPU time of the thread, which excludes waits for the core.
    Only valid for busy cores: a core that has slept is slow at first, too."""

    def __init__(self):
        self.took = {core: [] for core in sorted(os.sched_getaffinity(0))}
        for core in self.took:
            threading.Thread(target=self.watch, args=(core,), daemon=True).start()

    def watch(self, core):
        os.sched_setaffinity(0, {core})
        while True:
            time.sleep(BETWEEN_PIECES)
            sum(range(500))  # Warms up the cache.
            before = time.thread_time_ns()
            sum(range(6000))
            self.took[core].append(time.thread_time_ns() - before)

    def count(self):
        return {core: len(took) for core, took in self.took.items()}

    def slow_since(self, count):
        """Returns the largest share of slow pieces of any core since `count`."""
        def share(took, begin):
            return sum(ns > SLOW * min(took) for ns in took[begin:]) / max(1, len(took) - begin)

        return max(share(list(took), count[core]) for core, took in self.took.items())


@dataclasses.dataclass
class Disturbance:
    # Processors used by other processes or stolen from the machine: all use except by this program and its finished children.
    others: float
    # Share of the time in which a core was slow.
    slow: float

    def degree(self):
        """Returns a value above 1 if the run was disturbed."""
        return max(self.others / LEFT_TO_OTHERS, self.slow / SLOW_AT_MOST)


def busy_with_others():
    """Returns the seconds of all processors used by other processes."""
    await_children()
    with open("/proc/stat") as file:
        user, nice, system, _, _, hard, soft, stolen = (int(word) for word in file.readline().split()[1:9])
    own = [resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
    return (user + nice + system + hard + soft + stolen) / os.sysconf("SC_CLK_TCK") - sum(usage.ru_utime + usage.ru_stime for usage in own)


class Calm:
    """Repeats runs that were disturbed, up to `tries` times. A program needs only one object."""

    def __init__(self, tries):
        self.tries = tries
        adopt_what_children_leave()
        self.cores = CoreWatch()

    def run(self, act):
        """Returns the result of act and its disturbance: of the first undisturbed call, or of the least disturbed one."""
        best = None
        for _ in range(self.tries):
            count, since, before = self.cores.count(), time.monotonic(), busy_with_others()
            result = act()
            others = max(0.0, busy_with_others() - before) / (time.monotonic() - since)
            disturbance = Disturbance(others, self.cores.slow_since(count))
            if best is None or disturbance.degree() < best[1].degree():
                best = result, disturbance
            if disturbance.degree() <= 1:
                break
        return best
