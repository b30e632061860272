/// Tests `takt plan` with a required rate, a Pareto front, and several streams, from the user's view.

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"

namespace takt::test {
namespace plan_rate_test {

using nlohmann::json;
using ::testing::HasSubstr;

const std::string tree = "send_tree:depth=3,cost=1..9,seed=1";
const std::string machine = "logp:P=4,L=1,o=1,g=2";

TEST(PlanForRate, prints_a_schedule_that_holds_the_rate) {
  const Result result = takt({"plan", tree, "--machine", machine, "--objective", "processors", "--rate",
                              "0.025", "--format", "json", "--effort", "500"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json plan = json::parse(result.out);
  EXPECT_EQ(plan["valid"], true);
  EXPECT_EQ(plan["held"], true);
  EXPECT_GE(plan["frequency"], 0.025 * (1 - 1e-9));
  // Work 78 in a period of 40: at least two.
  EXPECT_EQ(plan["processors"], 2);
}

TEST(PlanForRate, advises_when_the_rate_cannot_be_held) {
  for (const char* objective : {"frequency", "latency", "processors"}) {
    const Result result = takt({"plan", tree, "--machine", machine, "--objective", objective, "--rate", "0.1",
                                "--format", "json", "--effort", "300"});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr("cannot be held"));
    const json answer = json::parse(result.out);
    EXPECT_EQ(answer["held"], false);
    EXPECT_EQ(answer["impossible"], true);
    EXPECT_FALSE(answer["advice"].empty());
  }
}

TEST(PlanFront, is_printed_and_drawn) {
  const TemporaryFolder folder;
  const Result result = takt({"plan", tree, "--machine", machine, "--pareto", "--format", "json", "--output",
                              folder / "front.svg", "--effort", "200"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_GT(json::parse(result.out).size(), 3U);
  EXPECT_THAT(read_file(folder / "front.svg"), HasSubstr("</svg>"));
  ASSERT_EQ(takt({"plan", tree, "--machine", machine, "--pareto", "--output", folder / "front.json",
                  "--effort", "200"})
                .exit_code,
            0);
  EXPECT_EQ(read_file(folder / "front.json"), result.out);
}

TEST(PlanForRate, reads_rate_margin_and_objective_of_a_pipeline_from_its_file) {
  const TemporaryFolder folder;
  const std::string file = folder.file("p.yaml", R"(sources:
  s: {type: synthetic, axes: [time=4]}
tasks:
  work: {kernel: spin, input: s, time: 1 us}
sinks:
  o: {type: 'null', input: work}
rate: 1 Hz
objective: {name: processors, margin: 2}
)");
  // Half a second for some microseconds of work: one processor on any machine.
  const Result result = takt({"plan", file, "--machine", machine, "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["held"], true);
  EXPECT_EQ(json::parse(result.out)["processors"], 1);
  const Result named =
      takt({"plan", file, "--machine", machine, "--format", "json", "--scheduler", "single"});
  EXPECT_EQ(json::parse(named.out)["scheduler"], "single");
}

TEST(PlanStreams, writes_a_schedule_that_verify_accepts_and_that_can_be_extended) {
  const TemporaryFolder folder;
  const Result first = takt({"plan", "fft:depth=2,cost=3", tree, "--rate", "0.02", "--rate", "0.01",
                             "--machine", machine, "--format", "json", "--output", folder / "running.yaml"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(json::parse(first.out)["admitted"], true);
  EXPECT_EQ(takt({"verify", folder / "running.yaml"}).exit_code, 0);

  const Result more = takt({"plan", "diamond:depth=1,cost=2", "--rate", "0.02", "--machine", machine,
                            "--running", folder / "running.yaml", "--output", folder / "both.yaml"});
  ASSERT_EQ(more.exit_code, 0) << more.err << more.out;
  EXPECT_EQ(takt({"verify", folder / "both.yaml"}).exit_code, 0);
}

TEST(PlanStreams, refuses_streams_that_do_not_fit) {
  const Result result = takt({"plan", tree, tree, "--rate", "0.02", "--rate", "0.06", "--machine", machine});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("is not admitted"));
}

TEST(PlanStreams, reads_the_rate_of_a_pipeline_from_its_file) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", R"(name: watch
rate: 20 Hz
sources:
  counter: {type: synthetic, element: int32, axes: [sample=64], pattern: count, frames: 10}
tasks:
  work: {kernel: spin, input: counter, time: 1 ms}
sinks:
  nowhere: {type: 'null', input: work}
)");
  const Result result =
      takt({"plan", pipeline, pipeline, "--machine", "logp:P=2,L=10000,o=10000,g=10000", "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err << result.out;
  const json answer = json::parse(result.out);
  EXPECT_EQ(answer["streams"][0]["name"], "watch");
  EXPECT_EQ(answer["streams"][1]["name"], "watch-2");
  EXPECT_DOUBLE_EQ(answer["streams"][0]["required_period"].get<double>(), 5e7);
}

}  // namespace plan_rate_test
}  // namespace takt::test
