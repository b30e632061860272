/// Do rows that exceed the limit, or crash, affect only themselves?

#include "schedulers/judge/bounded_rows.hpp"

#include <csignal>
#include <map>

#include <gmock/gmock.h>
#include <unistd.h>

#include "core/graphs/generators.hpp"
#include "schedulers/frequency/single.hpp"
#include "schedulers/judge/comparison_report.hpp"
#include "schedulers/list/hlfet.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {
namespace {

using ::testing::StartsWith;

ComparisonRow row_with(std::string error) {
  ComparisonRow row;
  row.error = std::move(error);
  return row;
}

TEST(BoundedRows, end_at_the_limit_and_report_crashes) {
  const auto fill = [](std::size_t i) {
    while (i == 1) ::pause();
    if (i == 3) ::raise(SIGKILL);
    return row_with(std::to_string(i));
  };
  std::map<std::size_t, std::string> errors;
  const auto nothing = [](std::size_t) { return ComparisonRow{}; };
  fill_bounded(5, 2, std::chrono::seconds{4}, {fill, nothing}, [&](std::size_t i, ComparisonRow row) {
    EXPECT_EQ(row.was_stopped, i == 1) << i;
    errors[i] = row.error;
  });
  ASSERT_EQ(errors.size(), 5);
  for (const std::size_t i : {0, 2, 4}) EXPECT_EQ(errors[i], std::to_string(i));
  EXPECT_EQ(errors[1], "time limit of 4 s");
  EXPECT_THAT(errors[3], StartsWith("the scheduler died: "));
}

/// Reports two schedules, the better one first, and never ends.
Schedule endless(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  options.tell(hlfet(graph, machine, {}));
  options.tell(single(graph, machine, {}));
  for (;;) ::pause();
}
Schedule silent(const TaskGraph&, const logp::Machine&, const Options&) {
  for (;;) ::pause();
}

TEST(BoundedRows, have_the_best_schedule_at_the_limit_if_there_is_one) {
  const Scheduler endless_one{"endless", "list", "", endless}, silent_one{"silent", "list", "", silent};
  ComparisonInput input;
  input.graphs.emplace_back("graph", generate("fork_join:width=4,cost=10,data=1"));
  input.machines.emplace_back("machine", logp::parse_machine("delay:P=4"));
  input.schedulers = {&endless_one, &silent_one};
  input.time_limit = std::chrono::seconds{2};
  const std::vector<ComparisonRow> rows = compare(input, 2);
  EXPECT_TRUE(rows[0].was_stopped && rows[1].was_stopped);
  ASSERT_TRUE(rows[0].is_valid());
  EXPECT_EQ(rows[0].error, "time limit of 2 s");
  EXPECT_EQ(rows[0].figures->scheduler, "endless");
  Schedule expected = hlfet(input.graphs[0].second, input.machines[0].second, {});
  expected.scheduler = "endless";
  EXPECT_LT(rows[0].figures->makespan, Time{60});
  EXPECT_EQ(rows[0].schedule, expected);
  EXPECT_FALSE(rows[1].figures || rows[1].schedule);
  EXPECT_EQ(rows[1].error, "time limit of 2 s");
}

TEST(BoundedRows, carry_all_figures_and_errors) {
  ComparisonInput input;
  for (const char* graph : {"fft:depth=3,cost=1..9,data=1..5", "gauss:size=5,cost=3"})
    input.graphs.emplace_back(graph, generate(graph));
  input.machines.emplace_back("3", logp::parse_machine("logp:P=3,L=2,o=1,g=2"));
  input.schedulers = select_schedulers("hlfet,chains,optfo,bsa,exact_fo,brent");
  input.options.effort = 200;
  const auto rows = [&] {
    std::vector<ComparisonRow> made = compare(input, 2);
    for (ComparisonRow& row : made)
      if (row.figures) row.figures->seconds = 0;
    return comparison_to_json(made);
  };
  const std::string without_limit = rows();
  input.time_limit = std::chrono::seconds{600};
  EXPECT_EQ(rows(), without_limit);
}

}  // namespace
}  // namespace takt::schedulers
