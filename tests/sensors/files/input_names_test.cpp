/// Tests the matches of file names and their order.

#include "sensors/files/input_names.hpp"

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "tests/support/program.hpp"

namespace takt::sensors {
namespace files_input_names_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<std::string> names_of(const std::vector<std::filesystem::path>& files) {
  std::vector<std::string> names;
  for (const auto& file : files) names.push_back(file.filename().string());
  return names;
}

TEST(InputNames, wildcards_match_in_natural_order) {
  const test::TemporaryFolder folder;
  for (const char* name : {"a10.fil", "a9.fil", "a100.fil", "b1.fil", ".a1.fil"})
    (void)folder.file(name, "x");
  EXPECT_THAT(names_of(matching_files(folder / "a*.fil")), ElementsAre("a9.fil", "a10.fil", "a100.fil"));
  EXPECT_THAT(names_of(matching_files(folder / "a?.fil")), ElementsAre("a9.fil"));
  EXPECT_THAT(names_of(matching_files(folder / "[ab]1.fil")), ElementsAre("b1.fil"));
  EXPECT_THAT(names_of(matching_files(folder / "*.fil")),
              ElementsAre("a9.fil", "a10.fil", "a100.fil", "b1.fil"));
  EXPECT_TRUE(matching_files(folder / "c*.fil").empty());
}

TEST(InputNames, folders_are_matched_too) {
  const test::TemporaryFolder folder;
  for (const char* name : {"day1", "day2"}) {
    std::filesystem::create_directory(folder / name);
    (void)folder.file(std::string(name) + "/x.fil", "x");
  }
  EXPECT_EQ(matching_files(folder / "day*/x.fil").size(), 2U);
}

TEST(InputNames, a_file_with_a_wildcard_in_its_name_is_that_file) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "[x]");
  for (const char* name : {"a*.fil", "ab.fil", "a{1..2}.fil", "[x]/1.fil"}) (void)folder.file(name, "x");
  EXPECT_THAT(names_of(matching_files(folder / "a*.fil")), ElementsAre("a*.fil"));
  EXPECT_THAT(names_of(matching_files(folder / "a{1..2}.fil")), ElementsAre("a{1..2}.fil"));
  EXPECT_THAT(names_of(matching_files(folder / "[x]/*.fil")), ElementsAre("1.fil"));
}

TEST(InputNames, ranges_count_with_the_zeros_of_their_first_end) {
  EXPECT_THAT(names_of(matching_files("/n/a{8..11}.fil")),
              ElementsAre("a8.fil", "a9.fil", "a10.fil", "a11.fil"));
  EXPECT_THAT(names_of(matching_files("/n/a{008..10}")), ElementsAre("a008", "a009", "a010"));
  EXPECT_THAT(names_of(matching_files("/n/{0..1}-{1..2}")), ElementsAre("0-1", "0-2", "1-1", "1-2"));
  EXPECT_THAT(names_of(matching_files("/n/{a..b}{")), ElementsAre("{a..b}{"));
  EXPECT_THAT([] { (void)matching_files("a{5..3}"); },
              ThrowsMessage<ConfigError>(HasSubstr("the range {5..3} runs backwards")));
  EXPECT_THAT([] { (void)matching_files("a{0..99999999999}"); },
              ThrowsMessage<ConfigError>(HasSubstr("more than 1000000 names")));
}

TEST(InputNames, patterns_without_a_match_and_files_named_twice_are_refused) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("a1.fil", "x");
  EXPECT_THAT([&] { (void)input_files({folder / "b*.fil"}); },
              ThrowsMessage<ConfigError>(HasSubstr("no file matches '")));
  EXPECT_THAT(
      [&] {
        (void)input_files({file, folder / "a*.fil"});
      },
      ThrowsMessage<ConfigError>(HasSubstr("is given twice")));
  EXPECT_THAT(names_of(input_files({file, "/n/b{1..2}"})), ElementsAre("a1.fil", "b1", "b2"));
}

}  // namespace files_input_names_test
}  // namespace takt::sensors
