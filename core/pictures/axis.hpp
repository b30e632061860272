#pragma once
/// Axes of charts: scales and marks.

#include <cstdint>
#include <string>
#include <vector>

namespace takt {

enum class Scale : std::uint8_t { linear, logarithmic };

/// An axis with a title that contains its unit.
struct ChartAxis {
  std::string title;
  Scale scale = Scale::linear;
  /// The axis begins at this value or below; on a logarithmic one the data decide.
  double origin = 0;
  /// Formats values and marks; default: number_text and mark_text
  /// (figure_text.hpp).
  std::string (*text)(double) = nullptr;
  /// For a logarithmic axis: marks are at its powers.
  double base = 10;
};

/// Whether an axis extends to round numbers around the values, or ends with them.
enum class AxisEnd : std::uint8_t { at_mark, at_value };

/// Marks are at 1, 2 or 5 times powers of ten; on long logarithmic axes at powers of ten, or of two for that
/// base.
class AxisScale {
 public:
  /// For values from `least` to `most`. Borrows the axis, which must outlive the object.
  AxisScale(const ChartAxis& axis, double least, double most, double most_marks = 8,
            AxisEnd end = AxisEnd::at_mark);
  AxisScale(const ChartAxis&&, double, double, double = 8, AxisEnd = AxisEnd::at_mark) = delete;

  /// Returns a position from 0 to 1.
  [[nodiscard]] double at(double value) const;
  [[nodiscard]] const std::vector<double>& marks() const { return marks_; }
  [[nodiscard]] std::string text(double value) const;
  /// Returns a mark's text, with the digits that distinguish it from the next one.
  [[nodiscard]] std::string mark_text(double mark) const;

 private:
  void add_linear_marks(double least, double most, double most_marks, AxisEnd end);
  void add_logarithmic_marks(double least, double most, double most_marks);

  const ChartAxis& axis_;
  double low_ = 0, high_ = 1, step_ = 0;
  std::vector<double> marks_;
};

}  // namespace takt
