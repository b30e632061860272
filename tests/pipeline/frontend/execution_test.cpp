/// Measured times as values, and the advice on programs that gain nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "pipeline/frontend/execution/message_times.hpp"
#include "pipeline/frontend/execution/timed_run.hpp"
#include "pipeline/frontend/generation/advice.hpp"
#include "pipeline/frontend/generation/parallelise.hpp"
#include "tests/pipeline/frontend/programs.hpp"

namespace takt::frontend {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr ProcessorId first{0}, second{1};

TEST(MessageTimes, make_a_machine_that_has_them) {
  const std::vector<MessageTime> times = messages_from_text("8 50 90 200\n64 60 100 220\n1024 100 300 700\n");
  EXPECT_EQ(messages_from_text(to_text(times)).size(), 3U);
  const logp::Machine machine = machine_with(times, 3);
  EXPECT_EQ(machine.processor_count(), 3U);
  for (const MessageTime& time : times) {
    EXPECT_EQ(machine.send_overhead(first, second, time.size), time.send);
    EXPECT_EQ(machine.receive_overhead(first, second, time.size), time.receive);
    EXPECT_EQ(machine.latency(first, second, time.size), time.whole - time.send - time.receive);
  }
  // Half-way between 64 and 1,024 bytes.
  EXPECT_EQ(machine.send_overhead(first, second, Bytes{544}), Time{80});
}

TEST(MessageTimes, never_fall_with_the_size_of_messages) {
  const logp::Machine machine =
      machine_with(messages_from_text("8 50 90 200\n64 40 100 220\n128 60 80 100\n"), 2);
  EXPECT_EQ(machine.send_overhead(first, second, Bytes{64}), Time{50});
  EXPECT_EQ(machine.receive_overhead(first, second, Bytes{128}), Time{100});
  EXPECT_GE(machine.latency(first, second, Bytes{1 << 20}), Time{0});
}

TEST(MessageTimes, are_refused_if_incomplete_or_not_numbers) {
  for (const char* text :
       {"", "8 50 90 200\n", "8 50 90 200\n8 1 1 1\n", "8 50 90 200\n16 1 1\n", "8 1 1 1\n9 1 x 1\n"})
    EXPECT_THAT([&] { (void)messages_from_text(text); }, ThrowsMessage<ConfigError>(HasSubstr("expected")))
        << text;
}

TEST(TimesOfARun, are_those_of_the_last_rank_and_the_sums_of_all) {
  const TimedRun run = times_from_text(
      "a line of the program\n"
      "rank 1: 0.000003000 s, computing 0.000001000 s, communicating 0.000000500 s\n"
      "rank 0: 0.000002000 s, computing 0.000002000 s, communicating 0.000000000 s\n",
      2);
  EXPECT_EQ(run.makespan, Time{3000});
  EXPECT_EQ(run.computing, Time{3000});
  EXPECT_EQ(run.communicating, Time{500});
  EXPECT_THAT([] { (void)times_from_text("rank 0: 1 s, computing 1 s, communicating 0 s\n", 2); },
              ThrowsMessage<WorkError>(HasSubstr("no times of rank 1")));
}

TEST(Advice, names_the_section_and_the_grain_where_messages_cost_more_than_calls) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const logp::Machine machine = logp::parse_machine("loglinear:P=2,L=20000+0.1,o=500+0");
  const WeightedProgram program = load_program(example("nbody.c") + ":PN=4,SN=2,STEPS=1");
  const ParallelPlan plan = plan_parallel(program, machine, {.scheduler = "heft"});
  EXPECT_THAT(plan.advice,
              HasSubstr("nothing is gained: messages; the 16 from Attract to Move cost most, as forces["));
  // The named value pays, and half of it does not.
  const std::size_t at = plan.advice.find("; SN=");
  ASSERT_NE(at, std::string::npos) << plan.advice;
  const int grain = std::stoi(plan.advice.substr(at + 5));
  const auto gain = [&](int sn) {
    const WeightedProgram other = load_program(example("nbody.c") + ":PN=4,STEPS=1,SN=" + std::to_string(sn));
    const ParallelPlan found = plan_parallel(other, machine, {.scheduler = "heft"});
    return static_cast<double>(found.sequential.count()) / static_cast<double>(found.predicted.count());
  };
  EXPECT_GT(gain(grain), 1.05);
  EXPECT_LE(gain(grain / 2), 1.05);
}

TEST(Advice, names_the_procedure_where_calls_depend_on_each_other) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const ProgramFile file(
      "void make(double x[8]) { for (int i = 0; i < 8; i++) x[i] = i; }\n"
      "void step(const double x[8], double y[8]) { for (int k = 0; k < 900; k++) for (int i = 0; i < 8; i++) "
      "y[i] = x[i] "
      "* 2; }\n"
      "static double a[5][8];\n"
      "int main(void) { make(a[0]); for (int i = 0; i < 4; i++) step(a[i], a[i + 1]); return 0; }\n");
  const WeightedProgram program = load_program(file.name());
  const logp::Machine machine = logp::parse_machine("delay:P=4");
  const ParallelPlan plan = plan_parallel(program, machine, {.scheduler = "heft"});
  EXPECT_EQ(plan.predicted, plan.sequential);
  EXPECT_THAT(plan.advice, HasSubstr("nothing is gained: calls that depend on each other"));
  EXPECT_THAT(plan.advice, HasSubstr("of it in step"));
  EXPECT_EQ(advice_of(program, machine, plan.sequential / 3), "");
}

}  // namespace
}  // namespace takt::frontend
