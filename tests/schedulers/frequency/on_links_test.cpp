/// Are frequency schedules valid with messages on shared links?

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/graphs/generators.hpp"
#include "schedulers/judge/evaluation.hpp"
#include "schedulers/plan/pareto.hpp"
#include "schedulers/plan/rate_objective.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {
namespace {

constexpr const char* machines[] = {"delay:P=4,network=ring:4", "delay:P=4,network=star:4,link=0+0",
                                    "logp:P=6,L=1,o=2,g=3,network=mesh:2x3,link=2+1"};
constexpr const char* graphs[] = {"layered:tasks=20,cost=1..30,data=1..30,seed=1",
                                  "fft:depth=2,cost=0..9,data=1..20,seed=2", "gauss:size=4,ccr=3,seed=3",
                                  "wave:depth=3,width=4,cost=1..30,data=9,seed=4,stateless=1"};

/// Expects every message between two nodes on a path of links from one to the other, and no link with two
/// messages at a time, including all iterations.
void expect_links_are_shared(const logp::Machine& machine, const Schedule& schedule) {
  const Platform& platform = machine.platform();
  const Time repetition = measure(schedule).repetition;
  std::map<LinkId, std::vector<std::pair<Time, Time>>> busy;
  for (MessageId id : ids<MessageId>(schedule.messages.size())) {
    NodeId at(platform.node_of[schedule.message(id).from.index()]);
    for (const Hop& hop : schedule.route(id)) {
      EXPECT_EQ(platform.network.link(hop.link).from, at);
      at = platform.network.link(hop.link).to;
      EXPECT_LE(hop.end - hop.start, repetition);
      if (hop.end == hop.start) continue;
      const Time start = (hop.start % repetition + repetition) % repetition;
      busy[hop.link].emplace_back(start, start + (hop.end - hop.start));
    }
    EXPECT_EQ(at, NodeId(platform.node_of[schedule.message(id).to.index()]));
  }
  for (auto& [link, times] : busy) {
    std::ranges::sort(times);
    for (std::size_t i = 1; i < times.size(); ++i) EXPECT_GE(times[i].first, times[i - 1].second);
    EXPECT_LE(times.back().second, times.front().first + repetition);
  }
}

TEST(OnLinks, every_frequency_schedule_uses_them) {
  for (const char* machine_text : machines)
    for (const char* graph_text : graphs)
      for (const Scheduler* scheduler : select_schedulers("frequency")) {
        SCOPED_TRACE(fmt::format("{} of {} on {}", scheduler->name, graph_text, machine_text));
        const logp::Machine machine = logp::parse_machine(machine_text);
        const Evaluation evaluation = evaluate(*scheduler, generate(graph_text), machine, {.effort = 2'000});
        EXPECT_TRUE(evaluation.figures.valid)
            << (evaluation.findings.empty() ? "" : evaluation.findings.front().message);
        EXPECT_GE(evaluation.figures.exact_period(), evaluation.figures.bound);
        expect_links_are_shared(machine, evaluation.schedule);
      }
}

TEST(OnLinks, optfo_is_never_below_another_scheduler_for_the_frequency) {
  for (const char* machine_text : machines)
    for (const char* graph_text : graphs) {
      const logp::Machine machine = logp::parse_machine(machine_text);
      const TaskGraph graph = generate(graph_text);
      const Options options{.effort = 2'000};
      const Period best = evaluate(find_scheduler("optfo"), graph, machine, options).figures.exact_period();
      for (const char* other : {"single", "basic_fo", "chains", "greedy", "mh", "dls_apn", "bsa", "bu"})
        EXPECT_LE(best, evaluate(find_scheduler(other), graph, machine, options).figures.exact_period())
            << other << " of " << graph_text << " on " << machine_text;
    }
}

TEST(OnLinks, an_overloaded_link_makes_the_period_longer) {
  // Three tasks of 1, 50 units between two of them over one link: on one processor they take 3.
  const TaskGraph graph = generate("chain:depth=2,cost=1,data=50");
  const logp::Machine machine = logp::parse_machine("delay:P=2,network=complete:2");
  const Evaluation relayed =
      evaluate(find_scheduler("basic_fo"), graph, machine, {.mapping = NetworkMapping::none});
  EXPECT_EQ(relayed.metrics.repetition, Time{50});
  EXPECT_FALSE(relayed.figures.optimal);
  for (const char* name : {"optfo", "exact_fo", "basic_fo"})
    EXPECT_EQ(evaluate(find_scheduler(name), graph, machine).metrics.repetition, Time{3}) << name;
}

TEST(OnLinks, a_message_without_a_route_is_found) {
  const TaskGraph graph = generate("chain:depth=2,cost=1,data=5");
  const logp::Machine links = logp::parse_machine("delay:P=2,network=complete:2");
  const Schedule schedule = find_scheduler("basic_fo").schedule(graph, logp::Machine::delay(2), {});
  EXPECT_THAT(judge(graph, links, schedule).findings.front().message,
              ::testing::HasSubstr("passes no link from node 0 to node 1"));
}

TEST(OnLinks, required_rates_are_sustained_on_them) {
  for (const char* machine_text : machines)
    for (const char* graph_text : graphs) {
      SCOPED_TRACE(fmt::format("{} on {}", graph_text, machine_text));
      const logp::Machine machine = logp::parse_machine(machine_text);
      const TaskGraph graph = generate(graph_text);
      const Options options{.effort = 500};
      const Evaluation fastest = evaluate(find_scheduler("optfo"), graph, machine, options);
      const RequiredRate rate =
          parse_required_rate(fmt::format("{:.17g}", 0.7 / fastest.figures.exact_period().ticks()));
      for (const Objective objective : {Objective::latency, Objective::processors}) {
        RateSchedule found = schedule_for_rate(objective, rate, graph, machine, rate_schedulers(), options);
        EXPECT_TRUE(found.is_held);
        const Evaluation evaluation = judge(graph, machine, std::move(found.schedule));
        EXPECT_TRUE(evaluation.figures.valid);
        EXPECT_TRUE(rate.is_held_by(evaluation.figures.exact_period()));
        expect_links_are_shared(machine, evaluation.schedule);
      }
      for (const ParetoPoint& point : pareto_front(graph, machine, rate_schedulers(), options))
        expect_links_are_shared(machine, point.schedule);
    }
}

}  // namespace
}  // namespace takt::schedulers
