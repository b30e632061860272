"""Formulas of docs/reference/kernels.md in numpy, over whole streams, one function per kernel.

Each function takes a Case of kernel_reference.py and returns the expected output by frame. Lost frames are all NaN if
the kernel produces one frame per frame.
"""

from fractions import Fraction

import numpy as np
from array_formulas import beamform, correlate
from filter_formulas import align, delay, downmix, fir, iir, pfb, phase_rotate, remove_response, resample
from formula_tools import START_NS, nan_mean


def sum_(case):
    x = np.stack(case.inputs).astype(np.complex128)
    parts = [np.real(x), np.imag(x)]
    y = nan_mean(parts[0], 0) + (1j * nan_mean(parts[1], 0) if np.iscomplexobj(case.inputs[0]) else 0)
    y[np.mean(~np.isnan(x), 0) < case.number("least", 0)] = np.nan
    return y if case.parameters.get("mode") == "mean" else y * len(x)


def stack(case):
    name = "beamlet" if case.kernel == "merge_lanes" else case.parameters.get("axis", "antenna")
    if name == "antenna":
        return np.stack(case.inputs, 1)
    return np.concatenate(case.inputs, case.axis(name) + 1)


def transpose(case):
    return np.transpose(case.inputs[0], [0] + [case.axis(name) + 1 for name in case.list("axes")])


def clip(case):
    x = case.inputs[0].astype(float)
    low, high = case.number("low", -3e38), case.number("high", 3e38)
    if case.parameters.get("mode") == "missing":
        return np.where((x < low) | (x > high), np.nan, x)
    return np.clip(x, low, high)


def detrend(case):
    out = np.moveaxis(case.inputs[0], case.axis("time") + 1, 1).astype(np.complex128)
    shape = out.shape
    out = out.reshape(shape[0], shape[1], -1)
    t = np.arange(shape[1])
    degree = 0 if case.parameters.get("mode") == "mean" else 1
    for frame in out:
        for column in range(frame.shape[1]):
            x = frame[:, column]
            there = ~np.isnan(x)
            if there.sum() <= degree:
                frame[:, column] = np.nan
                continue
            for part in (1, 1j):
                values = np.real(x / part) if part == 1 else np.imag(x)
                line = np.polyfit(t[there], values[there], degree)
                x = x - part * np.polyval(line, t)
            frame[:, column] = x
    out = np.moveaxis(out.reshape(shape), 1, case.axis("time") + 1)
    return out if np.iscomplexobj(case.inputs[0]) else np.real(out)


def sta_lta(case):
    short, long = case.number("short", 0) * case.rate, case.number("long", 0) * case.rate

    x = case.stream()
    y = np.full(x.shape, np.nan)
    for column in range(x.shape[1]):
        s = l = count = 0
        for n in range(len(x)):
            power = x[n, column] ** 2
            if np.isnan(power):
                continue
            s, l = power / short + (1 - 1 / short) * s, power / long + (1 - 1 / long) * l
            count += 1
            y[n, column] = s / l if count > round(long) else 0
    return case.in_frames(y)


def threshold(case):
    above, most = case.number("above", 0), int(case.number("events", 16))
    # After the time: the index of each other axis, and its coordinate if it has one.
    others = case.kinds[0]["axes"][1:]
    width = 3 + sum(2 if axis["coordinates"] else 1 for axis in others)
    out = np.full((len(case.inputs[0]), most, width), np.nan)
    for k, frame in enumerate(case.inputs[0]):
        events = []
        frame = frame.reshape(len(frame), -1)
        for column in range(frame.shape[1]):
            run = []
            for t in list(range(len(frame))) + [None]:
                if t is not None and frame[t, column] > above:
                    run.append((frame[t, column], t))
                    continue
                if run and case.parameters.get("local") != "false":
                    run = [max(run, key=lambda event: (event[0], -event[1]))]
                events += [(value, time, column) for value, time in run]
                run = []
        events = sorted(sorted(events, reverse=True)[:most], key=lambda event: event[1:])
        utc = START_NS + round(k / case.kinds[0]["rate_hz"] * 1e9)
        for i, (value, time, column) in enumerate(events):
            places = np.unravel_index(column, [axis["size"] for axis in others])
            fields = []
            for axis, place in zip(others, places):
                fields += [place, axis["coordinates"][place]] if axis["coordinates"] else [place]
            out[k, i] = utc * 1e-9 + time / case.rate, time, *fields, value
    return out


