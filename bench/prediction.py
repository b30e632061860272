#!/usr/bin/env python3
"""Does a run sustain the frequency that its plan predicts?

Runs chains of spin kernels of known cost, and the LOFAR spectrometer with packets made up as fast as they are
taken, over ranks, and prints sustained / predicted, one row a case, as CSV. On an idle machine with as many
cores as ranks the ratio is within 10 % of 1.

    bench/prediction.py [--takt build/release/cli/takt] [--seconds 3]
"""

import argparse
import json
import os
import platform
import subprocess
import tempfile

# ranks, cost of each task in the chain (us), elements (float32) of a frame
CASES = [
    (1, [500, 500], 1024),
    (2, [1000, 1000], 1024),
    (2, [1000, 1000], 262144),
    (2, [3000, 1000, 1000, 1000], 16384),
    (2, [200, 200], 16384),
    (3, [1000, 1000, 1000], 16384),
]


def pipeline(ranks, costs, elements):
    tasks, last = [], "source"
    for number, cost in enumerate(costs):
        tasks.append(f"  spin{number}: {{kernel: spin, input: {last}, time: {cost} us}}")
        last = f"spin{number}"
    return "\n".join(
        [
            "name: prediction",
            "sources:",
            f"  source: {{type: synthetic, element: float32, axes: [sample={elements}]}}",
            "tasks:",
            *tasks,
            "sinks:",
            f"  end: {{type: 'null', input: {last}}}",
            f"deployment: {{ranks: {ranks}}}",
        ]
    )


# ranks, packets of a lane in a frame (128 are 3.8 MiB)
SPECTROMETERS = [(1, 128), (2, 128), (1, 16), (2, 16)]


def spectrometer(ranks, packets):
    return f"""
name: spectrometer
sources:
  station:
    type: synthetic
    element: complex_int8
    axes: [packet={packets}, beamlet=488, time=16, polarisation=2]
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


def run(takt, pipeline_text, seconds, *options):
    """Runs a pipeline for so long and returns its report."""
    with tempfile.TemporaryDirectory() as folder:
        yaml, report = os.path.join(folder, "p.yaml"), os.path.join(folder, "r.json")
        with open(yaml, "w") as file:
            file.write(pipeline_text)
        command = [takt, "run", yaml, "--duration", f"{seconds}s", "--report", report, "--no-progress", *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(report) as file:
            return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--takt", default="build/release/cli/takt")
    parser.add_argument("--seconds", type=float, default=3)
    arguments = parser.parse_args()

    print(f"# {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}")
    print("ratio,sustained_hz,predicted_hz,ranks,tasks,frame_bytes,limit")
    cases = [
        (ranks, "/".join(map(str, costs)) + " us", 4 * elements, pipeline(ranks, costs, elements))
        for ranks, costs, elements in CASES
    ] + [
        (ranks, "spectrometer", 2 * packets * 488 * 16 * 2, spectrometer(ranks, packets))
        for ranks, packets in SPECTROMETERS
    ]
    for ranks, tasks, frame_bytes, text in cases:
        report = run(arguments.takt, text, arguments.seconds)
        hertz = report["frequency_hz"]
        print(
            f"{hertz['sustained'] / hertz['predicted']:.3f},{hertz['sustained']:.1f},{hertz['predicted']:.1f},"
            f"{ranks},{tasks},{frame_bytes},{report['limit']}",
            flush=True,
        )


if __name__ == "__main__":
    main()
