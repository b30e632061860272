"""Common functions of the formulas."""

import numpy as np

#: UTC of the first frame.
START_NS = 1_600_000_000_123_456_789

def nan_mean(x, axis):
    with np.errstate(invalid="ignore", divide="ignore"):
        there = ~np.isnan(x)
        return np.where(there, x, 0).sum(axis) / there.sum(axis)
