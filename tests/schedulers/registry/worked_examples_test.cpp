/// Does every algorithm find the schedule lengths of its paper's worked examples?
///
/// If a length is not the published one, the comment has the reason.

#include "tests/schedulers/registry/worked_examples.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "core/schedule.hpp"
#include "schedulers/heterogeneous/ranks.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {
namespace {

using Lengths = std::map<std::string, int>;

void expect_lengths(const TaskGraph& graph, std::size_t processors, const Lengths& expected) {
  const logp::Machine machine = logp::Machine::delay(processors);
  for (const auto& [name, length] : expected) {
    const Schedule schedule = find_scheduler(name).schedule(graph, machine, {});
    EXPECT_EQ(measure(schedule).makespan.count(), length) << name;
  }
}

TEST(WorkedExamples, nine_tasks_of_kwok_and_ahmad) {
  // DLS: 19 by its definition; the survey prints 20. DSC: the survey prints 17. By the paper's own rule n2
  // may join n1, because n7, which is on the dominant sequence, can then still start earlier there; n9 then
  // joins n8, whose data would arrive last, and ends at 16, the optimum. (If n2 did not join n1, the length
  // would be 18.)
  expect_lengths(examples::kwok_ahmad(), 9,
                 {{"hlfet", 19},
                  {"ish", 19},
                  {"mcp", 20},
                  {"etf", 19},
                  {"dls", 19},
                  {"last", 19},
                  {"ez", 18},
                  {"lc", 19},
                  {"dsc", 16},
                  {"md", 17},
                  {"dcp", 16}});
}

TEST(WorkedExamples, nine_tasks_of_kwok_and_ahmad_on_a_ring) {
  // The survey prints 16 for MH and BSA and 24 for BU: its messages take the time of their edge once, for any
  // number of links. Here they use one link after the other.
  const logp::Machine ring = logp::parse_machine("delay:P=4,network=ring:4");
  const std::map<std::string, int> lengths{{"mh", 18}, {"bu", 26}, {"bsa", 17}, {"dls_apn", 18}};
  for (const auto& [name, length] : lengths)
    EXPECT_EQ(measure(find_scheduler(name).schedule(examples::kwok_ahmad(), ring,
                                                    {.mapping = NetworkMapping::none}))
                  .makespan.count(),
              length)
        << name;
}

TEST(WorkedExamples, gaussian_elimination_with_heavy_edges) {
  // DSC: the published length is believed to be 460; moving parents without other successors yields the 440
  // of DCP, which looks optimal.
  expect_lengths(examples::gaussian_elimination(), 18,
                 {{"hlfet", 520},
                  {"ish", 520},
                  {"mcp", 520},
                  {"etf", 520},
                  {"dls", 520},
                  {"last", 560},
                  {"ez", 600},
                  {"lc", 580},
                  {"dsc", 440},
                  {"md", 460},
                  {"dcp", 440}});
}

TEST(WorkedExamples, gaussian_elimination_with_light_edges) {
  expect_lengths(examples::gaussian_elimination(60, 40), 18,
                 {{"hlfet", 390},
                  {"ish", 390},
                  {"mcp", 390},
                  {"etf", 390},
                  {"dls", 390},
                  {"last", 470},
                  {"lc", 420},
                  {"dsc", 390},
                  {"md", 430},
                  {"dcp", 390}});
}

TEST(WorkedExamples, ten_tasks_of_topcuoglu) {
  expect_lengths(examples::topcuoglu(), 3, {{"heft", 80}, {"cpop", 86}, {"peft", 85}});
}

TEST(WorkedExamples, ten_tasks_of_arabnejad_and_barbosa) {
  expect_lengths(examples::arabnejad_barbosa(), 3, {{"heft", 133}, {"cpop", 167}, {"peft", 122}});
}

TEST(WorkedExamples, upward_ranks_of_topcuoglu) {
  const TaskGraph graph = examples::topcuoglu();
  const logp::Machine machine = logp::Machine::delay(3);
  const DelayModel model(graph, machine);
  const std::vector<Parts> ranks = upward_ranks(model);
  const double printed[] = {108, 77, 80, 80, 69, 63.333, 42.667, 35.667, 44.333, 14.667};
  for (TaskId task : graph.tasks())
    EXPECT_NEAR(model.ticks(ranks[task.index()]), printed[task.index()], 5e-4);
}

}  // namespace
}  // namespace takt::schedulers
