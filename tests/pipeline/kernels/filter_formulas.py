"""Formulas of docs/reference/kernels.md for filters and mixers along the time, in numpy, as in kernel_formulas.py."""

from fractions import Fraction

import numpy as np
from formula_tools import START_NS

def polyphase(x, taps, up, down):
    """Inserts zeros between samples, filters, and keeps every down-th sum. A sum with a missing sample is
    missing."""
    rows = len(x) * up // down
    y = np.zeros((rows,) + x.shape[1:], x.dtype)
    for m in range(rows):
        for j, tap in enumerate(taps):
            at = m * down - j
            if at % up:
                continue
            y[m] = y[m] + (tap * x[at // up] if at >= 0 else np.nan)
    return y


def firwin(low, high, count):
    """Returns an ideal filter with a Hamming window; edges in cycles per sample."""
    n = np.arange(count) - (count - 1) / 2
    h = (2 * high * np.sinc(2 * high * n) - 2 * low * np.sinc(2 * low * n)) * np.hamming(count)
    centre = 0 if low == 0 else 0.5 if high == 0.5 else (low + high) / 2
    return h / np.sum(h * np.cos(2 * np.pi * centre * n))


def fir(case):
    if "coefficients" in case.parameters:
        taps = [float(text) for text in case.list("coefficients")]
    else:
        high = case.number("high", 0) / case.rate or 0.5
        taps = firwin(case.number("low", 0) / case.rate, high, int(case.number("taps", 65)))
    case.shift = (len(taps) - 1) / 2 / case.rate
    return case.of_stream(lambda x: polyphase(x, taps, 1, 1))


def remove_response(case):
    """Applies the inverse response as a centred filter, from a longer transform than that of the kernel."""
    roots = lambda name: [complex(*map(float, text.split(":"))) for text in case.list(name)] if name in case.parameters else []
    corners = [float(text) for text in case.list("band")]
    edge = min(corners[1] - corners[0], corners[3] - corners[2])
    count = int(case.number("taps", 0)) or 2 * int(np.ceil(4 * case.rate / edge - 1e-6)) + 1
    size = 64 * max(count, int(8 * case.rate / edge))
    f = np.arange(1, size // 2 + 1) * case.rate / size
    s = 2j * np.pi * f
    response = case.number("sensitivity", 1) * case.number("a0", 1) * np.ones(len(f), complex)
    for zero in roots("zeros"):
        response = response * (s - zero)
    for pole in roots("poles"):
        response = response / (s - pole)
    orders = ["displacement", "velocity", "acceleration"]
    order = lambda name: orders.index(case.parameters.get(name, "velocity"))
    response = response * s ** (order("of") - order("gives"))
    # The maximum is searched at other frequencies than in the kernel.
    case.tolerance = 1e-3
    level = np.max(np.abs(response)) * 10 ** (-case.number("water_level", 60) / 20)
    raised = response * np.maximum(np.abs(response), level) / np.abs(response)
    taper = 0.5 - 0.5 * np.cos(np.pi * np.interp(f, corners, [0, 1, 1, 0], 0, 0))
    filter_ = np.fft.irfft(np.concatenate([[0], taper / raised]), size)
    taps = np.roll(filter_, count // 2)[:count]
    outer = np.minimum((np.minimum(np.arange(count), np.arange(count)[::-1]) + 1) / (count // 4 + 1), 1)
    case.shift = count // 2 / case.rate
    return case.of_stream(lambda x: polyphase(x, taps * np.sin(np.pi / 2 * outer) ** 2, 1, 1))


def align(case):
    samples = int(case.number("samples", 0))
    case.shift = samples / case.rate

    def later(x):
        y = np.full(x.shape, np.nan, x.dtype)
        y[samples:] = x[: max(len(x) - samples, 0)]
        return y

    return case.of_stream(later)


def resample(case):
    up, down = int(case.number("up", 1)), int(case.number("down", case.number("factor", 1)))
    widest = max(up, down)
    taps = up * firwin(0, 0.5 / widest, 2 * int(case.number("half_width", 10)) * widest + 1)
    case.shift = (len(taps) - 1) / 2 / up / case.rate
    return case.of_stream(lambda x: polyphase(x, taps, up, down))


def iir(case):
    order = int(case.number("order", 4))
    low, high = case.number("low", 0) / case.rate, case.number("high", 0) / case.rate
    warp = lambda edge: np.tan(np.pi * edge)
    # Poles of the analogue low-pass, moved to the band, then mapped to the z plane by s = (z - 1) / (z + 1).
    s = np.exp(1j * np.pi * (np.arange(order) * 2 + 1 + order) / (2 * order))
    if low and high:
        width, middle = warp(high) - warp(low), warp(high) * warp(low)
        s = np.concatenate([np.roots([1, -pole * width, middle]) for pole in s])
        zeros = [1] * order + [-1] * order
        centre = np.arctan(np.sqrt(middle)) / np.pi
    elif high:
        s, zeros, centre = s * warp(high), [-1] * order, 0
    else:
        s, zeros, centre = warp(low) / s, [1] * order, 0.5
    a = np.real(np.poly((1 + s) / (1 - s)))
    b = np.poly(zeros).astype(float)
    z = np.exp(2j * np.pi * centre)
    b /= np.abs(np.polyval(b, z) / np.polyval(a, z))
    # Modes: their shares of the power, and their errors after a gap.
    p = (1 + s) / (1 - s)
    share = (1 - np.abs(p)) / (1 + np.abs(p)) / (2 * ((high or 0.5) - low))
    share = share / max(np.sum(share), 1)
    drift = np.abs(np.log(p.astype(complex)))
    least, bridge = case.number("least", 0.999), round(case.number("bridge", 0) * case.rate)
    stream = case.stream()
    rest = stream.shape[1:]
    stream = stream.reshape(len(stream), -1)
    out = np.full(stream.shape, np.nan, stream.dtype)
    for column in range(stream.shape[1]):
        # Lost frames are NaN, too. The filter processes the received samples, and interpolates lines across
        # short gaps.
        x, at, gaps = [], [], []
        for n in np.flatnonzero(~np.isnan(stream[:, column])):
            gap = n - last - 1 if x else 0
            if 0 < gap <= bridge:
                line = np.interp(np.arange(last + 1, n), [last, n], [0, 1])
                x += list(x[-1] + (stream[n, column] - x[-1]) * line)
                at += [None] * gap
                gaps += [0] * gap
                gap = 0
            x.append(stream[n, column])
            at.append(n)
            gaps.append(gap)
            last = n
        y = np.zeros(len(x), stream.dtype)
        uncertainties = np.zeros(len(p))
        for n in range(len(x)):
            for k in range(min(len(b), n + 1)):
                y[n] += b[k] * x[n - k] - (a[k] * y[n - k] if k else 0)
            if gaps[n]:
                uncertainties = np.minimum(uncertainties + np.minimum(drift * gaps[n], 1), 1)
            if at[n] is not None and (least == 0 or np.sum(share * uncertainties**2) <= 1 - least):
                out[at[n], column] = y[n]
            uncertainties = uncertainties * np.abs(p)
    return case.in_frames(out.reshape((len(out),) + rest))


def phase_rotate(case):
    x = case.stream()
    frequency, phase = Fraction(case.parameters["frequency"]), Fraction(case.parameters["phase"])
    rows = len(x) // len(case.inputs[0])
    turns = []
    for t in range(len(x)):
        frame, row = divmod(t, rows)
        utc = START_NS + round(frame / case.kinds[0]["rate_hz"] * 1e9)
        turns.append(float((phase + frequency * (Fraction(utc, 10**9) + Fraction(row) / Fraction(case.rate))) % 1))
    y = x * np.exp(-2j * np.pi * np.array(turns))[:, None, None]
    return case.in_frames(y)


def downmix(case):
    x = case.stream()
    frequency, factor = Fraction(case.parameters["frequency"]), int(case.number("factor", 1))
    rows = len(x) // len(case.inputs[0])
    turns = []
    for t in range(len(x)):
        frame, row = divmod(t, rows)
        utc = START_NS + round(frame / case.kinds[0]["rate_hz"] * 1e9)
        turns.append(float(frequency * (Fraction(utc, 10**9) + Fraction(row) / Fraction(case.rate)) % 1))
    gain = 1 if np.iscomplexobj(case.inputs[0]) else np.sqrt(2)
    turned = gain * np.exp(-2j * np.pi * np.array(turns))[:, None, None] * x
    taps = firwin(0, 0.5 / factor, 2 * int(case.number("half_width", 10)) * factor + 1)
    case.shift = (len(taps) - 1) / 2 / case.rate
    return case.in_frames(polyphase(turned, taps, 1, factor))


def delay(case):
    """Returns the delayed tones of which the stream consists, instead of the delayed stream."""
    seconds = case.number("delay", 0) + case.number("fraction_ns", 0) * 1e-9
    half = 32 // 2
    case.shift = (half - 1) / case.rate
    x = case.stream()
    t = np.arange(len(x)) - seconds * case.rate - (half - 1)
    if np.iscomplexobj(case.inputs[0]):
        tone = np.exp(2j * np.pi * 0.21 * t)
        turn = np.exp(-2j * np.pi * case.coordinates("beamlet") * seconds)
        y = tone[:, None, None] * turn[:, None] * np.ones(x.shape)
    else:
        y = (np.cos(2 * np.pi * 0.05 * t) + np.sin(2 * np.pi * 0.21 * t))[:, None, None] * np.ones(x.shape)
    whole = int(seconds * case.rate + 1e-9)
    needs = [whole + k for k in range(32)]
    gone = np.concatenate([np.ones((max(needs),) + x.shape[1:], bool), np.isnan(x)])
    missing = np.any([gone[max(needs) - k : len(gone) - k] for k in needs], 0)
    case.tolerance = 0.02
    return case.in_frames(np.where(missing, np.nan, y))


def pfb(case):
    n, taps, over = int(case.number("channels", 0)), int(case.number("taps", 8)), int(case.number("oversampling", 1))
    step, length = n // over, taps * n
    at = np.arange(length) - (length - 1) / 2
    windows = {"hamming": np.hamming, "hann": np.hanning, "blackman": np.blackman, "rectangular": np.ones,
               "kaiser": lambda size: np.kaiser(size, case.number("beta", 9))}
    h = np.sinc(at / n) * windows[case.parameters.get("window", "hamming")](length)
    h /= np.sqrt(np.sum(h**2))
    k = np.arange(n) - n // 2
    kept = length - step
    case.shift = (kept - (taps - 1) * n / 2) / case.rate

    def run(x):  # [time][beamlet][polarisation]
        padded = np.concatenate([np.full((kept,) + x.shape[1:], np.nan), x])
        spectra = []
        for m in range(len(x) // step):
            absolute = m * step - kept + np.arange(length)
            turns = np.exp(-2j * np.pi * np.outer(k, absolute) / n)
            part = padded[m * step : m * step + length] * h[:, None, None]
            y = np.tensordot(turns, part, (1, 0))  # [channel][beamlet][polarisation]
            spectra.append(np.transpose(y, (1, 0, 2)).reshape(-1, x.shape[2]))
        return np.array(spectra)

    x = case.stream()
    return run(x).reshape(len(case.inputs[0]), -1, x.shape[1] * n, x.shape[2])
