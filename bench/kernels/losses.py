#!/usr/bin/env python3
"""How do lost samples affect the output of `iir` and `matched_filter`? Uses noise, noise around a mean, tones and pulses, of
which single samples or packets of 16 are lost at random.

    bench/kernels/losses.py build/release/cli/takt

Prints the tables of docs/reference/kernels.md: means over the present results, relative to those without losses.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROWS, FRAMES = 4096, 64
COUNT = ROWS * FRAMES
#: Name, parameters with edges relative to the sample rate, and a tone in the band.
FILTERS = [
    ("low-pass 0.2, order 2", {"high": 0.2, "order": 2}, 0.1),
    ("low-pass 0.05", {"high": 0.05}, 0.025),
    ("high-pass 0.01", {"low": 0.01}, 0.05),
    ("band-pass 0.005 to 0.1", {"low": 0.005, "high": 0.1}, 0.03),
    ("band-pass 0.05 to 0.1", {"low": 0.05, "high": 0.1}, 0.07),
]
#: Share of lost samples, and number of consecutive ones.
LOSSES = [(0.05, 1), (0.2, 1), (0.05, 16), (0.2, 16), (0.5, 16)]
WIDTH, HEIGHT, APART, MEAN = 8, 3, 61, 4


def pipeline():
    tasks, sinks = [], []
    for i, (_, parameters, _) in enumerate(FILTERS):
        edges = ", ".join(f"{key}: {value * ROWS if key != 'order' else value}{' Hz' if key != 'order' else ''}"
                          for key, value in parameters.items())
        tasks.append(f"f{i}: {{kernel: iir, input: s, {edges}}}")
        sinks.append(f"f{i}")
    for name, more in (("pulses", ""), ("whole", ", least: 1")):
        tasks.append(f"{name}: {{kernel: matched_filter, input: s, widths: [{WIDTH}]{more}}}")
        sinks.append(name)
    channels = 3 + len(FILTERS)
    source = f"{{type: raw_file, file: in.raw, element: float32, axes: [time={ROWS}, channel={channels}], rate: 1 Hz}}"
    return (f"sources:\n  s: {source}\ntasks:\n" + "".join(f"  {task}\n" for task in tasks) + "sinks:\n"
            + "".join(f"  s{name}: {{type: raw, input: {name}, path: {name}.raw, flags: [nan]}}\n" for name in sinks))


def results(takt, folder, loss, burst, random):
    """Returns [name] -> [time][channel]: noise, noise around a mean, pulses in it, and tones."""
    noise = random.standard_normal(COUNT)
    pulses = np.where(np.arange(COUNT) % APART < WIDTH, HEIGHT, 0) + MEAN + random.standard_normal(COUNT)
    tones = [np.cos(2 * np.pi * tone * np.arange(COUNT)) for _, _, tone in FILTERS]
    samples = np.stack([noise, MEAN + random.standard_normal(COUNT), pulses, *tones], 1).astype(np.float32)
    samples.reshape(-1, burst, samples.shape[1])[random.random(COUNT // burst) < loss] = np.nan
    samples.tofile(folder / "in.raw")
    (folder / "p.yaml").write_text(pipeline())
    subprocess.run([takt, "run", "p.yaml", "--overwrite"], cwd=folder, check=True, capture_output=True)
    names = [f"f{i}" for i in range(len(FILTERS))] + ["pulses", "whole"]
    return {name: np.fromfile(folder / f"{name}.raw", np.float32).reshape(COUNT, -1).astype(float) for name in names}


def main():
    takt = str(pathlib.Path(sys.argv[1]).resolve())
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        whole = results(takt, folder, 0, 1, random)
        lossy = [results(takt, folder, *loss, random) for loss in LOSSES]
    print("| filter | lost | noise | with a mean | tone | there |\n|---|---|---|---|---|---|")
    for i, (title, _, _) in enumerate(FILTERS):
        for (loss, burst), found in zip(LOSSES, lossy):
            out = found[f"f{i}"]
            there = np.mean(~np.isnan(out[:, 0]))
            if there < 0.015:
                continue
            text = f"| {title} | {100 * loss:.0f} %, {burst} |"
            for channel in (0, 1, 3 + i):
                power = np.nanmean(out[:, channel] ** 2) / np.mean(whole[f"f{i}"][:, channel] ** 2)
                text += f" {power:.2f} |"
            print(text + f" {there:.2f} |")
    print("\n| lost | mean | deviation | pulse | of whole boxcars: deviation | pulse | there |\n|---|---|---|---|---|---|---|")
    ends = np.arange(COUNT) % APART == WIDTH - 1
    for (loss, burst), found in zip([(0, 1)] + LOSSES, [whole] + lossy):
        text = f"| {100 * loss:.0f} %, {burst} | {np.nanmean(found['pulses'][:, 1]) / (MEAN * np.sqrt(WIDTH)):.3f} |"
        for out in (found["pulses"], found["whole"]):
            pulse = np.nanmean(out[ends, 2]) - MEAN * np.sqrt(WIDTH)
            text += f" {np.nanstd(out[:, 1]):.2f} | {pulse / (HEIGHT * np.sqrt(WIDTH)):.2f} |"
        print(text + f" {np.mean(~np.isnan(found['whole'][:, 1])):.2f} |")


main()
