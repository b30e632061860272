/// Tests that pages show the same contents without a browser.

#include "core/pictures/page_svg.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <regex>

#include <boost/beast/zlib/inflate_stream.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/graphs/generators.hpp"
#include "core/network.hpp"
#include "core/pictures/document_page.hpp"
#include "core/pictures/graph_view.hpp"
#include "core/pictures/levels_view.hpp"
#include "core/pictures/mesh_view.hpp"
#include "core/pictures/png.hpp"
#include "core/pictures/waterfall_view.hpp"
#include "core/random.hpp"
#include "core/text/base64.hpp"

namespace takt {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string svg_of_views(std::vector<View> views) {
  return to_svg(
      {.title = "title", .says = "says", .facts = {{"name", "value", ""}}, .views = std::move(views)});
}

/// Decodes cells to numbers.
std::vector<int> cells_of(const json& view) {
  std::vector<int> cells;
  for (const std::byte cell : from_base64(view["cells"].get<std::string>()))
    cells.push_back(std::to_integer<int>(cell));
  return cells;
}

WaterfallPicture picture_of(std::vector<double> values, std::size_t columns) {
  return {.name = "w",
          .says = "",
          .x = "MHz",
          .y = "s",
          .unit = "dB",
          .rows = values.size() / columns,
          .columns = columns,
          .values = std::move(values),
          .first_x = 0,
          .last_x = 1,
          .first_y = 0,
          .last_y = 1};
}

TEST(Charts, with_logarithmic_axes_have_units_and_omit_values_up_to_0) {
  const json view{
      {"kind", "chart"},
      {"name", "c"},
      {"says", ""},
      {"x", "size (B)"},
      {"y", "time (ns)"},
      {"log", true},
      {"series",
       {{{"name", "line"}, {"style", "line"}, {"x", {1, 1024, 1 << 20}}, {"y", {100, 1000, 1e5}}},
        {{"name", "dots"}, {"style", "dots"}, {"of", 0}, {"x", {1, 32, 1024}}, {"y", {-5, 0, 1e4}}}}}};
  const std::string svg = to_svg({.title = "t", .says = "", .facts = {}, .views = {view.dump()}});
  for (const char* const mark : {">1 B<", ">32 KiB<", ">1 us<", ">100 us<", ">size<", ">time<"})
    EXPECT_THAT(svg, HasSubstr(mark));
  const std::regex dot("<title>dots: ([^<]*)</title>");
  std::vector<std::string> told;
  for (std::sregex_iterator it(svg.begin(), svg.end(), dot), end; it != end; ++it) told.push_back((*it)[1]);
  EXPECT_THAT(told, ElementsAre("1 KiB, 10 us"));
  EXPECT_THAT(svg, Not(HasSubstr(">dots</text>"))) << "they have the colour of the line";
}

TEST(Charts, without_values_have_no_axes) {
  const json view{
      {"kind", "chart"}, {"name", "c"},
      {"says", ""},      {"x", "a"},
      {"y", "b"},        {"series", {{{"name", "s"}, {"style", "line"}, {"x", {1}}, {"y", {nullptr}}}}}};
  const std::string svg = to_svg({.title = "t", .says = "", .facts = {}, .views = {view.dump()}});
  EXPECT_THAT(svg, HasSubstr(">no values<"));
  EXPECT_THAT(svg, Not(HasSubstr(">0<")));
}

TEST(Waterfalls, distinguish_0_from_missing_values) {
  const std::vector<double> powers{0, 1, 10, std::nan("")};
  const json view = json::parse(waterfall_view(picture_of(decibels_of(powers), 2)));
  EXPECT_THAT(cells_of(view), ElementsAre(254, 0, 253, 255));
  EXPECT_EQ(view["least"], 0);
  EXPECT_EQ(view["most"], 10);
  const std::string svg = svg_of_views({waterfall_view(picture_of(decibels_of(powers), 2))});
  EXPECT_THAT(svg, HasSubstr(">missing</text>"));
  EXPECT_THAT(svg, HasSubstr(">0</text>"));
}

TEST(Waterfalls, of_equal_values_show_the_value) {
  const std::vector<double> zeros(6);
  EXPECT_FALSE(has_power(zeros)) << "which have no decibels";
  const json view = json::parse(waterfall_view(picture_of(zeros, 3)));
  EXPECT_THAT(cells_of(view), ::testing::Each(0)) << "values, not missing ones";
  EXPECT_EQ(view["least"], view["most"]);
  EXPECT_THAT(svg_of_views({waterfall_view(picture_of(zeros, 3))}), HasSubstr(">all 0 dB</text>"));
  EXPECT_THAT(svg_of_views({waterfall_view(picture_of({7, 7, std::nan("")}, 3))}),
              HasSubstr(">all 7 dB</text>"));
  const std::string nothing = svg_of_views({waterfall_view(picture_of({std::nan("")}, 1))});
  EXPECT_THAT(nothing, HasSubstr(">missing</text>"));
  EXPECT_THAT(nothing, Not(HasSubstr(">all ")));
}

TEST(Waterfalls, show_the_few_values_that_differ_from_thousands) {
  std::vector<double> values(5000, 1.0);
  values[17] = 2;
  const json view = json::parse(waterfall_view(picture_of(values, 10)));
  EXPECT_EQ(cells_of(view)[17], 253);
  EXPECT_EQ(view["most"], 2);
}

TEST(Waterfalls, have_ascending_frequencies_for_any_channel_order) {
  WaterfallPicture falling = picture_of({1, 2, 3, 4, 5, 6}, 3);
  falling.first_x = 160;
  falling.last_x = 157;
  const json view = json::parse(waterfall_view(falling));
  EXPECT_EQ(view["first_x"], 157);
  EXPECT_EQ(view["last_x"], 160);
  const json other = json::parse(waterfall_view(picture_of({3, 2, 1, 6, 5, 4}, 3)));
  EXPECT_EQ(view["cells"], other["cells"]);
}

TEST(Base64, round_trips_any_bytes) {
  Random random(5);
  for (std::size_t size = 0; size < 40; ++size) {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(random.below(256)));
    EXPECT_EQ(from_base64(base64(bytes)), bytes);
  }
}

