#!/usr/bin/env python3
"""What do lost packets do to power behind the kernel `iir`? Noise and a tone, packets of 16 samples lost at random.

    bench/kernels/losses.py build/release/cli/takt

Prints the table of docs/reference/kernels.md: mean powers behind a low-pass, by those without losses, and the share of
results that are there.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROWS, FRAMES, PACKET = 4096, 64, 16
PIPELINE = """
sources:
  s: {{type: raw_file, file: in.raw, element: float32, axes: [time={rows}, channel=2], rate: 1 Hz}}
tasks:
  settled: {{kernel: iir, input: s, high: {edge} Hz, order: 2}}
  all: {{kernel: iir, input: s, high: {edge} Hz, order: 2, least: 0}}
sinks:
  a: {{type: raw, input: settled, path: settled.raw, flags: [nan]}}
  b: {{type: raw, input: all, path: all.raw, flags: [nan]}}
"""


def powers(takt, folder, loss, random):
    count = ROWS * FRAMES
    tone = np.cos(2 * np.pi * 0.1 * np.arange(count))
    samples = np.stack([random.standard_normal(count), tone], 1).astype(np.float32)
    samples.reshape(-1, PACKET, 2)[random.random(count // PACKET) < loss] = np.nan
    samples.tofile(folder / "in.raw")
    (folder / "p.yaml").write_text(PIPELINE.format(rows=ROWS, edge=0.2 * ROWS))
    subprocess.run([takt, "run", "p.yaml", "--overwrite"], cwd=folder, check=True, capture_output=True)
    found = []
    for name in ("settled", "all"):
        out = np.fromfile(folder / f"{name}.raw", np.float32).reshape(-1, 2).astype(float)
        found += [*np.nanmean(out**2, 0), np.mean(~np.isnan(out[:, 0]))]
    return np.array(found)


def main():
    takt = str(pathlib.Path(sys.argv[1]).resolve())
    random = np.random.default_rng(1)
    print("| lost | noise | tone | there | noise, `least: 0` | tone, `least: 0` | there |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        whole = powers(takt, pathlib.Path(name), 0, random)
        for loss in (0, 0.01, 0.05, 0.1, 0.2, 0.35, 0.5):
            ratios = powers(takt, pathlib.Path(name), loss, random) / whole
            print(f"| {100 * loss:.0f} % | " + " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |")


main()
