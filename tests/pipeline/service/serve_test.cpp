/// Tests `takt serve` and its client commands from the user's view.

#include <chrono>
#include <filesystem>
#include <fstream>
#include <list>
#include <regex>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include "tests/pipeline/live/http_client.hpp"
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
  /// Returns the stream of this name once the condition holds, otherwise the last one seen.
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
  /// Returns costs that do not depend on this machine.
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

TEST_F(Serve, answers_while_other_clients_hold_connections_open) {
  const auto service = serve();
  const std::string address = read_file(std::filesystem::path(state_) / "address");
  const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  for (const std::string& request : {std::string{}, std::string("GET /v1/status HTTP/1.1\r\nHost: local"),
                                     get("/v1/status"), post("/v1/streams", "wrong").substr(0, 90)}) {
    std::list<Connection> connections;
    for (int i = 0; i < 100; ++i) connections.emplace_back(port, request);
    EXPECT_EQ(streams().size(), 0U) << request;
  }
  service->signal(SIGTERM);
  EXPECT_EQ(service->wait().exit_code, 0);
}

TEST_F(Serve, admits_refuses_drops_and_recovers_after_its_death) {
  auto service = serve();
  const std::string slow = pipeline("slow", "10 Hz", "20 ms", 100000);
  const Result added = ask({"add", slow, "--profile", costs("20 ms")});
  ASSERT_EQ(added.exit_code, 0) << added.err;
  EXPECT_THAT(added.out, HasSubstr("slow runs on processor 0: 10 Hz required, 12.5 Hz predicted"));

  const Result twice = ask({"add", slow, "--profile", costs("20 ms")});
  EXPECT_EQ(twice.exit_code, 1);
  EXPECT_THAT(twice.err, HasSubstr("stream 'slow' already runs"));

  // 0.25 of the processor is reserved; this stream would need 1.25 of it.
  const Result full = ask({"add", pipeline("full", "100 Hz", "10 ms", 10), "--profile", costs("10 ms")});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.err, AllOf(HasSubstr("'full' is not admitted"), HasSubstr("fits")));

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
  const Result without_service = ask({"ps"});
  EXPECT_EQ(without_service.exit_code, 1);
  EXPECT_THAT(without_service.err, HasSubstr("is it running?"));

  service = serve();
  (void)await_stream("slow", delivers);
  EXPECT_THAT(ask({"logs", "slow"}).out, AllOf(HasSubstr("restarted"), HasSubstr(".before-")));
  const Result dropped = ask({"drop", "slow"});
  EXPECT_EQ(dropped.exit_code, 0) << dropped.err;
  EXPECT_TRUE(streams().empty());
  EXPECT_THAT(ask({"status"}).out, HasSubstr("0.0 %"));
  service->signal(SIGTERM);
  EXPECT_EQ(service->wait().exit_code, 0);
}

TEST_F(Serve, reuses_the_costs_of_an_earlier_addition) {
  const std::filesystem::path cache = folder_ / "cache";
  ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  const std::unique_ptr<Program> service = serve();
  const std::string file = pipeline("again", "20Hz", "100us", 100000);
  const Result first = ask({"add", file});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  ASSERT_EQ(ask({"drop", "again"}).exit_code, 0);
  std::filesystem::path kept;
  for (const auto& entry : std::filesystem::directory_iterator(cache / "takt" / "runs"))
    if (entry.path().extension() == ".costs") kept = entry.path();
  ASSERT_FALSE(kept.empty());

  // Costs that no measurement yields: 20 frames/s need more than one processor.
  const std::string text = read_file(kept);
  std::ofstream(kept) << std::regex_replace(text, std::regex("(work:\\s*\\{?\\s*cost:) [^,\\n]*"),
                                            "$1 60 ms");
  const Result refused = ask({"add", file, "--overwrite"});
  EXPECT_EQ(refused.exit_code, 1) << refused.out << read_file(kept);
  EXPECT_THAT(refused.err, HasSubstr("not admitted"));

  // A damaged entry is measured again.
  std::ofstream(kept) << text.substr(0, text.size() / 2);
  const Result measured = ask({"add", file, "--overwrite"});
  EXPECT_EQ(measured.exit_code, 0) << measured.err;
  ::unsetenv("XDG_CACHE_HOME");
}

