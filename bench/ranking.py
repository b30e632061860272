#!/usr/bin/env python3
"""Do runs rank the schedulers as their plans do?

Runs random graphs of spin kernels over ranks, each graph under each scheduler, as fast as frames can be made, and
prints the planned and the sustained frequency of each. Then, over all pairs of schedulers of one graph whose plans
differ by more than a margin: how many ran in the planned order. Needs as many idle cores as ranks.

    bench/ranking.py [--takt build/release/cli/takt] [--graphs 6] [--seconds 2] [--ranks 2] [--margin 0.05]
"""

import argparse
import itertools
import os
import platform
import random

from prediction import run
from progress import Progress

SCHEDULERS = ["single", "brent", "greedy", "basic_fo", "chains", "optfo", "etf", "dls", "heft"]


def pipeline(seed, ranks):
    """A source and some tasks of 0.1 to 2 ms, each after one or two of those shortly before it."""
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--takt", default="build/release/cli/takt")
    parser.add_argument("--graphs", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--margin", type=float, default=0.05, help="plans this close rank alike")
    arguments = parser.parse_args()

    print(f"# {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}, {arguments.ranks} ranks")
    print("graph,scheduler,planned_hz,sustained_hz,ratio")
    ordered = compared = 0
    progress = Progress(arguments.graphs * len(SCHEDULERS))
    for seed in range(1, arguments.graphs + 1):
        results = []
        for scheduler in SCHEDULERS:
            report = run(arguments.takt, pipeline(seed, arguments.ranks), arguments.seconds, "--scheduler", scheduler)
            planned, sustained = report["frequency_hz"]["predicted"], report["frequency_hz"]["sustained"]
            results.append((planned, sustained))
            progress.clear()
            print(f"{seed},{scheduler},{planned:.1f},{sustained:.1f},{sustained / planned:.3f}", flush=True)
            progress.step(f"graph {seed}, {scheduler}")
        for lower, higher in itertools.combinations(sorted(results), 2):
            if higher[0] > lower[0] * (1 + arguments.margin):
                compared += 1
                ordered += higher[1] > lower[1]
    print(f"# {ordered} of {compared} pairs of schedulers ran in the planned order")


if __name__ == "__main__":
    main()
