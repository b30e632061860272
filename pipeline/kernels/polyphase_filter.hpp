#pragma once
/// A filter along the time of successive frames, with another rate behind it where that is wanted.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

/// y[m] = sum over k of taps[m D mod U + k U] x[floor(m D / U) - offset - k], for U / D times as many samples
/// as came: of each number of a frame along its axis `time`. T U must be a multiple of D, so that each frame
/// gives as many samples as the others.
///
/// What came before a frame is what the frames before it ended with, of which lost ones are missing; of the
/// first frame and in a new epoch all of it is. A sum with a missing sample is missing.
///
/// O(T taps / D) a number; one copy of the frame.
/// Source: Crochiere and Rabiner, "Multirate digital signal processing" (1983), chapter 3.
class PolyphaseFilter {
 public:
  PolyphaseFilter(const AxisShape& shape, std::vector<double> taps, std::size_t up = 1, std::size_t down = 1,
                  std::size_t offset = 0);

  /// Other taps, as many as before, and the same offset: the samples that are kept stay. Only at one rate.
  void change_taps(const std::vector<double>& taps) { phases_.front().assign(taps.begin(), taps.end()); }
  [[nodiscard]] std::size_t taps() const { return phases_.front().size(); }
  [[nodiscard]] std::size_t offset() const { return offset_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  /// `to` has rows() rows where `from` has shape.size. Marks the output's header where something is missing.
  void process(const FrameView& from, const FrameBuffer& to);

  /// What is kept from one frame to the next (Kernel::save, Kernel::load).
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const;
  void load(std::span<const std::byte> state);

 private:
  void filter(const float* window, float* to) const;
  void filter_at_rate(const float* window, float* to) const;

  AxisShape shape_;
  std::size_t up_, down_, offset_;
  std::size_t rows_;
  /// Of each phase, its taps.
  std::vector<std::vector<float>> phases_;
  /// Rows that are kept from one frame to the next.
  std::size_t kept_;
  /// [outer][kept + size][inner].
  std::vector<float> window_;
  Succession succession_;
};

}  // namespace takt::pipeline
