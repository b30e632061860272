/// Tests that the sources and sinks of a trial represent those of the pipeline, and leave no files.

#include "pipeline/costs/trial_stages.hpp"

#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/system/clock.hpp"
#include "pipeline/costs/paced_source.hpp"
#include "sensors/frames/frame_memory.hpp"
#include "tests/pipeline/config/load.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline::test {
namespace {

using sensors::SourceState;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

Pipeline with_source(const std::string& source, const std::string& sink = "{type: 'null', input: a}") {
  return load("sources: {s: " + source + "}\ntasks: {a: {kernel: pass, input: s}}\nsinks: {o: " + sink +
              "}\n");
}

/// Returns the number of frames that arrive without waiting.
std::size_t frames_at_once(sensors::Source& source, std::size_t most) {
  source.start();
  std::size_t count = 0;
  FrameView frame;
  while (count < most && source.poll(frame) == SourceState::frame) {
    EXPECT_EQ(frame.header->sequence, count);
    ++count;
    source.release();
  }
  return count;
}

TEST(TrialStages, deliver_frames_as_fast_as_they_are_consumed) {
  const Pipeline pipeline = with_source("{type: synthetic, axes: [time=4], rate: 1 Hz, frames: 3}");
  EXPECT_EQ(frames_at_once(*make_trial_source(pipeline, 0), 100), 100U);
}

TEST(TrialStages, may_skip_the_first_frames) {
  const Pipeline pipeline = with_source("{type: synthetic, axes: [time=4], rate: 1 Hz}");
  const auto trial = make_trial_source(pipeline, 0, Time{0}, 5);
  ASSERT_TRUE(trial->may_be_shared());
  trial->start();
  FrameView frame;
  const auto next = [&] {
    EXPECT_EQ(trial->poll(frame), SourceState::frame);
    trial->release();
    return frame.header->sequence;
  };
  EXPECT_EQ(next(), 5U);
  EXPECT_EQ(next(), 6U);
  // Like a rank that has every third frame.
  trial->seek(3);
  EXPECT_EQ(next(), 8U);
}

/// A receiver, which is noise in a trial, and a stream with its own time, whose frames are half as long.
TEST(TrialStages, of_joined_sources_have_their_own_frames_from_0_on) {
  const Pipeline pipeline = load(R"(
sources:
  west: {type: tcp, server: '127.0.0.1:1', axes: [time=64], rate: 10 Hz, depth: 5}
  east: {type: synthetic, axes: [time=32], rate: 20 Hz}
tasks: {a: {kernel: stack, inputs: [west, east], axis: beamlet}}
sinks: {o: {type: 'null', input: a}}
)");
  const auto times_of = [](sensors::Source& trial) {
    trial.start();
    std::vector<std::int64_t> times;
    for (FrameView frame; times.size() < 3 && trial.poll(frame) == SourceState::frame; trial.release())
      times.push_back(frame.header->utc_ns);
    trial.stop();
    return times;
  };
  for (const auto& [stage, period] : {std::pair(0, 100'000'000), {1, 50'000'000}}) {
    const auto own = make_trial_source_to_join(pipeline, stage);
    EXPECT_EQ(own->type(), pipeline.stages[stage].own_frames);
    EXPECT_THAT(times_of(*own), ElementsAre(0, period, 2 * period));
    const auto joined = make_trial_source(pipeline, stage);
    EXPECT_EQ(joined->type(), pipeline.stages[stage].output);
    EXPECT_THAT(times_of(*joined), ElementsAre(0, 100'000'000, 200'000'000));
  }
}

/// The first frame arrives immediately, the next one in a day and not earlier. With one nanosecond between
/// frames, each keeps its own time when it is consumed late, unless the number of waiting frames is limited.
TEST(TrialStages, deliver_frames_at_a_rate) {
  const Pipeline pipeline = with_source("{type: synthetic, axes: [time=4], rate: 1 Hz}");
  EXPECT_EQ(frames_at_once(*paced(make_trial_source(pipeline, 0), {.rate = {1e-5}}), 100), 1U);
  const auto moments_of = [&](std::size_t most_waiting) {
    constexpr Time receiving{7};
    const auto trial = paced(make_trial_source(pipeline, 0), {{1e9}, most_waiting, receiving});
    EXPECT_EQ(trial->type(), pipeline.stages[0].output);
    trial->start();
    FrameView frame;
    std::vector<std::int64_t> moments;
    while (moments.size() < 3) {
      if (trial->poll(frame) != SourceState::frame) continue;
      moments.push_back(frame.header->ingested_ns - receiving.count());
      trial->release();
      EXPECT_EQ(trial->next_frame_ns(), moments.back() + 1);
      // Longer than nothing.
      for (const std::int64_t now = now_ns(); now_ns() < now + 1000;) {
      }
    }
    EXPECT_LE(moments[2], now_ns());
    trial->stop();
    // One frame may have arrived already.
    if (trial->poll(frame) == SourceState::frame) trial->release();
    EXPECT_EQ(trial->poll(frame), SourceState::ended);
    return moments;
  };
  const std::vector<std::int64_t> waiting = moments_of(10'000'000'000), held_up = moments_of(1);
  EXPECT_EQ(waiting[2] - waiting[0], 2);
  EXPECT_GE(held_up[2] - held_up[0], 2000);
  EXPECT_THROW((void)paced(make_trial_source(pipeline, 0), {.rate = {0}}), std::invalid_argument);
}

/// Returns the sender that `takt sustain` uses for a source.
EmulatedSender sender_to(const std::string& source, const SenderPlace& place = {}) {
  const Pipeline pipeline = with_source("{axes: ['time=4:0:2', channel=3], " + source + "}");
  return pipeline.kernels.find_source(pipeline.stages[0].type)->sender(pipeline.stages[0].parameters, place);
}

/// For a source of frames over UDP; without a rate there is no sender.
TEST(TrialStages, have_a_sender_that_is_takt_send) {
  EXPECT_TRUE(sender_to("type: udp, ports: [9]").arguments.empty());
  std::vector<std::string> words =
      sender_to("type: udp, ports: [9], element: int16, rate: 10 Hz, payload: 100").arguments;
  words.insert(words.end(), {"--packets", "3", "--speed", "1000", "--format", "json"});
  const takt::test::Result result = takt::test::takt(words);
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

/// A source accepts a remote sender in spite of its own filters; it connects to a sender that listens.
TEST(TrialStages, pass_the_address_of_the_sender_to_sources) {
  const SenderPlace apart{.of_source = "10.0.0.1", .of_sender = "h2"};
  const EmulatedSender udp =
      sender_to("type: udp, ports: [9], rate: 10 Hz, from: [10.0.0.7], interface: eth7", apart);
  EXPECT_THAT(udp.arguments, Contains("10.0.0.1:9"));
  EXPECT_THAT(udp.settings,
              UnorderedElementsAre(Pair("address", "0.0.0.0"), Pair("interface", "''"), Pair("from", "[]")));
  EXPECT_THAT(sender_to("type: udp, ports: [9], rate: 10 Hz").settings, IsEmpty());
  EXPECT_THROW((void)sender_to("type: udp, ports: [0], rate: 10 Hz"), ConfigError);

  const EmulatedSender tcp = sender_to("type: tcp, server: 'dish:7001', rate: 10 Hz", apart);
  EXPECT_TRUE(tcp.is_held_up);
  EXPECT_FALSE(udp.is_held_up);
  EXPECT_THAT(tcp.arguments, AllOf(Contains("tcp"), Contains("0.0.0.0:7001")));
  EXPECT_THAT(tcp.settings, ElementsAre(Pair("server", "h2:7001")));
  EXPECT_THAT(sender_to("type: tcp, server: 'dish:7001', rate: 10 Hz").arguments, Contains("127.0.0.1:7001"));

  const EmulatedSender zmq = sender_to(
      "type: zmq, endpoint: 'tcp://0.0.0.0:7002', bind: true, socket: pull, topic: a, rate: 10 Hz", apart);
  EXPECT_THAT(zmq.arguments, Contains("push"));
  EXPECT_TRUE(zmq.is_held_up);
  EXPECT_THAT(zmq.settings, UnorderedElementsAre(Pair("endpoint", "tcp://h2:7002"), Pair("bind", "false"),
                                                 Pair("topic", "''")));
  // 12 float32 per frame.
  EXPECT_THAT(sender_to("type: zmq, endpoint: 'tcp://a:1', format: gnuradio, element: float32, rate: 10 Hz")
                  .arguments,
              AllOf(Contains("pub"), Contains("120 Hz"), Contains("48")));
  EXPECT_THROW((void)sender_to("type: zmq, endpoint: 'ipc:///a', rate: 10 Hz"), ConfigError);
}

TEST(TrialStages, represent_a_receiving_source_without_its_port) {
  const Pipeline pipeline = with_source("{type: tcp, server: '127.0.0.1:1', axes: [time=4], rate: 10 Hz}");
  const auto trial = make_trial_source(pipeline, 0);
  EXPECT_EQ(trial->type(), pipeline.stages[0].output);
  EXPECT_EQ(trial->least_pool(), pipeline.make_source(0)->least_pool());
  EXPECT_EQ(frames_at_once(*trial, 100), 100U);
}

TEST(TrialStages, lend_as_many_frames_as_fit_the_memory) {
  const Pipeline live = with_source("{type: tcp, server: '127.0.0.1:1', axes: [time=64], rate: 10 Hz}");
  const auto trial = make_trial_source(live, 0);
  std::vector<std::byte> memory(3 * 256);
  trial->use_pool({memory, 256});
  trial->start();
  FrameView first, next;
  ASSERT_EQ(trial->poll(first), SourceState::frame);
  ASSERT_EQ(trial->poll(next), SourceState::frame);
  EXPECT_NE(first.bytes.data(), next.bytes.data());
  EXPECT_TRUE(std::ranges::equal(first.bytes, next.bytes));
  ASSERT_EQ(trial->poll(next), SourceState::frame);
  EXPECT_EQ(trial->poll(next), SourceState::waiting);
  trial->release();
  EXPECT_EQ(trial->poll(next), SourceState::frame);
  trial->stop();
  EXPECT_EQ(trial->poll(next), SourceState::ended);
}

TEST(TrialStages, write_to_no_named_file) {
  const takt::test::TemporaryFolder folder;
  const std::string path = folder / "out.raw";
  const Pipeline pipeline = with_source("{type: synthetic, axes: [time=4]}",
                                        fmt::format("{{type: raw, input: a, path: {}}}", path));
  const auto sink = make_trial_sink(pipeline, 2);
  sensors::FrameMemory memory(1, Bytes{16});
  FrameHeader header;
  sink->open();
  sink->write({&header, memory.frame(0)});
  EXPECT_EQ(std::filesystem::file_size(sink->location()), 16U);
  ++header.sequence;
  sink->write({&header, memory.frame(0)});
  EXPECT_EQ(std::filesystem::file_size(sink->location()), 32U);
  // After a gap another stream begins.
  header = {.sequence = 0, .epoch = 1};
  sink->write({&header, memory.frame(0)});
  EXPECT_EQ(std::filesystem::file_size(sink->location()), 16U);
  sink->close();
  EXPECT_TRUE(std::filesystem::is_empty(folder / ""));
}

}  // namespace
}  // namespace takt::pipeline::test
