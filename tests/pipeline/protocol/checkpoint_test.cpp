/// Tests that matching parts of checkpoints are combined, and that frames of a live stream that are lost
/// without a receiver are counted.

#include "pipeline/protocol/checkpoint.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "pipeline/launch/supervisor.hpp"
#include "pipeline/runtime/sources/source_feed.hpp"

namespace takt::pipeline {
namespace {

using sensors::FrameHeader;
using sensors::FrameType;
using sensors::FrameView;
using sensors::SourceState;

std::vector<std::byte> bytes_of(const std::string& text) {
  std::vector<std::byte> bytes;
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

TEST(Checkpoint, is_unchanged_after_conversion_to_text) {
  Checkpoint checkpoint{.frame = 1234567890123, .parts = 3, .rank = 2, .stages = {}};
  checkpoint.stages.push_back({.stage = 4, .runs = 5, .given = 6, .total_ns = 7});
  checkpoint.stages.push_back({.stage = 5, .state = bytes_of(std::string("\n\0{}\n", 5))});
  checkpoint.stages.push_back({.stage = 6, .state = bytes_of("")});
  SavedStage::Stream stream{.place = {.frames = 11, .last = {}}, .begun_utc_ns = 12, .step = 13};
  stream.place.last.sequence = 14;
  stream.place.last.epoch = 15;
  stream.place.last.first_sample = 16;
  stream.place.last.utc_ns = -17;
  stream.counters = {.ingested = 1, .lost = 2, .dropped = 3, .incomplete = 4, .details = {{"a", "b", 5}}};
  checkpoint.stages.push_back({.stage = 0, .stream = stream});
  checkpoint.stages.push_back({.stage = 9, .delivery = SavedStage::Delivery{1, 2, 3, 4}});
  const Checkpoint again = checkpoint_from_text(to_text(checkpoint));
  EXPECT_EQ(to_text(again), to_text(checkpoint));
  EXPECT_EQ(again.frame, checkpoint.frame);
  EXPECT_EQ(again.find(5)->state, checkpoint.stages[1].state);
  ASSERT_TRUE(again.find(6)->state);
  EXPECT_FALSE(again.find(4)->state);
  EXPECT_EQ(again.find(0)->stream->place.last.utc_ns, -17);
  EXPECT_EQ(again.find(9)->delivery->held_back, 4U);
  EXPECT_EQ(again.find(7), nullptr);
}

TEST(Checkpoint, text_that_is_truncated_is_refused) {
  Checkpoint checkpoint{.frame = 1, .stages = {}};
  checkpoint.stages.push_back({.stage = 5, .state = bytes_of("0123456789")});
  const std::string text = to_text(checkpoint);
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_THROW((void)checkpoint_from_text(text.substr(0, length)), ConfigError) << length;
}

/// Each rank sends its parts in order; messages of different ranks interleave, and some never arrive.
TEST(Checkpoint, the_last_one_is_the_newest_complete_one) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const std::size_t ranks = 1 + random() % 4, cuts = 1 + random() % 6;
    std::vector<std::size_t> next(ranks, 0);
    std::map<std::size_t, std::size_t> came;
    CheckpointDesk desk;
    std::optional<std::size_t> expected;
    while (true) {
      std::vector<std::size_t> left;
      for (std::size_t rank = 0; rank < ranks; ++rank)
        if (next[rank] < cuts) left.push_back(rank);
      if (left.empty()) break;
      const std::size_t rank = left[random() % left.size()];
      const std::size_t cut = next[rank]++;
      if (random() % 5 == 0) continue;
      // Each rank's part contains the number of the checkpoint, so that mixed ones are detected.
      Checkpoint part{.frame = cut * 10, .parts = ranks, .rank = rank, .stages = {}};
      part.stages.push_back({.stage = rank, .runs = cut});
      part.stages.push_back({.stage = 99, .runs = 1});
      desk.take(part);
      if (++came[cut] == ranks && (!expected || cut > *expected)) expected = cut;
      ASSERT_EQ(desk.last().has_value(), expected.has_value());
      if (!expected) continue;
      ASSERT_EQ(desk.last()->frame, *expected * 10);
      for (std::size_t each = 0; each < ranks; ++each) ASSERT_EQ(desk.last()->find(each)->runs, *expected);
      ASSERT_EQ(desk.last()->find(99)->runs, ranks);
    }
  }
}

/// A live source. Its sender numbers samples and never waits: samples sent without a receiver are lost. A
/// frame begins at any sample, or at multiples of a frame's samples.
class Ear final : public sensors::Source {
 public:
  static constexpr std::uint64_t samples = 16;
  Ear(std::vector<std::uint64_t> heard, double rate_hz) : heard_(std::move(heard)) {
    type_.rate_hz = rate_hz;
  }
  [[nodiscard]] const FrameType& type() const override { return type_; }
  void start() override {}
  SourceState poll(FrameView& frame) override {
    if (given_ == heard_.size()) return SourceState::waiting;
    const std::uint64_t number = (heard_[given_] - heard_[0]) / samples;
    header_ = {.sequence = number,
               .utc_ns = static_cast<std::int64_t>(heard_[given_]) * 1'000'000,
               .first_sample = heard_[given_]};
    ++given_;
    frame = {&header_, {}};
    return SourceState::frame;
  }
  void release() override {}
  void stop() override {}
  [[nodiscard]] sensors::SourceCounters counters() const override {
    // It has received all frames, including those not yet consumed.
    return {.ingested = given_, .lost = (heard_.back() - heard_[0]) / samples + 1 - heard_.size()};
  }

