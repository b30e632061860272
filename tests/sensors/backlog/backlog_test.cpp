/// Tests of frames that wait for a slower consumer: order, content, and a count of every one.

#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/saved_state.hpp"
#include "core/system/clock.hpp"
#include "sensors/backlog/backlogged_sink.hpp"
#include "sensors/backlog/backlogged_source.hpp"
#include "sensors/synthetic/synthetic_source.hpp"
#include "tests/sensors/backlog/numbered_frames.hpp"

namespace takt::sensors {
namespace backlog_backlog_test {

using test::number_of;
using test::numbered_bytes;
using test::numbered_type;
using test::NumberedFrame;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void expect_all_counted(const FrameBacklog& backlog, std::uint64_t put) {
  const FrameBacklog::Counts counts = backlog.counts();
  EXPECT_EQ(counts.received, put);
  EXPECT_EQ(counts.received, counts.given + counts.dropped + counts.decimated + counts.waiting);
}

/// The waiting frames by each policy's definition, as a plain queue.
class Model {
 public:
  Model(BacklogPolicy policy, std::size_t depth, std::size_t on_disk)
      : policy_(policy), room_(depth + (policy == BacklogPolicy::spill ? on_disk : 0)) {}
  void put(std::uint64_t number) {
    if (queue.size() < room_) return queue.push_back(number);
    if (policy_ != BacklogPolicy::drop_oldest) return;
    queue.pop_front();
    queue.push_back(number);
  }
  std::deque<std::uint64_t> queue;