// Decoded here chunk by chunk, with the checksums computed bit by bit over the whole.
TEST(Png, follows_its_specification) {
  const std::vector<PixelColour> colours{{1, 2, 3, 255}, {4, 5, 6, 0}};
  const std::vector<std::uint8_t> pixels{0, 1, 1, 1, 0, 0};
  const std::string png = png_of(3, 2, pixels, colours);
  ASSERT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(png[at + i]);
    return value;
  };
  std::map<std::string, std::string> chunks;
  std::string order;
  std::size_t at = 8;
  while (at < png.size()) {
    const std::size_t size = number(at);
    const std::string name = png.substr(at + 4, 4);
    order += name + " ";
    chunks[name] = png.substr(at + 8, size);
    // The remainder of a polynomial division over GF(2).
    std::vector<bool> bits;
    for (std::size_t i = at + 4; i < at + 8 + size; ++i)
      for (int bit = 0; bit < 8; ++bit) bits.push_back((static_cast<unsigned char>(png[i]) >> bit & 1) != 0);
    bits.resize(bits.size() + 32);
    for (int i = 0; i < 32; ++i) bits[i] = !bits[i];
    constexpr std::uint64_t divisor = 0x104c11db7;
    for (std::size_t i = 0; i + 32 < bits.size(); ++i)
      if (bits[i])
        for (int k = 0; k <= 32; ++k) bits[i + k] = bits[i + k] != ((divisor >> (32 - k) & 1) != 0);
    std::uint32_t sum = 0;
    for (int i = 0; i < 32; ++i) sum |= static_cast<std::uint32_t>(!bits[bits.size() - 32 + i]) << i;
    EXPECT_EQ(number(at + 8 + size), sum) << name;
    at += 12 + size;
  }
  EXPECT_EQ(order, "IHDR PLTE tRNS IDAT IEND ");
  EXPECT_EQ(chunks["IHDR"], std::string("\0\0\0\3\0\0\0\2\x08\3\0\0\0", 13));
  EXPECT_EQ(chunks["PLTE"], "\1\2\3\4\5\6");
  EXPECT_EQ(chunks["tRNS"], std::string("\xff\0", 2));
  const std::string& data = chunks["IDAT"];
  EXPECT_EQ((static_cast<unsigned char>(data[0]) * 256 + static_cast<unsigned char>(data[1])) % 31, 0);
  std::string rows(64, '\0');
  boost::beast::zlib::inflate_stream stream;
  boost::beast::zlib::z_params params;
  params.next_in = data.data() + 2;
  params.avail_in = data.size() - 6;
  params.next_out = rows.data();
  params.avail_out = rows.size();
  boost::beast::error_code error;
  stream.write(params, boost::beast::zlib::Flush::finish, error);
  rows.resize(params.total_out);
  EXPECT_EQ(rows, std::string("\0\0\1\1\0\1\0\0", 8));
}

