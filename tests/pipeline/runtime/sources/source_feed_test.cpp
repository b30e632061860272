/// Tests when a stream ends, and its counters.

#include "pipeline/runtime/sources/source_feed.hpp"

#include <gtest/gtest.h>

#include "core/system/clock.hpp"
#include "sensors/synthetic/synthetic_source.hpp"

namespace takt::pipeline {
namespace {

using sensors::FrameHeader;
using sensors::FrameType;
using sensors::FrameView;
using sensors::SourceState;

/// Produces frames until it is stopped, and three more; its counters include frames that were not taken.
class Fountain final : public sensors::Source {
 public:
  [[nodiscard]] const FrameType& type() const override { return type_; }
  void start() override {}
  SourceState poll(FrameView& frame) override {
    if (stopped_ && left_-- == 0) return SourceState::ended;
    header_.missing_parts = given_ % 2;
    ++given_;
    frame = {&header_, {}};
    return SourceState::frame;
  }
  void release() override { ++released; }
  void stop() override { stopped_ = true; }
  [[nodiscard]] sensors::SourceCounters counters() const override {
    return {.ingested = given_ + 5, .dropped = given_ / 2, .incomplete = 77};
  }

  int released = 0;

 private:
  FrameType type_;
  FrameHeader header_;
  std::uint64_t given_ = 0;
  int left_ = 3;
  bool stopped_ = false;
};

/// Frames of 100 ms whose time began an hour before they were complete.
class OldData final : public sensors::Source {
 public:
  explicit OldData(std::int64_t utc_ns) {
    type_.rate_hz = 10;
    header_.utc_ns = utc_ns;
  }
  [[nodiscard]] const FrameType& type() const override { return type_; }
  void start() override {}
  SourceState poll(FrameView& frame) override {
    header_.ingested_ns = now_ns();
    frame = {&header_, {}};
    return SourceState::frame;
  }
  void release() override {}
  void stop() override {}
  [[nodiscard]] sensors::SourceCounters counters() const override { return {}; }

