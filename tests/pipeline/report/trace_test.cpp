/// Tests that traces contain the events of a run, in takt's format and in other ones.

#include "pipeline/report/trace.hpp"

#include <cstdlib>
#include <map>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/pictures/page_bundle.hpp"
#include "core/random.hpp"
#include "pipeline/pages/events_page.hpp"
#include "pipeline/pages/trace_page.hpp"
#include "pipeline/report/trace_formats.hpp"
#include "pipeline/runtime/counting/timeline.hpp"
#include "pipeline/runtime/counting/trace_recorder.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// Returns ranks in a ring: per frame a task, a send to the next rank and a receive from the previous one.
RunTrace random_trace(std::uint64_t seed) {
  Random random(seed);
  RunTrace trace;
  trace.plan.pipeline = "a \"quoted\" name";
  trace.plan.ranks = 3;
  trace.plan.stages = {
      {.name = "first, one", .type = "fft", .kind = "kernel", .inputs = {}, .ranks = {0}, .cost_ns = 500},
      {.name = "\"second\"", .type = "fft", .kind = "kernel", .inputs = {0}, .ranks = {1}, .cost_ns = 700}};
  for (int rank = 0; rank < 3; ++rank) {
    RankTrace& each = trace.ranks.emplace_back(RankTrace{.rank = rank, .host = "h", .events = {}, .lost = 0});
    std::int64_t now = 1'000'000'000'000 + random.between(0, 999);
    for (std::uint64_t frame = 0; frame < 40; ++frame) {
      const auto add = [&](TraceKind kind, std::uint32_t subject, int peer) {
        const std::int64_t start = now + random.between(0, 3), end = start + random.between(1, 2000);
        each.events.push_back({start, end, frame, kind, subject, peer});
        now = end;
      };
      add(TraceKind::starved, 0, -1);
      if (frame > 0) add(TraceKind::receive, 4, (rank + 2) % 3);
      add(TraceKind::task, static_cast<std::uint32_t>(rank % 2), -1);
      add(TraceKind::copy, 0, -1);
      add(TraceKind::send, 4, (rank + 1) % 3);
    }
  }
  return trace;
}

TEST(Trace, is_unchanged_when_read_back) {
  const RunTrace trace = random_trace(1);
  const RunTrace again = trace_from_text(to_text(trace), "t.json");
  EXPECT_EQ(again.ranks, trace.ranks);
  EXPECT_EQ(again.plan.stages[1].name, trace.plan.stages[1].name);
  EXPECT_EQ(to_text(again), to_text(trace));
}

