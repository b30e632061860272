#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/formats/graph_source.hpp"
#include "core/formats/schedule_yaml.hpp"
#include "core/generators.hpp"
#include "core/text_file.hpp"
#include "tests/core/random_graph.hpp"
#include "tests/support/program.hpp"

// Files that something has damaged: a reader gives a graph or a ConfigError, never another exception, and
// (under the sanitizers) touches no memory that is not its own.

namespace takt {
namespace {

std::string mutated(std::string text, Random& random) {
  for (std::uint64_t times = 1 + random.below(3); times > 0 && !text.empty(); --times) {
    const std::size_t at = random.below(text.size());
    const std::size_t line = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    // clang-format off
    const std::vector<std::string> snippets{
        "-1", "99999999999999999999", "1e300", "1e400", "nan", "inf", "-0", "0x7fffffff", "1000000000", "{", "}", "[", "]", "\"",
        "&a ", "*a ", "!!", ": ", "- ", "? ", "<<: ", "\t", "\n", "\r\n", "#", "|", "%", "->", "<", "/*", "\\", "\\u0000",
        "\xef\xbb\xbf", "\xff", std::string(1, '\0'), std::string(3000, '['), std::string(3000, '{')};
    // clang-format on
    switch (random.below(7)) {
      case 0:
        text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text.resize(at);
        break;
      case 2:
        text.insert(end, text.substr(line, end - line));
        break;
      case 3:
        text.erase(line, end - line);
        break;
      case 4:
        text.insert(at, snippets[random.below(snippets.size())]);
        break;
      case 5: {
        // Another place's text: a task into the edges, an edge of a task to itself.
        const std::size_t from = random.below(text.size());
        text.insert(at, text.substr(from, random.below(40)));
        break;
      }
      default:
        text.erase(at, 1 + random.below(5));
    }
  }
  return text;
}

/// Enough for seconds; TAKT_MUTATIONS says how many a longer search tries.
int mutation_count() {
  const char* wanted = std::getenv("TAKT_MUTATIONS");
  return wanted != nullptr ? std::stoi(wanted) : 3000;
}

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

void expect_graph_or_config_error(const std::vector<std::string>& texts,
                                  const std::function<void(const std::string&)>& read) {
  Random random(1);
  int refused = 0;
  const int mutations = mutation_count();
  for (int i = 0; i < mutations; ++i) {
    const std::string text = mutated(texts[random.below(texts.size())], random);
    try {
      read(text);
    } catch (const ConfigError&) {
      ++refused;
    } catch (const std::exception& error) {
      FAIL() << "mutation " << i << ": " << error.what() << "\n" << text;
    }
  }
  // Both outcomes must occur, otherwise the test tries nothing.
  EXPECT_GT(refused, mutations / 10);
  EXPECT_LT(refused, mutations * 99 / 100);
}

class MutatedGraphs : public ::testing::TestWithParam<GraphFormat> {};

TEST_P(MutatedGraphs, give_a_graph_or_a_config_error) {
  std::vector<std::string> texts{GetParam().write(generate("fft:depth=2,cost=1..9"))};
  for (std::uint64_t seed = 0; seed < 5; ++seed) texts.push_back(GetParam().write(random_graph(seed)));
  for (std::string& text : public_files(GetParam().extension)) texts.push_back(std::move(text));
  expect_graph_or_config_error(texts,
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
  expect_graph_or_config_error({schedule_to_yaml(schedule, graph, "processors: 2\n")},
                               [](const std::string& text) { (void)schedule_from_yaml(text, "mutated"); });
}

TEST(MutatedGenerators, give_a_graph_or_a_config_error) {
  expect_graph_or_config_error(
      {"send_tree:depth=3,cost=1", "fft:depth=4,cost=1..100,seed=7,data=10", "wave:depth=3,width=6",
       "layered:tasks=30,density=0.5,ccr=2", "chain:depth=2,cost=3/1/4"},
      [](const std::string& text) {
        // Digits that grow into large graphs would only take time.
        if (text.find_first_of("56789") == std::string::npos) (void)generate(text);
      });
}

}  // namespace
}  // namespace takt