def matched_filter(case):
    """Correlates a template of ones at available samples, of energy n, with these samples. Subtracts their level
    before and adds it after."""
    widths = [int(text) for text in case.list("widths")]
    rows = case.inputs[0].shape[1]
    x = case.stream()
    # Level at each frame: the mean of the samples up to its end, with weights exp(-age), where age counts
    # frames.
    levels = []
    for k in range(len(x) // rows):
        known = x[: (k + 1) * rows]
        ages = rows / 16 / max(widths) * (k - np.arange(len(known)) // rows)
        weights = np.where(np.isnan(known), 0, np.exp(-ages).reshape((-1,) + (1,) * (x.ndim - 1)))
        levels.append(np.sum(weights * np.nan_to_num(known), 0) / np.sum(weights, 0))

    y = np.full((len(x), len(widths)) + x.shape[1:], np.nan)
    for t in range(len(x)):
        for w, width in enumerate(widths):
            part = x[max(0, t - width + 1) : t + 1]
            template = ~np.isnan(part)
            energy = np.sum(template, 0)
            level = levels[t // rows]
            with np.errstate(invalid="ignore", divide="ignore"):
                inner = np.sum(np.where(template, part - level, 0), 0)
                result = inner / np.sqrt(energy) + level * np.sqrt(width)
            y[t, w] = np.where((energy > 0) & (energy >= case.number("least", 0) * width), result, np.nan)
    return case.in_frames(y)


def real_fft(case):
    size = int(case.number("samples", 0))
    x = case.inputs[0].astype(float)  # [frame][beamlet][time][polarisation]
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)
    window /= np.sqrt(np.sum(window**2))
    frames, beamlets, times, pols = x.shape
    x = x.reshape(frames, beamlets, times // size, size, pols) * window[:, None]
    kernel = np.sqrt(2) * np.exp(-2j * np.pi * np.outer(np.arange(size // 2), np.arange(size)) / size)
    y = np.einsum("kn,fbsnp->fsbkp", kernel, x)
    return y.reshape(frames, times // size, -1, pols)


def fft(case):
    size, least = int(case.number("channels", 0)), case.number("least", 1)
    n = np.arange(size)
    window = {"rectangular": np.ones(size), "hann": 0.5 - 0.5 * np.cos(2 * np.pi * n / size)}
    window = window[case.parameters.get("window", "rectangular")]
    window = window / np.sqrt(np.sum(window**2))
    x = case.inputs[0].astype(np.complex128)  # [frame][beamlet][time][polarisation]
    frames, beamlets, times, pols = x.shape
    x = x.reshape(frames, beamlets, times // size, size, pols)
    there = ~np.isnan(x)
    share = np.sum(there * window[:, None] ** 2, 3)
    # Ties are decided as without rounding.
    enough = there.all(3) | ((share >= least - 1e-9) & (share > 0) & (least < 1))
    kernel = np.exp(-2j * np.pi * np.outer(n - size // 2, n) / size)
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.einsum("kn,fbsnp->fbskp", kernel, np.where(there, x, 0) * window[:, None]) / np.sqrt(share)[:, :, :, None]
    y = np.where(enough[:, :, :, None], y, np.nan)
    return y.transpose(0, 2, 1, 3, 4).reshape(frames, times // size, beamlets * size, pols)


def inverse_fft(case):
    n = int(case.number("channels", 0))
    x = case.inputs[0].astype(np.complex128)  # [frame][time][channel][polarisation]
    frames, times, channels, pols = x.shape
    x = x.reshape(frames, times, channels // n, n, pols)
    kernel = np.exp(2j * np.pi * np.outer(np.arange(n), np.arange(n) - n // 2) / n) / np.sqrt(n)
    return np.einsum("nk,ftbkp->fbtnp", kernel, x).reshape(frames, channels // n, times * n, pols)


def large_fft(case):
    n = case.inputs[0].shape[-1]
    return np.fft.fftshift(np.fft.fft(case.inputs[0].astype(np.complex128), axis=-1), axes=-1) / np.sqrt(n)


def matrix_product(case):
    return np.matmul(case.inputs[0].astype(float), case.inputs[1].astype(float))


def power_iteration(case):
    results = []
    for matrix in case.inputs[0].astype(float):
        y = 1 + np.arange(len(matrix)) / len(matrix)
        for _ in range(int(case.number("iterations", 30))):
            y = matrix @ (y / np.linalg.norm(y))
        results.append(y)
    return np.array(results)


def select(case):
    axis = case.axis(case.parameters["axis"]) + 1
    if "indices" not in case.parameters:
        first = int(case.number("first", 0))
        if case.parameters["axis"] == "time":
            case.shift = -first / case.rate
        return np.take(case.inputs[0], range(first, first + int(case.number("count", 0))), axis)
    indices = []
    for text in case.list("indices"):
        first, _, last = text.partition("..")
        indices += range(int(first), int(last or first) + 1)
    if case.parameters["axis"] == "time":
        case.shift = -indices[0] / case.rate
    return np.take(case.inputs[0], indices, axis)


def dedisperse(case):
    trials = int(case.number("trials", 1))
    mhz = case.coordinates("channel") * 1e-6
    dms = case.number("first", 0) + case.number("step", 1) * np.arange(trials)
    least = max(int(np.ceil(case.number("least", 0) * len(mhz) - 1e-9)), 1)
    delays = np.round(4.148808e3 * np.outer(dms, mhz**-2 - mhz.max() ** -2) * case.rate).astype(int)
    lag = delays.max()
    case.shift = lag / case.rate
    x = case.stream()
    rows = len(x) // len(case.inputs[0])
    # The output ends with additional frames, as many as the delay fills.
    y = np.full((len(x) + -(-lag // rows) * rows, trials), np.nan)
    for t in range(len(y)):
        for d in range(trials):
            at = t - lag + delays[d]
            values = [x[n, c] for c, n in enumerate(at) if 0 <= n < len(x) and not np.isnan(x[n, c])]
            y[t, d] = np.mean(values) if len(values) >= least else np.nan
    y = y.reshape(-1, rows, trials)
    return y[[k for k in range(len(y)) if k >= len(x) // rows or not case.lost()[k]]]


def polyco_phase(path, seconds):
    """Returns the phase, as a Fraction, by the block (one per day) with the nearest middle."""
    blocks = []
    lines = open(path).read().replace("D", "e").splitlines()
    while lines:
        day = Fraction(lines[0].split()[3])
        phase, hertz, _, _, count = lines[1].split()[:5]
        rows = -(-int(count) // 3)
        coefficients = [Fraction(word) for line in lines[2 : 2 + rows] for word in line.split()]
        blocks.append(((day - 40587) * 86400, Fraction(phase), Fraction(hertz), coefficients))
        lines = lines[2 + rows :]
    middle, phase, hertz, coefficients = min(blocks, key=lambda block: abs(block[0] - seconds))
    minutes = (seconds - middle) / 60
    return phase + 60 * minutes * hertz + sum(c * minutes**k for k, c in enumerate(coefficients))


def fold(case):
    bins, frames = int(case.number("bins", 64)), int(case.number("frames", 1))
    period, derivative = Fraction(case.parameters.get("period", "1")), Fraction(case.parameters.get("derivative", "0"))
    epoch = Fraction(case.parameters.get("epoch", "0"))
    groups = {}
    for k, frame in enumerate(case.inputs[0]):
        if case.lost()[k]:
            continue
        total, count = groups.setdefault(k // frames, (np.zeros((bins, frame.shape[1])), np.zeros((bins, frame.shape[1]))))
        utc = START_NS + round(k / case.kinds[0]["rate_hz"] * 1e9)
        for t, row in enumerate(frame):
            seconds = Fraction(utc, 10**9) - epoch + Fraction(t) / Fraction(case.rate)
            turns = polyco_phase(case.parameters["polyco"], seconds) if "polyco" in case.parameters else seconds / period
            phase = (turns - derivative * turns * turns / 2) % 1
            there = ~np.isnan(row)
            total[int(phase * bins)] += np.where(there, row, 0)
            count[int(phase * bins)] += there
    with np.errstate(invalid="ignore"):
        return np.array([total / count for total, count in groups.values()])


def bandpass(case):
    x = case.inputs[0].astype(float)
    frames = case.number("frames", 100)
    running, weight, y = np.zeros(x.shape[2]), np.zeros(x.shape[2]), np.full(x.shape, np.nan)
    for k, frame in enumerate(x):
        if case.lost()[k]:
            continue
        share = np.mean(~np.isnan(frame), 0)
        weight = np.minimum(weight + share, frames)
        running = running + (np.nan_to_num(nan_mean(frame, 0)) - running) * share / weight
        y[k] = frame - running if case.parameters.get("mode") == "subtract" else frame / running
    return y


def rfi_mask(case):
    x = case.inputs[0].astype(float)
    sigma = case.number("sigma", 4)
    y = x.copy()
    for frame in y:
        if np.all(np.isnan(frame)):
            continue
        if case.parameters.get("of") == "values":
            middle = np.nanmedian(frame, 0)
            deviation = 1.4826 * np.nanmedian(np.abs(frame - middle), 0)
            frame[np.abs(frame - middle) > sigma * deviation] = np.nan
        elif case.parameters.get("method") == "median_deviation":
            means = nan_mean(frame, 0)
            middle = np.median(means)
            frame[:, np.abs(means - middle) > sigma * 1.4826 * np.median(np.abs(means - middle))] = np.nan
        else:
            blocks, d = int(case.number("blocks", 1)), 1
            of_row = np.arange(len(frame)) * blocks // len(frame)
            for channel in frame.T:
                parts = [part[~np.isnan(part)] for part in (channel[of_row == b] for b in range(blocks))]
                parts = [part for part in parts if len(part) > 1]
                if not parts:
                    continue
                # A channel of zeros is dead: its kurtosis is NaN.
                kurtosis = np.median([(len(p) * d + 1) / (len(p) - 1) * (len(p) * np.sum(p**2) / np.sum(p) ** 2 - 1) for p in parts])
                m = np.mean([len(part) for part in parts])
                deviation = np.sqrt(2 * m**2 * d * (1 + d) / ((m - 1) * (6 + 5 * m * d + m**2 * d**2)))
                if len(parts) > 1:
                    deviation *= np.sqrt(np.pi / 2 / len(parts))
                if not abs(kurtosis - 1) <= sigma * deviation:
                    channel[:] = np.nan
    return y


def quantise(case):
    bits = int(case.number("bits", 8))
    step = {8: 0.0308, 4: 0.335, 2: 0.996, 1: 1.596}[bits]
    x = case.inputs[0].astype(float)
    out = np.zeros(x.shape, np.uint8)
    for k, frame in enumerate(x):
        if case.lost()[k]:
            continue
        base = frame if case.parameters.get("levels") == "each" else x[0]
        codes = (2**bits - 1) / 2 + (frame - np.nanmean(base, 0)) / (step * np.nanstd(base, 0))
        codes = np.where(np.isnan(frame), 2 ** (bits - 1) - 1, np.round(codes))
        out[k] = np.clip(codes, 0, 2**bits - 1)
    return out


REFERENCES = {"large_fft": large_fft, "matrix_product": matrix_product, "power_iteration": power_iteration,
              "sum": sum_, "stack": stack, "merge_lanes": stack, "transpose": transpose, "clip": clip, "detrend": detrend, "fir": fir,
              "decimate": resample, "downmix": downmix, "select": select, "align": align, "resample": resample, "iir": iir,
              "sta_lta": sta_lta, "threshold": threshold, "matched_filter": matched_filter, "pfb": pfb, "real_fft": real_fft, "inverse_fft": inverse_fft,
              "phase_rotate": phase_rotate, "delay": delay, "beamform": beamform, "correlate": correlate,
              "dedisperse": dedisperse, "fold": fold, "bandpass": bandpass, "rfi_mask": rfi_mask, "fft": fft, "remove_response": remove_response,
              "quantise": quantise}