TEST(Trace, refuses_invalid_text) {
  const auto refused = [](const std::string& text) {
    try {
      (void)trace_from_text(text, "t.json");
      return std::string("accepted");
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(refused("[1]"), HasSubstr("t.json: expected a trace"));
  EXPECT_THAT(refused("{"), HasSubstr("t.json:1: not valid JSON"));
  EXPECT_THAT(refused(R"({"format": "takt-trace/1"})"), HasSubstr("t.json"));
  RunTrace wrong = random_trace(2);
  wrong.ranks[0].events[1].subject = 99;
  EXPECT_THAT(refused(to_text(wrong)), HasSubstr("stage 99 of 2 stages"));
  wrong = random_trace(2);
  wrong.ranks[1].rank = 7;
  EXPECT_THAT(refused(to_text(wrong)), HasSubstr("rank 7 of 3 ranks"));
  wrong = random_trace(2);
  std::swap(wrong.ranks[2].events[3], wrong.ranks[2].events[4]);
  EXPECT_THAT(refused(to_text(wrong)), HasSubstr("overlap"));
}

TEST(Trace, pairs_each_receive_with_the_send_of_its_frame) {
  const RunTrace trace = random_trace(3);
  const std::vector<TracedMessage> messages = messages_of(trace);
  EXPECT_EQ(messages.size(), 3U * 39);
  for (const TracedMessage& message : messages) {
    const TraceEvent& send = trace.ranks[message.from_rank].events[message.send];
    const TraceEvent& receive = trace.ranks[message.to_rank].events[message.receive];
    EXPECT_EQ(send.frame, receive.frame);
    EXPECT_EQ(send.kind, TraceKind::send);
    EXPECT_EQ(receive.kind, TraceKind::receive);
    EXPECT_EQ(send.peer, trace.ranks[message.to_rank].rank);
  }
}

/// The rules of Perfetto's trace processor: three decimals, separate slices of
/// a thread, flows in pairs inside preceding slices.
TEST(ChromeTrace, obeys_the_rules_of_perfetto) {
  const RunTrace trace = random_trace(4);
  const std::string text = to_chrome_json(trace);
  const json chrome = json::parse(text);
  std::map<int, std::vector<std::pair<double, double>>> slices;
  std::map<int, std::vector<std::pair<char, double>>> flows;
  std::size_t events = 0;
  for (const json& event : chrome["traceEvents"]) {
    const std::string phase = event["ph"];
    if (phase == "X") {
      ++events;
      auto& own = slices[event["tid"]];
      if (!own.empty()) {
        EXPECT_GE(event["ts"].get<double>() + 1e-6, own.back().second);
      }
      own.emplace_back(event["ts"], event["ts"].get<double>() + event["dur"].get<double>());
    }
    if (phase == "s" || phase == "f") {
      flows[event["id"]].emplace_back(phase[0], event["ts"]);
      EXPECT_EQ(event["cat"], "message");
      EXPECT_EQ(event["name"], "message");
      if (phase == "f") {
        EXPECT_EQ(event["bp"], "e");
      }
      const bool is_inside = std::ranges::any_of(slices[event["tid"]], [&](const auto& slice) {
        return event["ts"].get<double>() >= slice.first && event["ts"].get<double>() <= slice.second;
      });
      EXPECT_TRUE(is_inside);
    }
  }
  std::size_t recorded = 0;
  for (const RankTrace& rank : trace.ranks) recorded += rank.events.size();
  EXPECT_EQ(events, recorded);
  EXPECT_EQ(flows.size(), messages_of(trace).size());
  for (const auto& [id, ends] : flows) {
    ASSERT_EQ(ends.size(), 2U);
    EXPECT_EQ(ends[0].first, 's');
    EXPECT_EQ(ends[1].first, 'f');
  }
  // Decimals in the text.
  for (const char* const key : {"\"ts\":", "\"dur\":"})
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
      const std::size_t dot = text.find('.', at), end = text.find_first_of(",}", at);
      ASSERT_EQ(end - dot, 4U) << text.substr(at, 20);
    }
}

TEST(PajeTrace, is_read_by_pajeng_with_all_states_and_links) {
  if (std::system("command -v pj_dump >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "there is no pj_dump (Debian: pajeng)";
  const takt::test::TemporaryFolder folder;
  const RunTrace trace = random_trace(5);
  takt::test::Program program({"pj_dump", "-l", "9", folder.file("t.paje", to_paje(trace))});
  const takt::test::Result result = program.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto count = [&](const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = result.out.find(word); at != std::string::npos; at = result.out.find(word, at + 1))
      ++found;
    return found;
  };
  std::size_t recorded = 0;
  for (const RankTrace& rank : trace.ranks) recorded += rank.events.size();
  EXPECT_EQ(count("State, "), recorded);
  // A link that would arrive before it is sent still ends.
  EXPECT_EQ(count("Link, "), messages_of(trace).size());
  // The run, its ranks, and pajeng's own root.
  EXPECT_EQ(count("Container, "), 5U);
}

TEST(CsvTrace, has_a_line_for_each_event) {
  const RunTrace trace = random_trace(6);
  const std::string csv = to_csv(trace);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(csv, '\n')), 1 + 40 * 5 * 3 - 3U);
  EXPECT_THAT(csv, HasSubstr(",task,\"first, one\","));
  EXPECT_THAT(csv, HasSubstr(",task,\"\"\"second\"\"\","));
}

