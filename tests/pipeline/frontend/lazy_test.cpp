/// Plans call by call, against the same rule over stored graphs.

#include <algorithm>
#include <optional>
#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "logp/diagnostics.hpp"
#include "logp/timing.hpp"
#include "pipeline/frontend/lazy/lazy_plan.hpp"
#include "pipeline/frontend/weights/program_graph.hpp"
#include "tests/pipeline/frontend/programs.hpp"

namespace takt::frontend {
namespace {

/// Blocks of 16 bytes: nearly every section has one of its own, which is forgotten after its last use.
constexpr BlockSizes small_blocks{.least_bytes = 16, .most_blocks = 1 << 20};

LazyPlan plan(const std::string& text, const logp::Machine& machine, BlockSizes sizes = small_blocks) {
  ReadProgram program = parse_procedures(weighted_name(text).program);
  return plan_lazily(program, usual_costs(), machine, {}, sizes);
}

/// The rule over the stored graph: in the order of the calls, each where it ends first.
std::vector<Placement> earliest_ends(const WeightedProgram& program, const logp::Machine& machine) {
  const TaskGraph& graph = program.graph;
  std::vector<Placement> placed;
  std::vector<Time> free(machine.processor_count(), Time{0});
  std::optional<ProcessorId> host;
  for (const TaskId task : graph.tasks()) {
    const Program& read = program.read.program;
    const bool is_on_host = read.procedure(read.calls[task.index()]).uses_environment();
    std::vector<std::tuple<Time, Time, ProcessorId, Time>> choices;
    for (const ProcessorId processor : machine.processors()) {
      if (is_on_host && host && *host != processor) continue;
      Time start = free[processor.index()];
      for (const EdgeId id : graph.in_edges(task)) {
        const Edge edge = graph.edge(id);
        const Placement& from = placed[edge.from.index()];
        Time arrival = from.end;
        if (from.processor != processor)
          arrival += machine.send_overhead(from.processor, processor, edge.size) +
                     machine.latency(from.processor, processor, edge.size) +
                     machine.receive_overhead(from.processor, processor, edge.size);
        start = std::max(start, arrival);
      }
      choices.emplace_back(start + machine.duration(graph, task, processor), free[processor.index()],
                           processor, start);
    }
    const auto& [end, clock, processor, start] = std::ranges::min(choices);
    if (is_on_host) host = processor;
    free[processor.index()] = end;
    placed.push_back({processor, start, end});
  }
  return placed;
}

class Lazy : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  }
};

