"""Formulas of docs/reference/kernels.md for combined antennas, in numpy, as in kernel_formulas.py."""

import numpy as np
from formula_tools import START_NS, nan_mean

def seen_from(site, right_ascension, declination, utc_ns):
    """Returns the unit vector (east, north, up) to a source: the sky rotated by the Earth rotation angle (IAU
    2006), then tilted by the latitude."""
    days = (utc_ns / 1e9 - 946_728_000) / 86_400
    t = days / 36_525
    era = 2 * np.pi * (0.7790572732640 + 0.00273781191135448 * days + days % 1)
    sidereal = era + np.radians((0.014506 + 4612.156534 * t + 1.3915817 * t**2) / 3600)
    longitude, latitude = np.radians([float(angle) for angle in site.split(":")])
    a, d = np.radians([right_ascension, declination])
    x, y, z = np.cos(d) * np.cos(a), np.cos(d) * np.sin(a), np.sin(d)
    turn = sidereal + longitude
    south_east = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) @ [x, y]
    meridian, east = south_east
    return np.array([east, np.cos(latitude) * z - np.sin(latitude) * meridian,
                     np.sin(latitude) * z + np.cos(latitude) * meridian])


def beamform_sky(case):
    x = np.stack(case.inputs).astype(np.complex128)
    at = np.array([[float(v) for v in position.split(":")] for position in case.list("positions")])
    frame_s = 1 / case.kinds[0]["rate_hz"]
    # The two formulas for the Earth rotation angle differ by 0.1 arcseconds; antennas are 400 wavelengths
    # apart.
    case.tolerance = 2e-3
    beams = []
    for source in case.list("sky"):
        ra, dec = (float(angle) for angle in source.split(":"))
        own = []
        for k in range(x.shape[1]):
            source_at = seen_from(case.parameters["site"], ra, dec, START_NS + (k + 0.5) * frame_s * 1e9)
            turns = np.outer(at @ source_at / 299792458, case.coordinates("beamlet"))
            turned = np.exp(-2j * np.pi * turns)[:, :, None, None] * x[:, k]
            own.append(nan_mean(turned.real, 0) + 1j * nan_mean(turned.imag, 0))
        beams.append(own)
    return np.concatenate(np.array(beams), 1)


def beamform(case):
    if "sky" in case.parameters:
        return beamform_sky(case)
    if "antenna" in [axis["name"] for axis in case.kinds[0]["axes"]]:
        x = np.moveaxis(case.inputs[0], 1, 0).astype(np.complex128)
    else:
        x = np.stack(case.inputs).astype(np.complex128)  # [antenna][frame][beamlet][time][polarisation]
    own = np.ones((len(x), x.shape[2]), complex)
    if "weights" in case.parameters:
        rows = np.loadtxt(case.parameters["weights"], ndmin=2)
        own = np.broadcast_to(rows[:, 0::2] + 1j * rows[:, 1::2], own.shape)
    gains = np.array([float(g) for g in case.list("gains")]) if "gains" in case.parameters else np.ones(len(x))
    beams = []
    for direction in case.list("directions") if "directions" in case.parameters else [None]:
        weights = gains[:, None] * own
        if direction:
            azimuth, elevation = (np.radians(float(angle)) for angle in direction.split(":"))
            source = np.array([np.sin(azimuth) * np.cos(elevation), np.cos(azimuth) * np.cos(elevation),
                               np.sin(elevation)])
            at = np.array([[float(v) for v in position.split(":")] for position in case.list("positions")])
            weights = weights * np.exp(2j * np.pi * np.outer(at @ source / 299792458, case.coordinates("beamlet")))
        turned = np.conj(weights)[:, None, :, None, None] * x
        there = ~np.isnan(turned)
        with np.errstate(invalid="ignore", divide="ignore"):
            enough = there.any(0) & (there.mean(0) >= case.number("least", 0))
            # Available antennas replace missing ones in proportion to the moduli of their weights.
            modulus = np.abs(weights)[:, None, :, None, None]
            heard = (there * modulus).sum(0)
            beams.append(np.where(enough & (heard > 0), np.where(there, turned, 0).sum(0) / len(x) * modulus.sum(0) / heard, np.nan))
    return np.concatenate(beams, 1)


def correlate(case):
    frames = int(case.number("frames", 1))
    groups = {}
    for k, is_lost in enumerate(case.lost()):
        if not is_lost:
            groups.setdefault(k // frames, []).append(k)
    result = []
    for members in groups.values():
        x = [np.concatenate([single[k] for k in members]).astype(np.complex128) for single in case.inputs]
        baselines = []
        for i in range(len(x)):
            for j in range(i, len(x)):
                product = x[i][:, :, :, None] * np.conj(x[j][:, :, None, :])
                there = ~np.isnan(product)
                with np.errstate(invalid="ignore", divide="ignore"):
                    mean = np.where(there, product, 0).sum(0) / there.sum(0)
                baselines.append(mean.reshape(mean.shape[0], -1))
        result.append(baselines)
    return np.array(result)
