#!/usr/bin/env python3
"""How does a pipeline's throughput grow with its frames, stages and ranks?

Three comparisons of takt with the limit of the machine, measured alternately within one run; medians of the rounds:

* frames of 64 B to 4 MiB read and written by three stages: takt's plan for two ranks, one rank, and peers (bench/runtime/peers.cpp);
* 1 to 32 stateful stages of 100 us on 4 KiB: one and two ranks, compared with the cores' time divided by the stages' work;
* 1 to 8 ranks for eight stateful stages of 100 us: compared with the same; more ranks than cores cannot be faster.

    cmake --preset release -DTAKT_BUILD_BENCH=ON && cmake --build --preset release
    bench/growth.py [--build build/release] [--rounds 3] [--seconds 1] [--svg docs/pictures/growth.svg]

--svg plots them (Debian: python3-matplotlib).
"""
import argparse
import math
import os
import statistics
import tempfile

from progress import Progress, add_option
from runtime import Bench

FRAMES = [64, 512, 4096, 32768, 262144, 1 << 20, 1 << 22]
STAGES = [1, 2, 4, 8, 16, 32]
RANKS = [1, 2, 3, 4, 6, 8]
STAGE_SECONDS = 100e-6


def median_of(rounds, progress, label, ways):
    """Returns the median result of each variant; each round measures all variants."""
    values = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            values[name].append(way())
        progress.step(label)
    return {name: statistics.median([value for value in each if not math.isnan(value)] or [math.nan]) for name, each in values.items()}


def by_frames(bench, rounds, progress):
    peers = [name for name in bench.names if name != "inline"]
    for size in FRAMES:
        two, one = (bench.plan(size, "touch", "stateless", ranks) for ranks in (2, 1))
        ways = {"takt, two ranks": lambda: bench.run(*two), "takt, one rank": lambda: bench.run(*one)}
        for name in peers:
            ways[name] = lambda name=name: bench.peer(name, size, "touch", "stateless")
        yield size, median_of(rounds, progress, f"{size} B", ways)


def by_stages(bench, rounds, progress, cores):
    for stages in STAGES:
        plans = {ranks: bench.plan(4096, "100", "stateful", ranks, stages) for ranks in (2, 1)}
        ways = {"two ranks": lambda: bench.run(*plans[2]), "one rank": lambda: bench.run(*plans[1])}
        row = median_of(rounds, progress, f"{stages} stages", ways)
        # A stateful stage uses one core.
        row["two cores at most"] = min(cores / stages, 1) / STAGE_SECONDS
        yield stages, row


def by_ranks(bench, rounds, progress, cores):
    stages = 8
    for ranks in RANKS:
        plan = bench.plan(4096, "100", "stateful", ranks, stages)
        row = median_of(rounds, progress, f"{ranks} ranks", {"takt": lambda: bench.run(*plan)})
        row["as many cores at most"] = min(ranks, cores) / stages / STAGE_SECONDS
        yield ranks, row


def print_table(title, rows):
    names = list(rows[0][1])
    print(f"\n{title:>10} " + " ".join(f"{name:>22}" for name in names))
    for key, row in rows:
        print(f"{key:>10} " + " ".join(f"{row[name]:>20,.0f}Hz" for name in names), flush=True)


def draw(path, tables):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "takt", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot
    colours = ["#0072B2", "#56B4E9", "#000000", "#999999", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#8C6D31"]
    figure, axes = pyplot.subplots(1, len(tables), figsize=(4.4 * len(tables), 3.8))
    for axis, (title, label, is_logarithmic, rows) in zip(axes, tables):
        for name, colour in zip(rows[0][1], colours):
            is_limit = name.endswith("at most")
            axis.plot([key for key, _ in rows], [row[name] for _, row in rows], label=name, color="#555555" if is_limit else colour,
                      linestyle="--" if is_limit else "-", marker=None if is_limit else "o", markersize=3.5)
        if is_logarithmic:
            axis.set_xscale("log", base=2)
            axis.set_yscale("log")
        else:
            axis.set_ylim(bottom=0)
        axis.set(title=title, xlabel=label, ylabel="frames/s")
        axis.grid(True, color="#dddddd", linewidth=0.6)
        axis.legend(fontsize=7.5, frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--svg")
    add_option(parser)
    arguments = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    progress = Progress((len(FRAMES) + len(STAGES) + len(RANKS)) * arguments.rounds, arguments.progress)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments.build, folder, arguments.seconds)
        tables = [("Frames that three stages touch", "bytes", True, list(by_frames(bench, arguments.rounds, progress))),
                  ("Stages of 100 us, 4 KiB", "stages", True, list(by_stages(bench, arguments.rounds, progress, cores))),
                  (f"Ranks on {cores} cores, 8 stages of 100 us", "ranks", False, list(by_ranks(bench, arguments.rounds, progress, cores)))]
    progress.clear()
    for _, label, _, rows in tables:
        print_table(label, rows)
    if arguments.svg:
        draw(arguments.svg, tables)


if __name__ == "__main__":
    main()