 private:
  BacklogPolicy policy_;
  std::size_t room_;
};

TEST(FrameBacklog, keeps_frames_by_its_policy_and_in_order) {
  std::mt19937 random(11);
  for (const BacklogPolicy policy :
       {BacklogPolicy::drop_newest, BacklogPolicy::drop_oldest, BacklogPolicy::spill})
    for (int trial = 0; trial < 20; ++trial) {
      SCOPED_TRACE(fmt::format("{} {}", name_of(policy), trial));
      const std::size_t depth = 1 + random() % 4, on_disk = 1 + random() % 5;
      FrameBacklog backlog({policy, depth, Bytes{on_disk * (numbered_bytes + sizeof(SpillFile::Head))}, {}},
                           Bytes{numbered_bytes});
      Model model(policy, depth, on_disk);
      std::uint64_t put = 0;
      // Memory is refilled only when the disk is empty: until then its space is reduced.
      std::size_t in_memory = 0, spilled = 0;
      for (int step = 0; step < 200; ++step) {
        if (random() % 5 < 3) {
          if (policy == BacklogPolicy::spill) {
            if (spilled == 0 && in_memory < depth)
              ++in_memory, model.queue.push_back(put);
            else if (spilled < on_disk)
              ++spilled, model.queue.push_back(put);
          } else {
            model.put(put);
          }
          backlog.put(NumberedFrame(put).view(), put % 3 == 0);
          ++put;
        } else if (const auto frame = backlog.take(0)) {
          ASSERT_FALSE(model.queue.empty());
          EXPECT_EQ(number_of(*frame), model.queue.front());
          EXPECT_EQ(backlog.is_cut_off(), model.queue.front() % 3 == 0);
          model.queue.pop_front();
          --(in_memory > 0 ? in_memory : spilled);
          backlog.release();
        } else {
          EXPECT_TRUE(model.queue.empty());
        }
        expect_all_counted(backlog, put);
      }
      backlog.end();
      while (const auto frame = backlog.take(0)) {
        EXPECT_EQ(number_of(*frame), model.queue.front());
        model.queue.pop_front();
        backlog.release();
      }
      EXPECT_TRUE(model.queue.empty());
      EXPECT_TRUE(backlog.is_over());
    }
}

/// Frames that represent three source frames each.
TEST(FrameBacklog, counts_omitted_source_frames) {
  for (const BacklogPolicy policy : {BacklogPolicy::drop_newest, BacklogPolicy::drop_oldest,
                                     BacklogPolicy::decimate, BacklogPolicy::spill}) {
    FrameBacklog backlog({policy, 2, Bytes{3 * (numbered_bytes + sizeof(SpillFile::Head))}, {}},
                         Bytes{numbered_bytes});
    for (std::uint64_t number = 0; number < 20; ++number) {
      const NumberedFrame frame(number);
      FrameHeader header = *frame.view().header;
      header.combined = 3;
      backlog.put({&header, frame.view().bytes});
    }
    const FrameBacklog::Counts counts = backlog.counts();
    EXPECT_GT(counts.dropped + counts.decimated, 10U) << name_of(policy);
    EXPECT_EQ(counts.left_out, 3 * (counts.dropped + counts.decimated)) << name_of(policy);
  }
}

TEST(FrameBacklog, decimates_evenly_under_overload_and_recovers) {
  FrameBacklog backlog({BacklogPolicy::decimate, 8, {}, {}}, Bytes{numbered_bytes});
  std::vector<std::uint64_t> taken;
  const auto take = [&] {
    if (const auto frame = backlog.take(0)) {
      taken.push_back(number_of(*frame));
      backlog.release();
    }
  };
  std::uint64_t put = 0;
  // A consumer that processes one of three: it receives every fourth frame.
  for (; put < 3000; ++put) {
    backlog.put(NumberedFrame(put).view());
    if (put % 3 == 0) take();
  }
  std::size_t uneven = 0;
  for (std::size_t i = 1; i < taken.size(); ++i) {
    const std::uint64_t distance = taken[i] - taken[i - 1];
    if (distance > 8) ++uneven;
  }
  EXPECT_EQ(uneven, 0);
  EXPECT_GT(taken.size(), 700);
  for (; put < 4000; ++put) {
    take();
    backlog.put(NumberedFrame(put).view());
  }
  for (std::size_t i = taken.size() - 800; i < taken.size(); ++i) EXPECT_EQ(taken[i], taken[i - 1] + 1);
  expect_all_counted(backlog, put);
}

TEST(FrameBacklog, loses_nothing_between_threads_if_it_blocks_or_spills) {
  for (const BacklogPolicy policy : {BacklogPolicy::block, BacklogPolicy::spill}) {
    FrameBacklog backlog({policy, 3, Bytes{1 << 22}, {}}, Bytes{numbered_bytes});
    constexpr std::uint64_t frames = 5000;
    std::thread producer([&] {
      for (std::uint64_t i = 0; i < frames; ++i) backlog.put(NumberedFrame(i).view());
      backlog.end();
    });
    std::uint64_t next = 0;
    while (!backlog.is_over())
      if (const auto frame = backlog.take(now_ns() + 1'000'000)) {
        EXPECT_EQ(number_of(*frame), next++);
        backlog.release();
      }
    producer.join();
    EXPECT_EQ(next, frames);
    EXPECT_EQ(backlog.counts().dropped, 0);
  }
}

TEST(FrameBacklog, refuses_a_spill_limit_below_one_frame) {
  EXPECT_THROW(FrameBacklog({BacklogPolicy::spill, 2, Bytes{100}, {}}, Bytes{numbered_bytes}), ConfigError);
  EXPECT_THROW(
      FrameBacklog({BacklogPolicy::spill, 2, Bytes{1 << 20}, "/no/such/folder"}, Bytes{numbered_bytes}),
      WorkError);
  EXPECT_THROW((void)parse_backlog_policy("drop_oldst"), ConfigError);
}

/// Writes when permitted, or fails.
class GatedSink final : public Sink {
 public:
  explicit GatedSink(std::vector<std::uint64_t>& written) : written_(written) {}
  void open() override {}
  void write(const FrameView& frame) override {
    while (!is_open) std::this_thread::yield();
    if (fails) throw WorkError("the disk is full");
    written_.push_back(number_of(frame));
  }
  void close() override { is_closed = true; }
  std::string location() const override { return "gate"; }
  std::atomic<bool> is_open{false}, fails{false}, is_closed{false};

