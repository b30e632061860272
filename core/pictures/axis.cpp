#include "core/pictures/axis.hpp"

#include <algorithm>
#include <cmath>

#include "core/pictures/figure_text.hpp"

namespace takt {

AxisScale::AxisScale(const ChartAxis& axis, double least, double most, double most_marks, AxisEnd end)
    : axis_(axis) {
  constexpr double smallest = 1e-300;
  if (axis.scale == Scale::linear)
    add_linear_marks(std::min(axis.origin, least), most, most_marks, end);
  else
    add_logarithmic_marks(std::max(least, smallest), std::max(most, smallest), most_marks);
}

void AxisScale::add_linear_marks(double least, double most, double most_marks, AxisEnd end) {
  // Values that differ by rounding only are equal: no marks can be placed between them.
  constexpr double rounding = 1e-12;
  const double size = std::max(std::abs(least), std::abs(most));
  const double span = most - least > rounding * size ? most - least : std::max(1.0, size / 1000);
  const double power = std::pow(10, std::floor(std::log10(span / most_marks)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0})
    if (span / (factor * power) <= most_marks) step = factor * power;
  // Cells around whole numbers have no marks between them.
  if (end == AxisEnd::at_value && least == -0.5) step = std::max(step, 1.0);
  step_ = step;
  constexpr double slack = 1e-9;
  const double first = std::floor(least / step + slack), last = std::ceil((least + span) / step - slack);
  low_ = end == AxisEnd::at_mark ? first * step : least;
  high_ = end == AxisEnd::at_mark ? last * step : least + span;
  // Multiples, since sums would drift.
  for (double k = first; k <= last; ++k)
    if (const double mark = k * step; mark >= low_ - slack * step && mark <= high_ + slack * step)
      marks_.push_back(mark);
}

/// Adds powers of the base, or 1, 2 and 5 times powers of ten if there are few.
void AxisScale::add_logarithmic_marks(double least, double most, double most_marks) {
  const double base = axis_.base, powers = std::log2(most / least) / std::log2(base);
  const std::vector<double> factors =
      base == 10 && powers < 2.5 ? std::vector<double>{1, 2, 5} : std::vector<double>{1};
  const double step = std::pow(base, std::max(1.0, std::ceil(powers / most_marks)));
  const double slack = 1e-9;
  for (double power = std::pow(base, std::floor(std::log2(least) / std::log2(base) + slack));
       marks_.empty() || marks_.back() < most * (1 - slack); power *= step)
    for (const double factor : factors) {
      // Keeps only the last mark below the least value.
      if (!marks_.empty() && marks_.back() >= most * (1 - slack)) break;
      if (power * factor <= least * (1 + slack)) marks_.clear();
      marks_.push_back(power * factor);
    }
  if (marks_.size() == 1) marks_.push_back(base * marks_.back());
  low_ = marks_.front();
  high_ = marks_.back();
}

double AxisScale::at(double value) const {
  const double share = axis_.scale == Scale::logarithmic
                           ? std::log10(std::max(value, low_) / low_) / std::log10(high_ / low_)
                           : (value - low_) / (high_ - low_);
  return std::clamp(share, 0.0, 1.0);
}

std::string AxisScale::text(double value) const {
  return axis_.text != nullptr ? axis_.text(value) : number_text(std::abs(value) < 1e-12 ? 0 : value);
}

std::string AxisScale::mark_text(double mark) const {
  return axis_.text != nullptr || step_ == 0 ? text(mark) : takt::mark_text(mark, step_);
}

}  // namespace takt
