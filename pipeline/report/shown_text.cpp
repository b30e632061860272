#include "pipeline/report/shown_text.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/pictures/text_fill.hpp"
#include "core/units.hpp"

namespace takt::pipeline {

std::string shown_text(const Figure& figure, const std::optional<double>& value, int decimals) {
  if (!value) return "-";
  switch (shown_unit(figure)) {
    case Unit::flag:
      return *value != 0 ? "yes" : "no";
    case Unit::ns:
      return *value == 0 ? "-" : to_string(Time(std::llround(*value)));
    case Unit::bytes:
      return to_string(Bytes{static_cast<std::uint64_t>(*value)});
    case Unit::hertz:
      return to_string(Frequency{*value});
    case Unit::share:
      return fmt::format("{:.{}f}{}%", 100 * *value, decimals, no_break);
    case Unit::count:
      break;
  }
  return fmt::format("{:.0f}", *value);
}

}  // namespace takt::pipeline
