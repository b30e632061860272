#!/usr/bin/env python3
"""What does a transfer between two ranks of one node cost, and what does a second rank gain?

Runs a source, two equal tasks and a sink, cut in the middle, on two ranks with shared memory, two ranks over MPI, and one rank,
alternately, for several frame sizes and durations of work. Prints the frames/s of one rank, and the median ratios of the other two
to it within a round. Two ranks reach up to 2 for long work, and are slower where the work is shorter than the transfer.

    bench/boundary.py [--takt build/release/cli/takt] [--rounds 5] [--seconds 1]
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

from progress import Progress, add_option

PIPELINE = """
sources: {{frames: {{type: synthetic, axes: [byte={bytes}], element: uint8, pattern: zeros}}}}
tasks:
  first: {{kernel: {first}}}
  second: {{kernel: {second}}}
sinks: {{nowhere: {{type: 'null', input: second}}}}
scheduler: chains
deployment: {{ranks: {ranks}, transport: {transport}, machine: 'logp:P={ranks},L=0,o=0,g=0'}}
"""
FRAMES = [64, 4096, 65536, 1 << 20]
WORK = ["copy", "10 us", "100 us", "1 ms"]


def kernel(work, source):
    return f"pass, input: {source}" if work == "copy" else f"spin, input: {source}, time: {work}"


def sustained(takt, folder, size, work, ranks, transport, seconds):
    pipeline, report = os.path.join(folder, "p.yaml"), os.path.join(folder, "report.json")
    with open(pipeline, "w") as file:
        file.write(PIPELINE.format(bytes=size, first=kernel(work, "frames"), second=kernel(work, "first"), ranks=ranks,
                                   transport=transport))
    subprocess.run([takt, "run", pipeline, "--duration", f"{seconds}s", "--report", report, "--no-progress"],
                   check=True, stdout=subprocess.DEVNULL)
    with open(report) as file:
        return json.load(file)["frequency_hz"]["sustained"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--takt", default="build/release/cli/takt")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    add_option(parser)
    arguments = parser.parse_args()
    print(f"{'frame':>10} {'work':>8} {'shared':>8} {'mpi':>8}   of one rank's frames/s")
    progress = Progress(len(FRAMES) * len(WORK) * arguments.rounds, arguments.progress)
    with tempfile.TemporaryDirectory() as folder:
        for size in FRAMES:
            for work in WORK:
                one, shared, mpi = [], [], []
                for _ in range(arguments.rounds):
                    run = lambda *where: sustained(arguments.takt, folder, size, work, *where, arguments.seconds)
                    before, middle, last = run(1, "auto"), run(2, "auto"), run(2, "mpi")
                    one.append(before)
                    shared.append(middle / before)
                    mpi.append(last / before)
                    progress.step(f"{size} B, {work}")
                progress.clear()
                print(f"{size:>8} B {work:>8} {statistics.median(shared):>8.2f} {statistics.median(mpi):>8.2f}   "
                      f"{statistics.median(one):,.0f} Hz", flush=True)


if __name__ == "__main__":
    main()
