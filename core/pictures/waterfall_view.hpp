#pragma once
/// Rows of values over time, a colour each, as a view.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/pictures/page.hpp"

namespace takt {

struct WaterfallPicture {
  std::string name, says, x, y;
  /// Of the values, such as `dB`; may be empty.
  std::string unit;
  std::size_t rows = 0, columns = 0;
  /// Row after row; NaN is missing, minus infinity a power of 0 in decibels.
  std::vector<double> values;
  /// The outer edges of the first and the last column and row; columns may fall.
  double first_x = 0, last_x = 0, first_y = 0, last_y = 0;
};

/// x grows to the right, whichever way the columns come. Colours reach from the 0.1 % to the 99.9 % quantile:
/// the strongest thousandth would leave one colour for the rest. Where all values are equal, `least` and
/// `most` are that value. O(values log values).
[[nodiscard]] View waterfall_view(WaterfallPicture picture);

/// Of a power of 0 minus infinity; of what is missing (NaN) or no power (below 0) NaN.
[[nodiscard]] std::vector<double> decibels_of(std::vector<double> powers);
/// Whether decibels make sense: not of zeros alone.
[[nodiscard]] bool has_power(std::span<const double> powers);

}  // namespace takt
