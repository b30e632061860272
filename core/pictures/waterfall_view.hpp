#pragma once
/// Rows of values over time, a colour each, as a view.

#include <cstddef>
#include <string>
#include <vector>

#include "core/pictures/page.hpp"

namespace takt {

struct WaterfallPicture {
  std::string name, says, x, y;
  std::size_t rows = 0, columns = 0;
  /// Row after row; NaN is nothing.
  std::vector<double> values;
  double first_x = 0, last_x = 0, first_y = 0, last_y = 0;
};

/// Colours reach from the 0.1 % to the 99.9 % quantile: the strongest thousandth would leave one colour for
/// the rest. O(values log values).
[[nodiscard]] View waterfall_view(const WaterfallPicture& picture);

}  // namespace takt
