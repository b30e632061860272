#!/usr/bin/env python3
"""What do the trace (takt run --trace) and the live page of a run cost?

Runs two pipelines at full rate: a spectrometer, and two tasks of 5 us, which produce the most events/s. Each is planned once and then
run with that plan, alternately with and without a trace, so that slow phases of the machine affect both. Compares the fastest runs of
each kind, which are the least disturbed ones, and the runs of each round. Then measures the CPU time of the serving process without
the page, with it, with a reader of its ten updates a second, and with a probe of a task in addition. Prints medians, then each round.

    bench/observing.py [--takt build/release/cli/takt] [--rounds 5] [--seconds 4] [--only trace|page] [--pipelines "light tasks"]
"""
import argparse
import json
import os
import platform
import re
import signal
import socket
import statistics
import subprocess
import tempfile
import time

from progress import Progress, add_option

HEAD = "name: {name}\nsources:\n  s: {{type: synthetic, {frames}, frames: {count}}}\ntasks:\n{tasks}sinks:\n  n: {{type: 'null', input: last}}\ndeployment: {{ranks: 2}}\n"
PIPELINES = {
    "spectrometer": ("element: complex_float32, axes: [beamlet=16, time=1024, polarisation=2]",
                     "  spectra: {kernel: fft, input: s, channels: 256}\n  last: {kernel: stokes, input: spectra}\n"),
    "light tasks": ("element: float32, axes: [channel=64]", "  first: {kernel: spin, input: s, time: 5 us}\n  last: {kernel: spin, input: first, time: 5 us}\n"),
}
TICK = os.sysconf("SC_CLK_TCK")


def write(folder, name, count):
    frames, tasks = PIPELINES[name]
    path = os.path.join(folder, name.replace(" ", "-") + f"-{count}.yaml")
    with open(path, "w") as file:
        file.write(HEAD.format(name=name, frames=frames, tasks=tasks, count=count))
    return path


def run(takt, folder, pipeline, schedule, *options):
    report = os.path.join(folder, "report.json")
    subprocess.run([takt, "run", pipeline, "--schedule", schedule, "--no-serve", "--no-progress", "--report", report, *options], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(report) as file:
        return json.load(file)["frequency_hz"]["sustained"]


def trace_cost(takt, folder, name, rounds, seconds, progress):
    """Measures traces of the first 200 frames and of every tenth frame, with up to 100,000 events per rank."""
    short, schedule = write(folder, name, 2000), os.path.join(folder, "schedule.yaml")
    subprocess.run([takt, "plan", short, "-o", schedule], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    count = int(run(takt, folder, short, schedule) * seconds)
    pipeline, trace = write(folder, name, count), os.path.join(folder, "trace.json")
    ways = {"the first 200 frames": [], "every 10th frame": ["--trace-frames", f"0-{count}/10"]}
    rates, plain = {way: [] for way in ways}, []
    for _ in range(rounds):
        plain.append(run(takt, folder, pipeline, schedule))
        for way, options in ways.items():
            rates[way].append(run(takt, folder, pipeline, schedule, "--trace", trace, *options))
        progress.step(name)
    progress.clear()
    for way, each in rates.items():
        by_round = [100 * (1 - traced / plain_rate) for traced, plain_rate in zip(each, plain)]
        print(f"trace of {way}, {name}: best against best {100 * (1 - max(each) / max(plain)):+.2f} % of {max(plain):,.0f} frames/s, "
              f"median {statistics.median(by_round):+.2f} %; rounds {', '.join(f'{cost:+.1f}' for cost in by_round)}", flush=True)


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def served(takt, pipeline, options, seconds, listens, probe):
    """Returns the load in percent of a core, updates/s and bytes/s."""
    process = subprocess.Popen([takt, "run", pipeline, "--no-progress", *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    listener, got = None, b""
    try:
        port = int(re.search(r":(\d+)/", process.stderr.readline())[1]) if "--serve" in options else None
        # Measuring and planning have finished by then.
        time.sleep(3)
        if listens:
            listener = socket.create_connection(("127.0.0.1", port))
            listener.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            listener.settimeout(0.2)
            time.sleep(0.2)
        if probe:
            with socket.create_connection(("127.0.0.1", port)) as asking:
                asking.sendall(f"POST /probe HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(probe)}\r\n\r\n{probe}".encode())
                asking.recv(100)
        begin, used = time.monotonic(), processor_seconds(process.pid)
        while time.monotonic() - begin < seconds:
            if not listener:
                time.sleep(0.1)
                continue
            try:
                got += listener.recv(1 << 16)
            except TimeoutError:
                pass
        passed = time.monotonic() - begin
        return 100 * (processor_seconds(process.pid) - used) / passed, got.count(b"data:") / passed, len(got) / passed
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def page_cost(takt, folder, rounds, seconds, progress):
    pipeline = write(folder, "spectrometer", 1_000_000_000)
    port = ["--serve", "0"]
    ways = {"without a page": (["--no-serve"], False, ""), "served, no viewer": (port, False, ""),
            "the page is open": (port, True, ""), "and a probe": (port, True, "spectra")}
    shares = {way: [] for way in ways}
    for _ in range(rounds):
        for way, (options, listens, probe) in ways.items():
            shares[way].append(served(takt, pipeline, options, seconds, listens, probe))
            progress.step(way)
    progress.clear()
    for way, each in shares.items():
        print(f"{way}: {statistics.median(share[0] for share in each):.2f} % of a core, {statistics.median(share[1] for share in each):.1f} updates "
              f"a second, {statistics.median(share[2] for share in each) / 1024:.0f} KiB a second; rounds {', '.join(f'{share[0]:.2f}' for share in each)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--takt", default="build/release/cli/takt")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--only", choices=["trace", "page"])
    parser.add_argument("--pipelines", nargs="+", default=list(PIPELINES), choices=list(PIPELINES), help="to trace")
    add_option(parser)
    arguments = parser.parse_args()
    takt = os.path.abspath(arguments.takt)
    print(f"# {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if arguments.only != "page":
            progress = Progress(arguments.rounds * len(arguments.pipelines), arguments.progress)
            for name in arguments.pipelines:
                trace_cost(takt, folder, name, arguments.rounds, arguments.seconds, progress)
        if arguments.only != "trace":
            page_cost(takt, folder, arguments.rounds, arguments.seconds, Progress(arguments.rounds * 4, arguments.progress))


if __name__ == "__main__":
    main()
