#pragma once
/// `matched_filter`: sums over sliding boxcars of several widths, which detect pulses of those lengths.
///
/// float32[time=T]... -> float32[time=T][width=W]...:
///
///   y[t][w] = (x[t - w + 1] + ... + x[t]) / sqrt(w)
///
/// so that white noise of variance 1 has variance 1 for each width, and a boxcar pulse of width w and height
/// a has the signal-to-noise ratio a sqrt(w). If only n samples of a boxcar are present, the template
/// excludes the others, its energy is n, and the level m of the series is restored:
///
///   y[t][w] = sum of (x - m) over the n samples / sqrt(n) + m sqrt(w)
///
/// so that the mean stays m sqrt(w) and the variance 1; the pulse has a sqrt(n), the visible part of it. m is
/// the mean of the present samples, weighted by frame, with an exponential time constant of 16 times the
/// widest boxcar; complete boxcars do not depend on it. Boxcars are missing if less than the share `least`,
/// or nothing, is present. Infinities count as missing. Lost frames are gaps.
///
/// State: the last max(w) - 1 samples, and the level. Values keep their unit. O(widths) per sample. Source:
/// Cordes and McLaughlin, "Searches for fast radio transients" (ApJ 596, 2003), 3.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind matched_filter_kernel();

}  // namespace takt::pipeline