TEST(TracePage, compares_planned_with_measured_times) {
  if (page_bundle().script.empty()) GTEST_SKIP() << "built without node";
  const RunTrace trace = random_trace(7);
  const Page page = trace_page("t.json", trace);
  const json table = json::parse(page.views[1]);
  double sum = 0, count = 0;
  for (const RankTrace& rank : trace.ranks)
    for (const TraceEvent& event : rank.events)
      if (event.kind == TraceKind::task && event.subject == 1) {
        sum += static_cast<double>(event.end_ns - event.start_ns);
        ++count;
      }
  EXPECT_EQ(table["rows"][1][3], "40");
  EXPECT_NEAR(std::stod(table["rows"][1][5].get<std::string>()), sum / count, 0.5);
  EXPECT_EQ(table["rows"][1][4], "700");
  // In nanoseconds; the page chooses the unit.
  EXPECT_EQ(table["numbers"][4], 2);
  const json replay = json::parse(page.views[0]);
  EXPECT_EQ(replay["gantt"]["box"]["gap"].size(), 40U * 5 * 3 - 3);
  EXPECT_EQ(replay["graph"]["edges"]["from"], json({0}));
}

TEST(TracedFrames, are_numbers_ranges_and_steps) {
  EXPECT_TRUE(parse_traced_frames("7").contain(7));
  EXPECT_FALSE(parse_traced_frames("7").contain(8));
  const TracedFrames frames = parse_traced_frames("10-30/5");
  for (std::uint64_t frame = 0; frame < 50; ++frame)
    EXPECT_EQ(frames.contain(frame), frame == 10 || frame == 15 || frame == 20 || frame == 25 || frame == 30);
  for (const char* const wrong :
       {"", "-", "3-", "3-1", "1-5/0", "1-5/", "x", "1 - 5", "1-5/2x", "99999999999999999999"})
    EXPECT_THROW((void)parse_traced_frames(wrong), ConfigError) << wrong;
}

TEST(TraceRecorder, records_the_uses_of_chosen_frames_and_counts_lost_events) {
  UseTallies totals;
  Timeline timeline(totals);
  TraceRecorder recorder({.first = 1, .last = 2, .every = 1}, 5);
  timeline.record(&recorder);
  timeline.start();
  std::int64_t now = timeline.since();
  for (std::uint64_t frame = 0; frame < 4; ++frame) {
    recorder.begin(frame, TraceKind::receive, 9, 3);
    timeline.enter(Use::starved, now += 10);
    timeline.enter(Use::message, now += 20);
    recorder.begin(frame, TraceKind::task, 5, -1);
    timeline.enter(Use::compute, now += 30);
    timeline.enter(Use::other, now += 40);
  }
  const RankTrace trace = recorder.trace(0);
  ASSERT_EQ(trace.events.size(), 5U);
  // Two frames of three events each.
  EXPECT_EQ(trace.lost, 1U);
  EXPECT_EQ(trace.events[0].kind, TraceKind::starved);
  EXPECT_EQ(trace.events[1].kind, TraceKind::receive);
  EXPECT_EQ(trace.events[1].subject, 9U);
  EXPECT_EQ(trace.events[1].peer, 3);
  EXPECT_EQ(trace.events[2].kind, TraceKind::task);
  EXPECT_EQ(trace.events[2].subject, 5U);
  EXPECT_EQ(trace.events[2].end_ns - trace.events[2].start_ns, 40);
  EXPECT_EQ(trace.events[3].frame, 2U);
  EXPECT_EQ(recorder.trace(7).events[0].start_ns, trace.events[0].start_ns - 7);
}

