/// Tests that a real Prometheus server reads the metrics of a running pipeline.

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <regex>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/pipeline/live/http_client.hpp"
#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Returns a port that was free a moment ago.
std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{
      .sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  EXPECT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  socklen_t size = sizeof(address);
  EXPECT_EQ(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size), 0);
  ::close(socket);
  return ntohs(address.sin_port);
}

bool listens(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address{
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  const bool is_there = ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  ::close(socket);
  return is_there;
}

/// Returns a request whose answer is not chunked.
std::string plain(const std::string& path) {
  return "GET " + path + " HTTP/1.0\r\nHost: localhost\r\n\r\n";
}

json body_of(const std::string& answer) {
  return json::parse(answer.substr(answer.find("\r\n\r\n")), nullptr, false);
}

/// Replaces Grafana's variable of the chosen runs by all runs, and windows by short ones.
std::string of_one_run(std::string expression) {
  static const std::regex window("\\[[0-9]+[sm]\\]");
  for (std::size_t at = 0; (at = expression.find("$run")) != std::string::npos;)
    expression.replace(at, 4, ".*");
  return std::regex_replace(expression, window, "[3s]");
}

std::string percent_encoded(const std::string& text) {
  std::string encoded;
  for (const char letter : text) encoded += fmt::format("%{:02x}", static_cast<unsigned char>(letter));
  return encoded;
}

template <class Condition>
bool await(Condition condition) {
  for (int i = 0; i < 600; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

TEST(Prometheus, scrapes_a_run_with_its_series_types_and_units) {
  if (std::system("command -v prometheus >/dev/null && command -v promtool >/dev/null") != 0)
    GTEST_SKIP() << "there is no prometheus (Debian: prometheus)";
  const TemporaryFolder folder;
  // A name that needs escapes.
  const std::string pipeline = folder.file(
      "p.yaml",
      "name: 'a \"b\\c\"'\nsources:\n  s: {type: synthetic, element: float32, axes: [channel=32], rate: 200 "
      "Hz, "
      "frames: 100000}\ntasks:\n  work: {kernel: pass, input: s}\nsinks:\n  n: {type: 'null', input: work}\n"
      "deployment: {ranks: 2}\n");
  Program run(takt_command({"run", pipeline, "--serve", "auto", "--format", "json"}));
  ASSERT_TRUE(run.await_err("live at http://127.0.0.1:"));
  const std::string err = run.err_so_far();
  const auto port = static_cast<std::uint16_t>(std::stoi(err.substr(err.find("127.0.0.1:") + 10)));
  const std::uint16_t own = free_port();
  const std::string config =
      folder.file("prometheus.yml",
                  fmt::format("global: {{scrape_interval: 100ms}}\nscrape_configs:\n  - job_name: takt\n"
                              "    static_configs: [{{targets: ['127.0.0.1:{}']}}]\n",
                              port));
  Program server({"prometheus", "--config.file=" + config,
                  "--storage.tsdb.path=" + (folder / "data").string(),
                  fmt::format("--web.listen-address=127.0.0.1:{}", own), "--log.level=warn"});
  ASSERT_TRUE(await([&] { return listens(own); })) << server.err_so_far();
  const auto asked = [&](const std::string& query) -> std::optional<double> {
    const json answer = body_of(ask(own, plain("/api/v1/query?query=" + query)));
    if (!answer.is_object() || answer["status"] != "success" || answer["data"]["result"].size() != 1)
      return std::nullopt;
    return std::stod(answer["data"]["result"][0]["value"][1].get<std::string>());
  };
  // The counter increases, according to Prometheus' rate (in frames/s).
  EXPECT_TRUE(await([&] { return asked("rate(takt_frames_delivered_total[3s])").value_or(0) > 0; }));
  EXPECT_EQ(asked("takt_ranks"), 2);
  EXPECT_TRUE(asked("takt_run_info%7Bpipeline%3D%22a%20%5C%22b%5C%5Cc%5C%22%22%7D"));
  EXPECT_GT(asked("histogram_quantile(0.5,takt_latency_seconds_bucket)").value_or(0), 0);
  EXPECT_GT(asked("sum(takt_task_seconds_count%7Btask%3D%22work%22%7D)").value_or(0), 0);
  const json targets = body_of(ask(own, plain("/api/v1/targets")));
  EXPECT_EQ(targets["data"]["activeTargets"][0]["health"], "up") << targets;
  EXPECT_EQ(targets["data"]["activeTargets"][0]["lastError"], "");
  // Every documented series has the same type in Prometheus.
  const json known = body_of(ask(own, plain("/api/v1/metadata")))["data"];
  const std::string scraped = ask(port, get("/metrics"));
  const std::string text = scraped.substr(scraped.find("\r\n\r\n") + 4);
  std::istringstream lines(text);
  std::string hash, keyword, name, type;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    words >> hash >> keyword >> name >> type;
    if (keyword != "TYPE") continue;
    ASSERT_TRUE(known.contains(name)) << name;
    EXPECT_EQ(known[name][0]["type"], type) << name;
    EXPECT_FALSE(known[name][0]["help"].get<std::string>().empty()) << name;
  }
  Program promtool({"sh", "-c", "promtool check metrics < " + folder.file("metrics.txt", text)});
  const Result checked = promtool.wait();
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  // Every expression of Grafana's panels has values in a
  // run, except those of sources with losses.
  const json dashboard = json::parse(read_file(TAKT_SOURCE_DIR "/configs/grafana/takt.json"));
  std::size_t asked_for = 0;
  for (const json& panel : dashboard["panels"])
    for (const json& target : panel["targets"]) {
      const std::string expression = of_one_run(target["expr"].get<std::string>());
      const auto result = [&] {
        return body_of(ask(own, plain("/api/v1/query?query=" + percent_encoded(expression))));
      };
      json answer = result();
      EXPECT_EQ(answer["status"], "success") << expression << ": " << answer;
      ++asked_for;
      if (expression.find("takt_source_events_total") != std::string::npos) continue;
      EXPECT_TRUE(await([&] { return !(answer = result())["data"]["result"].empty(); })) << expression;
      // Labels distinguish two runs in one panel.
      for (const json& series : answer["data"]["result"])
        EXPECT_TRUE(series["metric"].contains("instance")) << expression;
    }
  EXPECT_GE(asked_for, 10U);
  run.signal(SIGINT);
  EXPECT_EQ(run.wait().exit_code, 0);
}

}  // namespace
}  // namespace takt::test
