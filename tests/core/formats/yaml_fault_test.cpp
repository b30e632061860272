#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/formats/yaml_parser.hpp"

namespace takt {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string fault_of(const std::string& text) {
  ErrorList errors;
  try {
    (void)parse_yaml(text, "f", errors);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "none";
}

TEST(YamlFault, of_an_open_bracket_has_the_position_of_the_bracket) {
  const std::string rest = "' is not closed";
  EXPECT_THAT(fault_of("a: {b: 1"), StartsWith("f:1:4: not valid YAML: this '{" + rest));
  EXPECT_THAT(fault_of("a: [1, 2\nb: 3\nc: 4"),
              StartsWith("f:1:4: not valid YAML: this '[" + rest + " before line 2: expected ']'"));
  EXPECT_THAT(fault_of("tasks:\n  - {x: 1, y: 2\n  - {x: 3}\nb: 5\n"),
              StartsWith("f:2:5: not valid YAML: this '{" + rest + " before line 3: expected '}'"));
  EXPECT_THAT(fault_of("a: {x: {y: 1}, z: [1, {u: 2}\n}"),
              StartsWith("f:1:19: not valid YAML: this '[" + rest));
  EXPECT_THAT(fault_of("a: {b: 1]\nc: 2"), StartsWith("f:1:4: not valid YAML: this '{" + rest));
  // Brackets in quotes, comments, plain text and blocks do not count.
  EXPECT_THAT(fault_of("a: '{' # [\nb: x{y[\nc: |\n  {[\n\n  \"\nd: \"it's [\\\"{\"\ne: [1\nf: 2\n"),
              StartsWith("f:8:4: not valid YAML: this '[" + rest));
  EXPECT_EQ(fault_of("a: {b: 1}}"), "f:1:10: not valid YAML: a closing bracket without an opening one");
}

TEST(YamlFault, of_an_open_quote_has_the_position_of_the_quote) {
  EXPECT_THAT(
      fault_of("a: 1\nb: \"abc\nc: d\ne: f"),
      StartsWith("f:2:4: not valid YAML: the quoted text that begins here is not closed: expected \""));
  EXPECT_THAT(
      fault_of("a: {b: 'x}\nc: 1"),
      StartsWith("f:1:8: not valid YAML: the quoted text that begins here is not closed: expected '"));
  // The next quote ends it, where a text begins.
  EXPECT_THAT(fault_of("a: \"abc\nb: \"def\"\nc: 2\n"),
              AllOf(StartsWith("f:1:4: "), HasSubstr("quoted text")));
}

TEST(YamlFault, of_other_kinds_is_described_in_plain_words_at_its_position) {
  EXPECT_THAT(fault_of("a: b: c"), StartsWith("f:1:5: not valid YAML: a ':' without a key"));
  EXPECT_THAT(fault_of("x: {a: b: c}"), StartsWith("f:1:9: not valid YAML: a ':' without a key"));
  EXPECT_THAT(fault_of("a:\n  b: 1\n c: 2"), StartsWith("f:3:2: not valid YAML: this mapping is incomplete"));
  EXPECT_THAT(fault_of("a: - b"), StartsWith("f:1:4: not valid YAML: a '- ' where no list is possible"));
  EXPECT_THAT(fault_of("a: *x"), StartsWith("f:1:4: not valid YAML: an alias (*name)"));
}

TEST(YamlFault, of_a_control_character_has_its_position) {
  // yaml-cpp reads the zero as a backslash, and "\0b" as a backspace.
  EXPECT_THAT(fault_of(std::string("tasks:\n  - {name: a\0b, work: 1}", 30)),
              StartsWith("f:2:13: not valid YAML: a control character (\\x00)"));
  EXPECT_THAT(fault_of("a: \"\x1b[2J\""), StartsWith("f:1:5: not valid YAML: a control character (\\x1b)"));
  EXPECT_EQ(fault_of("a: \"\\0b\\x1b\"\r\nb:\t1\n"), "none");
}

TEST(YamlFault, is_found_in_any_text_within_its_bounds) {
  const std::string signs = "{}[]'\"|>:-#,?\\ \nab";
  std::uint64_t state = 1;
  for (int round = 0; round < 3'000; ++round) {
    std::string text;
    for (int i = 0; i < 24; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      text += signs[(state >> 33U) % signs.size()];
    }
    EXPECT_THAT(fault_of(text), ::testing::AnyOf("none", StartsWith("f:"))) << text;
  }
}

}  // namespace
}  // namespace takt
