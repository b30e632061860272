#!/usr/bin/env python3
"""How fast are three stages with takt, compared with other libraries on two cores?

Runs the same three stages, with a stateless or a stateful middle stage, for several frame sizes and amounts of work, in takt (the best
plan for two ranks from trial runs, and one rank alone) and in peers (bench/runtime/peers.cpp). `mpi` is bare Open MPI
(bench/runtime/mpi_peer.cpp), over tcp with OMPI_MCA_btl=tcp,self, like takt with --transport mpi then. Each round measures all of them,
with takt first and last, and is discarded if these two differ by more than 10 %, as the machine was disturbed then. Prints takt's
frames/s, the median ratios of takt's rate to the peers' rates within a round (above 1 takt is faster), and a verdict: ahead, level or
behind of the best peer (bench/runtime_verdict.py). `replicas` is the limit of two cores. A peer that does not end has `hung`. The last
line counts the verdicts; `--json FILE` writes all of it for programs. The pipelined row is
configs/pipelined.yaml with its schedule: tasks with state of 500, 1000 and 500 us, the ends on one rank, which two ranks hold at 1 kHz at
most.

    cmake --preset release -DTAKT_BUILD_BENCH=ON && cmake --build --preset release
    bench/runtime.py [--build build/release] [--rounds 5] [--seconds 1] [--frames 64,4096,65536,1048576] [--work hand,touch,10,100,1000]
                     [--json FILE]
"""
import argparse
import itertools
import json
import math
import os
import platform
import statistics
import subprocess
import tempfile

import runtime_verdict
from progress import Progress, add_option

PIPELINE = """
plugins: [{plugin}]
sources: {{frames: {{type: synthetic, axes: [x={count}], element: float32, pattern: zeros}}}}
tasks:
{tasks}sinks: {{nowhere: {{type: 'null', input: s{last}}}}}
deployment: {{ranks: {ranks}, transport: {transport}}}
"""

# Permits mpirun as root, and restricts the bare MPI peer like takt's ranks: shared memory, and ports on the loopback only.
MPI_ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl": "self,vader",
                   "OMPI_MCA_oob_tcp_if_include": "lo", **os.environ}


class Bench:
    def __init__(self, build, folder, seconds, transport="auto"):
        self.takt = os.path.join(build, "cli/takt")
        self.program = os.path.join(build, "bench/peers")
        self.mpi = os.path.join(build, "bench/mpi_peer")
        self.plugin = os.path.abspath(os.path.join(build, "bench/libbench_kernels.so"))
        self.folder, self.seconds, self.transport = folder, seconds, transport
        self.names = subprocess.run([self.program], check=True, capture_output=True, text=True).stdout.split() + ["mpi"]

    def plan(self, size, work, state, ranks, stages=3):
        """Returns the pipeline and the schedule of the best plan from trial runs, made once to exclude the variation of planning. With
        "stateful" the middle one of three stages has a state, and every stage of other numbers."""
        kernels = ["bench_stateful" if state == "stateful" and (stages != 3 or i == 1) else "bench_stage" for i in range(stages)]
        tasks = "".join(f"  s{i}: {{kernel: {kernel}, input: {f's{i - 1}' if i else 'frames'}, work: '{work}'}}\n"
                        for i, kernel in enumerate(kernels))
        pipeline = os.path.join(self.folder, f"{ranks}.yaml")
        with open(pipeline, "w") as file:
            file.write(PIPELINE.format(plugin=self.plugin, count=max(size // 4, 1), ranks=ranks, tasks=tasks, last=stages - 1,
                                       transport=self.transport))
        schedule = os.path.join(self.folder, f"{ranks}.schedule.yaml")
        trial = ["--trial", "1s"] if ranks > 1 else []
        subprocess.run([self.takt, "plan", pipeline, *trial, "--progress", "none", "--output", schedule], check=True, stdout=subprocess.DEVNULL)
        return pipeline, schedule

    def run(self, pipeline, schedule, *more):
        report = os.path.join(self.folder, "report.json")
        subprocess.run([self.takt, "run", pipeline, "--schedule", schedule, "--duration", f"{self.seconds}s",
                        "--report", report, "--no-progress", *more], check=True, stdout=subprocess.DEVNULL)
        with open(report) as file:
            return json.load(file)["frequency_hz"]["sustained"]

    def pipelined(self, ranks):
        """Returns the rate of configs/pipelined.yaml on two ranks with its schedule, or on one."""
        configs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "configs")
        pipeline = os.path.join(configs, "pipelined.yaml")
        if ranks == 2:
            return self.run(pipeline, os.path.join(configs, "schedules", "pipelined.yaml"))
        schedule = os.path.join(self.folder, "single.schedule.yaml")
        subprocess.run([self.takt, "plan", pipeline, "--ranks", "1", "--progress", "none", "--output", schedule], check=True,
                       stdout=subprocess.DEVNULL)
        return self.run(pipeline, schedule, "--ranks", "1")

    def peer(self, name, size, work, state):
        words = [str(size), work, state, str(self.seconds)]
        command = ["mpirun", "-n", "2", "--bind-to", "none", self.mpi] if name == "mpi" else [self.program, name]
        try:
            done = subprocess.run(command + words, check=True, capture_output=True, text=True, env=MPI_ENVIRONMENT, timeout=self.seconds + 20)
        except subprocess.TimeoutExpired:
            # StreamPU's threads sometimes deadlock at the end.
            return math.nan
        return float(done.stdout)


