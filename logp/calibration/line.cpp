#include "logp/calibration/line.hpp"

#include <algorithm>
#include <cmath>

namespace takt::logp {

namespace {

double square(double number) {
  return number * number;
}

}  // namespace

Estimate Line::at(double size) const {
  const double distance = size - mean_size;
  return {mean.value + slope.value * distance, std::hypot(mean.error, slope.error * distance)};
}

Line fit_line(std::span<const Measured> points) {
  Line line;
  line.points = points.size();
  double weight = 0, size_sum = 0, value_sum = 0;
  for (const Measured& point : points) {
    const double w = 1 / square(point.value.error);
    weight += w;
    size_sum += w * point.size;
    value_sum += w * point.value.value;
  }
  line.mean_size = size_sum / weight;
  line.mean = {value_sum / weight, std::sqrt(1 / weight)};

  double size_squares = 0, slope_sum = 0;
  for (const Measured& point : points) {
    const double w = 1 / square(point.value.error);
    size_squares += w * square(point.size - line.mean_size);
    slope_sum += w * (point.size - line.mean_size) * (point.value.value - line.mean.value);
  }
  if (size_squares > 0) line.free_slope = {slope_sum / size_squares, std::sqrt(1 / size_squares)};
  line.slope = {std::max(0.0, line.free_slope.value), line.free_slope.error};

  double squares = 0;
  for (const Measured& point : points) {
    const double deviation = line.at(point.size).value - point.value.value;
    line.misfit += square(deviation) / square(point.value.error);
    const double relative = std::abs(deviation) / std::max(std::abs(point.value.value), 1.0);
    squares += square(relative);
    line.largest_residual = std::max(line.largest_residual, relative);
  }
  line.residual = std::sqrt(squares / static_cast<double>(points.size()));

  // Weight of the given errors, in points that confirm them (a scaled inverse chi-squared prior), so that
  // three points that are aligned by chance, or not, do not decide alone.
  constexpr std::size_t belief = 4;
  const std::size_t freedom = belief + (points.size() > 2 ? points.size() - 2 : 0);
  auto scatter = [&](double misfit) {
    return std::max(1.0, std::sqrt((belief + misfit) / static_cast<double>(freedom)));
  };
  // Deviation of the line that results from the raised slope.
  const double raised = line.slope.value - line.free_slope.value;
  line.free_slope.error *= scatter(std::max(0.0, line.misfit - square(raised) * size_squares));
  line.mean.error *= scatter(line.misfit);
  line.slope.error *= scatter(line.misfit);
  line.reach = errors_of_95_percent(freedom);
  return line;
}

}  // namespace takt::logp
