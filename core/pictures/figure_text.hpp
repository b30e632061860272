#pragma once
/// Figures as people read them: engineering units, and never C's notation of powers of ten. web/src/text.ts
/// writes the same in pages.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"

namespace takt {

/// Four significant digits, whole numbers as they are, in groups of three from a million on: `0.02441`, `1
/// 250 000`; beyond 10^15 and below a thousandth with a power of ten: `2.5×10⁻⁷`.
[[nodiscard]] std::string number_text(double value);

/// With the unit that fits, six significant digits: `12.5 us`, `4 KiB`, `2.44 kHz`.
[[nodiscard]] std::string time_text(double ns);
[[nodiscard]] std::string bytes_text(double bytes);
[[nodiscard]] std::string frequency_text(double hertz);
/// A share of a whole in percent, two decimals: `98.08 %`; `< 0.01 %` where that would be 0.
[[nodiscard]] std::string share_text(double share);

inline constexpr double ns_a_second = 1e9;

/// Where all times are shorter they are taken to be abstract, an example's or a paper's, and told in ticks.
inline constexpr Time least_in_units{10'000};

/// Processors in ascending order: `P0-P3, P7`.
[[nodiscard]] std::string ranges_text(std::span<const std::size_t> processors);

/// What a column of a table holds, as core/pictures/web/src/data.ts counts it: cells are numbers in these
/// units, so that columns sort and CSV can be reckoned with; tables show them as people read them.
enum class ColumnKind : std::uint8_t { text, number, ns, hz, bytes, seconds, share };
/// A cell of such a column; texts that are no numbers as they are.
[[nodiscard]] std::string cell_text(ColumnKind kind, const std::string& cell);

/// A column of such cells: those of one unit with equally many decimals, as many as the widest of them has
/// within six digits, so that points stand below each other.
[[nodiscard]] std::vector<std::string> aligned(std::vector<std::string> cells);

/// An axis in the unit that fits its values: its title, and what values are to be divided by.
struct AxisUnit {
  std::string title;
  double size = 1;
};
/// Titles name their unit at the end, alone or in brackets: `ms`, `time (s)`; others stay as they are. `most`
/// is the largest absolute value.
[[nodiscard]] AxisUnit axis_unit(std::string_view title, double most);

/// A mark of a linear axis, with the digits that tell it from the next one.
[[nodiscard]] std::string mark_text(double mark, double step);

}  // namespace takt
