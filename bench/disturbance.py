"""Was a run disturbed: did others use the processors meanwhile, or did a core run slower than it can?

A virtual core whose sibling thread has a neighbour at work runs at some 0.55 of its speed, for seconds or for milliseconds. No load, no processor
time and no stolen time tells so: only a fixed piece of work, again and again on each core, which does, whatever the run itself sustains.
"""
import ctypes
import dataclasses
import os
import resource
import threading
import time

# Of a processor, beside which a run is a trial.
LEFT_TO_OTHERS = 0.06
# Of a run's time that a core may be slow.
SLOW_AT_MOST = 0.25
# A piece of work that took this much longer than the core has ever needed for it: a faster clock for one busy core does not.
SLOW = 1.3
# 0.1 ms of work every 20 ms is half a percent of a core.
BETWEEN_PIECES = 0.02


def add_options(parser):
    """What Calm takes."""
    parser.add_argument("--tries", type=int, default=3, help="runs at most where somebody disturbs them")


def adopt_what_children_leave():
    """Daemons that mpirun starts on other (emulated) hosts leave their parents: from now on they are children of this process."""
    PR_SET_CHILD_SUBREAPER = 36
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def await_children(seconds=2):
    """Until all that was started has ended, adopted ones, too: what they used of the processors is known then."""
    until = time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.01)
    except ChildProcessError:
        pass


class CoreWatch:
    """A thread on each core of this host that times a fixed piece of work, by its own processor time: who waits for the core does not count. Of cores
    that are at work: one that has slept is slow at first, too."""

    def __init__(self):
        self.took = {core: [] for core in sorted(os.sched_getaffinity(0))}
        for core in self.took:
            threading.Thread(target=self.watch, args=(core,), daemon=True).start()

    def watch(self, core):
        os.sched_setaffinity(0, {core})
        while True:
            time.sleep(BETWEEN_PIECES)
            sum(range(500))  # The first ones find a cold cache.
            before = time.thread_time_ns()
            sum(range(6000))
            self.took[core].append(time.thread_time_ns() - before)

    def count(self):
        return {core: len(took) for core, took in self.took.items()}

    def slow_since(self, count):
        """The share of the pieces since then that were slow, of the core that had most of them."""
        def share(took, begin):
            return sum(ns > SLOW * min(took) for ns in took[begin:]) / max(1, len(took) - begin)

        return max(share(list(took), count[core]) for core, took in self.took.items())


@dataclasses.dataclass
class Disturbance:
    # Processors that others had: what the machine was busy with, or was taken from it, beside this program and its children that have ended.
    others: float
    # The share of the time in which a core was slow.
    slow: float

    def degree(self):
        """Beyond 1, a run was disturbed."""
        return max(self.others / LEFT_TO_OTHERS, self.slow / SLOW_AT_MOST)


def busy_with_others():
    """Seconds of all processors."""
    await_children()
    with open("/proc/stat") as file:
        user, nice, system, _, _, hard, soft, stolen = (int(word) for word in file.readline().split()[1:9])
    own = [resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
    return (user + nice + system + hard + soft + stolen) / os.sysconf("SC_CLK_TCK") - sum(usage.ru_utime + usage.ru_stime for usage in own)


class Calm:
    """Runs things until nobody disturbs them, so many times at most. One for a program."""

    def __init__(self, tries):
        self.tries = tries
        adopt_what_children_leave()
        self.cores = CoreWatch()

    def run(self, act):
        """What act returned, and how it was disturbed: the first time that it was not, or the least disturbed one."""
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
