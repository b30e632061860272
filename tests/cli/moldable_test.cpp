#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"

namespace takt {
namespace {

using nlohmann::json;
using test::takt;
using ::testing::HasSubstr;

const std::string ptg = "layered:tasks=12,complexity=mixed,alpha=0..0.25,seed=3";
const std::string grid5000 = std::string(TAKT_SOURCE_DIR) + "/configs/machines/grid5000-2008.yaml";

TEST(Moldable, plans_state_their_guarantee_and_can_be_verified_and_viewed) {
  const test::TemporaryFolder folder;
  const std::string file = folder / "s.yaml";
  const test::Result planned = takt({"plan", ptg, "--machine", grid5000, "--scheduler", "mcgas", "--bound",
                                     "87", "--mu", "0.662", "--format", "json", "-o", file});
  ASSERT_EQ(planned.exit_code, 0) << planned.err;
  const json result = json::parse(planned.out);
  // 8.695 of the paper, times 3.388 / 3.254 for the clusters' unequal speeds.
  EXPECT_NEAR(result["guarantee"].get<double>(), 8.695 * 3.388 / 3.254, 2e-3);
  EXPECT_LE(result["makespan_ratio"].get<double>(), result["guarantee"].get<double>());
  EXPECT_GT(result["tasks"][0]["processors"].size(), 1U);
  EXPECT_TRUE(result["messages"].empty());
  const test::Result verified = takt({"verify", file});
  EXPECT_EQ(verified.exit_code, 0) << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("guarantee: the makespan is at most 9.05"));
  EXPECT_EQ(takt({"view", file}).exit_code, 0);
  const test::Result simulated = takt({"simulate", file});
  EXPECT_EQ(simulated.exit_code, 2);
  EXPECT_THAT(simulated.err, HasSubstr("groups of processors"));
}

TEST(Moldable, meaningless_options_are_refused) {
  const auto refused = [](std::vector<std::string> more) {
    std::vector<std::string> arguments{"plan", ptg, "--machine", grid5000, "--scheduler", "mcgas"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const test::Result result = takt(arguments);
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_THAT(refused({"--mu", "0"}), HasSubstr("between 0 and 1"));
  EXPECT_THAT(refused({"--mu", "1"}), HasSubstr("between 0 and 1"));
  EXPECT_THAT(refused({"--bound", "0"}), HasSubstr("expected 1 to 216"));
  EXPECT_THAT(refused({"--bound", "217"}), HasSubstr("expected 1 to 216"));
  EXPECT_THAT(refused({"--guarantee", "8"}), HasSubstr("8.695"));
  EXPECT_THAT(refused({"--guarantee", "9", "--mu", "0.5"}), HasSubstr("--mu"));
  EXPECT_THAT(refused({"--groups", "etf"}), HasSubstr("eft"));
  EXPECT_THAT(refused({"--allocations", "1"}), HasSubstr("--allocations"));
}

}  // namespace
}  // namespace takt
