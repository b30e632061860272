#include "core/pictures/charts.hpp"

#include <regex>

#include <gmock/gmock.h>

#include "core/pictures/html.hpp"

namespace takt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// What the pattern's group finds, in order.
std::vector<std::string> all(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it)
    found.push_back((*it)[1]);
  return found;
}

/// The texts along an axis.
std::vector<std::string> marks(const std::string& svg) {
  return all(svg, "text-anchor=\"middle\" class=\"muted\">([0-9.]+[^<]*)</text>");
}

BarChart bars(std::vector<double> values) {
  BarChart chart;
  chart.axis.title = "instances";
  for (std::size_t i = 0; i < values.size(); ++i)
    chart.groups.push_back({"bar" + std::to_string(i), {values[i]}});
  return chart;
}

TEST(Charts, mark_their_axes_at_round_numbers) {
  EXPECT_THAT(marks(to_svg(bars({7}))), ElementsAre("0", "1", "2", "3", "4", "5", "6", "7"));
  EXPECT_THAT(marks(to_svg(bars({16.5}))), ElementsAre("0", "5", "10", "15", "20"));
  EXPECT_THAT(marks(to_svg(bars({0.011}))),
              ElementsAre("0", "0.002", "0.004", "0.006", "0.008", "0.01", "0.012"));
}

TEST(Charts, mark_logarithmic_axes_at_powers_of_ten_or_between_them_where_they_are_few) {
  DotChart chart;
  chart.axis = {.title = "time", .scale = Scale::logarithmic};
  chart.dots = {{"a", 3e-5, 2e-5, 4e-4}, {"b", 1, 0.5, 30}};
  EXPECT_THAT(marks(to_svg(chart)), ElementsAre("1e-05", "0.0001", "0.001", "0.01", "0.1", "1", "10", "100"));
  chart.dots = {{"a", 2, 1, 7}};
  EXPECT_THAT(marks(to_svg(chart)), ElementsAre("1", "2", "5", "10"));
}

TEST(Charts, draw_bars_as_long_as_their_values) {
  const std::string svg = to_svg(bars({2, 4, 0}));
  const std::vector<std::string> widths = all(svg, "<rect [^>]*width=\"([0-9.]+)\"");
  ASSERT_EQ(widths.size(), 3U);
  EXPECT_NEAR(std::stod(widths[1]), 2 * std::stod(widths[0]), 0.2);
  EXPECT_EQ(std::stod(widths[2]), 0);
}

TEST(Charts, have_a_legend_where_there_is_more_than_one_colour) {
  DotChart chart;
  chart.axis.title = "x";
  chart.dots = {{"a", 1, 1, 1, 0}, {"b", 2, 2, 2, 1}};
  chart.legend = {"list"};
  EXPECT_THAT(to_svg(chart), Not(HasSubstr(">list<")));
  chart.legend = {"list", "clustering"};
  EXPECT_THAT(to_svg(chart), HasSubstr(">clustering<"));
}

TEST(Charts, name_points_only_where_there_is_room) {
  ScatterChart chart;
  chart.x.title = chart.y.title = "";
  for (int i = 0; i < 40; ++i) chart.points.push_back({"point" + std::to_string(i), 1, 1});
  chart.points.push_back({"alone", 5, 5});
  const std::string svg = to_svg(chart);
  EXPECT_THAT(svg, HasSubstr(">alone</text>"));
  EXPECT_LE(all(svg, ">(point[0-9]+)</text>").size(), 4U);
  EXPECT_EQ(all(svg, "<title>(point[0-9]+): 1, 1</title>").size(), 40U)
      << "each says its name when pointed at";
}

TEST(Charts, draw_nothing_and_one_value_without_a_division_by_zero) {
  for (const std::string& svg : {to_svg(DotChart{}), to_svg(BarChart{}), to_svg(ScatterChart{}),
                                 to_svg(HeatMap{}), to_svg(bars({0}))}) {
    EXPECT_THAT(svg, HasSubstr("</svg>"));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
  }
}

TEST(Charts, shade_cells_by_their_strength_and_leave_empty_ones_grey) {
  HeatMap map;
  map.rows = {"a"};
  map.columns = {"x", "y", "z"};
  map.cells = {{{.strength = 0, .text = "0"}, {.strength = 1, .text = "1"}, {}}};
  EXPECT_THAT(all(to_svg(map), "fill-opacity=\"([0-9.]+)\""), ElementsAre("0.04", "0.70", "0.5"));
}

TEST(Charts, escape_what_they_are_given) {
  BarChart chart = bars({1});
  chart.groups[0].label = "<script>&\"";
  const std::string svg = to_svg(chart);
  EXPECT_THAT(svg, HasSubstr("&lt;script&gt;&amp;&quot;"));
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
}

TEST(Pages, need_nothing_from_elsewhere) {
  const std::string page = html_page("a & b", "<p>text</p>");
  EXPECT_THAT(page, HasSubstr("<title>a &amp; b</title>"));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(page, Not(testing::ContainsRegex("(src|href)=|url\\(|@import|https?:")));
}

}  // namespace
}  // namespace takt
