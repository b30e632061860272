/// Tests that `takt simulate` does what its help documents.

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/graphs/generators.hpp"
#include "logp/schedule_file.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using ::testing::HasSubstr;

class Simulate : public ::testing::Test {
 protected:
  /// A chain of four tasks of 1000 ticks on two processors: 2000 each, free communication.
  Simulate() {
    const TaskGraph graph = generate("chain:depth=3,cost=1000");
    const logp::Machine machine = logp::parse_machine("logp:P=2");
    const Schedule schedule = schedulers::find_scheduler("basic_fo").schedule(graph, machine, {});
    schedule_ = folder_.file("chain.yaml", logp::schedule_to_yaml(graph, machine, schedule));
  }

  [[nodiscard]] nlohmann::json simulate(std::vector<std::string> options) const {
    options.insert(options.begin(), {"simulate", schedule_, "--format", "json"});
    const Result result = takt(options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }
  void expect_refusal(std::vector<std::string> options, const std::string& text) const {
    options.insert(options.begin(), {"simulate", schedule_});
    const Result result = takt(options);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(text));
    EXPECT_EQ(result.out, "");
  }

  TemporaryFolder folder_;
  std::string schedule_;
};

TEST_F(Simulate, prints_period_latency_and_bottleneck) {
  const nlohmann::json json = simulate({"--frames", "100"});
  EXPECT_EQ(json["frames"]["delivered"], 100);
  EXPECT_EQ(json["period"]["sustained"], 2000.0);
  EXPECT_EQ(json["period"]["predicted"], 2000.0);
  EXPECT_EQ(json["latency"]["p50"], 4000);
  EXPECT_THAT(json["bottleneck"], HasSubstr("processor 0"));
}

TEST_F(Simulate, loses_frames_at_a_rate_above_the_sustainable_one) {
  // 1/1000 per tick (or 1 MHz at 1 ns per tick) is twice the limit of two processors with 2000 ticks each.
  for (const char* rate : {"0.001", "1 MHz"}) {
    const nlohmann::json json = simulate({"--frames", "1000", "--rate", rate, "--queue", "10"});
    EXPECT_EQ(json["period"]["input"], 1000.0);
    EXPECT_NEAR(json["frames"]["lost"].get<double>(), 500, 10);
    EXPECT_EQ(json["input_queue"]["max"], 10);
  }
}

TEST_F(Simulate, slows_processors_down_and_varies_times) {
  EXPECT_EQ(simulate({"--slow-rank", "1:1.5"})["period"]["sustained"], 3000.0);
  EXPECT_GT(simulate({"--jitter", "50%"})["period"]["sustained"], 2000.0);
  EXPECT_GT(simulate({"--jitter", "4ns"})["period"]["sustained"], 2000.0);
  EXPECT_GT(simulate({"--drift"})["latency"]["max"], 4000);
  EXPECT_GT(simulate({"--drift=0.5"})["latency"]["max"], 4400);
}

TEST_F(Simulate, refuses_meaningless_options) {
  expect_refusal({"--slow-rank", "2:1.5"}, "RANK from 0 to 1");
  expect_refusal({"--slow-rank", "1"}, "expected RANK:FACTOR");
  expect_refusal({"--rate", "fast"}, "--rate 'fast': expected frames per tick");
  expect_refusal({"--rate", "0"}, "--rate '0'");
  expect_refusal({"--rate", "500"}, "at most 1");
  expect_refusal({"--jitter", "x%"}, "--jitter 'x'");
  expect_refusal({"--drift=x"}, "--drift 'x'");
  expect_refusal({"--frames", "0"}, "--frames 0: expected a whole number from 1");
  expect_refusal({"--format", "jsn"}, "did you mean 'json'");
  expect_refusal({"--machine", "logp:P=3"}, "the schedule has 2 processors, the machine 3");
}

}  // namespace
}  // namespace takt::test
