/// Does the checker judge a repeated schedule
/// like many iterations written out in sequence?

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {
namespace registry_repetition_test {

void append(Operation operation, Time by, std::uint32_t first_message, std::uint32_t first_instance,
            std::vector<Operation>& list) {
  operation.start += by;
  operation.end += by;
  operation.set_instance(operation.instance + first_instance);
  if (operation.kind != OperationKind::compute) operation.subject += first_message;
  list.push_back(operation);
}

/// `count` iterations, each with messages of its own, as one schedule of many instances.
Schedule written_out(const Schedule& schedule, Time repetition, std::uint32_t count) {
  Schedule result(schedule.scheduler, schedule.processors.size());
  result.replicas = schedule.replicas * count;
  for (std::uint32_t turn = 0; turn < count; ++turn) {
    const Time by = repetition * turn;
    const auto first_message = static_cast<std::uint32_t>(result.messages.size());
    for (MessageId id : ids<MessageId>(schedule.messages.size())) {
      const Message& message = schedule.message(id);
      const MessageId copy = result.add_message(message.from, message.to, message.size, schedule.payload(id));
      std::vector<Hop> route(schedule.route(id).begin(), schedule.route(id).end());
      for (Hop& hop : route) hop = {hop.link, hop.start + by, hop.end + by};
      if (!route.empty()) result.set_route(copy, route);
    }
    for (std::size_t p = 0; p < schedule.processors.size(); ++p)
      for (const Operation& operation : schedule.processors[p])
        append(operation, by, first_message, turn * schedule.replicas, result.processors[p]);
  }
  // Operations of several iterations of a pipelined schedule alternate.
  if (!schedule.repetition) return result;
  for (std::vector<Operation>& operations : result.processors)
    std::ranges::stable_sort(
        operations, {}, [](const Operation& each) { return std::pair(each.start, each.end > each.start); });
  return result;
}

/// Returns enough repetitions for the last one to overlap all others that it can overlap.
std::uint32_t repetitions_to_look_at(const Schedule& schedule, const logp::Machine& machine,
                                     Time repetition) {
  Time flight{0};
  for (const Message& message : schedule.messages)
    flight = std::max(flight, machine.latency(message.from, message.to, message.size));
  return static_cast<std::uint32_t>((measure(schedule).makespan + flight) / repetition) + 2;
}

void compare(const TaskGraph& graph, const logp::Machine& machine, Schedule schedule, Time repetition,
             bool strict) {
  if (repetition <= Time{0}) return;
  schedule.period_bound.reset();
  const bool repeated_is_valid =
      logp::diagnose(graph, machine, schedule,
                     {.repetition = repetition, .gap_between_send_and_receive = strict})
          .empty();
  const std::uint32_t count = repetitions_to_look_at(schedule, machine, repetition);
  const bool all_are_valid = logp::diagnose(graph, machine, written_out(schedule, repetition, count),
                                            {.repeated = false, .gap_between_send_and_receive = strict})
                                 .empty();
  EXPECT_EQ(repeated_is_valid, all_are_valid)
      << schedule.scheduler << " every " << repetition.count() << ", " << count << " repetitions";
}

constexpr std::string_view shapes[] = {"fft:depth=2,cost=1..20,seed=2,data=4",
                                       "layered:tasks=20,jump=3,cost=0..12,seed=4,data=1..9"};
constexpr std::string_view machines[] = {"logp:P=3,L=1,o=1,g=2",
                                         "loglinear:P=4,L=5+1,o=1+1,g=3+2",
                                         "logp:P=4,L=30,o=0,g=11",
                                         "logp:P=5,L=40,o=1,g=14",
                                         "delay:P=3",
                                         "logp:P=4,L=1,o=1,g=1,network=ring:4,link=2+1"};

TEST(Repetition, is_judged_like_many_iterations_written_out) {
  for (std::string_view shape : shapes)
    for (std::string_view machine_text : machines)
      for (const Scheduler& scheduler : all_schedulers()) {
        if (scheduler.name == "exact_makespan") continue;
        SCOPED_TRACE(fmt::format("{} under {}", shape, machine_text));
        const TaskGraph graph = generate(shape);
        const logp::Machine machine = logp::parse_machine(machine_text);
        const Schedule schedule = scheduler.schedule(graph, machine, {.effort = 100});
        const Time own = measure(schedule).repetition;
        for (const std::int64_t more : {-9, -3, -2, -1, 0, 1, 2, 3, 5, 8, 13, 21})
          for (const bool strict : {false, true}) compare(graph, machine, schedule, own + Time{more}, strict);
      }
}

/// One tick less than the shortest period that the schedule allows is always too short.
TEST(Repetition, cannot_be_shorter_than_the_schedules_own) {
  for (std::string_view shape : shapes)
    for (std::string_view machine_text : machines)
      for (const Scheduler& scheduler : all_schedulers()) {
        if (scheduler.name == "exact_makespan") continue;
        const TaskGraph graph = generate(shape);
        const logp::Machine machine = logp::parse_machine(machine_text);
        // The times of a pipelined schedule may fit another repetition by chance.
        Schedule schedule =
            scheduler.schedule(graph, machine, {.effort = 100, .frames = FrameClass::interleaved});
        schedule.period_bound.reset();
        const Time own = measure(schedule).repetition;
        EXPECT_TRUE(logp::diagnose(graph, machine, schedule, {.repetition = own}).empty());
        EXPECT_FALSE(logp::diagnose(graph, machine, schedule, {.repetition = own - Time{1}}).empty())
            << scheduler.name << " on " << shape << " under " << machine_text;
      }
}

}  // namespace registry_repetition_test
}  // namespace takt::schedulers
