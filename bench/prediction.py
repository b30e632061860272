#!/usr/bin/env python3
"""Does a run sustain the predicted throughput and latency, and is it never slower than one rank?

Plans and runs 48 pipelines on 2 to 6 ranks: chains, forks with joins, trees and butterflies of `spin` kernels (30 us to 10 ms per task,
frames of 4 KiB to 4 MiB, fixed seed), and the spectrometer of configs/lofar-spectrometer.yaml on synthetic frames. Runs each pipeline
on one rank before and after. Prints one CSV row per pipeline, then the median and the 90 % quantile of the prediction's error, separately
for ranks with a core each and for oversubscribed ranks, and how often the run lay within the spread of the trial run. --svg plots them.
Runs of three seconds always have trial runs of 0.3 s. A disturbed run is repeated, up to --tries times; runs that remain disturbed are
reported separately (bench/disturbance.py). With --pace, each pipeline runs once more with a source at this share of the sustained
throughput, to compare the median latency with the predicted one without queues. With --again, two more runs follow with one schedule:
the first one is also a prediction of the second, and on a machine that varies no prediction can be more accurate. With --hosts, ranks
are distributed to these hosts, which may be emulated:

    bench/prediction.py [--takt build/release/cli/takt] [--seconds 3] [--from N] [--to N] [--pace 0.7 [--again]] [--svg FILE]
    tests/support/hosts.sh 2 -- bench/prediction.py --hosts h1.test,h2.test
"""
import argparse
import csv
import dataclasses
import json
import math
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile

import disturbance
from progress import Progress, add_option


def spin(name, inputs, microseconds):
    sources = inputs[0] if len(inputs) == 1 else "[" + ", ".join(inputs) + "]"
    return f"  {name}: {{kernel: spin, input: {sources}, time: {microseconds:.0f} us}}"


def chain(draw):
    count = draw.randint(2, 6)
    return [(f"t{i}", [f"t{i - 1}"] if i else ["source"]) for i in range(count)]


def fork(draw):
    width = draw.randint(2, 4)
    return [("t0", ["source"])] + [(f"b{i}", ["t0"]) for i in range(width)] + [("t1", [f"b{i}" for i in range(width)])]


def tree(draw):
    leaves = 4
    tasks = [(f"l{i}", ["source"]) for i in range(leaves)]
    return tasks + [("m0", ["l0", "l1"]), ("m1", ["l2", "l3"]), ("root", ["m0", "m1"])]


def butterfly(draw):
    tasks = [(f"a{i}", ["source"]) for i in range(4)]
    for level, stride in (("b", 1), ("c", 2)):
        before = "a" if level == "b" else "b"
        tasks += [(f"{level}{i}", [f"{before}{i}", f"{before}{i ^ stride}"]) for i in range(4)]
    return tasks + [("join", [f"c{i}" for i in range(4)])]


def graph_pipeline(draw, shape, ranks):
    tasks = shape(draw)
    elements = int(2 ** draw.uniform(10, 20))
    work = math.exp(draw.uniform(math.log(30), math.log(10_000)))
    lines = ["name: prediction", "sources:", f"  source: {{type: synthetic, element: float32, axes: [sample={elements}]}}", "tasks:"]
    lines += [spin(name, inputs, min(10_000, max(30, work * math.exp(draw.uniform(-0.7, 0.7))))) for name, inputs in tasks]
    lines += ["sinks:", f"  end: {{type: 'null', input: {tasks[-1][0]}}}", f"deployment: {{ranks: {ranks}}}"]
    return f"{shape.__name__} of {len(tasks)}, {work:.0f} us, {4 * elements} B", "\n".join(lines) + "\n"


