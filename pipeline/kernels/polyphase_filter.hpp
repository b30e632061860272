#pragma once
/// A filter in time over successive frames, with an optional change of the sample rate.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

/// y[m] = sum over k of taps[m D mod U + k U] x[floor(m D / U) - offset - k], with U / D times as many output
/// samples: for each value of a frame along its axis `time`. T U must be a multiple of D, so that all frames
/// have the same number of output samples.
///
/// Samples before a frame are the end of the frames before it; those of lost frames, and all of them for the
/// first frame and in a new epoch, are missing. A sum with a missing sample is missing.
///
/// O(T taps / D) per value; one copy of the frame.
/// Source: Crochiere and Rabiner, "Multirate digital signal processing" (1983), chapter 3.
class PolyphaseFilter {
 public:
  PolyphaseFilter(const AxisShape& shape, std::vector<double> taps, std::size_t up = 1, std::size_t down = 1,
                  std::size_t offset = 0);

  /// Sets other taps of the same number and offset; stored samples stay valid. Only for an unchanged rate.
  void change_taps(const std::vector<double>& taps) { phases_.front().assign(taps.begin(), taps.end()); }
  [[nodiscard]] std::size_t taps() const { return phases_.front().size(); }
  [[nodiscard]] std::size_t offset() const { return offset_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  /// `to` must have rows() rows for `from` with shape.size. Marks the output's header as incomplete if it is.
  void process(const FrameView& from, const FrameBuffer& to);

  /// Save and restore the state between frames (Kernel::save, Kernel::load).
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const;
  void load(std::span<const std::byte> state);

 private:
  void filter(const float* window, float* to) const;
  void filter_at_rate(const float* window, float* to) const;

  AxisShape shape_;
  std::size_t up_, down_, offset_;
  std::size_t rows_;
  /// By phase, its taps.
  std::vector<std::vector<float>> phases_;
  /// Rows stored between frames.
  std::size_t kept_;
  /// [outer][kept + size][inner].
  std::vector<float> window_;
  Succession succession_;
};

}  // namespace takt::pipeline
