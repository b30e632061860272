#pragma once
/// One frame as one row of a picture: what a spectrum or a waterfall shows of it.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sensors/frames/frame.hpp"

namespace takt::sensors {

/// Rows of frames of one type, each of a sample of the frame's elements, so that its cost is bounded.
///
/// Frames with an axis of frequencies (`channel`, `beamlet`, `subband`, `frequency`, of 16 or with values)
/// give the mean at each of them: of what is complex, its power. Others with an axis of time give the power
/// at each frequency in it: mean of |DFT|^2 over pieces of up to 1024 samples under a Hann window, divided by
/// the window's power (Welch 1967, without overlap). What has neither is shown element by element. Values
/// that are NaN do not count; a column without any is NaN.
class RowSampler {
 public:
  static constexpr std::size_t most_columns = 512;
  static constexpr std::size_t most_elements = 65536;

  explicit RowSampler(const FrameType& type);

  /// Bytes of a sample.
  [[nodiscard]] std::size_t sample_bytes() const {
    return outer_count_ * along_count_ * inner_count_ * size_;
  }
  /// Copies what `row` needs of a frame's elements.
  void sample(std::span<const std::byte> elements, std::span<std::byte> to) const;
  [[nodiscard]] std::vector<float> row(std::span<const std::byte> sample) const;

  /// What the columns are: `channel`, `frequency`, ....
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Where each column lies, its middle, and in which unit: `Hz`, or none (its index).
  [[nodiscard]] const std::vector<double>& places() const { return places_; }
  [[nodiscard]] const std::string& places_unit() const { return places_unit_; }
  /// The axis of a picture whose columns are equally wide: the middle of the first and the last column, and
  /// the unit. Frequencies that are not a step apart, as those of two bands, are counted there.
  [[nodiscard]] double first() const { return first_; }
  [[nodiscard]] double last() const { return last_; }
  [[nodiscard]] const std::string& unit() const { return unit_; }
  /// Whether values are powers, for which decibels make sense.
  [[nodiscard]] bool is_power() const { return is_power_; }

 private:
  void choose_axis(const FrameType& type);
  void limit();
  void place_columns();
  [[nodiscard]] std::vector<float> means(std::span<const std::byte> sample) const;
  [[nodiscard]] std::vector<float> spectrum(std::span<const std::byte> sample) const;

  ElementType element_;
  std::size_t size_;
  bool is_complex_;
  /// The frame as [outer][along][inner], and how many of each are looked at; `along` is what columns are.
  std::size_t outer_ = 1, along_ = 1, inner_ = 1;
  std::size_t outer_count_ = 1, along_count_ = 1, along_step_ = 1, inner_count_ = 1;
  /// Samples of a piece; 0: no Fourier transform.
  std::size_t piece_ = 0;
  std::string name_, unit_, places_unit_;
  double first_ = 0, last_ = 0;
  /// Of the axis, where it has some that are not a step apart.
  std::vector<double> uneven_, places_;
  bool is_power_ = false;
};

}  // namespace takt::sensors