def spectrometer(draw, ranks):
    packets = draw.choice([16, 32, 64, 128])
    return f"spectrometer, {packets} packets", f"""
name: spectrometer
sources:
  station: {{type: synthetic, element: complex_int8, axes: [packet={packets}, beamlet=488, time=16, polarisation=2]}}
tasks:
  unpack: {{kernel: lofar_unpack, input: station}}
  spectra: {{kernel: fft, input: unpack, channels: 64, window: hann}}
  power: {{kernel: stokes, input: spectra, mode: I}}
  integrated: {{kernel: integrate, input: power, factor: {packets // 4}}}
  moments: {{kernel: statistics, input: power, frames: 95}}
sinks:
  filterbank: {{type: 'null', input: integrated}}
  quality: {{type: 'null', input: moments}}
deployment: {{ranks: {ranks}}}
"""


def pipelines(count=48, seed=1):
    draw = random.Random(seed)
    for i in range(count):
        ranks = 2 if i % 2 == 0 else draw.randint(3, 6)
        if i % 6 == 5 or i % 12 == 4:
            yield ranks, *spectrometer(draw, ranks)
        else:
            yield ranks, *graph_pipeline(draw, [chain, fork, tree, butterfly][i // 2 % 4], ranks)


def run(takt, text, seconds, *options):
    """Runs a pipeline for `seconds` and returns its report."""
    with tempfile.TemporaryDirectory() as folder:
        yaml, report = os.path.join(folder, "p.yaml"), os.path.join(folder, "r.json")
        with open(yaml, "w") as file:
            file.write(text)
        command = [takt, "run", yaml, "--duration", f"{seconds}s", "--report", report, "--no-progress", *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(report) as file:
            return json.load(file)


def planned_runs(takt, text, seconds):
    """Returns the reports of two runs with the best schedule by costs, each with a trial run."""
    with tempfile.TemporaryDirectory() as folder:
        yaml, schedule = os.path.join(folder, "p.yaml"), os.path.join(folder, "s.yaml")
        with open(yaml, "w") as file:
            file.write(text)
        # Exit code 1 (the rate is not held by costs) is accepted.
        subprocess.run([takt, "plan", yaml, "--output", schedule], check=False, stdout=subprocess.DEVNULL)
        return [run(takt, text, seconds, "--schedule", schedule, "--trial", "1s") for _ in range(2)]


def on_hosts(text, ranks, hosts):
    """Distributes the pipeline's ranks evenly to the hosts."""
    each = -(-ranks // len(hosts))
    names = ", ".join(f"'{host}:{each}'" for host in hosts)
    return text.replace(f"deployment: {{ranks: {ranks}", f"deployment: {{ranks: {ranks}, hosts: [{names}]")


def paced(text, hertz):
    return text.replace("{type: synthetic,", f"{{type: synthetic, rate: {hertz:.2f} Hz,")


def within(errors, most):
    return f"{sum(error <= most for error in errors)} of {len(errors)}"


def quantile(values, q):
    return sorted(values)[min(len(values) - 1, int(q * len(values)))]


def draw_svg(path, rows):
    """Plots sustained over predicted throughput on logarithmic axes: filled if each rank has a core, grey if the run was disturbed."""
    size, margin = 480, 60
    values = [math.log10(hertz) for row in rows for hertz in (row.predicted_hz, row.sustained_hz)]
    low, high = math.floor(min(values)), math.ceil(max(values))
    at = lambda v: margin + (math.log10(v) - low) / (high - low) * (size - 2 * margin)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" font-family="sans-serif" font-size="12">',
           f'<rect width="{size}" height="{size}" fill="white"/>',
           f'<line x1="{margin}" y1="{size - margin}" x2="{size - margin}" y2="{margin}" stroke="#888"/>']
    for decade in range(low, high + 1):
        place = at(10.0 ** decade)
        out.append(f'<text x="{place:.0f}" y="{size - margin + 18}" text-anchor="middle">{10 ** decade:g}</text>')
        out.append(f'<text x="{margin - 6}" y="{size - place + 4:.0f}" text-anchor="end">{10 ** decade:g}</text>')
    out += [f'<text x="{size / 2}" y="{size - 14}" text-anchor="middle">predicted (Hz)</text>',
            f'<text x="16" y="{size / 2}" text-anchor="middle" transform="rotate(-90 16 {size / 2})">sustained (Hz)</text>']
    for row in rows:
        color = "#0072B2" if row.is_calm() else "#888"
        fill = color if row.has_cores() else "none"
        out.append(f'<circle cx="{at(row.predicted_hz):.1f}" cy="{size - at(row.sustained_hz):.1f}" r="4" fill="{fill}" stroke="{color}"/>')
    with open(path, "w") as file:
        file.write("\n".join(out + ["</svg>"]) + "\n")


@dataclasses.dataclass
class Row:
    """Results of one pipeline; None: not measured."""

    sustained_by_predicted: float
    sustained_hz: float
    predicted_hz: float
    by_costs_hz: float
    # From the repetitions of the trial run.
    least_hz: float
    most_hz: float
    one_rank_hz: float
    ranks: int
    ranks_used: int
    # Processors used by other processes, and the share of the time in which a core was slow.
    others: float
    slow: float
    pipeline: str
    # From the run with a paced source.
    latency_by_predicted: float | None = None
    latency_least_by_predicted: float | None = None
    latency_most_by_predicted: float | None = None
    dropped: int | None = None
    latency_others: float | None = None
    latency_slow: float | None = None
    # From two runs with one schedule.
    first_by_predicted: float | None = None
    second_by_first: float | None = None

    def has_cores(self):
        return self.ranks_used <= os.cpu_count()

    def is_calm(self):
        return disturbance.Disturbance(self.others, self.slow).degree() <= 1

    def is_calm_for_latency(self):
        return self.latency_others is not None and disturbance.Disturbance(self.latency_others, self.latency_slow).degree() <= 1

    def error(self):
        return abs(self.sustained_by_predicted - 1)

    def latency_error(self):
        return abs(self.latency_by_predicted - 1)

    def is_seen_rate(self):
        """Returns true if a repetition of the trial run sustained the same rate, within 3 %, the spread of runs on a quiet host."""
        return 0.97 * self.least_hz <= self.sustained_hz <= 1.03 * self.most_hz

    def is_seen_latency(self):
        """Returns true if frames of a repetition had the same latency, within 15 %."""
        return 0.85 * self.latency_least_by_predicted <= self.latency_by_predicted <= 1.15 * self.latency_most_by_predicted


def measure(calm, arguments, ranks, name, text):
    """Measures the pipeline on its ranks, on one rank before and after, and then with a paced source."""
    of_one = text.replace(f"ranks: {ranks}", "ranks: 1")

    def one_rank():
        return calm.run(lambda: run(arguments.takt, of_one, 0.7))[0]["frequency_hz"]["sustained"]

    one = [one_rank()]
    if arguments.hosts:
        text = on_hosts(text, ranks, arguments.hosts)
    planned, disturbed = calm.run(lambda: run(arguments.takt, text, arguments.seconds))
    one.append(one_rank())
    frequency = planned["frequency_hz"]
    predicted, sustained = frequency["predicted"], frequency["sustained"]
    turns = frequency["trial"] or {"least": predicted, "most": predicted}
    row = Row(sustained / predicted, sustained, predicted, frequency["by_costs"] or predicted, turns["least"], turns["most"], statistics.mean(one), ranks,
              sum(rank["compute"] > 0.001 for rank in planned["ranks"]), disturbed.others, disturbed.slow, name)
    if not arguments.pace:
        return row
    text = paced(text, arguments.pace * sustained)
    seen, disturbed = calm.run(lambda: run(arguments.takt, text, arguments.seconds))
    row.latency_others, row.latency_slow = disturbed.others, disturbed.slow
    latency = seen["latency_ns"]
    turns = latency["trial"] or {"least": latency["predicted"], "most": latency["predicted"]}
    row.latency_by_predicted, row.latency_least_by_predicted, row.latency_most_by_predicted = (
        value / latency["predicted"] for value in (latency["p50"], turns["least"], turns["most"]))
    row.dropped = seen["frames"]["dropped"]
    if arguments.again:
        first, second = (report["latency_ns"] for report in planned_runs(arguments.takt, text, arguments.seconds))
        row.first_by_predicted, row.second_by_first = first["p50"] / first["predicted"], second["p50"] / first["p50"]
    return row


def rounded(value):
    if isinstance(value, bool):
        return int(value)
    return f"{value:.3f}" if isinstance(value, float) else value


def tell(where, what, errors, most=None):
    if not errors:
        return
    near = f", within {100 * most:.0f} %: {within(errors, most)}" if most else ""
    print(f"# {where}: {len(errors)} runs, {what} median {100 * statistics.median(errors):.1f} %, 90 % quantile {100 * quantile(errors, 0.9):.1f} %{near}")


def summarise(rows):
    """Prints the errors of undisturbed runs, how many lie within the spread of their trial runs, and the errors of disturbed runs."""
    calm = [row for row in rows if row.is_calm()]
    paced_rows = [row for row in rows if row.is_calm_for_latency()]
    for has_cores, text in ((True, "a core for each rank"), (False, "ranks share cores")):
        tell(text, "error", [row.error() for row in calm if row.has_cores() == has_cores])
        tell(text, "latency's error", [row.latency_error() for row in paced_rows if row.has_cores() == has_cores], 0.15)
    print(f"# sustained what some repetition of the trial run did, within 3 %: {sum(row.is_seen_rate() for row in calm)} of {len(calm)}")
    if paced_rows:
        tell("no frame dropped", "latency's error", [row.latency_error() for row in paced_rows if row.dropped == 0], 0.15)
        print(f"# took what frames of some turn did, within 15 %: {sum(row.is_seen_latency() for row in paced_rows)} of {len(paced_rows)}")
    again = [row for row in paced_rows if row.second_by_first is not None]
    tell("by one schedule", "latency's error", [abs(row.first_by_predicted - 1) for row in again], 0.15)
    tell("by one schedule", "second run's latency over the first", [abs(row.second_by_first - 1) for row in again], 0.15)
    others = "disturbed, and in none of these"
    tell(others, "error", [row.error() for row in rows if not row.is_calm()])
    tell(others, "latency's error", [row.latency_error() for row in rows if row.latency_by_predicted and not row.is_calm_for_latency()], 0.15)
    gains = [row.sustained_hz / row.one_rank_hz for row in rows]
    print(f"# over one rank: least {min(gains):.2f}, below 0.95: {sum(gain < 0.95 for gain in gains)} of {len(gains)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--takt", default="build/release/cli/takt")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first pipeline, counted from 0")
    parser.add_argument("--to", type=int, default=48, dest="end", help="the one behind the last")
    parser.add_argument("--pace", type=float, help="for latencies: the source's share of the sustained frequency")
    parser.add_argument("--again", action="store_true", help="with --pace: latencies of two runs by one schedule")
    parser.add_argument("--hosts", type=lambda text: text.split(","), help="names, separated by commas")
    disturbance.add_options(parser)
    parser.add_argument("--svg")
    add_option(parser)
    arguments = parser.parse_args()
    if arguments.again and not arguments.pace:
        parser.error("--again is about latencies: it needs --pace")

    print(f"# {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}")
    out = csv.DictWriter(sys.stdout, Row.__annotations__, lineterminator="\n")
    out.writeheader()
    rows = []
    calm = disturbance.Calm(arguments.tries)
    chosen = list(pipelines())[arguments.first:arguments.end]
    progress = Progress(len(chosen), arguments.progress)
    for ranks, name, text in chosen:
        rows.append(measure(calm, arguments, ranks, name, text))
        progress.clear()
        out.writerow({key: rounded(value) for key, value in dataclasses.asdict(rows[-1]).items()})
        sys.stdout.flush()
        progress.step(name)
    summarise(rows)
    if arguments.svg:
        draw_svg(arguments.svg, rows)


if __name__ == "__main__":
    main()
