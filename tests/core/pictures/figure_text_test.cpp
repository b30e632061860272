/// Tests of the text of figures; web/test/text.test.mjs is the equivalent for pages.

#include "core/pictures/figure_text.hpp"

#include <gtest/gtest.h>

#include "core/pictures/axis.hpp"

namespace takt {
namespace {

TEST(FigureText, has_no_exponents_in_c_notation) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(-0.0), "0");
  EXPECT_EQ(number_text(999999), "999999");
  EXPECT_EQ(number_text(1e6), "1\u202f000\u202f000");
  EXPECT_EQ(number_text(-1234567.8), "-1\u202f234\u202f568");
  EXPECT_EQ(number_text(12345.678), "12346");
  EXPECT_EQ(number_text(0.0244140625), "0.02441");
  EXPECT_EQ(number_text(2.5e-7), "2.5×10⁻⁷");
  EXPECT_EQ(number_text(1e-5), "10⁻⁵");
  EXPECT_EQ(number_text(-1e-5), "-10⁻⁵");
  EXPECT_EQ(number_text(-3e15), "-3×10¹⁵");
}

TEST(FigureText, chooses_the_fitting_unit) {
  EXPECT_EQ(time_text(0), "0 ns");
  EXPECT_EQ(time_text(999), "999 ns");
  EXPECT_EQ(time_text(12500), "12.5 us");
  EXPECT_EQ(time_text(-3e6), "-3 ms");
  EXPECT_EQ(time_text(7.2e12), "7200 s");
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(4096), "4 KiB");
  EXPECT_EQ(bytes_text(1e6), "976.562 KiB");
  EXPECT_EQ(frequency_text(2441.40625), "2.44141 kHz");
  EXPECT_EQ(frequency_text(1e6), "1 MHz");
}

TEST(FigureText, shows_cells_in_the_unit_of_their_column) {
  EXPECT_EQ(cell_text(ColumnKind::ns, "1500"), "1.5 us");
  EXPECT_EQ(cell_text(ColumnKind::seconds, "3.15e-04"), "315 us");
  EXPECT_EQ(cell_text(ColumnKind::hz, "2e6"), "2 MHz");
  EXPECT_EQ(cell_text(ColumnKind::bytes, "2048"), "2 KiB");
  EXPECT_EQ(cell_text(ColumnKind::share, "0.98084"), "98.08 %");
  EXPECT_EQ(cell_text(ColumnKind::share, "4e-7"), "< 0.01 %");
  EXPECT_EQ(cell_text(ColumnKind::share, "0"), "0.00 %");
  EXPECT_EQ(cell_text(ColumnKind::ns, "-"), "-");
  EXPECT_EQ(cell_text(ColumnKind::text, "1e6"), "1e6");
  EXPECT_EQ(cell_text(ColumnKind::number, "1e6"), "1\u202f000\u202f000");
  EXPECT_EQ(cell_text(ColumnKind::number, "12.50"), "12.50") << "digits that somebody has chosen";
  // Decimal points are aligned, within six digits; texts without a unit or a figure are unchanged.
  EXPECT_EQ(aligned({"9.57 us", "10.563 us", "371 ns", "1.89968 ms", "16.0201 ms", "-", "2.5", "a 7 us"}),
            (std::vector<std::string>{"9.570 us", "10.563 us", "371 ns", "1.8997 ms", "16.0201 ms", "-",
                                      "2.5", "a 7 us"}));
}

TEST(FigureText, names_ranges_of_processors) {
  EXPECT_EQ(ranges_text({}), "");
  EXPECT_EQ(ranges_text(std::vector<std::size_t>{4}), "P4");
  EXPECT_EQ(ranges_text(std::vector<std::size_t>{0, 1, 2, 5, 7, 8}), "P0-P2, P5, P7-P8");
}

TEST(FigureText, chooses_the_unit_of_axes_by_their_values) {
  EXPECT_EQ(axis_unit("ns", 2e6).title, "ms");
  EXPECT_EQ(axis_unit("ns", 2e6).size, 1e6);
  EXPECT_EQ(axis_unit("seconds", 0.002).title, "ms");
  EXPECT_EQ(axis_unit("seconds", 0.002).size, 1e-3);
  EXPECT_EQ(axis_unit("offered (Hz)", 48000).title, "offered (kHz)");
  EXPECT_EQ(axis_unit("MHz", 160).title, "MHz");
  EXPECT_EQ(axis_unit("MHz", 1420).title, "MHz") << "as bands are told";
  EXPECT_EQ(axis_unit("MHz", 2).title, "MHz");
  EXPECT_EQ(axis_unit("MHz", 22000).title, "GHz");
  EXPECT_EQ(axis_unit("MHz", 0.4).title, "kHz");
  EXPECT_EQ(axis_unit("frames/s", 48000).title, "frames/s");
  EXPECT_EQ(axis_unit("ms", 0).title, "ms");
}

TEST(FigureText, distinguishes_marks_of_an_axis) {
  // A band of 50 kHz around a line at 1420.4 MHz: four digits are not enough.
  const ChartAxis axis{.title = "MHz", .origin = 1420.38};
  const AxisScale scale(axis, 1420.38, 1420.43, 8, AxisEnd::at_value);
  std::vector<std::string> texts;
  for (const double mark : scale.marks()) texts.push_back(scale.mark_text(mark));
  EXPECT_EQ(texts,
            (std::vector<std::string>{"1420.38", "1420.39", "1420.40", "1420.41", "1420.42", "1420.43"}));
  EXPECT_EQ(mark_text(0.1 + 0.2, 0.1), "0.3");
  EXPECT_EQ(mark_text(-1e-17, 0.5), "0");
}

}  // namespace
}  // namespace takt
