"""For python-flagger.yaml: marks channels that differ from the others as missing."""

import numpy as np


class Flagger:
    """Judges each channel by its mean over the last `frames` frames."""

    def __init__(self, sigma=5.0, frames=4):
        self.sigma, self.frames = sigma, frames
        self.means = []

    def __call__(self, power):
        # Missing samples are NaN and are ignored.
        self.means = (self.means + [np.nanmean(power, axis=0)])[-self.frames :]
        level = np.nanmean(self.means, axis=0)
        distance = np.abs(level - np.nanmedian(level))
        spoilt = distance > self.sigma * 1.4826 * np.nanmedian(distance)
        return np.ma.array(power, mask=np.broadcast_to(spoilt, power.shape))
