#pragma once
/// A row of a picture from a frame, for spectra and waterfalls.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sensors/frames/frame.hpp"

namespace takt::sensors {

/// Rows of frames of one type, each from a sample of the frame's elements, so that the cost is bounded.
///
/// Frames with an axis of frequencies (`channel`, `beamlet`, `subband`, `frequency`, of 16 or with values)
/// yield the mean at each of them; for complex elements, the mean power. Frames with only a time axis yield
/// the power at each frequency: the mean of |DFT|^2 over pieces of up to 1024 samples under a Hann window,
/// divided by the window's power (Welch 1967, without overlap). Other frames are displayed element by
/// element. NaN values do not count; a column without any value is NaN.
class RowSampler {
 public:
  static constexpr std::size_t most_columns = 512;
  static constexpr std::size_t most_elements = 65536;

  explicit RowSampler(const FrameType& type);

  /// Returns the bytes of a sample.
  [[nodiscard]] std::size_t sample_bytes() const {
    return outer_count_ * along_count_ * inner_count_ * size_;
  }
  /// Copies the elements of a frame that `row` needs.
  void sample(std::span<const std::byte> elements, std::span<std::byte> to) const;
  [[nodiscard]] std::vector<float> row(std::span<const std::byte> sample) const;

  /// Returns the meaning of the columns: `channel`, `frequency`, ....
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Returns the centre of each column and the unit: `Hz`, or empty (its index).
  [[nodiscard]] const std::vector<double>& places() const { return places_; }
  [[nodiscard]] const std::string& places_unit() const { return places_unit_; }
  /// Return the picture's axis with columns of equal width: the centres of the first and the last column, and
  /// the unit. Frequencies that are not equidistant, as of two bands, are numbered there.
  [[nodiscard]] double first() const { return first_; }
  [[nodiscard]] double last() const { return last_; }
  [[nodiscard]] const std::string& unit() const { return unit_; }
  /// Reports whether values are powers, which can be displayed in decibels.
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
  /// The frame as [outer][along][inner], and the sampled number of each; `along` is the axis of the columns.
  std::size_t outer_ = 1, along_ = 1, inner_ = 1;
  std::size_t outer_count_ = 1, along_count_ = 1, along_step_ = 1, inner_count_ = 1;
  /// Samples of a piece; 0: no Fourier transform.
  std::size_t piece_ = 0;
  std::string name_, unit_, places_unit_;
  double first_ = 0, last_ = 0;
  /// Coordinates of the axis if they are not equidistant.
  std::vector<double> uneven_, places_;
  bool is_power_ = false;
};

}  // namespace takt::sensors
