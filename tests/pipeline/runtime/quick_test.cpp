/// Tests that the quick measurement of links at the start of a run yields a machine for planning.

#include <gmock/gmock.h>

#include "logp/calibration/hold_out.hpp"
#include "logp/machine_yaml.hpp"
#include "tests/support/program.hpp"

namespace takt::test {
namespace {

logp::Machine measured(const std::string& ranks) {
  Program program({"env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                   "OMPI_MCA_mpi_yield_when_idle=1", "mpirun", "--oversubscribe", "-n", ranks,
                   TAKT_QUICK_RANKS});
  const Result result = program.wait(std::chrono::seconds{60});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return logp::machine_from_yaml(result.out, "measured");
}

TEST(QuickMeasurement, measures_the_cost_of_messages_between_two_ranks) {
  const logp::Machine machine = measured("2");
  EXPECT_EQ(machine.processor_count(), 2);
  EXPECT_EQ(machine.platform().level(ProcessorId(0), ProcessorId(1)), Level::node);
  const logp::LinkCosts& costs = machine.costs(Level::node);
  EXPECT_GT(costs.send_overhead.at(Bytes{1}), Time{0});
  EXPECT_GT(costs.send_gap.at(Bytes{1}), Time{0});
  EXPECT_GT(lone_message_time(costs, Bytes{1}), 0);
  // At least ten times as long on every known machine; never shorter.
  EXPECT_GT(lone_message_time(costs, Bytes{200'000}), lone_message_time(costs, Bytes{1}));
}

TEST(QuickMeasurement, supports_more_ranks_than_cores) {
  EXPECT_EQ(measured("5").processor_count(), 5);
}

TEST(QuickMeasurement, measures_nothing_with_one_rank) {
  EXPECT_TRUE(measured("1").communication_is_free());
}

}  // namespace
}  // namespace takt::test
