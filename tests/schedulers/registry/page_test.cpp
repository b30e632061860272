/// Does docs/reference/schedulers.md have a row for each scheduler, and no other?

#include <map>
#include <regex>
#include <sstream>
#include <string>

#include <gmock/gmock.h>

#include "schedulers/registry/registry.hpp"
#include "tests/support/program.hpp"

namespace takt::schedulers {
namespace registry_page_test {

using Families = std::map<std::string, std::string>;

/// The first two columns of rows that begin with a name.
Families rows_of(const std::string& page) {
  static const std::regex row(R"(^\| `([a-z_]+)` \| ([a-z]+) \|( [^|]+ \|){4}$)");
  Families rows;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("| `", 0) != 0) continue;
    std::smatch found;
    EXPECT_TRUE(std::regex_match(line, found, row)) << line;
    if (!found.empty()) {
      EXPECT_TRUE(rows.emplace(found[1], found[2]).second) << line;
    }
  }
  return rows;
}

TEST(SchedulersPage, has_a_full_row_for_every_scheduler_and_no_other) {
  Families registered;
  for (const Scheduler& scheduler : all_schedulers()) registered.emplace(scheduler.name, scheduler.family);
  EXPECT_EQ(rows_of(test::read_file(TAKT_SOURCE_DIR "/docs/reference/schedulers.md")), registered);
}

}  // namespace registry_page_test
}  // namespace takt::schedulers
