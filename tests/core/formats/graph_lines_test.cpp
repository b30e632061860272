/// Compares the reader of plain lines with the general reader, for graphs with plain lines and similar
/// ones.

#include "core/formats/graph_lines.hpp"

#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/formats/graph_yaml.hpp"
#include "core/random.hpp"
#include "core/system/text_file.hpp"
#include "tests/support/program.hpp"

namespace takt {
namespace {

/// Returns a graph of a few lines in the supported form, with some values omitted.
std::string lines(Random& draw) {
  const std::string indentation(draw.below(4), ' ');
  const std::uint64_t tasks = 1 + draw.below(5);
  std::string text = "tasks:\n";
  for (std::uint64_t i = 0; i < tasks; ++i)
    text += fmt::format("{}- {{{}name: t{}{}}}\n", indentation,
                        draw.below(2) == 0 ? fmt::format("work: {}, ", draw.below(100)) : "work:  07,", i,
                        draw.below(3) == 0 ? ", stateless: true" : "");
  if (draw.below(4) == 0) return text;
  text += "edges:\n";
  for (std::uint64_t i = 0, edges = 1 + draw.below(5); i < edges; ++i)
    text += fmt::format(
        "{}- {{from: t{} , to: t{}{}}}{}\n", indentation, draw.below(tasks), draw.below(tasks),
        draw.below(2) == 0 ? fmt::format(", size: {}", draw.below(100)) : "", draw.below(5) == 0 ? " " : "");
  return text;
}

/// Replaces, adds or removes a character.
std::string damaged(std::string text, Random& draw) {
  constexpr std::string_view letters = " \n\r:-,{}[]t01.~#'\"&*";
  const std::size_t at = draw.below(text.size());
  const char letter = letters[draw.below(letters.size())];
  switch (draw.below(3)) {
    case 0:
      text[at] = letter;
      break;
    case 1:
      text.insert(at, 1, letter);
      break;
    default:
      text.erase(at, 1);
  }
  return text;
}

TEST(GraphLines, are_read_as_by_the_general_reader_or_left_to_it) {
  const test::TemporaryFolder folder;
  int read = 0, wrong = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    Random draw(seed);
    std::string text = lines(draw);
    if (seed % 2 == 1) text = damaged(std::move(text), draw);
    std::optional<TaskGraph> expected;
    try {
      expected = graph_from_yaml(text, "f");
    } catch (const ConfigError&) {
      ++wrong;
    }
    const std::optional<TaskGraph> graph = graph_from_lines(text);
    // For some, reads the file, too, in parts with arbitrary ends.
    if (seed % 20 < 2) {
      write_text_file(folder / "g.yaml", text);
      TextParts parts(folder / "g.yaml", 1 + draw.below(text.size() + 2));
      EXPECT_EQ(graph_from_lines(parts), graph) << text;
    }
    if (seed % 2 == 0) {
      EXPECT_EQ(graph, expected) << text;
    }
    if (!graph) continue;
    ++read;
    EXPECT_EQ(graph, expected) << text;
  }
  // Many graphs are invalid as drawn: an edge to its own task, or a cycle.
  EXPECT_GT(read, 2'000);
  EXPECT_GT(wrong, 2'000);
}

TEST(GraphLines, leaves_other_forms_to_the_general_reader) {
  for (const char* text :
       {"", "tasks:\n", "tasks: []\n", "edges:\n  - {from: a, to: b}\n",
        "tasks:\n  - {name: a, work: 1 ms}\n", "tasks:\n  - {name: a, work: 1, alpha: 0.1}\n",
        "tasks:\n  - {name: 'a', work: 1}\n", "tasks:\n  - {name: a}\n",
        "tasks:\n  - {name: a, work: 1234567890123456789}\n",
        "tasks:\n  - {name: a, work: 1}\n  - {name: a, work: 1}\n",
        "tasks:\n  - {name: a, work: 1}\nmore: 1\n",
        "tasks:\n  - {name: a, work: 1}\n- {name: b, work: 1}\n"})
    EXPECT_EQ(graph_from_lines(text), std::nullopt) << text;
}

// Names of up to 40 characters, each pair of which differs in one place only. The result keeps them
// unchanged.
TEST(GraphLines, distinguish_names_of_any_length) {
  for (std::size_t length = 1; length <= 40; ++length) {
    SCOPED_TRACE(length);
    std::vector<std::string> names{std::string(length, 'n')};
    for (std::size_t place = 0; place < length; ++place) {
      names.push_back(names.front());
      names.back()[place] = 'm';
    }
    std::string text = "tasks:\n";
    for (const std::string& name : names) text += fmt::format("  - {{name: {}, work: 1}}\n", name);
    // The tasks checked first, the last one found and the next one, have other names.
    text += "edges:\n";
    for (std::size_t i = 1; i < names.size(); ++i)
      text += fmt::format("  - {{from: {}, to: {}, size: 1}}\n", names[0], names[i]);
    const std::optional<TaskGraph> graph = graph_from_lines(text);
    ASSERT_TRUE(graph);
    for (std::size_t i = 1; i < names.size(); ++i) {
      EXPECT_EQ(graph->edge(EdgeId(i - 1)).from, TaskId(0));
      EXPECT_EQ(graph->edge(EdgeId(i - 1)).to, TaskId(i));
    }
    if (length > 1) {
      EXPECT_EQ(graph_to_yaml(*graph), text);
    }
  }
}

}  // namespace
}  // namespace takt