 private:
  std::vector<std::uint64_t>& written_;
};

TEST(BackloggedSink, does_not_delay_its_writer) {
  std::vector<std::uint64_t> written;
  auto gated = std::make_unique<GatedSink>(written);
  GatedSink& gate = *gated;
  BackloggedSink sink(std::move(gated), numbered_type, {.policy = BacklogPolicy::drop_oldest, .depth = 4});
  sink.open();
  // The gate is closed, and all writes return.
  for (std::uint64_t i = 0; i < 100; ++i) sink.write(NumberedFrame(i).view());
  gate.is_open = true;
  sink.close();
  EXPECT_TRUE(gate.is_closed);
  // One frame may have been at the gate; the newest four waited.
  ASSERT_GE(written.size(), 4);
  EXPECT_THAT(std::vector(written.end() - 4, written.end()), ElementsAre(96, 97, 98, 99));
  EXPECT_LE(written.size(), 5);
  std::uint64_t dropped = 0;
  for (const Counter& counter : sink.counters())
    if (counter.name == "backlog_dropped") dropped = counter.value;
  EXPECT_EQ(dropped + written.size(), 100);
  EXPECT_THAT(sink.warnings(), ElementsAre(HasSubstr("(drop_oldest)")));
}

TEST(BackloggedSink, rethrows_errors_of_its_thread) {
  std::vector<std::uint64_t> written;
  auto gated = std::make_unique<GatedSink>(written);
  gated->is_open = true;
  gated->fails = true;
  BackloggedSink sink(std::move(gated), numbered_type, {.policy = BacklogPolicy::block, .depth = 1});
  sink.open();
  EXPECT_THROW(
      {
        for (std::uint64_t i = 0; i < 100; ++i) sink.write(NumberedFrame(i).view());
        sink.close();
      },
      WorkError);
  EXPECT_THAT(written, IsEmpty());
}

/// A file of frame numbers, which another sink continues. Some frames take longer.
class KeptSink final : public Sink {
 public:
  explicit KeptSink(std::vector<std::uint64_t>& file) : file_(file) {}
  void open() override { file_.clear(); }
  void write(const FrameView& frame) override {
    if (frame.header->sequence % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds{200});
    file_.push_back(number_of(frame));
  }
  void close() override {}
  std::string location() const override { return "kept"; }
  std::optional<std::vector<std::byte>> save() const override { return saved(file_.size()); }
  void resume(std::span<const std::byte> state) override {
    std::size_t size = 0;
    load_into(state, size);
    ASSERT_LE(size, file_.size());
    file_.resize(size);
  }

