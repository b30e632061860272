#!/usr/bin/env python3
"""Do runs rank the schedulers like their plans, and is takt's default never slower than another scheduler?

Runs random graphs of spin kernels over ranks, each graph with each scheduler, at full rate, and prints the planned and
the sustained throughput of each. Then reports, over all pairs of schedulers of one graph whose plans differ by more than
a margin, how many ran in the planned order, and Kendall's tau. Last, if the default (no scheduler named) was slower than
the best one by more than the margin, runs both again alternately and prints their medians. Needs as many idle cores as
ranks.

    bench/ranking.py [--takt build/release/cli/takt] [--graphs 6] [--seconds 2] [--ranks 2] [--margin 0.05] [--first 1] [--hosts a,b]
"""

import argparse
import itertools
import os
import platform
import random
import statistics

import disturbance
from prediction import on_hosts, run
from progress import Progress, add_option

DEFAULT = "default"
SCHEDULERS = [DEFAULT, "single", "brent", "greedy", "basic_fo", "chains", "optfo", "etf", "dls", "heft"]


def pipeline(seed, ranks):
    """Returns a pipeline with a source and tasks of 0.1 to 2 ms, each with one or two recent tasks as inputs."""
    draw = random.Random(seed)
    names, consumed, tasks = ["source"], set(), []
    for number in range(draw.randint(5, 12)):
        inputs = draw.sample(names[-4:], min(len(names), draw.randint(1, 2)))
        consumed.update(inputs)
        names.append(f"t{number}")
        tasks.append(
            f"  t{number}: {{kernel: spin, inputs: [{', '.join(inputs)}], time: {draw.randint(100, 2000)} us}}"
        )
    sinks = [f"  end_{name}: {{type: 'null', input: {name}}}" for name in names if name not in consumed]
    return "\n".join(
        [
            "name: ranking",
            "sources:",
            "  source: {type: synthetic, element: float32, axes: [sample=4096]}",
            "tasks:",
            *tasks,
            "sinks:",
            *sinks,
            f"deployment: {{ranks: {ranks}}}",
        ]
    )


def rates(calm, arguments, seed, scheduler):
    """Returns the planned and the sustained throughput."""
    text = pipeline(seed, arguments.ranks)
    if arguments.hosts:
        text = on_hosts(text, arguments.ranks, arguments.hosts)
    named = [] if scheduler == DEFAULT else ["--scheduler", scheduler]
    report, _ = calm.run(lambda: run(arguments.takt, text, arguments.seconds, *named))
    frequency = report["frequency_hz"]
    return frequency["predicted"], frequency["sustained"]


def in_turns(calm, arguments, seed, one, other, turns=3):
    """Returns the median throughputs of two schedulers, measured alternately."""
    seen = {one: [], other: []}
    for _ in range(turns):
        for scheduler in (one, other):
            seen[scheduler].append(rates(calm, arguments, seed, scheduler)[1])
    return statistics.median(seen[one]), statistics.median(seen[other])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--takt", default="build/release/cli/takt")
    parser.add_argument("--graphs", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--margin", type=float, default=0.05, help="plans this close rank alike")
    parser.add_argument("--first", type=int, default=1, help="the first graph's number")
    disturbance.add_options(parser)
    parser.add_argument("--hosts", type=lambda text: text.split(","), help="names, separated by commas")
    add_option(parser)
    arguments = parser.parse_args()
    calm = disturbance.Calm(arguments.tries)

    print(f"# {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}, {arguments.ranks} ranks")
    print("graph,scheduler,planned_hz,sustained_hz,ratio")
    ordered = compared = 0
    behind = []
    progress = Progress(arguments.graphs * len(SCHEDULERS), arguments.progress)
    for seed in range(arguments.first, arguments.first + arguments.graphs):
        results = []
        sustained_by = {}
        for scheduler in SCHEDULERS:
            planned, sustained = rates(calm, arguments, seed, scheduler)
            results.append((planned, sustained))
            sustained_by[scheduler] = sustained
            progress.clear()
            print(f"{seed},{scheduler},{planned:.1f},{sustained:.1f},{sustained / planned:.3f}", flush=True)
            progress.step(f"graph {seed}, {scheduler}")
        for lower, higher in itertools.combinations(sorted(results), 2):
            if higher[0] > lower[0] * (1 + arguments.margin):
                compared += 1
                ordered += higher[1] > lower[1]
        best = max(sustained_by, key=sustained_by.get)
        if sustained_by[DEFAULT] < (1 - arguments.margin) * sustained_by[best]:
            own, other = in_turns(calm, arguments, seed, DEFAULT, best)
            progress.clear()
            print(f"# graph {seed}: default {own:.1f} Hz, {best} {other:.1f} Hz, in turns", flush=True)
            if own < (1 - arguments.margin) * other:
                behind.append(seed)
    tau = (2 * ordered - compared) / max(compared, 1)
    print(f"# {ordered} of {compared} pairs of schedulers ran in the planned order: Kendall's tau {tau:.2f}")
    print(f"# default behind the best by more than {100 * arguments.margin:.0f} %: {len(behind)} of {arguments.graphs} graphs {behind or ''}")


if __name__ == "__main__":
    main()
