/// Tests that Prometheus and browsers see the state of a run, and that other clients do not.

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <list>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "pipeline/live/http_server.hpp"
#include "pipeline/live/live_update.hpp"
#include "pipeline/live/metrics.hpp"
#include "pipeline/live/run_server.hpp"
#include "pipeline/protocol/histogram.hpp"
#include "tests/pipeline/live/http_client.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline {
namespace {

using nlohmann::json;
using takt::test::ask;
using takt::test::Connection;
using takt::test::get;
using takt::test::post;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Two ranks; the source is on the first, the sink on the second.
RunRecord small_record(std::uint64_t frames) {
  RunRecord record;
  record.plan.emplace();
  record.plan->pipeline = "a \"b\\c\"";
  record.plan->ranks = 2;
  record.plan->predicted_hz = 100;
  record.plan->required_hz = 50;
  record.plan->stages = {
      {.name = "sky", .type = "synthetic", .kind = "source", .inputs = {}, .ranks = {0}, .cost_ns = 1000},
      {.name = "out", .type = "null", .kind = "sink", .inputs = {0}, .ranks = {1}, .cost_ns = 2000}};
  Histogram times;
  for (std::uint64_t i = 0; i < frames; ++i)
    times.record(Time(static_cast<Time::rep>(1'000'000 * (i % 7 + 1))));
  RankStatus first{.rank = 0, .host = "h"}, second{.rank = 1, .host = "h"};
  first.counts["compute"] = frames * 1'000'000;
  first.stages.push_back(
      {.stage = 0, .counts = {{"runs", frames + 5}, {"given", frames + 5}, {"work", frames * 1000}}});
  first.stages.back().counts.histogram("time") = times.buckets();
  first.sources.push_back(
      {.stage = 0,
       .counts = {{"ingested", frames + 5}, {"lost", 3}, {"dropped", 2}, {"incomplete", 1}},
       .waits = {{"starved", 250'000'000}},
       .details = {{"late_packets", "packets", 4}, {"queue_high_water", "frames", 9}}});
  second.stages.push_back(
      {.stage = 1, .counts = {{"runs", frames}, {"given", frames}, {"work", frames * 2000}}});
  second.stages.back().counts.histogram("time") = times.buckets();
  second.sinks.push_back({.stage = 1,
                          .counts = {{"passed", frames},
                                     {"delivered", frames},
                                     {"most_combined", 1},
                                     {"timed", frames},
                                     {"first_ns", 1'000'000'000},
                                     {"last_ns", 1'000'000'000 + frames * 20'000'000}}});
  second.sinks.back().counts.histogram("latency") = times.buckets();
  record.ranks = {first, second};
  return record;
}

/// Returns samples by name and labels, as a reader of the format does; duplicates are failures.
std::map<std::string, double> samples(const std::string& text) {
  std::map<std::string, double> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t at = line.rfind(' ');
    EXPECT_TRUE(found.emplace(line.substr(0, at), std::stod(line.substr(at + 1))).second) << line;
  }
  return found;
}

TEST(Metrics, are_the_counters_of_the_run) {
  const std::map<std::string, double> found = samples(to_prometheus(small_record(70)));
  EXPECT_EQ(found.at("takt_frames_ingested_total"), 75);
  EXPECT_EQ(found.at("takt_frames_lost_total"), 3);
  EXPECT_EQ(found.at("takt_frames_delivered_total"), 70);
  EXPECT_EQ(found.at("takt_frequency_hertz{kind=\"required\"}"), 50);
  EXPECT_EQ(found.at("takt_source_events_total{source=\"sky\",event=\"late_packets\",unit=\"packets\"}"), 4);
  EXPECT_EQ(found.at("takt_source_high_water{source=\"sky\",queue=\"queue_high_water\",unit=\"frames\"}"), 9);
  EXPECT_EQ(found.at("takt_task_queue_frames{task=\"out\",input=\"sky\"}"), 5);
  EXPECT_EQ(found.at("takt_rank_queue_frames{rank=\"0\"}"), 0);
  EXPECT_EQ(found.at("takt_rank_queue_frames{rank=\"1\"}"), 5);
  EXPECT_DOUBLE_EQ(found.at("takt_rank_seconds_total{rank=\"0\",host=\"h\",use=\"compute\"}"), 0.07);
  EXPECT_DOUBLE_EQ(found.at("takt_rank_source_wait_seconds_total{rank=\"0\",source=\"sky\"}"), 0.25);
  // 10 frames each of 1 to 7 ms; buckets end up to 1.6 % above a value.
  EXPECT_EQ(found.at("takt_latency_seconds_bucket{sink=\"out\",le=\"0.0025\"}"), 20);
  EXPECT_EQ(found.at("takt_latency_seconds_bucket{sink=\"out\",le=\"0.01\"}"), 70);
  EXPECT_EQ(found.at("takt_latency_seconds_count{sink=\"out\"}"), 70);
  EXPECT_NEAR(found.at("takt_latency_seconds_sum{sink=\"out\"}"), 0.280, 0.005);
  EXPECT_THAT(to_prometheus(small_record(70)), HasSubstr(R"(pipeline="a \"b\\c\"")"));
}

TEST(Metrics, have_increasing_histograms_and_counters_that_never_decrease) {
  const std::map<std::string, double> before = samples(to_prometheus(small_record(70))),
                                      after = samples(to_prometheus(small_record(90)));
  for (const auto& [name, value] : before)
    if (name.find("_total") != std::string::npos || name.find("_bucket") != std::string::npos ||
        name.find("_sum") != std::string::npos || name.find("_count") != std::string::npos) {
      EXPECT_GE(after.at(name), value) << name;
    }
  std::map<std::string, double> last;
  std::istringstream lines(to_prometheus(small_record(90)));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t le = line.find(",le=\"");
    if (le == std::string::npos) continue;
    const double value = std::stod(line.substr(line.rfind(' ') + 1));
    EXPECT_GE(value, last[line.substr(0, le)]) << line;
    last[line.substr(0, le)] = value;
  }
}

TEST(Metrics, have_descriptions) {
  const std::string page = takt::test::read_file(std::string(TAKT_SOURCE_DIR) + "/docs/reference/live.md");
  std::istringstream lines(to_prometheus(small_record(70)));
  std::string hash, keyword, name;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    words >> hash >> keyword >> name;
    if (keyword == "HELP") {
      EXPECT_THAT(page, HasSubstr("| `" + name + "` |"));
    }
  }
}

TEST(Metrics, are_approved_by_promtool) {
  if (std::system("command -v promtool >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "there is no promtool (Debian: prometheus)";
  const takt::test::TemporaryFolder folder;
  for (const RunRecord& record : {small_record(70), RunRecord{}}) {
    const std::string file = folder.file("m.txt", to_prometheus(record));
    takt::test::Program program({"sh", "-c", "promtool check metrics < " + file});
    const takt::test::Result result = program.wait();
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  }
}

TEST(LiveUpdate, is_json_with_the_data_of_the_page) {
  const json update = json::parse(live_update(small_record(70), 2.5));
  EXPECT_EQ(update["frames"]["delivered"], 70);
  EXPECT_EQ(update["stages"][1]["queue"], 5);
  EXPECT_EQ(update["ranks"].size(), 2U);
  EXPECT_EQ(update["ranks"][0]["cells"]["compute"], "100 %");
  EXPECT_EQ(update["stages"][0]["cells"]["frames"], "75");
  EXPECT_EQ(update["frequency"]["required"], 50);
  EXPECT_EQ(json::parse(live_update(RunRecord{}, 0))["state"], "measuring and planning");
  EXPECT_EQ(json::parse(live_graph(small_record(1)))["nodes"]["name"], json({"sky", "out"}));
  EXPECT_EQ(live_graph(RunRecord{}), "");
}

TEST(HttpAddress, is_a_port_or_an_address_with_a_port) {
  EXPECT_EQ(parse_http_address("9464").host, "127.0.0.1");
  EXPECT_EQ(parse_http_address("9464").port, 9464);
  EXPECT_EQ(parse_http_address("0.0.0.0:80").host, "0.0.0.0");
  EXPECT_FALSE(parse_http_address("0.0.0.0:80").is_loopback());
  EXPECT_TRUE(parse_http_address("[::1]:80").is_loopback());
  EXPECT_TRUE(parse_http_address("localhost:80").is_loopback());
  for (const char* const wrong :
       {"", "x", "-1", "65536", "1.2.3:80", "host:80", "9464 ", "127.0.0.1:", "[::1:80"})
    EXPECT_THROW((void)parse_http_address(wrong), ConfigError) << wrong;
}

TEST(RunServer, answers_permitted_requests_on_loopback) {
  RunServer server({"127.0.0.1", 0});
  EXPECT_THAT(ask(server.port(), get("/healthz")), StartsWith("HTTP/1.1 503"));
  server.show(small_record(70));
  EXPECT_THAT(ask(server.port(), get("/healthz")), StartsWith("HTTP/1.1 200"));
  const std::string metrics = ask(server.port(), get("/metrics?x=1", "127.0.0.1:1234"));
  EXPECT_THAT(metrics, HasSubstr("text/plain; version=0.0.4"));
  EXPECT_THAT(metrics, HasSubstr("takt_frames_delivered_total 70\n"));
  const std::string status = ask(server.port(), get("/status"));
  EXPECT_EQ(json::parse(status.substr(status.find("\r\n\r\n")))["frames"]["delivered"], 70);
  EXPECT_THAT(ask(server.port(), get("/nowhere")), AllOf(StartsWith("HTTP/1.1 404"), HasSubstr("/metrics")));
  EXPECT_THAT(ask(server.port(), get("/metrics", "evil.example")),
              AllOf(StartsWith("HTTP/1.1 403"), Not(HasSubstr("takt_"))));
  EXPECT_THAT(ask(server.port(), "POST /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(ask(server.port(), "HEAD /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
              Not(HasSubstr("takt_")));
  EXPECT_THAT(ask(server.port(), "rubbish\r\n\r\n"), Not(HasSubstr("200")));
  EXPECT_THAT(ask(server.port(), get("/" + std::string(40000, 'x'))), Not(HasSubstr("200 OK")));
  RunRecord failed = small_record(1);
  failed.ranks[1]->failure = "no room";
  server.show(failed);
  EXPECT_THAT(ask(server.port(), get("/healthz")), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("no room")));
}

TEST(HttpServer, reports_why_it_refuses_a_request) {
  HttpServer server({.host = "127.0.0.1", .port = 0}, {}, {});
  // Far more than the sockets can buffer: the client still sends when it gets the answer.
  EXPECT_THAT(ask(server.port(), post("/unknown", "", std::string(30 << 20, 'x'))),
              HasSubstr("HTTP/1.1 413"));
  EXPECT_THAT(ask(server.port(), "GET / HTTP/1.1\r\nHost: localhost\r\nLong: " + std::string(1 << 20, 'x')),
              HasSubstr("HTTP/1.1 431"));
  EXPECT_THAT(ask(server.port(), "no request at all\r\n\r\n"), HasSubstr("HTTP/1.1 400"));
}

TEST(HttpServer, answers_while_other_clients_hold_connections_open) {
  const std::string page(6 << 20, 'x');
  HttpServer server({.host = "127.0.0.1", .port = 0},
                    {{"/healthz", [] { return HttpAnswer{.body = "well"}; }},
                     {"/large", [&] { return HttpAnswer{.body = page}; }}});
  for (const std::string& request :
       {std::string{}, std::string("GET /healthz HTTP/1.1\r\nHost: local"), get("/events"), get("/large")}) {
    std::list<Connection> connections;
    for (int i = 0; i < 100; ++i) connections.emplace_back(server.port(), request);
    // A client that does not read a large answer is disconnected after a second.
    std::string answer;
    for (int i = 0; i < 100 && answer.empty(); ++i) {
      answer = ask(server.port(), get("/healthz"));
      if (answer.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("well"))) << request;
  }
}

TEST(HttpServer, has_at_most_48_listeners) {
  HttpServer server({.host = "127.0.0.1", .port = 0}, {});
  std::list<Connection> connections;
  for (int i = 0; i < 48; ++i) connections.emplace_back(server.port(), get("/events"));
  while (server.listeners() < 48) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_THAT(ask(server.port(), get("/events")),
              AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("48 pages are open")));
}

TEST(HttpServer, refuses_a_request_with_two_hosts) {
  HttpServer server({.host = "127.0.0.1", .port = 0},
                    {{"/healthz", [] { return HttpAnswer{.body = "well"}; }}});
  EXPECT_THAT(ask(server.port(), "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: example.org\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("more than one Host header")));
}

TEST(HttpServer, makes_one_line_of_an_exception_of_user_code) {
  HttpServer server(
      {.host = "127.0.0.1", .port = 0},
      {{"/page", []() -> HttpAnswer { throw std::runtime_error("one\ntwo\x1b[31m"); }}},
      {{"/set", {[](const std::string&) -> HttpAnswer { throw ConfigError("one\r\ntwo\x1b[31m"); }, false}}});
  EXPECT_THAT(ask(server.port(), get("/page")), HasSubstr("\r\n\r\none two [31m\n"));
  EXPECT_THAT(ask(server.port(), post("/set", "", "x")), HasSubstr("\r\n\r\none  two [31m\n"));
}

TEST(HttpServer, sends_events_to_listeners_and_survives_when_they_leave) {
  HttpServer server({"127.0.0.1", 0}, {});
  for (int round = 0; round < 3; ++round) {
    std::thread speaker([&] {
      while (server.listeners() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      server.publish("{\"a\":1}");
    });
    const std::string heard = ask(server.port(), get("/events"), "data: {\"a\":1}\n\n");
    EXPECT_THAT(heard, AllOf(HasSubstr("text/event-stream"), HasSubstr("data: {\"a\":1}\n\n")));
    speaker.join();
    while (server.listeners() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    server.publish("without listeners");
  }
}

TEST(HttpServer, sends_events_together_except_the_first_and_urgent_ones) {
  HttpServer server({"127.0.0.1", 0}, {});
  const auto hear = [&](const std::vector<std::string>& said, const std::string& urgent, const char* last) {
    std::thread speaker([&] {
      while (server.listeners() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      for (const std::string& each : said) server.publish(each);
      if (!urgent.empty()) server.publish(urgent, true);
      server.publish("6");
    });
    const std::string heard = ask(server.port(), get("/events?together=3"), last);
    speaker.join();
    while (server.listeners() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return heard;
  };
  EXPECT_THAT(hear({}, "", "data: 6\n\n"), HasSubstr("data: 6\n\n"));
  // After event 0, events 1 to 3 are sent together; 4 with 5, which is urgent; 6 waits.
  const std::string heard = hear({"0", "1", "2", "3", "4"}, "5", "data: 5\n\n");
  EXPECT_THAT(heard, HasSubstr("\n\ndata: 4\ndata: 5\n\n"));
  EXPECT_THAT(heard, Not(HasSubstr("data: 6")));
  for (const char* query :
       {"?together=0", "?together=101", "?together=", "?together=-1", "?together=3x", "?togethe", "?x", "?"})
    EXPECT_THAT(ask(server.port(), get(std::string("/events") + query)),
                AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("expected ?together=N")))
        << query;
}

/// Returns the sockets of this process that children would inherit.
std::set<int> inherited_sockets() {
  std::set<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int descriptor = std::stoi(entry.path().filename().string());
    struct stat facts {};
    if (::fstat(descriptor, &facts) != 0 || !S_ISSOCK(facts.st_mode)) continue;
    if ((::fcntl(descriptor, F_GETFD) & FD_CLOEXEC) == 0) found.insert(descriptor);
  }
  return found;
}

TEST(HttpServer, lets_no_child_inherit_its_sockets) {
  const std::set<int> before = inherited_sockets();
  HttpServer server({"127.0.0.1", 0}, {});
  std::set<int> during;
  std::thread looker([&] {
    while (server.listeners() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    during = inherited_sockets();
    server.publish("{\"a\":1}");
  });
  (void)ask(server.port(), get("/events"), "data:");
  looker.join();
  EXPECT_EQ(during, before);
}

TEST(HttpServer, reports_when_it_cannot_listen) {
  const HttpServer first({"127.0.0.1", 0}, {});
  EXPECT_THROW(HttpServer({"127.0.0.1", first.port()}, {}), WorkError);
}

TEST(RunServer, accepts_commands_only_with_its_token) {
  RunServer server({"127.0.0.1", 0});
  const std::string& token = server.token();
  EXPECT_EQ(token.size(), 32U);
  EXPECT_NE(token, RunServer({"127.0.0.1", 0}).token());
  EXPECT_THAT(ask(server.port(), post("/end", token)), StartsWith("HTTP/1.1 503"));
  server.show(small_record(70));
  for (const std::string& wrong : {std::string(), "x" + token.substr(1), token + "0", token.substr(1)})
    EXPECT_THAT(ask(server.port(), post("/end", wrong)), StartsWith("HTTP/1.1 401")) << wrong;
  EXPECT_THAT(ask(server.port(), post("/end", token, "", "Origin: http://evil.example\r\n")),
              StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(ask(server.port(), post("/nothing", token)),
              AllOf(StartsWith("HTTP/1.1 404"), HasSubstr("/hold")));
  EXPECT_THAT(ask(server.port(), post("/hold", token, std::string(5000, 'x'))), Not(HasSubstr("202")));
  EXPECT_TRUE(server.take_commands().empty());
  EXPECT_THAT(ask(server.port(), post("/new-files", token, "", "Origin: http://localhost\r\n")),
              StartsWith("HTTP/1.1 202"));
  EXPECT_THAT(ask(server.port(), post("/trigger", token)),
              AllOf(StartsWith("HTTP/1.1 409"), HasSubstr("no sink of this run has a transient buffer")));
  server.offer({}, {"burst"});
  EXPECT_THAT(ask(server.port(), get("/transients")), HasSubstr("burst"));
  for (const char* const path : {"/hold", "/write", "/trigger", "/end"})
    EXPECT_THAT(ask(server.port(), post(path, token)), StartsWith("HTTP/1.1 202"));
  std::vector<ControlCommandKind> kinds;
  for (const ControlCommand& command : server.take_commands()) kinds.push_back(command.kind);
  EXPECT_THAT(kinds,
              ElementsAre(ControlCommandKind::new_files, ControlCommandKind::hold, ControlCommandKind::write,
                          ControlCommandKind::trigger, ControlCommandKind::end));
}

TEST(RunServer, shows_frames_of_a_task_while_there_are_listeners) {
  RunServer server({"127.0.0.1", 0});
  server.show(small_record(70));
  EXPECT_THAT(ask(server.port(), post("/probe", "", "skyy")),
              AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("sky")));
  // A sink has no output.
  EXPECT_THAT(ask(server.port(), post("/probe", "", "out")), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask(server.port(), post("/probe", "", "sky")), StartsWith("HTTP/1.1 202"));
  const std::vector<ControlCommand> commands = server.take_commands();
  // Without listeners the probe is cancelled immediately.
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(commands[0].stage, 0U);
  EXPECT_EQ(commands[1].stage, std::nullopt);
  RunRecord record = small_record(70);
  record.probe = R"({"stage":0,"values":[1,null]})";
  EXPECT_EQ(json::parse(live_update(record, 1))["probe"]["values"][0], 1);
}

/// A client controls the run with the address and token that it prints to stderr.
TEST(RunWithServer, serves_while_it_runs_and_obeys_commands) {
  const takt::test::TemporaryFolder folder;
  const std::string pipeline = folder.file(
      "p.yaml",
      "name: served\nsources:\n  s: {type: synthetic, element: float32, axes: [channel=32], rate: 200 Hz, "
      "frames: 100000}\nsinks:\n  n: {type: raw, input: s, path: " +
          (folder / "o.raw").string() + "}\n");
  EXPECT_EQ(takt::test::takt({"run", pipeline, "--serve", "nonsense"}).exit_code, 2);
  takt::test::Program run(takt::test::takt_command({"run", pipeline, "--serve", "auto", "--format", "json"}));
  ASSERT_TRUE(run.await_err("live at http://127.0.0.1:"));
  const std::string err = run.err_so_far();
  const std::size_t at = err.find("127.0.0.1:") + 10, hash = err.find("/#", at);
  const auto port = static_cast<std::uint16_t>(std::stoi(err.substr(at)));
  const std::string token = err.substr(hash + 2, 32);
  const auto status = [&] {
    const std::string answer = ask(port, get("/status"));
    return json::parse(answer.substr(answer.find("\r\n\r\n")));
  };
  const auto delivered = [&] { return status()["frames"]["delivered"].get<std::uint64_t>(); };
  const auto held_back = [&] {
    const json output = status()["outputs"][0]["counters"];
    return output.contains("held_back") ? output["held_back"].get<std::uint64_t>() : 0;
  };
  const auto await = [](const auto& is_so) {
    while (!is_so()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  await([&] { return delivered() > 0; });
  EXPECT_THAT(ask(port, get("/healthz")), StartsWith("HTTP/1.1 200"));
  for (const char* path : {"/events\n", "/metrics\n", "/status\n"})
    EXPECT_THAT(ask(port, get("/event")), AllOf(StartsWith("HTTP/1.1 404"), HasSubstr(path)));
  std::atomic<bool> has_received{false};
  std::thread listener([&] {
    EXPECT_THAT(ask(port, get("/events"), "\"probe\":{\"stage\":0"), HasSubstr("\"x\":\"channel\""));
    has_received = true;
  });
  // A probe ends while there are no listeners.
  await([&] {
    EXPECT_THAT(ask(port, post("/probe", "", "s")), StartsWith("HTTP/1.1 202"));
    return has_received.load();
  });
  listener.join();
  EXPECT_THAT(ask(port, post("/hold", token)), StartsWith("HTTP/1.1 202"));
  await([&] { return held_back() > 10; });
  EXPECT_THAT(ask(port, post("/write", token)), StartsWith("HTTP/1.1 202"));
  const std::filesystem::path second = folder / "o-2.raw", third = folder / "o-3.raw";
  await([&] { return std::filesystem::exists(second); });
  EXPECT_THAT(ask(port, post("/new-files", token)), StartsWith("HTTP/1.1 202"));
  await([&] { return std::filesystem::exists(third); });
  EXPECT_THAT(ask(port, post("/end", token)), StartsWith("HTTP/1.1 202"));
  const takt::test::Result result = run.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(result.out);
  // The frames in the files and those held back are all delivered frames.
  const std::uint64_t bytes = std::filesystem::file_size(folder / "o.raw") +
                              std::filesystem::file_size(second) + std::filesystem::file_size(third);
  const std::uint64_t held = report["outputs"][0]["counters"]["held_back"];
  EXPECT_GT(held, 10U);
  EXPECT_EQ(bytes / 128 + held, report["frames"]["delivered"]);
  EXPECT_EQ(report["frames"]["delivered"], report["frames"]["ingested"]);
}

}  // namespace
}  // namespace takt::pipeline
