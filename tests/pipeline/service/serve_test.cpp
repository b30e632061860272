/// `takt serve` and the commands that ask it, as a user meets them.

#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A service for one processor.
class Serve : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<Program> serve() const {
    auto program = std::make_unique<Program>(
        takt_command({"serve", "--folder", state_, "--machine", "logp:P=1,L=0,o=0,g=0"}));
    EXPECT_TRUE(program->await_err("serving http://")) << program->err_so_far();
    return program;
  }
  Result ask(std::vector<std::string> words) const {
    words.insert(words.end(), {"--folder", state_});
    return takt(words);
  }
  [[nodiscard]] json streams() const {
    const Result result = ask({"ps", "--format", "json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out)["streams"];
  }
  /// Of the stream of this name, once it is so; the last one seen otherwise.
  [[nodiscard]] json await_stream(const std::string& name,
                                  const std::function<bool(const json&)>& is_so) const {
    json last;
    for (int i = 0; i < 300; ++i) {
      for (const json& each : streams())
        if (each["name"] == name) last = each;
      if (!last.is_null() && is_so(last)) return last;
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
    }
    ADD_FAILURE() << last.dump();
    return last;
  }

  [[nodiscard]] std::string pipeline(const std::string& name, const std::string& rate,
                                     const std::string& time, int frames) const {
    return folder_.file(name + ".yaml",
                        fmt::format(R"(name: {}
rate: {}
sources:
  s: {{type: synthetic, element: int32, axes: [sample=64], pattern: count, rate: {}, frames: {}}}
tasks:
  work: {{kernel: spin, input: s, time: {}}}
sinks:
  o: {{type: raw, input: work, path: {}}}
)",
                                    name, rate, rate, frames, time, (folder_ / (name + ".raw")).string()));
  }
  /// Costs that do not depend on the machine it is tried on.
  [[nodiscard]] std::string costs(const std::string& time) const {
    return folder_.file("costs.yaml", fmt::format(R"(costs:
  s: {{cost: 1 us, low: 1 us, high: 1 us, runs: 9}}
  work: {{cost: {0}, low: {0}, high: {0}, runs: 9}}
  o: {{cost: 1 us, low: 1 us, high: 1 us, runs: 9}}
)",
                                                  time));
  }

  TemporaryFolder folder_;
  std::string state_ = folder_ / "state";
};

TEST_F(Serve, admits_refuses_drops_and_remembers_over_its_own_death) {
  auto service = serve();
  const std::string slow = pipeline("slow", "10 Hz", "20 ms", 100000);
  const Result added = ask({"add", slow, "--profile", costs("20 ms")});
  ASSERT_EQ(added.exit_code, 0) << added.err;
  EXPECT_THAT(added.out, HasSubstr("slow runs on processor 0: 10 Hz required, 12.5 Hz promised"));

  const Result twice = ask({"add", slow, "--profile", costs("20 ms")});
  EXPECT_EQ(twice.exit_code, 1);
  EXPECT_THAT(twice.err, HasSubstr("a stream 'slow' runs already"));

  // 0.25 of the processor are taken; this one would need 1.25 of it.
  const Result full = ask({"add", pipeline("full", "100 Hz", "10 ms", 10), "--profile", costs("10 ms")});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.err, AllOf(HasSubstr("'full' is not admitted"), HasSubstr("would fit")));

  const Result same_file = ask({"add", slow, "--name", "other", "--profile", costs("20 ms")});
  EXPECT_EQ(same_file.exit_code, 2);
  EXPECT_THAT(same_file.err, AllOf(HasSubstr("slow.yaml:8:"), HasSubstr("of stream 'slow' writes it")));

  const Result unknown = ask({"drop", "slwo"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("slow"));

  const Result wrong = ask({"ps", "--token", folder_.file("wrong", "0123\n")});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("wrong token"));

  const auto delivers = [](const json& each) {
    return each["delivered"].is_number() && each["delivered"] > 0;
  };
  (void)await_stream("slow", delivers);
  service->signal(SIGKILL);
  (void)service->wait();
  const Result nobody = ask({"ps"});
  EXPECT_EQ(nobody.exit_code, 1);
  EXPECT_THAT(nobody.err, HasSubstr("is it running?"));

  service = serve();
  (void)await_stream("slow", delivers);
  EXPECT_THAT(ask({"logs", "slow"}).out, AllOf(HasSubstr("started again"), HasSubstr(".before-")));
  const Result dropped = ask({"drop", "slow"});
  EXPECT_EQ(dropped.exit_code, 0) << dropped.err;
  EXPECT_TRUE(streams().empty());
  EXPECT_THAT(ask({"status"}).out, HasSubstr("0.0 %"));
  service->signal(SIGTERM);
  EXPECT_EQ(service->wait().exit_code, 0);
}

TEST_F(Serve, goes_on_with_the_others_when_a_stream_crashes) {
  auto service = serve();
  ASSERT_EQ(ask({"add", pipeline("good", "20 Hz", "1 ms", 100000), "--profile", costs("1 ms")}).exit_code, 0);
  ASSERT_EQ(ask({"add", pipeline("bad", "10 Hz", "1 ms", 100000), "--profile", costs("1 ms")}).exit_code, 0);
  const json bad = await_stream("bad", [](const json& each) { return each["delivered"].is_number(); });
  // As if a plug-in had brought its launcher down.
  ::kill(bad["pid"].get<pid_t>(), SIGKILL);
  const json failed = await_stream("bad", [](const json& each) { return each["state"] == "failed"; });
  EXPECT_THAT(failed["failure"].get<std::string>(), HasSubstr("signal 9"));
  const json good = await_stream("good", [](const json& each) { return each["delivered"].is_number(); });
  EXPECT_EQ(good["state"], "running");
  // Its place is free again, and its file, once the ranks have noticed that they are alone.
  Result again;
  for (int i = 0; i < 100 && again.exit_code != 0; ++i) {
    again = ask({"add", pipeline("bad", "10 Hz", "1 ms", 100000), "--profile", costs("1 ms"), "--overwrite"});
    if (again.exit_code != 0) std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
  EXPECT_EQ(again.exit_code, 0) << again.err;
}

}  // namespace
}  // namespace takt::test
