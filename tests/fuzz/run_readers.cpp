/// Fuzzed readers of a run's own files, and of messages from its processes and users.

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "core/error.hpp"
#include "pipeline/config/change.hpp"
#include "pipeline/costs/host_costs.hpp"
#include "pipeline/launch/hosts/host_answer.hpp"
#include "pipeline/launch/hosts/host_facts.hpp"
#include "pipeline/launch/parameter_updates.hpp"
#include "pipeline/live/http_server.hpp"
#include "pipeline/live/live_update.hpp"
#include "pipeline/live/metrics.hpp"
#include "pipeline/live/run_server.hpp"
#include "pipeline/planning/run_plan.hpp"
#include "pipeline/protocol/checkpoint.hpp"
#include "pipeline/protocol/restart_folder.hpp"
#include "pipeline/protocol/status.hpp"
#include "pipeline/report/trace.hpp"
#include "pipeline/runtime/counting/iteration_times.hpp"
#include "sensors/backlog/frame_backlog.hpp"
#include "tests/fuzz/reader.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::test {

using namespace pipeline;

namespace {

/// Requires that a value is unchanged when it is written and read again.
template <class Value>
FuzzedReader text_of_values(const char* name, Value (*make)(), Value (*read)(std::string_view)) {
  return {.name = name,
          .valid = [make] { return std::vector<std::string>{to_text(make())}; },
          // The text is one line, so damage to whole lines would delete it.
          .head = 400,
          .read =
              [read](Reading& reading, const std::string& text) {
                const std::string written = to_text(read(text));
                reading.note(written);
                require(to_text(read(written)) == written, "a value is another one when written and read");
              }};
}

RankStatus some_status() {
  RankStatus status{
      .rank = 1, .host = "a", .pid = 7, .phase = Phase::running, .task = "fft", .counts = {{"compute", 5}}};
  status.waits = {{0, {{"starved", 3}, {"blocked", 4}}}};
  status.stages.push_back({.stage = 1, .counts = {{"runs", 100}, {"given", 99}, {"work", 1000}}});
  status.stages.back().counts.histogram("time") = {{10, 100}};
  status.sources.push_back({.stage = 0,
                            .counts = {{"ingested", 101}},
                            .details = {{"packets", "", 12}},
                            .warnings = {"small buffer"}});
  status.sinks.push_back({.stage = 2,
                          .counts = {{"passed", 100}, {"delivered", 100}, {"first_ns", 5}, {"last_ns", 6}},
                          .location = "/tmp/out"});
  return status;
}

RunPlan some_plan() {
  RunPlan plan;
  plan.pipeline = "some";
  plan.ranks = 2;
  plan.stages = {
      {.name = "sky", .type = "synthetic", .kind = "source", .inputs = {}, .ranks = {0}, .cost_ns = 1000},
      {.name = "fft", .type = "fft", .kind = "kernel", .inputs = {0}, .ranks = {0, 1}, .cost_ns = 900},
      {.name = "out", .type = "null", .kind = "sink", .inputs = {1}, .ranks = {1}, .cost_ns = 2000}};
  plan.predicted_hz = 100;
  plan.predicted_busy = {0.5, 1};
  plan.memory_bytes = {1000, 2000};
  plan.notes = {"a note"};
  plan.notes_below = {{5, "slow"}};
  return plan;
}

Checkpoint some_checkpoint() {
  Checkpoint checkpoint{.frame = 1234567890123, .parts = 3, .rank = 2, .stages = {}};
  checkpoint.stages.push_back({.stage = 5, .runs = 6, .state = std::vector<std::byte>(9, std::byte{'\n'})});
  checkpoint.stages.push_back({.stage = 6, .state = std::vector<std::byte>()});
  SavedStage::Stream stream{.place = {.frames = 11, .last = {}}, .begun_utc_ns = 12, .step = 13};
  stream.counters = {.ingested = 1, .lost = 2, .dropped = 3, .incomplete = 4, .details = {{"a", "b", 5}}};
  checkpoint.stages.push_back({.stage = 0, .stream = stream});
  checkpoint.stages.push_back({.stage = 9, .delivery = SavedStage::Delivery{1, 2, 3, 4}});
  return checkpoint;
}

Change some_change() {
  return {.number = 1,
          .stage = 2,
          .task = "clean",
          .key = "sigma",
          .texts = {"5"},
          .value = "5",
          .old_value = "4"};
}

HostFacts some_facts() {
  return facts_of_this_host({.folder = "/", .files = {{"/etc/hostname", true}}}, "0");
}

std::vector<std::string> traces() {
  RunTrace trace;
  trace.plan = some_plan();
  for (int rank = 0; rank < 2; ++rank) {
    RankTrace& each = trace.ranks.emplace_back(RankTrace{.rank = rank, .host = "h", .events = {}, .lost = 0});
    for (std::int64_t i = 0; i < 6; ++i)
      each.events.push_back({100 * i, 100 * i + 50, static_cast<std::uint64_t>(i / 3),
                             i % 3 == 0  ? TraceKind::task
                             : rank == 0 ? TraceKind::send
                                         : TraceKind::receive,
                             1, i % 3 == 0 ? -1 : 1 - rank});
  }
  return {to_text(trace)};
}

void read_trace(Reading& reading, const std::string& text) {
  const RunTrace trace = trace_from_text(text, "damaged");
  reading.note(static_cast<std::uint64_t>(trace.begin_ns()));
  reading.note(static_cast<std::uint64_t>(trace.end_ns()));
  reading.note(messages_of(trace).size());
  reading.note(to_text(trace));
}

/// Writes all views of a rank with an arbitrary status.
void show_status(Reading& reading, const std::string& text) {
  RunRecord record;
  record.plan = some_plan();
  record.ranks = {status_from_text(text), some_status()};
  reading.note(to_prometheus(record));
  reading.note(live_update(record, 2.5));
}

constexpr std::size_t frame_bytes = 24;

sensors::BacklogOptions kept_in(const std::filesystem::path& path) {
  constexpr std::uint64_t records = 8;
  return {.policy = sensors::BacklogPolicy::spill,
          .depth = 2,
          .spill = takt::Bytes{records * (sizeof(sensors::SpillFile::Head) + frame_bytes)},
          .kept = path};
}

/// Returns the spill file of a process that died.
std::vector<std::string> spill_files() {
  const TemporaryFolder folder;
  {
    sensors::FrameBacklog backlog(kept_in(folder / "ring"), takt::Bytes{frame_bytes});
    const std::vector<std::byte> bytes(frame_bytes, std::byte{7});
    for (std::uint64_t i = 0; i < 6; ++i) {
      const sensors::FrameHeader header{.sequence = i,
                                        .utc_ns = 1'000'000'000 + static_cast<std::int64_t>(i)};
      backlog.put({&header, bytes});
      if (i < 4 && backlog.take(0)) backlog.release();
    }
  }
  return {read_file(folder / "ring")};
}

void read_spill(Reading& reading, const std::string& bytes) {
  sensors::FrameBacklog backlog(kept_in(reading.file("ring", bytes)), takt::Bytes{frame_bytes});
  const sensors::FrameHeader last{.sequence = 1, .utc_ns = 1'000'000'001};
  const auto kept = backlog.continue_after(2, last);
  for (const sensors::FrameHeader& header : kept.waiting) reading.note(header.sequence);
  reading.note(kept.gone.dropped);
  reading.note(kept.gone_between.lost);
  backlog.end();
  while (!backlog.is_over()) {
    const auto frame = backlog.take(0);
    if (!frame) break;
    reading.note(text_of(frame->bytes));
    backlog.release();
  }
  for (const sensors::Counter& counter : backlog.counters()) reading.note(counter.value);
}

RunServer& run_server() {
  static RunServer server({"127.0.0.1", 0});
  static const bool is_shown = [] {
    RunRecord record;
    record.plan = some_plan();
    record.ranks = {some_status(), some_status()};
    server.show(record);
    return true;
  }();
  (void)is_shown;
  return server;
}

std::vector<std::string> http_requests() {
  const std::string host = "Host: localhost\r\n", token = "Authorization: Bearer " + run_server().token();
  return {"GET /status HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n",
          "GET /healthz?x=1 HTTP/1.1\r\n" + host + "Accept: */*\r\n\r\nHEAD /nowhere HTTP/1.0\r\n" + host +
              "\r\n",
          "GET /events?together=3 HTTP/1.1\r\n" + host + "\r\n",
          "POST /probe HTTP/1.1\r\n" + host + token + "\r\nContent-Length: 3\r\n\r\nfft",
          "POST /hold HTTP/1.1\r\n" + host + token +
              "\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"};
}

/// Sends a request to the server of a run and notes the first line of its answer.
void read_request(Reading& reading, const std::string& bytes) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(run_server().port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // Closes with a reset: ports would stay in use for a minute when the server closes first.
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  require(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
          "the server takes no connection");
  (void)!::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  ::shutdown(socket, SHUT_WR);
  std::string answer;
  char buffer[4096];
  while (answer.find("\r\n") == std::string::npos) {
    const ssize_t count = ::recv(socket, buffer, sizeof buffer, 0);
    if (count <= 0) break;
    answer.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(socket);
  reading.note(answer.substr(0, answer.find('\r')));
  (void)run_server().take_commands();
}

}  // namespace

std::vector<FuzzedReader> run_readers() {
  // Damage to most of its letters is a value as well.
  static const std::string long_text(2000, 'a');
  return {
      text_of_values<RankStatus>("rank_statuses", some_status, status_from_text),
      {.name = "shown_statuses",
       .valid = [] { return std::vector{to_text(some_status())}; },
       .read = show_status},
      text_of_values<RunPlan>("run_plans", some_plan, plan_from_text),
      text_of_values<SharedPlan>(
          "shared_plans",
          [] {
            return SharedPlan{some_plan(), long_text};
          },
          shared_plan_from_text),
      text_of_values<Checkpoint>("checkpoints", some_checkpoint, checkpoint_from_text),
      text_of_values<Change>("sent_changes", some_change, change_from_text),
      text_of_values<UpdateReport>(
          "change_news",
          [] {
            return UpdateReport{1, 2, 3, 4, 5};
          },
          update_report_from_text),
      text_of_values<ChangeAnswer>(
          "change_answers", [] { return ChangeAnswer{.error = long_text, .has_begun = true, .made = {}}; },
          answer_from_text),
      text_of_values<HostFacts>("host_facts", some_facts, host_facts_from_text),
      text_of_values<HostQuestion>(
          "host_questions",
          [] {
            return HostQuestion{.folder = "/", .files = {{"/etc/hostname", true}}, .tries_mpi = true};
          },
          host_question_from_text),
      text_of_values<BegunFiles>(
          "begun_files",
          [] {
            return BegunFiles{{3, {"a.raw", "b.raw"}}};
          },
          begun_files_from_text),
      {.name = "sent_costs",
       .valid =
           [] {
             return std::vector{costs_to_text({{.stage = "fft",
                                                .cost = Time{5},
                                                .copy = Time{1},
                                                .low = Time{4},
                                                .high = Time{6},
                                                .runs = 7}})};
           },
       .read = [](Reading& reading,
                  const std::string& text) { reading.note(costs_to_text(costs_from_text(text))); }},
      {.name = "run_traces", .valid = traces, .read = read_trace},
      {"spill_files", spill_files, 200, read_spill},
      {.name = "http_requests", .valid = http_requests, .read = read_request, .share = 2},
  };
}

}  // namespace takt::test