 private:
  std::vector<std::uint64_t>& file_;
};

class BackloggedSinkThatDies : public ::testing::TestWithParam<BacklogPolicy> {};

/// The sink repeatedly dies with its waiting frames, and another one continues after the last saved state.
TEST_P(BackloggedSinkThatDies, is_continued_without_a_difference) {
  constexpr std::uint64_t frames = 400;
  std::mt19937 random(7);
  std::vector<std::uint64_t> file;
  const auto make = [&] {
    return std::make_unique<BackloggedSink>(std::make_unique<KeptSink>(file), numbered_type,
                                            BacklogOptions{.policy = GetParam(), .depth = 3});
  };
  auto sink = make();
  sink->open();
  std::vector<std::byte> state = sink->save().value();
  std::uint64_t next = 0, saved_next = 0, saves = 0;
  for (int deaths = 0; next < frames;) {
    sink->write(NumberedFrame(next++).view());
    if (random() % 5 == 0)
      if (const auto now = sink->save()) {
        state = *now;
        saved_next = next;
        ++saves;
      }
    if (random() % 40 != 0 || ++deaths > 20) continue;
    sink = make();
    sink->resume(state);
    next = saved_next;
  }
  sink->close();
  EXPECT_GT(saves, 20U);
  EXPECT_TRUE(std::ranges::is_sorted(file, std::less_equal<>{})) << "a frame was written twice";
  std::map<std::string, std::uint64_t> counts;
  for (const Counter& counter : sink->counters()) counts[counter.name] = counter.value;
  EXPECT_EQ(counts["backlog_received"], frames);
  EXPECT_EQ(counts["backlog_given"], file.size());
  EXPECT_EQ(counts["backlog_given"] + counts["backlog_dropped"] + counts["backlog_decimated"], frames);
  if (GetParam() == BacklogPolicy::block) {
    EXPECT_EQ(file.size(), frames);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, BackloggedSinkThatDies,
                         ::testing::Values(BacklogPolicy::block, BacklogPolicy::drop_newest,
                                           BacklogPolicy::drop_oldest, BacklogPolicy::decimate),
                         [](const auto& each) { return std::string(name_of(each.param)); });

TEST(BackloggedSink, saves_while_frames_are_written_continuously) {
  std::vector<std::uint64_t> file;
  BackloggedSink sink(std::make_unique<KeptSink>(file), numbered_type,
                      {.policy = BacklogPolicy::block, .depth = 2});
  sink.open();
  std::uint64_t saves = 0;
  // All of them take long: after the first failed save, it returns its state before the current frame.
  for (std::uint64_t i = 0; i < 50; ++i) {
    sink.write(NumberedFrame(8 * i).view());
    if (sink.save()) ++saves;
  }
  sink.close();
  EXPECT_GT(saves, 10U);
}

TEST(BackloggedSink, saves_nothing_while_frames_wait_on_disk) {
  std::vector<std::uint64_t> file;
  const BackloggedSink sink(std::make_unique<KeptSink>(file), numbered_type,
                            {.policy = BacklogPolicy::spill, .depth = 2});
  EXPECT_FALSE(sink.save());
}

/// Delivers its frames immediately.
class BurstSource final : public Source {
 public:
  explicit BurstSource(std::uint64_t frames) : frames_(frames) {}
  const FrameType& type() const override { return numbered_type; }
  void start() override {}
  SourceState poll(FrameView& view) override {
    if (next_ == frames_) return fails ? throw WorkError("the line is down") : SourceState::ended;
    frame_.emplace(next_++);
    view = frame_->view();
    return SourceState::frame;
  }
  void release() override {}
  void stop() override { next_ = frames_; }
  SourceCounters counters() const override { return {.ingested = frames_}; }
  bool fails = false;

 private:
  std::uint64_t frames_, next_ = 0;
  std::optional<NumberedFrame> frame_;
};

TEST(BackloggedSource, delivers_the_queued_frames_and_counts_the_others) {
  BackloggedSource source(std::make_unique<BurstSource>(200),
                          {.policy = BacklogPolicy::drop_oldest, .depth = 5});
  source.start();
  // The burst is over when its last frame has arrived.
  while (source.counters().details.front().value < 200) std::this_thread::yield();
  std::vector<std::uint64_t> given;
  FrameView view;
  SourceState state;
  while ((state = source.poll(view)) != SourceState::ended) {
    if (state == SourceState::waiting) {
      source.wait(now_ns() + 1'000'000);
      continue;
    }
    given.push_back(number_of(view));
    source.release();
  }
  EXPECT_THAT(given, ElementsAre(195, 196, 197, 198, 199));
  EXPECT_EQ(source.counters().ingested, 5);
  EXPECT_EQ(source.counters().dropped, 195);
}

TEST(BackloggedSource, forwards_the_start_time_to_its_source) {
  SyntheticOptions options;
  options.type = numbered_type;
  options.frames = 1;
  BackloggedSource source(std::make_unique<SyntheticSource>(options),
                          {.policy = BacklogPolicy::block, .depth = 4});
  source.begin_at(1'600'000'000'000'000'000);
  source.start();
  FrameView frame;
  while (source.poll(frame) == SourceState::waiting) source.wait(now_ns() + 1'000'000);
  ASSERT_NE(frame.header, nullptr);
  EXPECT_EQ(frame.header->utc_ns, 1'600'000'000'000'000'000);
  source.release();
}

TEST(BackloggedSource, counts_packets_that_arrive_before_its_source_starts) {
  class Counted final : public PacketCount {
   public:
    std::uint64_t packets() override { return 7; }
  };
  class Receiver final : public Source {
   public:
    [[nodiscard]] const FrameType& type() const override { return type_; }
    void start() override {}
    [[nodiscard]] SourceState poll(FrameView& frame) override {
      (void)frame;
      return SourceState::ended;
    }
    void release() override {}
    void stop() override {}
    [[nodiscard]] SourceCounters counters() const override { return {}; }
    [[nodiscard]] std::unique_ptr<PacketCount> count_packets() const override {
      return std::make_unique<Counted>();
    }

   private:
    FrameType type_ = numbered_type;
  };
  const BackloggedSource source(std::make_unique<Receiver>(), {.policy = BacklogPolicy::block, .depth = 4});
  EXPECT_EQ(source.count_packets()->packets(), 7U);
}

TEST(BackloggedSource, delivers_frames_from_before_a_failure_of_its_source) {
  auto burst = std::make_unique<BurstSource>(3);
  burst->fails = true;
  BackloggedSource source(std::move(burst), {.policy = BacklogPolicy::block, .depth = 1});
  source.start();
  std::uint64_t given = 0;
  EXPECT_THROW(
      {
        for (FrameView view;;) {
          if (source.poll(view) == SourceState::waiting) continue;
          EXPECT_EQ(number_of(view), given++);
          source.release();
        }
      },
      WorkError);
  EXPECT_EQ(given, 3);
}

}  // namespace backlog_backlog_test
}  // namespace takt::sensors