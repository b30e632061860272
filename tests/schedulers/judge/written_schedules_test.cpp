/// Is a schedule the same after a round trip through a file?

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "logp/schedule_file.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {
namespace judge_written_schedules_test {

constexpr std::string_view machines[] = {
    "delay:P=4",
    "logp:P=4,L=3,o=1,g=2",
    "delay:P=4,network=mesh:2x2,link=0.5+0.3",
    "delay:P=3,network=star:3,speed=1/1.3/2.7",
    "delay:P=6,network=ring:6",
    "loglinear:P=4,L=1+0.25,o=1+0.1,g=2,network=fat_tree:2x2,link=3+0.7",
};

TEST(WrittenSchedules, are_the_same_after_a_round_trip) {
  for (int seed = 1; seed <= 12; ++seed)
    for (std::string_view machine_text : machines) {
      const TaskGraph graph = generate(
          fmt::format("layered:tasks={},density=0.7,jump=2,cost=0..9,data=0..9,seed={}", 4 + 2 * seed, seed));
      const logp::Machine machine = logp::parse_machine(machine_text);
      for (const Scheduler& scheduler : all_schedulers()) {
        const Schedule made = scheduler.schedule(graph, machine, {.effort = 20});
        const logp::ScheduleFile read =
            logp::schedule_from_yaml(logp::schedule_to_yaml(graph, machine, made), "schedule.yaml");
        EXPECT_EQ(read.schedule, made) << scheduler.name << " on " << machine_text << ", seed " << seed;
      }
    }
}

}  // namespace judge_written_schedules_test
}  // namespace takt::schedulers
