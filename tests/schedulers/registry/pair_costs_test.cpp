/// Does every scheduler respect costs of single pairs?

#include <string>

#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
#include "logp/machine_yaml.hpp"
#include "schedulers/judge/evaluation.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/registry/pair_machines.hpp"

namespace takt::schedulers {
namespace registry_pair_costs_test {

constexpr std::string_view shapes[] = {
    "send_tree:depth=3,cost=1..100,seed=2,data=3",
    "fft:depth=3,cost=1..100,seed=4,data=10",
    "diamond:depth=3,cost=1..100,seed=6,data=2,stateless=1",
    "layered:tasks=40,jump=3,cost=1..100,seed=12,data=1..20",
};

const Options quick{.effort = 300};

TEST(PairCosts, that_repeat_those_of_the_levels_change_no_schedule) {
  const logp::Machine by_levels = machine_by_levels(), by_pairs = pair_by_pair(by_levels);
  for (std::string_view shape : shapes) {
    const TaskGraph graph = generate(shape);
    for (const Scheduler& scheduler : all_schedulers()) {
      // They also use the clusters, of which the other machine has only one.
      if (scheduler.family == "moldable") continue;
      EXPECT_EQ(scheduler.schedule(graph, by_levels, quick), scheduler.schedule(graph, by_pairs, quick))
          << scheduler.name << " on " << shape;
    }
  }
}

TEST(PairCosts, of_zero_make_communication_free) {
  logp::Machine free = logp::parse_machine("logp:P=4"), by_pairs = pair_by_pair(free);
  EXPECT_TRUE(by_pairs.communication_is_free());
  for (std::string_view shape : shapes) {
    const TaskGraph graph = generate(shape);
    for (const Scheduler& scheduler : all_schedulers())
      EXPECT_EQ(scheduler.schedule(graph, free, quick), scheduler.schedule(graph, by_pairs, quick))
          << scheduler.name << " on " << shape;
  }
}

TEST(PairCosts, are_respected_by_every_scheduler) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const logp::Machine machine = random_pairs(2 + seed % 4, seed);
    for (std::string_view shape : shapes) {
      const TaskGraph graph = generate(shape);
      for (const Scheduler& scheduler : all_schedulers()) {
        const Evaluation evaluation = judge(graph, machine, scheduler.schedule(graph, machine, quick));
        for (const logp::Finding& finding : evaluation.findings)
          ADD_FAILURE() << scheduler.name << " on " << shape << " under\n"
                        << to_yaml(machine) << finding.rule << ": " << finding.message;
      }
    }
  }
}

TEST(PairCosts, that_were_ignored_are_found) {
  // A machine with one more expensive pair: schedules made without it violate the rules on it.
  const logp::Machine plain = logp::parse_machine("logp:P=2,L=3,o=1,g=2");
  const TaskGraph graph = generate("fft:depth=2,cost=1..9,seed=1");
  for (logp::Cost logp::LinkCosts::*member :
       {&logp::LinkCosts::latency, &logp::LinkCosts::send_overhead, &logp::LinkCosts::receive_overhead,
        &logp::LinkCosts::send_gap, &logp::LinkCosts::receive_gap}) {
    logp::LinkCosts more_expensive = plain.costs(Level::cluster);
    more_expensive.*member = logp::Cost(100, 0);
    const logp::Machine machine(plain.platform(), plain.level_costs(),
                                {{ProcessorId(0), ProcessorId(1), more_expensive}});
    EXPECT_FALSE(logp::diagnose(graph, machine, find_scheduler("etf").schedule(graph, plain, quick)).empty());
  }
}

}  // namespace registry_pair_costs_test
}  // namespace takt::schedulers