 private:
  FrameType type_;
  FrameHeader header_;
};

TEST(SourceFeed, measures_the_age_of_data_on_request) {
  const std::atomic<bool> drains{false};
  constexpr std::int64_t hour = 3'600'000'000'000, frame_ns = 100'000'000;
  const std::int64_t begin = utc_now_ns();
  const auto ages_of = [&](std::int64_t utc_ns, bool is_measured) {
    SourceFeed feed(std::make_unique<OldData>(utc_ns), StreamLimits{}, drains);
    if (is_measured) feed.measure_age();
    FrameView view;
    for (std::uint64_t frame = 0; frame < 3; ++frame) (void)feed.poll(frame, now_ns(), view);
    Distribution ages;
    ages.merge(feed.ages());
    return ages;
  };
  const Distribution ages = ages_of(begin - hour, true);
  const std::int64_t end = utc_now_ns();
  EXPECT_EQ(ages.count(), 3U);
  // Within the width of a bucket.
  EXPECT_GE(static_cast<double>(ages.quantile(0.5).count()), 0.98 * static_cast<double>(hour - frame_ns));
  EXPECT_LE(static_cast<double>(ages.quantile(1).count()),
            1.02 * static_cast<double>(hour - frame_ns + end - begin));
  EXPECT_EQ(ages_of(begin - hour, false).count(), 0U);
  EXPECT_EQ(ages_of(0, true).count(), 0U) << "frames without a time";
}

/// A rank may request the later one of two frames first, and the stream may end between them.
TEST(SourceFeed, that_is_shared_delivers_its_frames_in_any_order) {
  const std::atomic<bool> drains{false};
  for (const bool is_limited_by_source : {true, false})
    for (std::uint64_t frames = 0; frames <= 8; ++frames) {
      SCOPED_TRACE(frames);
      sensors::SyntheticOptions options;
      options.type = {.element = sensors::ElementType::int32, .axes = {{"time", 4}}};
      options.pattern = sensors::Pattern::count;
      // 0 frames are no limit of the source.
      const bool by_source = is_limited_by_source && frames > 0;
      if (by_source) options.frames = frames;
      SourceFeed feed(std::make_unique<sensors::SyntheticSource>(options),
                      by_source ? StreamLimits{} : StreamLimits{.frames = frames}, drains);
      feed.share();
      feed.source().start();
      std::uint64_t given = 0;
      for (std::uint64_t round = 0; !feed.has_ended(); ++round)
        for (const std::uint64_t instance : {2, 0}) {
          const std::uint64_t frame = 3 * round + instance;
          FrameView view;
          const SourceState state = feed.poll(frame, now_ns(), view);
          ASSERT_EQ(state, frame < frames ? SourceState::frame : SourceState::ended) << frame;
          if (state == SourceState::ended) continue;
          EXPECT_EQ(view.header->sequence, frame);
          EXPECT_EQ(*reinterpret_cast<const std::int32_t*>(view.bytes.data()),
                    static_cast<std::int32_t>(frame));
          EXPECT_EQ(feed.oldest(), frame);
          feed.release();
          ++given;
        }
      EXPECT_EQ(feed.counters().ingested, given);
      // Frames of instances 0 and 2 of three.
      EXPECT_EQ(given, frames / 3 * 2 + (frames % 3 > 0 ? 1 : 0));
    }
}

TEST(SourceFeed, ends_after_its_limit_of_frames_and_keeps_its_counters) {
  const std::atomic<bool> drains{false};
  SourceFeed feed(std::make_unique<Fountain>(), {.frames = 4}, drains);
  FrameView view;
  for (std::uint64_t frame = 0; frame < 4; ++frame)
    EXPECT_EQ(feed.poll(frame, now_ns(), view), SourceState::frame);
  EXPECT_EQ(feed.counters().ingested, 9U);
  EXPECT_FALSE(feed.has_ended());
  for (int again = 0; again < 3; ++again) EXPECT_EQ(feed.poll(4, now_ns(), view), SourceState::ended);
  EXPECT_TRUE(feed.has_ended());
  // Waiting frames are not part of the run; dropped ones are.
  EXPECT_EQ(feed.counters().ingested, 4U);
  EXPECT_EQ(feed.counters().incomplete, 2U);
  EXPECT_EQ(feed.counters().dropped, 2U);
}

TEST(SourceFeed, delivers_ingested_frames_while_it_drains) {
  std::atomic<bool> drains{false};
  SourceFeed feed(std::make_unique<Fountain>(), {}, drains);
  FrameView view;
  std::uint64_t frame = 0;
  for (; frame < 10; ++frame) EXPECT_EQ(feed.poll(frame, now_ns(), view), SourceState::frame);
  drains = true;
  for (; frame < 13; ++frame) EXPECT_EQ(feed.poll(frame, now_ns(), view), SourceState::frame);
  EXPECT_EQ(feed.poll(frame, now_ns(), view), SourceState::ended);
}

TEST(SourceFeed, ends_at_its_time_limit_after_the_first_frame) {
  const std::atomic<bool> drains{false};
  SourceFeed feed(std::make_unique<Fountain>(), {.duration = Time{1}}, drains);
  FrameView view;
  std::uint64_t frame = 0;
  while (feed.poll(frame, now_ns(), view) == SourceState::frame) ++frame;
  // The first frame, and the frames that the source had.
  EXPECT_EQ(frame, 4U);
}

TEST(SourceFeed, releases_frames_in_order) {
  const std::atomic<bool> drains{false};
  auto fountain = std::make_unique<Fountain>();
  Fountain& source = *fountain;
  SourceFeed feed(std::move(fountain), {}, drains);
  FrameView view;
  EXPECT_EQ(feed.oldest(), std::nullopt);
  for (std::uint64_t frame = 0; frame < 3; ++frame) (void)feed.poll(frame, now_ns(), view);
  EXPECT_EQ(feed.oldest(), 0U);
  feed.release();
  feed.release();
  EXPECT_EQ(feed.oldest(), 2U);
  feed.release();
  EXPECT_EQ(feed.oldest(), std::nullopt);
  EXPECT_EQ(source.released, 3);
}

}  // namespace
}  // namespace takt::pipeline