 private:
  FrameType type_;
  std::vector<std::uint64_t> heard_;
  FrameHeader header_;
  std::size_t given_ = 0;
};

TEST(LiveStream, counts_losses_over_any_number_of_outages) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    const std::atomic<bool> drains{false};
    std::uint64_t sample = 1000 * Ear::samples, first = sample;
    std::optional<SavedStage::Stream> saved;
    std::uint64_t taken = 0, lost = 0;
    for (int life = 0; life < 3; ++life) {
      std::vector<std::uint64_t> heard;
      for (int i = 0; i < 10; ++i) {
        heard.push_back(sample);
        sample += Ear::samples * (1 + (random() % 4 == 0 ? random() % 3 : 0));
      }
      SourceFeed feed(std::make_unique<Ear>(heard, 1e6 / Ear::samples / 1000), {}, drains);
      feed.follow_stream();
      if (saved) feed.resume(*saved, false);
      // Some frames are consumed before the checkpoint, others after it: these are lost with the process.
      // In the first life at least two, which determine the samples per frame.
      const std::uint64_t kept = (life == 0 ? 2 : 1) + random() % 6;
      FrameView view;
      for (std::uint64_t i = 0; i < kept; ++i) {
        ASSERT_EQ(feed.poll(taken, now_ns(), view), SourceState::frame);
        FrameHeader header = *view.header;
        feed.renumber(header);
        // In one epoch, numbers follow the sender's clock, independent of the receiver.
        ASSERT_EQ(header.epoch, 0);
        ASSERT_EQ(header.sequence, (header.first_sample - first) / Ear::samples);
        ++taken;
      }
      saved = feed.save();
      lost = (heard[kept - 1] - first) / Ear::samples + 1 - taken;
      ASSERT_EQ(saved->place.frames, taken);
      ASSERT_EQ(saved->counters.ingested, taken);
      ASSERT_EQ(saved->counters.lost, lost);
      ASSERT_EQ(feed.lost_in_outage().has_value(), life > 0);
      const std::uint64_t taken_then = taken;
      for (int i = 0; i < 3 && kept + i < heard.size(); ++i) (void)feed.poll(taken_then, now_ns(), view);
      sample += Ear::samples * (random() % 50);
    }
  }
}

TEST(LiveStream, begins_an_epoch_when_its_frames_are_misaligned) {
  const std::atomic<bool> drains{false};
  SourceFeed before(std::make_unique<Ear>(std::vector<std::uint64_t>{160, 176, 192}, 1000.0 / 16), {},
                    drains);
  before.follow_stream();
  FrameView view;
  for (std::uint64_t i = 0; i < 3; ++i) (void)before.poll(i, now_ns(), view);
  SourceFeed after(
      std::make_unique<Ear>(std::vector<std::uint64_t>{192 + 16 * 7 + 5, 192 + 16 * 8 + 5}, 1000.0 / 16), {},
      drains);
  after.resume(before.save(), false);
  ASSERT_EQ(after.poll(3, now_ns(), view), SourceState::frame);
  FrameHeader header = *view.header;
  after.renumber(header);
  EXPECT_EQ(header.epoch, 1);
  EXPECT_EQ(header.sequence, 0U);
  // 7.3 frames later: six whole ones are missing.
  EXPECT_EQ(after.lost_in_outage(), 6U);
  EXPECT_EQ(after.counters().ingested, 4U);
  EXPECT_EQ(after.counters().lost, 6U);
}

TEST(Restart, pauses_increase_to_a_minute) {
  const Restart restart{.backoff = std::chrono::seconds{5}};
  const std::vector<int> seconds{5, 10, 20, 40, 60, 60};
  for (std::size_t i = 0; i < seconds.size(); ++i)
    EXPECT_EQ(pause_before(restart, i + 1), std::chrono::seconds{seconds[i]});
  EXPECT_EQ(pause_before({.backoff = std::chrono::minutes{5}}, 3), std::chrono::minutes{5});
  EXPECT_EQ(pause_before({.backoff = Time{0}}, 1000), Time{0});
}

}  // namespace
}  // namespace takt::pipeline
