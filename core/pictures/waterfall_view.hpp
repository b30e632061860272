#pragma once
/// The waterfall view: rows of coloured values over time.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/pictures/page.hpp"

namespace takt {

struct WaterfallPicture {
  std::string name, says, x, y;
  /// Unit of the values, such as `dB`; may be empty.
  std::string unit;
  std::size_t rows = 0, columns = 0;
  /// Row after row; NaN is missing, minus infinity a power of 0 in decibels.
  std::vector<double> values;
  /// The outer edges of the first and the last column and row; columns may be in descending order.
  double first_x = 0, last_x = 0, first_y = 0, last_y = 0;
};

/// x increases to the right, for either order of the columns. The colour scale covers the 0.1 % to the 99.9 %
/// quantile, so that the strongest values do not compress it. If all values are equal, `least` and `most` are
/// that value. O(values log values).
[[nodiscard]] View waterfall_view(WaterfallPicture picture);

/// Returns minus infinity for a power of 0, and NaN for missing values (NaN) and negative powers.
[[nodiscard]] std::vector<double> decibels_of(std::vector<double> powers);
/// Reports whether decibels are useful: not for zeros only.
[[nodiscard]] bool has_power(std::span<const double> powers);

}  // namespace takt