TEST(PagesAsSvg, hold_every_kind_of_view_with_their_names_above) {
  const TaskGraph graph = generate("fft:depth=2,cost=1..9,data=1..9");
  const json chart{{"kind", "chart"},
                   {"name", "a chart"},
                   {"says", "of points"},
                   {"x", "seconds"},
                   {"y", "Hz"},
                   {"series",
                    {{{"name", "s<1>"}, {"style", "line"}, {"x", {0, 1, 2}}, {"y", {1, nullptr, 3}}},
                     {{"name", "t"}, {"style", "dots"}, {"x", {1}}, {"y", {2}}}}}};
  const json bars{{"kind", "chart"},
                  {"name", "bars"},
                  {"says", ""},
                  {"x", "rank"},
                  {"y", "%"},
                  {"names", {"rank 0", "rank 1"}},
                  {"series", {{{"name", "busy"}, {"style", "bars"}, {"x", {0, 1}}, {"y", {10, nullptr}}}}}};
  json table{{"kind", "table"},   {"name", "a table"},    {"says", ""}, {"columns", {"name", "value"}},
             {"numbers", {0, 1}}, {"rows", json::array()}};
  for (int i = 0; i < 50; ++i) table["rows"].push_back({"row" + std::to_string(i), std::to_string(i)});
  const json parts{{"kind", "partitions"},
                   {"name", "parts"},
                   {"says", ""},
                   {"parts", {{"task", {"t0"}}, {"frame", {0}}, {"bytes", {12}}, {"group", {{2, 5, 6}}}}}};
  const LevelBox boxes[] = {{"a machine", "between nodes", {}}, {"P0-P3", "inside", 0}, {"P4-P7", "", 0}};
  const std::string svg = svg_of_views(
      {chart.dump(), bars.dump(), table.dump(), parts.dump(), graph_view(graph), interaction_view(graph),
       levels_view("levels", "", boxes), network_view(ring_network(5)), waterfall_view(picture_of({1, 2}, 2)),
       mesh_view(grid_mesh(2, 3), partitions_of(grid_mesh(2, 3), 2), 2)});
  EXPECT_THAT(svg, StartsWith("<svg xmlns="));
  for (const char* text : {">title<",     ">name<",
                           ">value<",     ">a chart<",
                           ">of points<", ">s&lt;1&gt;<",
                           ">seconds<",   ">rank 0<",
                           ">row39<",     ">and 10 more, in the page<",
                           ">P5<",        ">12 units<",
                           ">a machine<", ">between nodes<",
                           ">P4-P7<",     ">Task graph<",
                           ">Network<",   "data:image/png;base64,",
                           ">Mesh<",      ">bisection<"})
    EXPECT_THAT(svg, HasSubstr(text));
  EXPECT_THAT(svg, HasSubstr("<title>t0: block 3 of 3 is on P6</title>"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("row40")));
}