TEST(RunTrace, contains_each_task_of_each_frame_once) {
  const takt::test::TemporaryFolder folder;
  const std::string pipeline =
      folder.file("p.yaml",
                  "name: traced\nsources:\n  s: {type: synthetic, axes: [time=256], pattern: count, frames: "
                  "60}\ntasks:\n  a: {kernel: spin, input: s, time: 100 us}\n  b: {kernel: spin, input: a, "
                  "time: 100 us}\nsinks:\n  n: {type: 'null', input: b}\ndeployment: {ranks: 2}\n");
  const std::string file = (folder / "t.json").string();
  const takt::test::Result run =
      takt::test::takt({"run", pipeline, "--trace", file, "--trace-frames", "10-49/2"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const RunTrace trace = trace_from_text(takt::test::read_file(file), file);
  std::map<std::pair<std::uint32_t, std::uint64_t>, int> seen;
  for (const RankTrace& rank : trace.ranks)
    for (const TraceEvent& event : rank.events)
      if (event.kind == TraceKind::task) ++seen[{event.subject, event.frame}];
  EXPECT_EQ(seen.size(), 4U * 20);
  for (const auto& [key, count] : seen) {
    EXPECT_EQ(count, 1);
    EXPECT_TRUE(key.second >= 10 && key.second <= 48 && key.second % 2 == 0);
  }
  EXPECT_EQ(takt::test::takt({"run", pipeline, "--trace-frames", "1"}).exit_code, 2);
  EXPECT_EQ(takt::test::takt({"view", file, "--format", "json"}).out, to_chrome_json(trace));
}

TEST(TraceEvents, show_the_contents_of_a_trace) {
  const RunTrace trace = random_trace(3);
  const json events = json::parse(to_chrome_json(trace));
  const auto document = nlohmann::ordered_json::parse(to_chrome_json(trace));
  ASSERT_TRUE(is_trace_events(document));
  const json view = json::parse(events_page("t", document).views.front());
  std::size_t slices = 0, flows = 0;
  double busy = 0;
  for (const json& event : events["traceEvents"]) {
    if (event["ph"] == "X") ++slices, busy += event["dur"].get<double>();
    if (event["ph"] == "s") ++flows;
  }
  EXPECT_EQ(view["box"]["len"].size(), slices);
  std::int64_t length = 0;
  for (const json& each : view["box"]["len"]) length += each.get<std::int64_t>();
  EXPECT_NEAR(static_cast<double>(length), 1000 * busy, static_cast<double>(slices));
  // Each rank has one thread without overlapping slices.
  EXPECT_EQ(view["rows"]["name"].size(), 3U);
  EXPECT_EQ(view["messages"]["send"].size(), flows);
}

TEST(TraceEvents, that_are_nested_have_a_row_below) {
  const auto document = nlohmann::ordered_json::parse(R"([
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "worker"}},
    {"ph": "X", "name": "outer", "pid": 1, "tid": 2, "ts": 10, "dur": 5},
    {"ph": "X", "name": "inner", "pid": 1, "tid": 2, "ts": 11, "dur": 1},
    {"ph": "X", "name": "other", "pid": 1, "tid": "main", "ts": 10.5},
    {"ph": "B", "name": "not drawn", "pid": 1, "tid": 2, "ts": 3}])");
  const Page page = events_page("t", document);
  const json view = json::parse(page.views.front());
  EXPECT_EQ(view["rows"]["name"],
            json({"process 1, worker", "process 1, worker (2)", "process 1, thread main"}));
  EXPECT_EQ(view["rows"]["boxes"], json({1, 1, 1}));
  EXPECT_EQ(view["box"]["gap"], json({0, 1000, 500}));
  EXPECT_EQ(view["box"]["len"], json({5000, 1000, 0}));
  EXPECT_EQ(page.facts.back().value, "1");
  EXPECT_THROW((void)events_page("t", nlohmann::ordered_json::parse(R"({"traceEvents": []})")), ConfigError);
}

}  // namespace
}  // namespace takt::pipeline
