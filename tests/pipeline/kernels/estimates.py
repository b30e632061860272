"""Kernels for the test of random losses, as a user may write them: estimates from the available samples."""

import warnings

import numpy as np
import takt

warnings.simplefilter("ignore")


def same(frame):
    return frame


def spectrum(frame):
    """Returns the mean power by channel of all complete spectra of 16 samples."""
    beamlets, times, polarisations = frame.shape
    spectra = np.fft.fft(frame.reshape(beamlets, times // 16, 16, polarisations), axis=2) / 4
    return np.nanmean(np.abs(spectra) ** 2, axis=1).astype("f4")


def spectrum_type(frame):
    beamlets, times, polarisations = frame.axes
    return takt.Type("float32", [beamlets, takt.Axis("channel", 16), polarisations])


class Mean:
    """Mean of all samples of several frames."""

    def __init__(self):
        self.begin()

    def begin(self):
        self.total, self.count = 0, 0

    def output_type(self, frame):
        return takt.Type("float32", [frame.axis("channel")])

    def __call__(self, frame):
        self.total = self.total + np.nansum(frame, axis=0, dtype="f8")
        self.count = self.count + np.sum(~np.isnan(frame), axis=0)

    def finish(self):
        mean = self.total / self.count
        self.begin()
        return mean.astype("f4")