TEST(PagesAsSvg, put_powers_of_0_at_the_foot_of_a_spectrum) {
  const json chart{
      {"kind", "chart"},
      {"name", "c"},
      {"says", ""},
      {"x", "MHz"},
      {"y", "decibels"},
      {"series",
       {{{"name", "mean"}, {"style", "line"}, {"x", {0, 1, 2}}, {"y", {10, nullptr, 20}}, {"zeros", {1}}}}}};
  // Title, horizontal position and height of each mark.
  const std::string svg = svg_of_views({chart.dump()});
  EXPECT_THAT(svg, HasSubstr("<title>mean: 1, 0</title>"));
}

TEST(PagesAsSvg, have_the_requested_pictures_and_list_the_existing_ones) {
  const TaskGraph graph = generate("fft:depth=2");
  const Page page{
      .title = "title", .says = "", .facts = {}, .views = {graph_view(graph), interaction_view(graph)}};
  const std::vector<std::string> one{"Task interaction graph"}, wrong{"Task grpah"};
  EXPECT_EQ(only_pictures(page, {}).views.size(), 2U);
  EXPECT_EQ(only_pictures(page, one).views, std::vector<View>{interaction_view(graph)});
  EXPECT_THAT(to_svg(only_pictures(page, one)), Not(HasSubstr(">title<"))) << "which stands alone";
  try {
    (void)only_pictures(page, wrong);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.message(), HasSubstr("did you mean 'Task graph'"));
  }
}

/// Returns the positions and widths of the edge sizes in a picture of a task graph.
std::vector<std::array<double, 3>> sizes_in(const std::string& svg) {
  static const std::regex text(
      R"re(<text x="([-0-9.]+)" y="([-0-9.]+)"[^>]*text-anchor="start"[^>]*font-size="11"[^>]*>([0-9.e+]+)</text>)re");
  std::vector<std::array<double, 3>> sizes;
  for (std::sregex_iterator at(svg.begin(), svg.end(), text), end; at != end; ++at)
    // A digit of 11 pixels is 6 to 7 wide in common fonts.
    sizes.push_back({std::stod((*at)[1]), std::stod((*at)[2]), 6.0 * static_cast<double>((*at)[3].length())});
  return sizes;
}

TEST(GraphsAsSvg, keep_the_sizes_of_edges_clear_of_each_other) {
  std::vector<std::string> forms{"fft:depth=3,cost=5,data=1..99999", "gauss:size=6,cost=5,data=1000..99999",
                                 "fork_join:width=12,data=123456"};
  for (int seed = 1; seed <= 12; ++seed)
    forms.push_back(fmt::format("layered:tasks=30,cost=1..9,data=1..1000000,seed={}", seed));
  for (const std::string& form : forms) {
    const TaskGraph graph = generate(form);
    const auto sizes = sizes_in(svg_of_views({graph_view(graph)}));
    // Some do not fit; a picture without any would pass otherwise.
    EXPECT_GE(3 * sizes.size(), graph.edge_count()) << form;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        const auto& [x, y, width] = sizes[i];
        const auto& [other_x, other_y, other_width] = sizes[k];
        // Characters of 11 pixels extend 8 above their line.
        EXPECT_TRUE(std::abs(y - other_y) >= 8 || x >= other_x + other_width || other_x >= x + width)
            << form << ": sizes at " << x << ", " << y << " and " << other_x << ", " << other_y;
      }
  }
}

