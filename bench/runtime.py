#!/usr/bin/env python3
"""How fast are three stages with takt, compared with other libraries on two cores?

Runs the same three stages, with a stateless or a stateful middle stage, for several frame sizes and amounts of work, in takt (the best
plan for two ranks from trial runs, and one rank alone) and in peers (bench/runtime/peers.cpp). `mpi` is bare Open MPI
(bench/runtime/mpi_peer.cpp), over tcp with OMPI_MCA_btl=tcp,self, like takt with --transport mpi then. Each round measures all of them,
with takt first and last, and is discarded if these two differ by more than 10 %, as the machine was disturbed then. Prints takt's
frames/s, and the median ratios of takt's rate to the peers' rates within a round: above 1 takt is faster. `replicas` is the limit of
two cores. A peer that does not end has `hung`. The last row is configs/pipelined.yaml with its pipelined schedule: tasks with state of 500,
1000 and 500 us, the ends on one rank, which two ranks hold at 1 kHz at most.

    cmake --preset release -DTAKT_BUILD_BENCH=ON && cmake --build --preset release
    bench/runtime.py [--build build/release] [--rounds 5] [--seconds 1] [--frames 64,4096,65536,1048576] [--work hand,touch,10,100,1000]
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import tempfile

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


def print_row(size, work, state, rate, columns, rounds):
    print(f"{size:>10} {work:>6} {state:>9} {rate:>14}" + "".join(f"{each:>10}" for each in columns) + f"  {rounds}", flush=True)


def print_markdown(size, work, state, rate, columns, rounds):
    print("| " + " | ".join([size, work, state, rate, *columns, str(rounds)]) + " |", flush=True)


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
    add_option(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments.build, folder, arguments.seconds, arguments.transport)
        row = print_markdown if arguments.markdown else print_row
        row("frame", "work", "middle", "takt", [f"/{name}" for name in bench.names] + ["/one rank"], "rounds")
        if arguments.markdown:
            print("|---" * (6 + len(bench.names)) + "|")
        cells = [len(each.split(",")) for each in (arguments.frames, arguments.work, arguments.middle)]
        progress = Progress(cells[0] * cells[1] * cells[2] * arguments.rounds, arguments.progress)
        for size in map(int, arguments.frames.split(",")):
            for work in arguments.work.split(","):
                for state in arguments.middle.split(","):
                    two, one = bench.plan(size, work, state, 2), bench.plan(size, work, state, 1)
                    rates, ratios = [], {name: [] for name in bench.names + ["one rank"]}
                    for _ in range(arguments.rounds):
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
                    progress.clear()
                    if not rates:
                        rate, columns = "disturbed", ["" for _ in ratios]
                    else:
                        rate = f"{statistics.median(rates):,.0f} Hz"
                        columns = [f"{statistics.median(each):.2f}" if each else "hung" for each in ratios.values()]
                    row(f"{size} B", work, state, rate, columns, len(rates))
        two, one = ([bench.pipelined(ranks) for _ in range(arguments.rounds)] for ranks in (2, 1))
        ratio = statistics.median(two) / statistics.median(one)
        row("4096 B", "0.5+1+0.5 ms", "pipelined", f"{statistics.median(two):,.0f} Hz", ["" for _ in bench.names] + [f"{ratio:.2f}"],
            arguments.rounds)


if __name__ == "__main__":
    main()
