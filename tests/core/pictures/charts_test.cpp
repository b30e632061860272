/// Tests of the contents of charts.

#include <cmath>
#include <numbers>
#include <regex>

#include <gmock/gmock.h>

#include "core/pictures/bar_chart.hpp"
#include "core/pictures/box_chart.hpp"
#include "core/pictures/dot_chart.hpp"
#include "core/pictures/heat_map.hpp"
#include "core/pictures/html.hpp"
#include "core/pictures/palette.hpp"
#include "core/pictures/picture.hpp"
#include "core/pictures/scatter_chart.hpp"

namespace takt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Returns all matches of the pattern's group, in order.
std::vector<std::string> all(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it)
    found.push_back((*it)[1]);
  return found;
}

/// Returns the texts along an axis.
std::vector<std::string> marks(const std::string& svg) {
  return all(svg, "text-anchor=\"middle\" class=\"f-muted\">([0-9.]+[^<]*)</text>");
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
              ElementsAre("0", "0.002", "0.004", "0.006", "0.008", "0.010", "0.012"));
}

TEST(Charts, mark_values_that_differ_by_rounding_only_as_one) {
  const ChartAxis axis{.title = "x", .origin = 1e300};
  for (const double least : {2.0, -3.0, 1e20})
    for (const double most : {least, least * (1 + 1e-15)}) {
      const AxisScale scale(axis, std::min(least, most), std::max(least, most), 8, AxisEnd::at_value);
      EXPECT_GE(scale.marks().size(), 2U) << least;
      EXPECT_LE(scale.marks().size(), 9U) << least;
    }
}

TEST(Charts, mark_logarithmic_axes_at_powers_of_ten_and_between_few_of_them) {
  DotChart chart;
  chart.axis = {.title = "time", .scale = Scale::logarithmic};
  chart.dots = {{"a", 3e-5, 2e-5, 4e-4}, {"b", 1, 0.5, 30}};
  EXPECT_THAT(marks(to_svg(chart)), ElementsAre("10⁻⁵", "10⁻⁴", "0.001", "0.01", "0.1", "1", "10", "100"));
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

TEST(Charts, have_a_legend_for_several_colours) {
  DotChart chart;
  chart.axis.title = "x";
  chart.dots = {{"a", 1, 1, 1, 0}, {"b", 2, 2, 2, 1}};
  chart.legend = {"list"};
  EXPECT_THAT(to_svg(chart), Not(HasSubstr(">list<")));
  chart.legend = {"list", "clustering"};
  EXPECT_THAT(to_svg(chart), HasSubstr(">clustering<"));
}

TEST(Charts, name_points_only_if_the_name_fits) {
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
                                 to_svg(HeatMap{}), to_svg(BoxChart{}), to_svg(bars({0}))}) {
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
  EXPECT_THAT(all(to_svg(map), "fill-opacity=\"([0-9.]+)\""), ElementsAre("0.04", "0.50", "0.50"));
}

TEST(Charts, draw_boxes_between_the_quartiles_and_lines_over_the_range) {
  BoxChart chart;
  chart.groups = {{"g", {{.least = 0, .lower = 2, .median = 5, .upper = 6, .most = 10}}}};
  const std::string svg = to_svg(chart);
  const double top = std::stod(all(svg, "<rect [^>]*y=\"([0-9.]+)\"").at(0)),
               height = std::stod(all(svg, "<rect [^>]*height=\"([0-9.]+)\"").at(0));
  const double most = std::stod(all(svg, "d=\"M[0-9.]+ ([0-9.]+)L[0-9.]+ [0-9.]+\" class=\"s-c0\"").at(0)),
               least = std::stod(all(svg, "d=\"M[0-9.]+ [0-9.]+L[0-9.]+ ([0-9.]+)\" class=\"s-c0\"").at(0));
  EXPECT_NEAR(height / (least - most), 0.4, 0.001);
  EXPECT_NEAR((least - (top + height)) / (least - most), 0.2, 0.001);
}

TEST(Charts, join_the_points_of_a_series_by_stairs) {
  ScatterChart chart;
  chart.points = {
      {.x = 10, .y = 10, .series = 0}, {.x = 5, .y = 4, .series = 1}, {.x = 5, .y = 5, .series = 0}};
  chart.has_stairs = true;
  const std::vector<std::string> stairs = all(to_svg(chart), "path d=\"(M[^\"]*V[^\"]*)\"");
  ASSERT_EQ(stairs.size(), 2U);
  EXPECT_EQ(std::count(stairs[0].begin(), stairs[0].end(), 'V'), 2);
  EXPECT_EQ(std::count(stairs[1].begin(), stairs[1].end(), 'V'), 1);
}

