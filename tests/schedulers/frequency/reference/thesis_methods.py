"""Periods of Brent, GreedyMethod and BasicFO, from the thesis on frequency-oriented scheduling for LOIS, not takt's code.

    thesis_methods.py PROBLEMS

Reads one JSON object per line: `works` by task; `data` as [task, size, [receivers]]; `processors`; `latency`,
`overhead` and `gap` as [constant, per unit] of LogPLinear (5.5; LogPConst if the second one is 0); `fixed_size` of
Brent's messages, or null for the size that the receiver needs; `each_datum`, whether GreedyMethod's "one sending
operation" (4.1.2) sends one datum instead of all data that a processor needs. Prints a line [Brent, GreedyMethod,
BasicFO] for each.

The machine of the thesis (2.2) has no network capacity.
"""

import json
import sys
from fractions import Fraction

sys.dont_write_bytecode = True


class Problem:
    def __init__(self, text):
        problem = json.loads(text)
        self.works, self.processors = problem["works"], problem["processors"]
        self.data = [(task, size, receivers) for task, size, receivers in problem["data"] if receivers]
        self.fixed_size, self.each_datum = problem["fixed_size"], problem["each_datum"]
        self.cost = {name: problem[name] for name in ("latency", "overhead", "gap")}
        self.layer_of = self.layers()
        self.depth = max(self.layer_of) + 1

    def layers(self):
        """2.5: the entry tasks are a layer; the entry tasks of the remaining graph are the next layer."""
        parents = [set() for _ in self.works]
        for task, _, receivers in self.data:
            for receiver in receivers:
                parents[receiver].add(task)
        layer_of = [None] * len(self.works)
        layer = 0
        while None in layer_of:
            entry = [t for t, of in enumerate(layer_of) if of is None and all(layer_of[p] is not None for p in parents[t])]
            for task in entry:
                layer_of[task] = layer
            layer += 1
        return layer_of

    def tasks_of(self, layer):
        return [t for t, of in enumerate(self.layer_of) if of == layer]

    def of(self, name, size):
        constant, per_unit = self.cost[name]
        return constant + per_unit * size

    def apart(self, size):
        """2.2: the next send starts Max(o, g) after this one."""
        return max(self.of("overhead", size), self.of("gap", size))


class Processor:
    """Operations of a processor, each as early as possible; no other iteration interrupts one (2.4)."""

    def __init__(self, problem):
        self.problem = problem
        self.first, self.free = None, 0
        self.ends = {"send": [], "receive": []}

    def run(self, length, earliest=0):
        start = max(self.free, earliest)
        self.first = start if self.first is None else self.first
        self.free = start + length
        return start

    def message(self, kind, size, earliest=0):
        """Executes one end of a message; returns when it ends."""
        if self.ends[kind]:
            before, size_before = self.ends[kind][-1]
            earliest = max(earliest, before + self.problem.apart(size_before))
        self.ends[kind].append((self.run(self.problem.of("overhead", size), earliest), size))
        return self.free

    def period(self):
        """Returns the period (2.4), including the gap to the first message of the next iteration."""
        if self.first is None:
            return 0
        gaps = [ends[-1][0] - ends[0][0] + self.problem.apart(ends[-1][1]) for ends in self.ends.values() if ends]
        return max([self.free - self.first, *gaps])


def layer_by_layer(problem, place, all_to_all):
    """4.1.2 (and 3.6, step 15): receives the inputs of the layer, computes it, then sends once to each processor
    that needs any of its data. 6.1, `all_to_all`: each processor sends to each other one after each layer but
    the last, and waits for all of them."""
    processors = [Processor(problem) for _ in range(problem.processors)]
    inbox = {}  # (processor, layer): [arrival, sender, size]
    for layer in range(problem.depth):
        for p, processor in enumerate(processors):
            for arrival, _, size in sorted(inbox.get((p, layer), [])):
                processor.message("receive", size, arrival)
            for task in problem.tasks_of(layer):
                if place[task] == p:
                    processor.run(problem.works[task])
        for p, processor in enumerate(processors):
            for q in range(problem.processors):
                needs = []  # [first layer that needs it, size] of data produced here
                for task, size, receivers in problem.data:
                    layers = [problem.layer_of[r] for r in receivers if place[r] == q]
                    if problem.layer_of[task] == layer and place[task] == p and layers:
                        needs.append((min(layers), size))
                total = sum(size for _, size in needs)
                if p == q or (all_to_all and layer == problem.depth - 1):
                    messages = []
                elif all_to_all:
                    messages = [(layer + 1, max(1, total) if problem.fixed_size is None else problem.fixed_size)]
                elif problem.each_datum:
                    messages = needs
                else:
                    messages = [(min(needs)[0], total)] if needs else []
                for needed, size in messages:
                    sent = processor.message("send", size)
                    inbox.setdefault((q, needed), []).append((sent + problem.of("latency", size), p, size))
    return max(processor.period() for processor in processors)


def brent(problem):
    """6.1: assigns the tasks of each layer to the processors one after another."""
    place = {}
    for layer in range(problem.depth):
        for i, task in enumerate(problem.tasks_of(layer)):
            place[task] = i % problem.processors
    return layer_by_layer(problem, place, all_to_all=True)


def greedy(problem):
    """3.6. If a layer has fewer tasks than processors, step 4 assigns the longest task to processor 1, but
    tables 6.5 and 6.16 have the shortest one there, as here."""
    place = {}
    for layer in range(problem.depth):
        tasks = sorted(problem.tasks_of(layer), key=lambda t: (-problem.works[t], t))
        groups = [[task] for task in tasks[:problem.processors]]
        total = lambda group: sum(problem.works[t] for t in group)
        if len(tasks) < problem.processors:
            groups = [[task] for task in sorted(tasks, key=lambda t: (problem.works[t], t))]
        for task in tasks[problem.processors:]:
            min(groups, key=total).append(task)
        for p, group in enumerate(sorted(groups, key=total)):
            for task in group:
                place[task] = p
    return layer_by_layer(problem, place, all_to_all=False)


def basic_fo(problem):
    """3.1 and 4.1.1: at most one receive and one send per processor; each operation begins when the previous one
    has ended. Data for later processors pass all processors between."""
    average = Fraction(sum(problem.works), problem.processors)
    order = sorted(range(len(problem.works)), key=lambda t: (problem.layer_of[t], t))
    chain = [[] for _ in range(problem.processors)]
    n, spent = 0, 0
    for task in order:
        is_closer = abs(spent + problem.works[task] - average) < abs(spent - average)
        if n < problem.processors - 1 and not is_closer:
            n, spent = n + 1, 0
        chain[n].append(task)
        spent += problem.works[task]
    chain = [tasks for tasks in chain if tasks]
    stage_of = {task: i for i, tasks in enumerate(chain) for task in tasks}
    boundary = []
    for i in range(len(chain) - 1):
        sizes = [size for task, size, receivers in problem.data
                 if stage_of[task] <= i < max(stage_of[r] for r in receivers)]
        boundary.append(sum(sizes) if sizes else None)
    period = 0
    for i, tasks in enumerate(chain):
        sizes = [size for size in (boundary[i - 1] if i > 0 else None, boundary[i] if i < len(boundary) else None) if size is not None]
        period = max([period, sum(problem.works[t] for t in tasks) + sum(problem.of("overhead", s) for s in sizes),
                      *(problem.apart(s) for s in sizes)])
    return period


if __name__ == "__main__":
    with open(sys.argv[1]) as problems:
        for line in problems:
            problem = Problem(line)
            print([brent(problem), greedy(problem), basic_fo(problem)])
