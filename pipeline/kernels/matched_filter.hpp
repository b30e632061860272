#pragma once
/// `matched_filter`: sums over sliding boxcars of several widths, which find pulses of those lengths.
///
/// float32[time=T]... -> float32[time=T][width=W]...:
///
///   y[t][w] = (x[t - w + 1] + ... + x[t]) / sqrt(w)
///
/// so that white noise of variance 1 has variance 1 for each width, and a boxcar pulse of width w and height
/// a the signal-to-noise ratio a sqrt(w). Of a boxcar of which only n samples are there the others are left
/// out of the template, whose energy is then n, and the level m of the series is put back:
///
///   y[t][w] = sum of (x - m) over the n samples / sqrt(n) + m sqrt(w)
///
/// so that the mean stays m sqrt(w) and the variance 1; the pulse has a sqrt(n), which is all that can be
/// seen of it. m is the mean of what came, each frame with its sum and its count, those before forgotten with
/// a time constant of 16 of the widest boxcars; no whole boxcar depends on it. Missing are boxcars of which
/// less than the share `least` is there, or nothing. Infinities count as missing. Lost frames are gaps.
///
/// State: the last max(w) - 1 samples, and the level. Values keep their unit. O(widths) a sample.
/// Source: Cordes and McLaughlin, "Searches for fast radio transients" (ApJ 596, 2003), 3.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind matched_filter_kernel();

}  // namespace takt::pipeline