TEST(Charts, rule_lines_through_points) {
  ScatterChart chart;
  chart.points = {{.x = 10, .y = 10}, {.x = 20, .y = 4}};
  chart.rules = {{10, "found"}, {30, "predicted"}};
  const std::string svg = to_svg(chart);
  EXPECT_THAT(svg, AllOf(HasSubstr("<title>found: 10</title>"), HasSubstr(">predicted</text>")));
  // Vertical lines; the first point is on the first one.
  const std::vector<std::string> at = all(svg, "<path d=\"M([0-9.]+) [^>]*stroke-dasharray");
  ASSERT_EQ(at.size(), 2U);
  EXPECT_THAT(all(svg, "<circle cx=\"([0-9.]+)\""), ::testing::Contains(at[0]));
  EXPECT_LT(std::stod(at[0]), std::stod(at[1]));
}

TEST(Charts, use_another_mark_for_the_ninth_series) {
  ScatterChart chart;
  for (std::size_t i = 0; i < 17; ++i) chart.points.push_back({"", 1.0 + static_cast<double>(i), 1, i});
  const std::string svg = to_svg(chart);
  EXPECT_EQ(all(svg, "<(circle) ").size(), 8U);
  EXPECT_EQ(all(svg, "<(rect) ").size(), 8U);
  EXPECT_EQ(all(svg, "<(polygon) ").size(), 1U);
}

TEST(Charts, escape_their_texts) {
  BarChart chart = bars({1});
  chart.groups[0].label = "<script>&\"";
  const std::string svg = to_svg(chart);
  EXPECT_THAT(svg, HasSubstr("&lt;script&gt;&amp;&quot;"));
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
}