TEST(NetworkViews, of_complete_networks_have_a_label_instead_of_lines) {
  EXPECT_EQ(json::parse(network_view(complete_network(6)))["complete"], false);
  const View large = network_view(complete_network(48));
  EXPECT_EQ(json::parse(large)["complete"], true);
  EXPECT_EQ(json::parse(large)["edges"]["from"].size(), 48U * 47U) << "which can still be edited";
  const std::string svg = svg_of_views({large});
  EXPECT_THAT(svg, HasSubstr(">complete: all nodes are linked<"));
  EXPECT_THAT(svg, Not(HasSubstr("latency")));
  std::vector<double> loads(48 * 47);
  loads[5] = 0.5;
  EXPECT_THAT(svg_of_views({network_view(complete_network(48), loads)}), HasSubstr("busy 50 %"));
}

/// Returns the texts of an SVG, without markup, in order.
std::string words_of(const std::string& svg) {
  static const std::regex text("<text[^>]*>([^<]*)</text>");
  std::string words;
  for (std::sregex_iterator each(svg.begin(), svg.end(), text), end; each != end; ++each)
    words += (*each)[1].str() + " ";
  return words;
}

TEST(DocumentPages, show_long_notes_completely_and_seconds_with_their_unit) {
  std::string note;
  for (int i = 0; i < 60; ++i) note += fmt::format("{}word{}", i == 0 ? "" : " ", i);
  const nlohmann::ordered_json document{
      {"note", note},
      {"elapsed_seconds", 0.0125},
      {"rows", {{{"says", note}, {"seconds", 3.15e-4}}, {{"says", "-"}, {"seconds", 2}}}},
      {"more", {{{"number", 1}}, {{"number", 2}}}},
      {"ranks",
       {{{"busy_share", 0.98084},
         {"lost_share", 4e-7},
         {"rank", 0},
         {"waits", {{{"for", 1}, {"starved_share", 0.5}}, {{"for", 2}, {"starved_share", 0}}}}}}},
      {"notes", {"the first note", "a second one"}}};
  const std::string svg = to_svg(document_page("title", "", document)), words = words_of(svg);
  const std::size_t first = words.find(note);
  ASSERT_NE(first, std::string::npos) << words;
  EXPECT_NE(words.find(note, first + 1), std::string::npos) << "in the table, too: " << words;
  EXPECT_THAT(svg, Not(HasSubstr("\u2026")));
  EXPECT_THAT(words, HasSubstr("elapsed time 12.5 ms "));
  EXPECT_THAT(words, HasSubstr("says time "));
  EXPECT_THAT(words, HasSubstr("315 us - 2 s "));
  // Each sentence is a row, and deeper values are displayed as text.
  EXPECT_THAT(words, HasSubstr("notes the first note a second one "));
  EXPECT_THAT(words, HasSubstr("for 1, starved 50.00 %; for 2, starved 0.00 % "));
  // The identifying column comes first; shares are in percent.
  EXPECT_THAT(words, HasSubstr("rank busy lost waits 0 98.08 % &lt; 0.01 % "));
  EXPECT_THAT(svg, HasSubstr(">Ranks<"));
  EXPECT_THAT(svg, HasSubstr(">One row.<"));
  // No text extends beyond the right edge.
  const double width = std::stod(svg.substr(svg.find("viewBox=\"0 0 ") + 13));
  static const std::regex place("<text[^>]* x=\"([0-9.]+)\"[^>]*>([^<]*)</text>");
  for (std::sregex_iterator each(svg.begin(), svg.end(), place), end; each != end; ++each) {
    if ((*each)[0].str().find("anchor=\"end\"") != std::string::npos) continue;
    EXPECT_LE(std::stod((*each)[1].str()) + width_of((*each)[2].str()), width + 1) << (*each)[2];
  }
}

TEST(Lines, break_at_blanks_and_within_words_that_are_longer) {
  const double room = width_of("1234567890");
  EXPECT_THAT(lines_in("", room), ElementsAre(""));
  EXPECT_THAT(lines_in("one two three", room), ElementsAre("one two", "three"));
  EXPECT_THAT(lines_in("größenordnungen", room), ElementsAre("größenordn", "ungen"));
  EXPECT_THAT(lines_in("ab", 0), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace takt
