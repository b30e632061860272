/// Do docs/reproduction/frequency.md and frequency-sizes.md agree with today's schedulers, and their texts
/// with their tables?

#include "tests/schedulers/frequency/frequency_study.hpp"

#include <algorithm>
#include <charconv>
#include <span>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/support/program.hpp"

namespace takt::schedulers::frequency_study {
namespace frequency_frequency_study_test {

using ::testing::HasSubstr;

std::string document(std::string_view name) {
  return test::read_file(fmt::format("{}/docs/reproduction/{}", TAKT_SOURCE_DIR, name));
}

/// The text from a setting's heading to the next one.
std::string_view section(std::string_view text, std::string_view title) {
  const std::size_t begin = text.find(fmt::format("\n## {}\n", title));
  EXPECT_NE(begin, std::string_view::npos) << title;
  return text.substr(begin + 1, text.find("\n## ", begin + 1) - begin);
}

void expect_lines(std::string_view name, const Setting& setting, std::string_view shape_name) {
  const Shape& shape = *std::ranges::find(shapes, shape_name, &Shape::name);
  Cell cell;
  for (std::size_t seed = 1; seed <= instances_of_cell; ++seed) cell.push_back(run(shape, setting, seed));
  const std::string text = document(name);
  EXPECT_THAT(std::string(section(text, setting.title)), HasSubstr(mean_row(shape, cell) + "\n"));
  EXPECT_THAT(std::string(section(text, setting.title)), HasSubstr(exact_row(shape, cell) + "\n"));
}

TEST(FrequencyTables, equal_todays_results) {
  expect_lines("frequency.md", equal_settings[3], "FFT 2");
  expect_lines("frequency-sizes.md", unequal_settings[1], "send tree 3");
}

/// The means of one row by column; 0 if there is none.
std::vector<double> means(std::string_view section, const Shape& shape) {
  std::string_view line = section.substr(section.find(fmt::format("\n| {} | ", shape.name)) + 1);
  line = line.substr(0, line.find('\n'));
  std::vector<double> values;
  while (line.find('|', 1) != std::string_view::npos) {
    line.remove_prefix(1);
    const std::string_view cell = line.substr(0, line.find('|'));
    line.remove_prefix(cell.size());
    double value = 0;
    const std::size_t digit = std::min(cell.find_first_not_of(' '), cell.size());
    std::from_chars(cell.data() + digit, cell.data() + cell.size(), value);
    values.push_back(value);
  }
  EXPECT_EQ(values.size(), columns.size() + 2) << shape.name;
  values.erase(values.begin(), values.begin() + 2);
  return values;
}

TEST(FrequencyTables, support_the_claims_of_their_documents) {
  const auto order_of = [](std::string_view scheduler) {
    return static_cast<std::size_t>(std::ranges::find(columns, scheduler, &Column::scheduler) -
                                    columns.begin());
  };
  const auto look = [&](std::string_view name, std::span<const Setting> settings) {
    const std::string text = document(name);
    for (const Setting& setting : settings)
      for (const Shape& shape : shapes) {
        const std::vector<double> share = means(section(text, setting.title), shape);
        const std::string where = fmt::format("{}, {}", setting.title, shape.name);
        // The relay family in its order.
        EXPECT_LE(share[order_of("single")], share[order_of("basic_fo")]) << where;
        EXPECT_LE(share[order_of("basic_fo")], share[order_of("chains")]) << where;
        EXPECT_LE(share[order_of("chains")], share[optfo_column]) << where;
        // With equal efforts below the default, optfo may be slightly worse if neither has a proof.
        EXPECT_GE(share[exact_column] + 0.002, share[exact_column] > 0 ? share[optfo_column] : 0) << where;
        if (setting.file == "free-3") {
          EXPECT_GE(share[optfo_column], 0.99) << where;
        }
        const double makespans = std::max({share[order_of("etf")], share[order_of("dls")],
                                           share[order_of("mcp")], share[order_of("heft")]});
        EXPECT_LT(makespans, share[optfo_column]) << where;
        if (setting.file == "linear-3") {
          EXPECT_LT(makespans, 0.8) << where;
        }
        if (shape.name.starts_with("diamond")) {
          EXPECT_LT(makespans, 0.5) << where;
        }
      }
  };
  look("frequency.md", equal_settings);
  look("frequency-sizes.md", unequal_settings);
  EXPECT_THAT(std::string(section(document("frequency.md"), equal_settings[3].title)),
              HasSubstr("| diamond 10 | 0 | | | | 25 |"));
}

}  // namespace frequency_frequency_study_test
}  // namespace takt::schedulers::frequency_study