/// Converts a colour to linear red, green and blue.
std::array<double, 3> linear(std::string_view hex) {
  std::array<double, 3> rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = std::stoi(std::string(hex.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    rgb[i] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  return rgb;
}

using Lab = std::array<double, 3>;

/// CIE 1976 L*a*b* under D65.
Lab lab(const std::array<double, 3>& rgb) {
  const auto [r, g, b] = rgb;
  const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
  const double x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047),
               y = f(0.2126729 * r + 0.7151522 * g + 0.0721750 * b),
               z = f((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/// CIEDE2000 by Sharma, Wu and Dalal ("The CIEDE2000 color-difference formula: implementation notes,
/// supplementary test data, and mathematical observations", 2005). 1 is about the just noticeable difference.
double difference(const Lab& one, const Lab& two) {
  constexpr double degree = std::numbers::pi / 180;
  const auto root = [](double c) { return std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25, 7))); };
  const double g = 0.5 * (1 - root((std::hypot(one[1], one[2]) + std::hypot(two[1], two[2])) / 2));
  const double a1 = (1 + g) * one[1], a2 = (1 + g) * two[1];
  const double c1 = std::hypot(a1, one[2]), c2 = std::hypot(a2, two[2]);
  const auto angle = [](double a, double b) {
    return a == 0 && b == 0 ? 0 : std::fmod(std::atan2(b, a) / degree + 360, 360);
  };
  const double h1 = angle(a1, one[2]), h2 = angle(a2, two[2]);
  double turn = c1 * c2 == 0 ? 0 : h2 - h1;
  if (turn > 180) turn -= 360;
  if (turn < -180) turn += 360;
  const double l = two[0] - one[0], c = c2 - c1, h = 2 * std::sqrt(c1 * c2) * std::sin(turn / 2 * degree);
  const double mean_l = (one[0] + two[0]) / 2, mean_c = (c1 + c2) / 2;
  double mean_h = h1 + h2;
  if (c1 * c2 != 0)
    mean_h = std::abs(h1 - h2) <= 180 ? mean_h / 2 : (mean_h < 360 ? mean_h + 360 : mean_h - 360) / 2;
  const double t = 1 - 0.17 * std::cos((mean_h - 30) * degree) + 0.24 * std::cos(2 * mean_h * degree) +
                   0.32 * std::cos((3 * mean_h + 6) * degree) - 0.2 * std::cos((4 * mean_h - 63) * degree);
  const double from_grey = (mean_l - 50) * (mean_l - 50);
  const double sl = 1 + 0.015 * from_grey / std::sqrt(20 + from_grey), sc = 1 + 0.045 * mean_c,
               sh = 1 + 0.015 * mean_c * t;
  const double blue = (mean_h - 275) / 25;
  const double rt = -2 * root(mean_c) * std::sin(60 * std::exp(-blue * blue) * degree);
  return std::sqrt(l / sl * (l / sl) + c / sc * (c / sc) + h / sh * (h / sh) + rt * (c / sc) * (h / sh));
}

double contrast(std::string_view a, std::string_view b) {
  const auto luminance = [](std::string_view hex) {
    const auto [red, green, blue] = linear(hex);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  return std::max(luminance(a), luminance(b)) / std::min(luminance(a), luminance(b));
}

TEST(Palette, differences_are_those_of_the_published_pairs) {
  // Pairs 1, 7, 17 and 34 of Sharma, Wu and Dalal's table 1.
  EXPECT_NEAR(difference({50, 2.6772, -79.7751}, {50, 0, -82.7485}), 2.0425, 5e-5);
  EXPECT_NEAR(difference({50, 0, 0}, {50, -1, 2}), 2.3669, 5e-5);
  EXPECT_NEAR(difference({50, 2.5, 0}, {73, 25, -18}), 27.1492, 5e-5);
  EXPECT_NEAR(difference({2.0776, 0.0795, -1.1350}, {0.9033, -0.0636, -0.5514}), 0.9082, 5e-5);
}

const Colour& named(std::string_view name) {
  return *std::ranges::find(palette, name, &Colour::name);
}

/// Returns a colour as perceived with a deficiency. Machado, Oliveira and Fernandes, "A physiologically-based
/// model for simulation of color vision deficiency", 2009: none, then full protanopia, deuteranopia,
/// tritanopia.
Lab seen(std::string_view hex, std::size_t eye) {
  using Matrix = std::array<std::array<double, 3>, 3>;
  static const std::array<Matrix, 4> eyes{
      Matrix{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
      Matrix{{{0.152286, 1.052583, -0.204868},
              {0.114503, 0.786281, 0.099216},
              {-0.003882, -0.048116, 1.051998}}},
      Matrix{
          {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
      Matrix{{{1.255528, -0.076749, -0.178779},
              {-0.078411, 0.930809, 0.147602},
              {0.004733, 0.691367, 0.303900}}}};
  const std::array<double, 3> rgb = linear(hex);
  std::array<double, 3> light{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t k = 0; k < 3; ++k) light[row] += eyes[eye][row][k] * rgb[k];
    light[row] = std::clamp(light[row], 0.0, 1.0);
  }
  return lab(light);
}

TEST(Palette, is_distinguishable_with_any_colour_blindness) {
  const struct {
    const char* what;
    std::vector<std::string_view> names;
    double least;
  } neighbours[] = {
      // Ranks, streams, tasks, as lines and dots, which also differ in dashes and shapes.
      {"series", {"c0", "c1", "c2", "c3", "c4", "c5", "c7"}, 10},
      // The same as boxes, which also have text.
      {"boxes", {"p0", "p1", "p2", "p3", "p4", "p5", "p6"}, 9},
      // In charts: work and other time. Receives are also hatched.
      {"work and blank", {"p0", "send", "message", "grid", "card"}, 7},
      // In a replay: waiting, ready, running, done.
      {"states", {"grid", "p4", "p1", "p2"}, 9},
  };
  for (const auto& [what, names, least] : neighbours)
    for (const auto shade : {&Colour::light, &Colour::dark})
      for (std::size_t eye = 0; eye < 4; ++eye)
        for (const std::string_view one : names)
          for (const std::string_view two : names) {
            if (one >= two) continue;
            EXPECT_GT(difference(seen(named(one).*shade, eye), seen(named(two).*shade, eye)), least)
                << what << ": " << one << " and " << two << " with eye " << eye
                << (shade == &Colour::light ? "" : ", dark");
          }
  // Every box next to time without work.
  for (std::size_t i = 0; i < pale_colours; ++i)
    for (const char* other : {"send", "message", "grid", "card"})
      for (const auto shade : {&Colour::light, &Colour::dark})
        for (std::size_t eye = 0; eye < 4; ++eye)
          EXPECT_GT(difference(seen(named(pale_colour_of(i)).*shade, eye), seen(named(other).*shade, eye)), 7)
              << "p" << i << " and " << other << " with eye " << eye;
}

TEST(Palette, stands_out_from_the_background) {
  for (const auto shade : {&Colour::light, &Colour::dark}) {
    for (const char* text : {"ink", "muted"})
      for (const char* behind : {"card", "page"})
        EXPECT_GT(contrast(named(text).*shade, named(behind).*shade), 4.5) << text << " on " << behind;
    for (std::size_t i = 0; i < pale_colours; ++i)
      EXPECT_GT(contrast(named("ink").*shade, named(pale_colour_of(i)).*shade), 4.5) << "ink on p" << i;
    for (const char* behind : {"message", "grid"})
      EXPECT_GT(contrast(named("ink").*shade, named(behind).*shade), 4.5) << "ink on " << behind;
    EXPECT_GT(contrast(named("card").*shade, named("send").*shade), 4.5);
    for (std::size_t i = 0; i < series_colours; ++i)
      EXPECT_GT(contrast(palette[i].*shade, named("card").*shade), 2.2) << palette[i].name;
  }
}

TEST(PictureFiles, have_their_style_and_dark_colours) {
  const std::string svg = picture_file(to_svg(bars({1})));
  EXPECT_THAT(svg, testing::StartsWith("<svg xmlns="));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(svg, HasSubstr(".f-c0 { fill: #0072b2; }"));
}

TEST(Pages, have_no_external_references) {
  const std::string page = html_page("a & b", "<p>text</p>");
  EXPECT_THAT(page, HasSubstr("<title>a &amp; b</title>"));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(page, Not(testing::ContainsRegex("(src|href)=|url\\(|@import|https?:")));
}

}  // namespace
}  // namespace takt