def work_text(work):
    """Returns `none`, `touch`, `10 us` or `1 ms` for an amount of work of the command line."""
    if not work.isdigit():
        return {"hand": "none"}.get(work, work)
    return f"{int(work) // 1000} ms" if int(work) % 1000 == 0 else f"{work} us"


def row_of(size, work, state, rates, ratios):
    """Returns the judged row of a size, amount of work and middle stage: the median of takt's frames/s in the undisturbed rounds, and by
    peer the median of the ratios (None: the peer hung), the least and the most."""
    peers = {name: statistics.median(each) if each else None for name, each in ratios.items()} if rates else {}
    spreads = {name: [min(each), max(each)] for name, each in ratios.items() if each}
    return runtime_verdict.judged({"frame_bytes": size, "work": work_text(work), "middle": state,
                                   "takt_hz": statistics.median(rates) if rates else None, "rounds": len(rates),
                                   "peers": peers, "spreads": spreads})


def cells_of(row, names):
    """Returns the texts of a row: frame, work, middle, takt's rate, a ratio for each name, verdict, rounds."""
    def ratio(name):
        if row["takt_hz"] is None:
            return ""
        return "hung" if row["peers"].get(name) is None else f"{row['peers'][name]:.2f}"
    rate = "disturbed" if row["takt_hz"] is None else f"{row['takt_hz']:,.0f} Hz"
    return [runtime_verdict.size_text(row["frame_bytes"]), row["work"], row["middle"], rate, *map(ratio, names), row["verdict"], str(row["rounds"])]


def result_of(rows, settings):
    """Returns the result for programs: the machine, the settings, the rows and their summary."""
    machine = {"processor": processor_name(), "cores": os.cpu_count(), "system": platform.platform(), "load": os.getloadavg()[0]}
    return {"bench": "runtime", "machine": machine, "settings": settings, "rows": rows, "summary": runtime_verdict.summary(rows)}


def processor_name(file="/proc/cpuinfo"):
    try:
        with open(file) as lines:
            return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    except OSError:
        return platform.machine()


def print_row(cells):
    print(f"{cells[0]:>8} {cells[1]:>6} {cells[2]:>9} {cells[3]:>14}" + "".join(f"{each:>10}" for each in cells[4:]), flush=True)


def print_markdown(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def measure(bench, size, work, state, rounds, progress):
    """Returns the judged row of a size, amount of work and middle stage."""
    two, one = bench.plan(size, work, state, 2), bench.plan(size, work, state, 1)
    rates, ratios = [], {name: [] for name in bench.names + ["one rank"]}
    for _ in range(rounds):
        before = bench.run(*two)
        others = {name: bench.peer(name, size, work, state) for name in bench.names}
        others["one rank"] = bench.run(*one)
        after = bench.run(*two)
        progress.step(f"{size} B, {work}, {state}")
        if abs(before - after) > 0.1 * min(before, after):
            continue
        rates.append((before + after) / 2)
        for name, rate in others.items():
            if not math.isnan(rate):
                ratios[name].append(rates[-1] / rate)
    return row_of(size, work, state, rates, ratios)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--frames", default="64,4096,65536,1048576")
    parser.add_argument("--work", default="hand,touch,10,100,1000")
    parser.add_argument("--middle", default="stateless,stateful")
    parser.add_argument("--transport", choices=["auto", "mpi"], default="auto", help="of takt")
    parser.add_argument("--markdown", action="store_true", help="print a table of docs/explanation/speed.md")
    parser.add_argument("--json", help="file for the result of programs")
    add_option(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments.build, folder, arguments.seconds, arguments.transport)
        names = bench.names + ["one rank"]
        show = print_markdown if arguments.markdown else print_row
        show(["frame", "a stage", "middle", "takt", *(f"/{name}" for name in names), "verdict", "rounds"])
        if arguments.markdown:
            print("|---" * (6 + len(names)) + "|")
        sizes, works, middles = (each.split(",") for each in (arguments.frames, arguments.work, arguments.middle))
        progress = Progress(len(sizes) * len(works) * len(middles) * arguments.rounds, arguments.progress)
        rows = []
        for size, work, state in itertools.product(map(int, sizes), works, middles):
            rows.append(measure(bench, size, work, state, arguments.rounds, progress))
            progress.clear()
            show(cells_of(rows[-1], names))
        two, one = ([bench.pipelined(ranks) for _ in range(arguments.rounds)] for ranks in (2, 1))
        pipelined = {"takt_hz": statistics.median(two), "over_one_rank": statistics.median(two) / statistics.median(one)}
        show(["4 KiB", "2 ms", "pipelined", f"{pipelined['takt_hz']:,.0f} Hz", *("" for _ in bench.names),
              f"{pipelined['over_one_rank']:.2f}", "", str(arguments.rounds)])
    settings = {"rounds": arguments.rounds, "seconds": arguments.seconds, "transport": arguments.transport}
    result = {**result_of(rows, settings), "pipelined": pipelined}
    print(result["summary"]["text"])
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(result, file, indent=2)
            file.write("\n")


if __name__ == "__main__":
    main()
