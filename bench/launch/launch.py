#!/usr/bin/env python3
"""What limits a run of many ranks: how long does it take to start, and how much CPU time do its processes use?

Runs a chain of tasks of 10 us, one per rank, at five frames/s, with a schedule written by this bench, so that measuring and planning are
excluded. Compares it with a program that only enters and leaves MPI (mpi_start.cpp). Reads from /proc, every 0.1 s, the CPU time of
mpirun, of takt's launcher and of all ranks, until the first frame is written (start) and from then on (per second). Prints medians of
the rounds, one row for each number of ranks.

    bench/launch/launch.py [--build build/release] [--ranks 8,32,128,256] [--rounds 3] [--seconds 10]
"""
import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from progress import Progress, add_option

TICK = os.sysconf("SC_CLK_TCK")
RATE = 5
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
KINDS = ["mpirun", "launcher", "ranks"]


def write_pipeline(folder, ranks):
    path = os.path.join(folder, f"{ranks}.yaml")
    with open(path, "w") as file:
        file.write(f"name: chain\nsources:\n  clock: {{type: synthetic, axes: [time=256], pattern: count, rate: {RATE}}}\ntasks:\n")
        for i in range(ranks):
            file.write(f"  t{i}: {{kernel: spin, input: {f't{i - 1}' if i else 'clock'}, time: 10 us}}\n")
        file.write(f"sinks:\n  file: {{type: raw, input: t{ranks - 1}, path: frames.raw}}\ndeployment: {{ranks: {ranks}}}\n")
    return path


def write_schedule(folder, ranks):
    """Writes a schedule with task i on rank i: one frame passes along the chain."""
    overhead, latency, work, size = 1000, 2000, 10000, 1136
    lines, messages, now = ["scheduler: by_hand", "replicas: 1", "processors:"], [], 0

    def add(what, length):
        nonlocal now
        lines.append(f"    - {{{what}, start: {now}, end: {now + length}}}")
        now += length

    for i in range(ranks):
        lines.append(f"  {i}:")
        if i == 0:
            add("compute: clock", overhead)
        else:
            now += latency
            add(f"receive: {i - 1}", overhead)
        add(f"compute: t{i}", work)
        if i == ranks - 1:
            add("compute: file", overhead)
        else:
            add(f"send: {i}", overhead)
            messages.append(f"  - {{from: {i}, to: {i + 1}, size: {size}, data: [t{i}]}}")
    names = ["clock", *(f"t{i}" for i in range(ranks)), "file"]
    lines += ["messages:", *messages, f"machine:\n  processors: {ranks}",
              f"  costs:\n    all: {{latency: {latency}, overhead: {overhead}, gap: {overhead}}}", "graph:\n  tasks:"]
    lines += [f"    - {{name: {name}, work: {work if name.startswith('t') else overhead}{', stateless: true' if name.startswith('t') else ''}}}" for name in names]
    lines += ["  edges:", *(f"    - {{from: {a}, to: {b}, size: {size}}}" for a, b in zip(names, names[1:]))]
    path = os.path.join(folder, f"{ranks}.schedule.yaml")
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
    return path


def processor_seconds(launcher):
    """Returns the CPU seconds of `launcher` and its descendants, by kind."""
    parents, times, names = {}, {}, {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                text = file.read()
        except OSError:
            continue
        name, fields = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
        names[int(pid)], parents[int(pid)], times[int(pid)] = name, int(fields[1]), (int(fields[11]) + int(fields[12])) / TICK
    seconds = dict.fromkeys(KINDS, 0.0)
    for pid, parent in parents.items():
        if pid == launcher:
            seconds["launcher"] += times[pid]
        elif names[pid] in ("mpirun", "orterun"):
            if parent == launcher:
                seconds["mpirun"] += times[pid]
        elif names.get(parent) in ("mpirun", "orterun") and parents.get(parent) == launcher:
            seconds["ranks"] += times[pid]
    return seconds


def size_of(path):
    return os.path.getsize(path) if os.path.exists(path) else 0


def run_takt(takt, folder, ranks, seconds):
    """Returns the wall time to the first frame, and by kind the CPU seconds until then and per second from then on."""
    frames = os.path.join(folder, "frames.raw")
    command = [takt, "run", f"{ranks}.yaml", "--schedule", f"{ranks}.schedule.yaml", "--overwrite", "--no-progress", "--no-serve", "--frames", str(RATE * seconds)]
    if os.path.exists(frames):
        os.remove(frames)
    begin = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    seen, size = [], 0
    while process.poll() is None:
        now, used = time.monotonic(), processor_seconds(process.pid)
        if size_of(frames) > size:
            size = size_of(frames)
            seen.append((now, used))
        time.sleep(0.1)
    if process.returncode != 0 or len(seen) < 3:
        sys.exit(f"{ranks} ranks: takt run ended with exit code {process.returncode}")
    # Excludes the last frame, after which ranks begin to end.
    first, last = seen[0], seen[-2]
    elapsed = last[0] - first[0]
    return {"start": first[0] - begin, "end": time.monotonic() - seen[-1][0],
            **{f"start of {kind}": first[1][kind] for kind in KINDS},
            **{f"share of {kind}": (last[1][kind] - first[1][kind]) / elapsed for kind in KINDS}}


def run_bare(program, ranks):
    begin = time.monotonic()
    subprocess.run(["mpirun", "--oversubscribe", "-n", str(ranks), program], check=True, env=ENVIRONMENT)
    return time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--ranks", default="8,32,128,256")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=10, help="how long a run goes on once it has started")
    add_option(parser)
    arguments = parser.parse_args()
    takt, bare = (os.path.join(os.path.abspath(arguments.build), path) for path in ("cli/takt", "bench/mpi_start"))
    numbers = [int(each) for each in arguments.ranks.split(",")]
    progress = Progress(2 * len(numbers) * arguments.rounds, arguments.progress)
    print(f"{os.cpu_count()} cores, {platform.machine()}; median of {arguments.rounds} rounds. Seconds until the first frame, processor seconds until then, shares of a core from then on.\n")
    columns = ["ranks", "MPI alone", "first frame", "mpirun", "launcher", "ranks, each", "mpirun, running", "launcher, running", "ranks, running, each", "end"]
    print("| " + " | ".join(columns) + " |\n|" + "---:|" * len(columns), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for ranks in numbers:
            write_pipeline(folder, ranks)
            write_schedule(folder, ranks)
            bares, rounds = [], []
            for _ in range(arguments.rounds):
                bares.append(run_bare(bare, ranks))
                progress.step(f"{ranks} ranks, MPI alone")
                rounds.append(run_takt(takt, folder, ranks, arguments.seconds))
                progress.step(f"{ranks} ranks")
            middle = {key: statistics.median(each[key] for each in rounds) for key in rounds[0]}
            progress.clear()
            print(f"| {ranks} | {statistics.median(bares):.2f} | {middle['start']:.2f} | {middle['start of mpirun']:.2f} | {middle['start of launcher']:.2f} | "
                  f"{middle['start of ranks'] / ranks:.3f} | {middle['share of mpirun']:.2%} | {middle['share of launcher']:.2%} | {middle['share of ranks'] / ranks:.2%} | "
                  f"{middle['end']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
