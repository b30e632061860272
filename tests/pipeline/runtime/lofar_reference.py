"""Spectrometer of one LOFAR station in numpy, written from the packet format and the textbook, not from takt's code.

    lofar_reference.py OUTPUT.fil PACKETS CHANNELS FACTOR LANE0 [LANE1 ...]

Reads recorded packets and aligns the lanes by block number. Computes power spectra of PACKETS * 16 samples per frame
with a Hann window, averages FACTOR of them, and compares them with OUTPUT.fil. Prints the largest relative difference;
exits with 1 if it is above 1e-4, or if shape or frequencies differ.
"""

import struct
import sys

import numpy as np

CLOCK = 200_000_000
SUBBAND = 12  # of the first beamlet; further beamlets follow
BAND = 100e6


def read_lane(path):
    """Returns packets by absolute block, as (beamlet, time, polarisation) of complex64."""
    data = open(path, "rb").read()
    packets = {}
    at = 0
    while at < len(data):
        beamlets = data[at + 6]
        second, sequence = struct.unpack_from("<II", data, at + 8)
        size = beamlets * 16 * 4
        values = np.frombuffer(data, np.int8, size, at + 16).astype(np.float32).reshape(beamlets, 16, 2, 2)
        packets[(second * CLOCK + 512) // 1024 + sequence] = values[..., 0] + 1j * values[..., 1]
        at += 16 + size
    return packets


def read_filterbank(path):
    data = open(path, "rb").read()
    header, at = {}, 0

    def text():
        nonlocal at
        (length,) = struct.unpack_from("<i", data, at)
        at += 4 + length
        return data[at - length : at].decode()

    assert text() == "HEADER_START"
    while (key := text()) != "HEADER_END":
        if key in ("source_name", "rawdatafile"):
            header[key] = text()
        elif key in ("fch1", "foff", "tsamp", "tstart", "src_raj", "src_dej", "az_start", "za_start", "refdm"):
            (header[key],) = struct.unpack_from("<d", data, at)
            at += 8
        else:
            (header[key],) = struct.unpack_from("<i", data, at)
            at += 4
    values = np.frombuffer(data, np.float32, offset=at).reshape(-1, header["nchans"])
    return header, values


def main():
    output, packets, channels, factor = sys.argv[1], *map(int, sys.argv[2:5])
    lanes = [read_lane(path) for path in sys.argv[5:]]
    # Frames begin with the first block that all lanes have.
    first = max(min(lane) for lane in lanes)
    last = max(max(lane) for lane in lanes)
    count = (last - first) // 16 // packets + 1

    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(channels) / channels)
    window /= np.sqrt((window**2).sum())
    spectra = []
    for frame in range(count):
        blocks = [first + 16 * (frame * packets + i) for i in range(packets)]
        rows = []
        for lane in lanes:
            empty = np.full_like(next(iter(lane.values())), np.nan)
            rows.append(np.concatenate([lane.get(block, empty) for block in blocks], axis=1))
        samples = np.concatenate(rows).astype(np.complex128)  # (beamlet, time, polarisation)
        beamlets, times, _ = samples.shape
        pieces = samples.reshape(beamlets, times // channels, channels, 2) * window[None, None, :, None]
        power = (np.abs(np.fft.fftshift(np.fft.fft(pieces, axis=2), axes=2)) ** 2).sum(axis=3)
        power = power.transpose(1, 0, 2).reshape(times // channels, beamlets * channels)
        # Incomplete spectra do not count; a result without complete spectra is written as 0.
        power = power.reshape(-1, factor, beamlets * channels)
        came = ~np.isnan(power)
        spectra.append(np.where(came, power, 0).sum(axis=1) / np.maximum(came.sum(axis=1), 1))
    expected = np.concatenate(spectra)[:, ::-1]  # highest frequency first

    header, values = read_filterbank(output)
    beamlets = expected.shape[1] // channels
    width = CLOCK / 1024 / channels
    highest = BAND + (SUBBAND + beamlets - 1) * CLOCK / 1024 + (channels // 2 - 1) * width
    start = (first * 1024 / CLOCK) / 86400 + 40587
    problems = []
    if values.shape != expected.shape:
        problems.append(f"shape {values.shape}, expected {expected.shape}")
    if abs(header["fch1"] * 1e6 - highest) > 1:
        problems.append(f"fch1 {header['fch1']} MHz, expected {highest / 1e6}")
    if abs(header["foff"] * 1e6 + width) > 1e-3:
        problems.append(f"foff {header['foff']} MHz, expected {-width / 1e6}")
    if abs(header["tsamp"] - factor * channels * 1024 / CLOCK) > 1e-12:
        problems.append(f"tsamp {header['tsamp']}")
    if abs(header["tstart"] - start) * 86400 > 2e-5:
        problems.append(f"tstart {header['tstart']}, expected {start}")
    if not problems:
        difference = np.abs(values - expected).max() / expected.max()
        relative = (np.abs(values - expected) / np.maximum(expected, 1e-3 * np.median(expected))).max()
        print(f"largest difference {difference:.2e} of the maximum, {relative:.2e} of the value")
        if not relative < 1e-4:
            problems.append("values differ")
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


main()
