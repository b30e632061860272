#pragma once
/// `integrate`: the mean or sum of `factor` successive spectra (rows of the first axis, `time`), channel by
/// channel.
///
/// * `factor` divides the frame's time axis: each frame gives one frame with `factor` times fewer rows.
/// * `factor` is a multiple of it, n frames: one frame with one row for every n frames. Frames belong
/// together by their
///   number: those with the same sequence / n (rounded down), which is the sequence of the result. Should
///   frames of a group be lost, its result holds those that came (a mean is over these), and leaves when the
///   first frame of a later group arrives or the stream ends.
///
/// A result over several frames has the first frame's time, the last one's `ingested_ns`, and the sums of
/// their `combined`, `parts` and `missing_parts`. Sums within a frame are single precision, over frames
/// double precision.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind integrate_kernel();

}  // namespace takt::pipeline