TEST_F(Serve, continues_with_the_others_when_a_stream_crashes) {
  auto service = serve();
  ASSERT_EQ(ask({"add", pipeline("good", "20 Hz", "1 ms", 100000), "--profile", costs("1 ms")}).exit_code, 0);
  ASSERT_EQ(ask({"add", pipeline("bad", "10 Hz", "1 ms", 100000), "--profile", costs("1 ms")}).exit_code, 0);
  const json bad = await_stream("bad", [](const json& each) { return each["delivered"].is_number(); });
  // As if a plug-in had crashed its launcher.
  ::kill(bad["pid"].get<pid_t>(), SIGKILL);
  const json failed = await_stream("bad", [](const json& each) { return each["state"] == "failed"; });
  EXPECT_THAT(failed["failure"].get<std::string>(), HasSubstr("signal 9"));
  const json good = await_stream("good", [](const json& each) { return each["delivered"].is_number(); });
  EXPECT_EQ(good["state"], "running");
  // Its processor and its file are free again once the ranks have detected the loss of the launcher.
  Result again;
  for (int i = 0; i < 100 && again.exit_code != 0; ++i) {
    again = ask({"add", pipeline("bad", "10 Hz", "1 ms", 100000), "--profile", costs("1 ms"), "--overwrite"});
    if (again.exit_code != 0) std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
  EXPECT_EQ(again.exit_code, 0) << again.err;
}

TEST_F(Serve, reports_to_the_client_that_an_added_stream_did_not_start) {
  auto service = serve();
  // No server listens there: the stream is admitted, and its source fails.
  const std::string file = folder_.file("lonely.yaml", fmt::format(R"(name: lonely
rate: 10 Hz
sources:
  s: {{type: tcp, server: "127.0.0.1:9", connect_timeout: 100 ms, element: int32, axes: [sample=64]}}
tasks:
  work: {{kernel: spin, input: s, time: 1 ms}}
sinks:
  o: {{type: raw, input: work, path: {}}}
)",
                                                                   (folder_ / "lonely.raw").string()));
  const Result added = ask({"add", file, "--profile", costs("1 ms")});
  EXPECT_EQ(added.exit_code, 1);
  EXPECT_THAT(added.err,
              AllOf(HasSubstr("'lonely' was admitted, but did not start"), HasSubstr("127.0.0.1:9")));
  EXPECT_EQ(streams()[0]["state"], "failed");
  EXPECT_THAT(ask({"status"}).out, HasSubstr("0.0 %"));
}

TEST_F(Serve, reports_a_plug_in_that_dies_while_it_is_measured) {
  auto service = serve();
  const std::string file =
      folder_.file("bad.yaml", fmt::format(R"(name: bad
plugins: [{}]
rate: 10 Hz
sources:
  s: {{type: synthetic, element: int32, axes: [sample=256], pattern: count, frames: 20}}
tasks:
  work: {{kernel: faulty, input: s, when: running, where: process, how: segfault}}
sinks:
  o: {{type: raw, input: work, path: {}}}
)",
                                           TAKT_FAULTY_KERNEL, (folder_ / "bad.raw").string()));
  const Result added = ask({"add", file});
  EXPECT_EQ(added.exit_code, 1);
  EXPECT_THAT(added.err, AllOf(HasSubstr("cannot measure 'bad'"), HasSubstr("signal 11")));
}

TEST_F(Serve, reports_a_silent_rank) {
  auto service = serve();
  ASSERT_EQ(ask({"add", pipeline("still", "20 Hz", "1 ms", 100000), "--profile", costs("1 ms")}).exit_code,
            0);
  const json running = await_stream("still", [](const json& each) { return each["delivered"].is_number(); });
  EXPECT_EQ(running["state"], "running");
  EXPECT_TRUE(running["silent"].empty());
  const std::string name = folder_ / "still.yaml";
  pid_t rank = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc"))
    if (read_file(entry.path() / "cmdline").find(name) != std::string::npos &&
        read_file(entry.path() / "environ").find("OMPI_COMM_WORLD_RANK=0") != std::string::npos)
      rank = std::stoi(entry.path().filename());
  ASSERT_GT(rank, 0);
  ::kill(rank, SIGSTOP);
  const json silent = await_stream("still", [](const json& each) { return !each["silent"].empty(); });
  EXPECT_THAT(silent["silent"][0].get<std::string>(),
              AllOf(HasSubstr(fmt::format("pid {}", rank)), HasSubstr("silent since")));
  const Result shown = ask({"ps"});
  EXPECT_THAT(shown.out, AllOf(HasSubstr("still   silent"), HasSubstr("silent since")));
  ::kill(rank, SIGCONT);
  (void)await_stream("still", [](const json& each) { return each["silent"].empty(); });
}

TEST_F(Serve, answers_an_oversized_request) {
  auto service = serve();
  const std::string address = read_file(folder_ / "state/address");
  const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.find(':') + 1)));
  EXPECT_THAT(test::ask(port, post("/v1/streams", "", std::string(30 << 20, 'x'))),
              AllOf(HasSubstr("HTTP/1.1 413"), HasSubstr("\"error\"")));
}

TEST_F(Serve, advises_about_an_unusable_folder) {
  const Result nowhere = takt({"serve", "--folder", "/proc/x", "--machine", "logp:P=1,L=0,o=0,g=0"});
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.err,
              AllOf(HasSubstr("--folder: cannot write to /proc/x"), HasSubstr("expected a writable folder")));
  std::filesystem::create_directories(state_);
  (void)folder_.file("state/service.db", std::string(9000, 'x'));
  const Result damaged = takt({"serve", "--folder", state_, "--machine", "logp:P=1,L=0,o=0,g=0"});
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_THAT(damaged.err, AllOf(HasSubstr("service.db is damaged"), HasSubstr("another --folder")));
}

}  // namespace
}  // namespace takt::test
