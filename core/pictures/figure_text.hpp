#pragma once
/// Figures in readable form: engineering units, and no C notation of powers of ten. web/src/text.ts is the
/// equivalent for pages.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"

namespace takt {

/// Returns four significant digits; whole numbers are exact, in groups of three from a million on: `0.02441`,
/// `1 250 000`. Beyond 10^15 and below a thousandth uses a power of ten: `2.5×10⁻⁷`.
[[nodiscard]] std::string number_text(double value);

/// Return the value in its fitting unit with six significant digits: `12.5 us`, `4 KiB`, `2.44 kHz`.
[[nodiscard]] std::string time_text(double ns);
[[nodiscard]] std::string bytes_text(double bytes);
[[nodiscard]] std::string frequency_text(double hertz);
/// Returns a fraction of a whole in percent, two decimals: `98.08 %`; `< 0.01 %` if that would be 0.
[[nodiscard]] std::string share_text(double share);

inline constexpr double ns_per_second = 1e9;

/// If all times are shorter, they are assumed to be abstract (examples, papers), in ticks.
inline constexpr Time least_in_units{10'000};

/// Formats processors in ascending order: `P0-P3, P7`.
[[nodiscard]] std::string ranges_text(std::span<const std::size_t> processors);

/// The content of a table column, numbered as in core/pictures/web/src/data.ts. Cells are numbers in these
/// units, for sorting and for computations on CSV; tables display them in readable form.
enum class ColumnKind : std::uint8_t { text, number, ns, hz, bytes, seconds, share };
/// Formats a cell of such a column; texts that are no numbers are unchanged.
[[nodiscard]] std::string cell_text(ColumnKind kind, const std::string& cell);

/// Formats a column of such cells: those of one unit with equal numbers of decimals, as many as the widest of
/// them has within six digits, so that decimal points are aligned.
[[nodiscard]] std::vector<std::string> aligned(std::vector<std::string> cells);

/// An axis in the fitting unit of its values: its title, and the divisor of the values.
struct AxisUnit {
  std::string title;
  double size = 1;
};
/// Titles end with their unit, alone or in brackets: `ms`, `time (s)`; others are unchanged. `most` is the
/// largest absolute value.
[[nodiscard]] AxisUnit axis_unit(std::string_view title, double most);

/// Returns a mark's text on a linear axis, with the digits that distinguish it from the next one.
[[nodiscard]] std::string mark_text(double mark, double step);

}  // namespace takt