TEST_P(Lazy, plans_place_and_count_as_the_same_rule_does_over_the_stored_graph) {
  const WeightedProgram program = load_program(example(GetParam()));
  // Main is evaluated again for each plan.
  ReadProgram read = parse_procedures(weighted_name(example(GetParam())).program);
  for (const std::string machine_text : {"delay:P=1", "delay:P=3", "logp:P=4,L=50,o=20,g=30",
                                         "loglinear:P=3,L=10+1,o=5+1,g=5+1,speed=1/2/0.5"})
    for (const BlockSizes sizes : {small_blocks, BlockSizes{}}) {
      const logp::Machine machine = logp::parse_machine(machine_text);
      const std::vector<Placement> expected = earliest_ends(program, machine);
      std::vector<Placement> found;
      const LazyPlan lazy = plan_lazily(
          read, usual_costs(), machine,
          [&](std::uint64_t number, const Call& call, const Placement& placement) {
            EXPECT_EQ(number, found.size());
            EXPECT_EQ(call.procedure, program.read.program.calls[number].procedure);
            found.push_back(placement);
          },
          sizes);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_EQ(std::tuple(found[i].processor, found[i].start, found[i].end),
                  std::tuple(expected[i].processor, expected[i].start, expected[i].end))
            << program.read.program.text_of(CallId(i)) << " on " << machine_text;

      logp::Allocation allocation{.order = std::vector<std::vector<TaskId>>(machine.processor_count())};
      for (std::size_t i = 0; i < found.size(); ++i)
        allocation.order[found[i].processor.index()].emplace_back(i);
      const Schedule schedule = logp::time_task_messages(program.graph, machine, allocation,
                                                         {.aggregate = false, .start = logp::Start::early});
      EXPECT_THAT(logp::diagnose(program.graph, machine, schedule), testing::IsEmpty());
      std::uint64_t bytes = 0;
      for (const Message& message : schedule.messages) bytes += message.size.count;
      EXPECT_EQ(lazy.messages, schedule.messages.size());
      EXPECT_EQ(lazy.bytes, bytes);
      EXPECT_EQ(lazy.calls, program.graph.task_count());
      // Without overheads and gaps the delay model is the machine.
      if (machine_text.starts_with("delay")) {
        EXPECT_EQ(measure(schedule).makespan, lazy.makespan);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(of, Lazy,
                         testing::Values("fft.c:PN=16,SN=4", "gauss.c:PN=6,SN=3", "cholesky.c", "lu.c",
                                         "laplace_jacobi.c", "laplace_gauss_seidel.c", "nbody.c",
                                         "smith_waterman.c", "sort.c", "stencil.c", "figure2.c"),
                         [](const auto& info) {
                           const std::string name = info.param;
                           return name.substr(0, name.find('.'));
                         });

TEST(LazyMemory, does_not_grow_with_steps_whose_data_are_dead) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const logp::Machine machine = logp::Machine::delay(4);
  for (const char* name :
       {"laplace_jacobi.c:STEPS={}", "laplace_gauss_seidel.c:STEPS={}", "nbody.c:STEPS={}"}) {
    const LazyPlan few = plan(example(fmt::format(fmt::runtime(name), 8)), machine);
    const LazyPlan many = plan(example(fmt::format(fmt::runtime(name), 64)), machine);
    EXPECT_GT(many.calls, 6 * few.calls) << name;
    EXPECT_EQ(many.most_live, few.most_live) << name;
  }
  // Of the FFT's log2(PN) + 2 levels two are live.
  EXPECT_LE(plan(example("fft.c:PN=1024"), machine, {}).most_live, 3U * 1024);
}

TEST(LazyPlans, report_the_violations_that_reading_reports) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const std::string beginning =
      "static double a[4][8], b[4][8];\n"
      "void make(double *x) { for (int i = 0; i < 8; i++) x[i] = i; }\n"
      "void copy(const double *x, double *y) { for (int i = 0; i < 8; i++) y[i] = x[i]; }\n"
      "void add(double x[4][8]) { for (int i = 0; i < 8; i++) x[0][i] = 1; }\n";
  const auto violation_of = [](const auto& action) -> std::tuple<std::string, int, int> {
    try {
      action();
    } catch (const ProgramError& error) {
      const auto json = nlohmann::json::parse(error.json());
      return {json[0]["rule"], json[0]["line"], json[0]["column"]};
    }
    return {};
  };
  for (const char* main : {"int main(void) {\n  make(a[0]);\n  make(a[0]);\n}\n",
                           "int main(void) {\n  add(a);\n  make(a[1]);\n}\n",
                           "int main(void) {\n  make(a[0]);\n  copy(a[1], b[0]);\n}\n",
                           "int main(void) {\n  make(a[0]);\n  copy(a[0], a[0]);\n}\n",
                           "int main(void) {\n  for (int i = 0; i <= 4; i++) make(a[i]);\n}\n"}) {
    const ProgramFile file(beginning + main);
    const auto expected = violation_of([&] { (void)file.read(); });
    EXPECT_NE(std::get<0>(expected), "") << main;
    EXPECT_EQ(violation_of([&] { (void)plan(file.name(), logp::Machine::delay(2)); }), expected) << main;
  }
}

}  // namespace
}  // namespace takt::frontend
