/// Compares the fast reader of plain lines with yaml-cpp, for documents with plain lines and similar
/// ones.

#include "core/formats/yaml_lines.hpp"

#include <array>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/formats/yaml_parser.hpp"
#include "core/random.hpp"

namespace takt {
namespace {

/// Formats a node with its contents, each with its position.
std::string placed(const YamlNode& node) {
  std::string text = fmt::format("{}:{} {} ", node.place().line, node.place().column, describe(node.kind()));
  if (node.is_text()) text += node.text();
  if (node.is_list())
    for (const YamlNode& each : node) text += "[" + placed(each) + "]";
  if (node.is_mapping())
    for (const auto& [key, value] : node.pairs()) text += "{" + placed(key) + "=" + placed(value) + "}";
  return text;
}

/// Returns the result of a text, including errors.
std::string outcome(const std::string& text, std::size_t long_text) {
  ErrorList errors;
  std::string result;
  try {
    const YamlTree tree = parse_yaml(text, "f", errors, {.long_text = long_text});
    result = tree.is_empty() ? "empty" : placed(tree.root());
  } catch (const ConfigError& error) {
    result = error.what();
  }
  for (const std::string& message : errors.messages()) result += "\n" + message;
  return result;
}

constexpr std::size_t never = SIZE_MAX;

void expect_same(const std::string& text) {
  EXPECT_EQ(outcome(text, 0), outcome(text, never)) << text;
}

class Documents {
 public:
  explicit Documents(std::uint64_t seed) : draw_(seed) {}

  std::string document() {
    std::string text;
    for (std::uint64_t i = 0, count = 1 + draw_.below(3); i < count; ++i) {
      if (draw_.below(5) == 0) text += draw_.below(2) == 0 ? "\n" : "   \n";
      text += word() + ":";
      if (draw_.below(3) == 0) {
        text += " " + value(0) + "\n";
        continue;
      }
      text += "\n";
      const std::string indentation(draw_.below(4), ' ');
      for (std::uint64_t j = 0, lines = 1 + draw_.below(4); j < lines; ++j) {
        text += indentation + "- " + collection(0);
        text += draw_.below(6) == 0 ? "  \n" : "\n";
      }
    }
    return text;
  }

  /// Replaces, adds or removes some characters.
  std::string damaged() {
    constexpr std::string_view letters = " \n:-,{}[]ab0.~#'\"\t&*!nul|>?%";
    std::string text = document();
    for (std::uint64_t i = 0, count = 1 + draw_.below(2); i < count && !text.empty(); ++i) {
      const std::size_t at = draw_.below(text.size());
      const char letter = letters[draw_.below(letters.size())];
      switch (draw_.below(3)) {
        case 0:
          text[at] = letter;
          break;
        case 1:
          text.insert(at, 1, letter);
          break;
        default:
          text.erase(at, 1);
      }
    }
    return text;
  }

 private:
  std::string word() {
    constexpr std::array words{"a",   "b_2", "from", "to",   "-5",  "3.5e-3", "null", "true",
                               "a-b", "x.y", "1/2",  "name", "nul", "0x1F",   "y",    "a+"};
    return words[draw_.below(words.size())];
  }
  std::string value(int depth) { return depth < 3 && draw_.below(4) == 0 ? collection(depth) : word(); }
  std::string collection(int depth) {
    const bool is_list = draw_.below(3) == 0;
    std::string text;
    for (std::uint64_t i = 0, count = 1 + draw_.below(3); i < count; ++i) {
      // One call per statement, so that every compiler draws in the same order.
      if (i > 0) text += draw_.below(3) == 0 ? " ,  " : ", ";
      if (!is_list) text += word() + ": ";
      text += value(depth + 1);
    }
    const char* blank = draw_.below(4) == 0 ? " " : "";
    return fmt::format("{}{}{}{}{}", is_list ? "[" : "{", blank, text, blank, is_list ? "]" : "}");
  }

  Random draw_;
};

TEST(PlainLines, agree_with_yaml_cpp) {
  Documents documents(1);
  int quick = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string text = documents.document();
    expect_same(text);
    quick += has_plain_lines(text) ? 1 : 0;
  }
  // Except those with a null.
  EXPECT_GT(quick, 500);
}

TEST(PlainLines, agree_with_yaml_cpp_on_damaged_texts) {
  Documents documents(2);
  for (int i = 0; i < 6000; ++i) expect_same(documents.damaged());
}

TEST(PlainLines, leave_other_forms_to_yaml_cpp) {
  for (const char* text : {"",
                           "\n",
                           "a",
                           "a:\n",
                           "a: 'b'\n",
                           "a: b c\n",
                           "- {a: b}\n",
                           "a:\n  - b\n",
                           "a:\n  b: c\n",
                           "a: &x b\n",
                           "a: null\n",
                           "a: {b: }\n",
                           "a: {b}\n",
                           "a: {}\n",
                           "a: []\n",
                           "a: [b,]\n",
                           "a: b # c\n",
                           "a: b\n---\nc: d\n",
                           "a:\n  - {b: c}\n - {b: c}\n",
                           "a:\n  - {b: c}\n   - {b: c}\n",
                           "a: ~\n",
                           "a:\n\t- {b: c}\n",
                           "a: b\r\n",
                           "a: \xc3\xa4\n",
                           "a: b\n  c\n",
                           "a:b\n",
                           "a: {b: c\n  }\n"}) {
    EXPECT_FALSE(has_plain_lines(text)) << text;
    expect_same(text);
  }
  for (const char* text : {"a: b", "a: b\na: c\n", "a:\n- {b: c}\nd: e\n",
                           "a:\n  - {b: [c, d], e: {f: -5}}\n\n", "a: {b: c, b: d}\n"}) {
    EXPECT_TRUE(has_plain_lines(text)) << text;
    expect_same(text);
  }
}

}  // namespace
}  // namespace takt
