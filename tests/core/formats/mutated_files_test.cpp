#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/formats/graph_source.hpp"
#include "core/formats/schedule_yaml.hpp"
#include "core/formats/yaml_parser.hpp"
#include "core/generators.hpp"
#include "core/text_file.hpp"
#include "tests/core/random_graph.hpp"
#include "tests/support/mutation.hpp"
#include "tests/support/program.hpp"

// Files that something has damaged: a reader gives a graph or a ConfigError, never another exception, and
// (under the sanitizers) touches no memory that is not its own.

namespace takt {
namespace {

using test::expect_value_or_config_error;
using test::mutated;
using test::mutation_count;

/// Small files of public sets, as far as they are there: whatever their writers do that ours do not.
std::vector<std::string> public_files(std::string_view extension) {
  constexpr std::uintmax_t largest = 30'000;
  std::vector<std::string> texts;
  if (test::test_data().empty()) return texts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::test_data() / "schedules"))
    if (entry.path().extension() == extension && entry.file_size() < largest)
      texts.push_back(read_text_file(entry.path()));
  std::sort(texts.begin(), texts.end());
  return texts;
}

class MutatedGraphs : public ::testing::TestWithParam<GraphFormat> {};

TEST_P(MutatedGraphs, give_a_graph_or_a_config_error) {
  std::vector<std::string> texts{GetParam().write(generate("fft:depth=2,cost=1..9"))};
  for (std::uint64_t seed = 0; seed < 5; ++seed) texts.push_back(GetParam().write(random_graph(seed)));
  for (std::string& text : public_files(GetParam().extension)) texts.push_back(std::move(text));
  expect_value_or_config_error(texts,
                               [](const std::string& text) { (void)GetParam().read(text, "mutated"); });
}

INSTANTIATE_TEST_SUITE_P(Every, MutatedGraphs,
                         ::testing::ValuesIn(all_graph_formats().begin(), all_graph_formats().end()),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(MutatedGraphs, stay_what_they_are_when_written_and_read_again) {
  // A graph that was read from a damaged file is a graph like any other one.
  Random random(2);
  const std::string text = GetParam().write(generate("fft:depth=2,cost=1..9"));
  for (int i = 0; i < mutation_count() / 3; ++i) {
    try {
      const TaskGraph graph = GetParam().read(mutated(text, random), "mutated");
      const std::string written = GetParam().write(graph);
      EXPECT_EQ(GetParam().write(GetParam().read(written, "written")), written) << "mutation " << i;
    } catch (const ConfigError&) {
    }
  }
}

TEST(MutatedSchedules, give_a_schedule_or_a_config_error) {
  const TaskGraph graph = generate("fft:depth=2,cost=1..9");
  Schedule schedule("x", 2);
  const MessageId message =
      schedule.add_message(ProcessorId(0), ProcessorId(1), Bytes{2}, std::array{DatumId(0), DatumId(3)});
  for (TaskId id : graph.tasks()) schedule.add_compute(ProcessorId(id.index() % 2), id, Time{0}, Time{1});
  schedule.add_send(ProcessorId(0), message, Time{1}, Time{2});
  schedule.add_receive(ProcessorId(1), message, Time{3}, Time{4}, 0);
  expect_value_or_config_error({schedule_to_yaml(schedule, graph, "processors: 2\n")},
                               [](const std::string& text) {
                                 ErrorList errors;
                                 const YamlTree tree = parse_yaml(text, "mutated", errors);
                                 (void)read_schedule(tree.root(), errors);
                                 errors.throw_if_any();
                               });
}

TEST(MutatedGenerators, give_a_graph_or_a_config_error) {
  expect_value_or_config_error(
      {"send_tree:depth=3,cost=1", "fft:depth=4,cost=1..100,seed=7,data=10", "wave:depth=3,width=6",
       "layered:tasks=30,density=0.5,ccr=2", "chain:depth=2,cost=3/1/4"},
      [](const std::string& text) {
        // Digits that grow into large graphs would only take time.
        if (text.find_first_of("56789") == std::string::npos) (void)generate(text);
      });
}

}  // namespace
}  // namespace takt
