/// Comparison with published optimal schedules: is no schedule shorter, and does the proof here
/// agree?
///
/// The graphs are those of the University of Auckland's optimal-scheduling project, most of them with
/// an optimal schedule inside, under the delay model.

#include <filesystem>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "core/formats/dot.hpp"
#include "core/system/text_file.hpp"
#include "schedulers/baseline/exact_makespan.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/baseline/excess_study.hpp"
#include "tests/schedulers/registry/worked_examples.hpp"
#include "tests/support/program.hpp"

namespace takt::schedulers {
namespace {

namespace fs = std::filesystem;

struct Known {
  std::string name;
  TaskGraph graph;
  std::size_t processors;
  Time optimum;
};

/// Optima on two and four processors of the files without a schedule.
const std::map<std::string, std::pair<int, int>> published{{"Nodes_7_OutTree", {28, 22}},
                                                           {"Nodes_8_Random", {581, 581}},
                                                           {"Nodes_9_SeriesParallel", {55, 55}},
                                                           {"Nodes_10_Random", {50, 50}},
                                                           {"Nodes_11_OutTree", {350, 227}}};

class OptimalLengths : public ::testing::Test {
 protected:
  void SetUp() override {
    if (test::test_data().empty())
      GTEST_SKIP() << "no recordings and graphs: set TAKT_TEST_DATA to their folder";
    std::vector<fs::path> paths;
    for (const fs::directory_entry& entry :
         fs::directory_iterator(test::test_data() / "schedules" / "optimal"))
      if (entry.path().extension() == ".dot") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
      const std::string name = path.stem();
      DotFile file = read_dot(read_text_file(path), path.string());
      if (file.schedule) {
        known_.push_back({name, file.graph, file.schedule->processor_count, file.schedule->length});
      } else {
        const auto [on_two, on_four] = published.at(name);
        known_.push_back({name, file.graph, 2, Time(on_two)});
        known_.push_back({name, file.graph, 4, Time(on_four)});
      }
    }
    ASSERT_FALSE(known_.empty());
  }

  std::vector<Known> known_;
};

TEST_F(OptimalLengths, are_never_beaten) {
  for (const Known& known : known_)
    for (const Scheduler& scheduler : all_schedulers()) {
      const Schedule schedule =
          scheduler.schedule(known.graph, logp::Machine::delay(known.processors), {.effort = 1000});
      if (schedule.replicas == 1) {
        EXPECT_GE(measure(schedule).makespan, known.optimum) << scheduler.name << " on " << known.name;
      }
    }
}

TEST_F(OptimalLengths, are_found_and_proven_on_most_graphs) {
  std::size_t proven = 0;
  for (const Known& known : known_) {
    const ExactMakespan exact =
        exact_makespan(DelayModel(known.graph, logp::Machine::delay(known.processors)), {.effort = 200'000},
                       makespan_starts());
    EXPECT_LE(exact.bound, known.optimum) << known.name;
    EXPECT_GE(exact.timetable.length(), known.optimum) << known.name;
    proven += exact.proven();
  }
  EXPECT_GE(proven * 10, known_.size() * 9) << proven << " of " << known_.size();
}

/// A mean over files in another order may differ in its last, unprinted digit.
TEST_F(OptimalLengths, have_the_excess_of_their_document) {
  const std::string text = test::read_file(TAKT_SOURCE_DIR "/docs/reproduction/makespan.md");
  const std::vector<KnownOptimum> known = known_optima(test::test_data() / "schedules" / "optimal");
  for (const Scheduler& scheduler : all_schedulers())
    if (scheduler.family == "list" || scheduler.family == "clustering" || scheduler.family == "network") {
      EXPECT_NE(text.find(excess_line(scheduler, known) + "\n"), std::string::npos)
          << excess_line(scheduler, known);
    }
}

TEST(ExactMakespanOfWorkedExamples, is_the_known_optimum) {
  auto expect_optimum = [](const TaskGraph& graph, std::size_t processors, int optimum) {
    const ExactMakespan exact =
        exact_makespan(DelayModel(graph, logp::Machine::delay(processors)), {}, makespan_starts());
    EXPECT_TRUE(exact.proven());
    EXPECT_EQ(exact.timetable.length(), Time(optimum));
  };
  expect_optimum(examples::kwok_ahmad(), 2, 17);
  expect_optimum(examples::kwok_ahmad(), 3, 16);
  expect_optimum(examples::kwok_ahmad(), 9, 16);
  expect_optimum(examples::topcuoglu(), 3, 73);
  expect_optimum(examples::arabnejad_barbosa(), 3, 113);
}

}  // namespace
}  // namespace takt::schedulers
