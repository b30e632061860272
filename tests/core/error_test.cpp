#include "core/error.hpp"

#include <gmock/gmock.h>

#include "core/text/printable.hpp"

namespace takt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

TEST(Error, names_the_nearest_known_name_and_all_in_their_order) {
  EXPECT_EQ(unknown_name("kernel", "fftt", {"pass", "spin", "fft"}),
            "unknown kernel 'fftt'; did you mean 'fft'? (known: pass spin fft)");
}

TEST(Error, suggests_a_name_with_transposed_letters) {
  EXPECT_THAT(unknown_name("kernel", "psas", {"spin", "pass"}), HasSubstr("did you mean 'pass'?"));
}

TEST(Error, suggests_nothing_without_a_near_name) {
  EXPECT_THAT(unknown_name("kernel", "telescope", {"fft", "pass"}), Not(HasSubstr("did you mean")));
  EXPECT_EQ(unknown_name("kernel", "x", {}), "unknown kernel 'x'");
}

TEST(Error, does_not_list_thousands_of_names) {
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) names.push_back("task" + std::to_string(i));
  const std::string text = unknown_name("task", "task1000", {names.begin(), names.end()});
  EXPECT_THAT(text, HasSubstr("and 950 more)"));
  EXPECT_LT(text.size(), 500U);
}

TEST(Error, names_the_known_part_of_the_position) {
  EXPECT_STREQ(ConfigError({"a.yaml", 3, 7}, "no").what(), "a.yaml:3:7: no");
  EXPECT_STREQ(ConfigError({"a.yaml", 3}, "no").what(), "a.yaml:3: no");
  EXPECT_STREQ(ConfigError({"a.yaml"}, "no").what(), "a.yaml: no");
}

TEST(Error, collects_all_errors_of_a_file) {
  ErrorList errors;
  errors.throw_if_any();
  errors.add({"a.yaml", 1}, "one");
  errors.add({"a.yaml", 2}, "two");
  EXPECT_THAT([&] { errors.throw_if_any(); }, ThrowsMessage<ConfigError>("a.yaml:1: one\na.yaml:2: two"));
}

TEST(Errors, quote_at_most_sixty_printable_characters) {
  EXPECT_EQ(printable("a\n\xc3\xa9\x1b|\xff|\xc2\x9b"), "a\\x0a\xc3\xa9\\x1b|\\xff|\\xc2\\x9b");
  EXPECT_EQ(excerpt("plain"), "plain");
  EXPECT_EQ(excerpt("a\nb\x1b\x7f"), "a?b??");
  EXPECT_EQ(excerpt("\xc3\xa9t\xc3\xa9 \xf0\x9f\x8c\x8d"), "\xc3\xa9t\xc3\xa9 \xf0\x9f\x8c\x8d");
  // Invalid UTF-8: a single byte, a truncated character, an overlong one; a two-byte control character.
  EXPECT_EQ(excerpt("\xff|\xe2\x82|\xc0\xaf|\xc2\x9b"), "?|??|??|?");
  EXPECT_EQ(excerpt(std::string(60, 'x')), std::string(60, 'x'));
  EXPECT_EQ(excerpt(std::string(61, 'x')), std::string(60, 'x') + "...");
}

}  // namespace
}  // namespace takt
