/// Tests that a transient buffer writes exactly the frames around a trigger, once.

#include "sensors/files/transient_sink.hpp"

#include <random>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/saved_state.hpp"

namespace takt::sensors {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t remembered_frame_ns = 10'000'000;
const FrameType remembered_type{.element = ElementType::int32, .axes = {{"time", 4, {}}}, .rate_hz = 100};

struct Dumped {
  std::uint64_t number = 0;
  FrameHeader header;
};

class DumpSink final : public Sink {
 public:
  explicit DumpSink(std::vector<Dumped>& dumped) : dumped_(dumped) {}
  void open() override {}
  void write(const FrameView& frame) override {
    dumped_.push_back({static_cast<std::uint64_t>(frame.as<std::int32_t>().front()), *frame.header});
  }
  void close() override {}
  std::string location() const override { return {}; }
  std::optional<std::vector<std::byte>> save() const override { return saved(dumped_.size()); }
  void resume(std::span<const std::byte> state) override {
    std::size_t size = 0;
    load_into(state, size);
    dumped_.resize(size);
  }

 private:
  std::vector<Dumped>& dumped_;
};

class TransientTest : public ::testing::Test {
 protected:
  TransientSink& make(Time before, Time after) {
    sink_.emplace(std::make_unique<DumpSink>(dumped_), remembered_type, TransientOptions{before, after});
    sink_->open();
    return *sink_;
  }
  void write(std::uint64_t number, std::uint16_t epoch = 0) {
    std::array<std::int32_t, 4> elements;
    elements.fill(static_cast<std::int32_t>(number));
    const FrameHeader header{.sequence = number,
                             .utc_ns = static_cast<std::int64_t>(number) * remembered_frame_ns,
                             .epoch = epoch};
    sink_->write({&header, std::as_bytes(std::span(elements))});
  }
  [[nodiscard]] std::vector<std::uint64_t> numbers() const {
    std::vector<std::uint64_t> all;
    for (const Dumped& each : dumped_) all.push_back(each.number);
    return all;
  }
  std::vector<Dumped> dumped_;
  std::optional<TransientSink> sink_;
};

using std::chrono::milliseconds;

TEST_F(TransientTest, writes_frames_before_and_after_a_trigger) {
  TransientSink& sink = make(milliseconds(30), milliseconds(20));
  for (std::uint64_t i = 0; i < 100; ++i) {
    if (i == 50) sink.trigger(UtcSpan{50 * remembered_frame_ns, 50 * remembered_frame_ns + 1});
    write(i);
  }
  sink.close();
  EXPECT_THAT(numbers(), ElementsAre(47, 48, 49, 50, 51, 52));
  EXPECT_EQ(dumped_.front().header.sequence, 0);
  EXPECT_EQ(dumped_.front().header.utc_ns, 47 * remembered_frame_ns);
  EXPECT_EQ(dumped_.back().header.sequence, 5);
}

TEST_F(TransientTest, writes_the_same_frames_for_times_that_are_rounded_to_float64) {
  for (const std::int64_t error_ns : {-238, 0, 238}) {
    dumped_.clear();
    TransientSink& sink = make(milliseconds(30), milliseconds(20));
    for (std::uint64_t i = 0; i < 100; ++i) {
      const std::int64_t utc_ns = 50 * remembered_frame_ns + error_ns;
      if (i == 50) sink.trigger(UtcSpan{utc_ns, utc_ns + 1000});
      write(i);
    }
    sink.close();
    EXPECT_THAT(numbers(), ElementsAre(47, 48, 49, 50, 51, 52)) << error_ns;
  }
}

TEST_F(TransientTest, writes_immediately_for_a_trigger_without_a_time) {
  TransientSink& sink = make(milliseconds(20), milliseconds(0));
  for (std::uint64_t i = 0; i < 10; ++i) write(i);
  sink.trigger(std::nullopt);
  write(10);
  sink.trigger(std::nullopt);
  sink.close();
  // The present frame is the next one or, at the end, the last one; it has been written.
  EXPECT_THAT(numbers(), ElementsAre(8, 9, 10));
}

TEST_F(TransientTest, writes_nothing_without_a_trigger) {
  TransientSink& sink = make(milliseconds(20), milliseconds(20));
  for (std::uint64_t i = 0; i < 10; ++i) write(i);
  sink.close();
  EXPECT_THAT(numbers(), IsEmpty());
}

/// The sink dies during a dump, and another one continues after frame 51: the dump is one, and complete.
TEST_F(TransientTest, continues_a_dump_after_a_restart) {
  TransientSink& sink = make(milliseconds(30), milliseconds(40));
  for (std::uint64_t i = 0; i < 50; ++i) write(i);
  sink.trigger(UtcSpan{50 * remembered_frame_ns, 50 * remembered_frame_ns + 1});
  for (std::uint64_t i = 50; i < 52; ++i) write(i);
  const std::vector<std::byte> state = sink.save().value();
  write(52);
  sink_.emplace(std::make_unique<DumpSink>(dumped_), remembered_type,
                TransientOptions{milliseconds(30), milliseconds(40)});
  sink_->resume(state);
  for (std::uint64_t i = 52; i < 100; ++i) write(i);
  // Frames before the restart are no longer in memory.
  sink_->trigger(UtcSpan{51 * remembered_frame_ns, 100 * remembered_frame_ns});
  sink_->close();
  std::vector<std::uint64_t> expected{47, 48, 49, 50, 51, 52, 53, 54};
  for (std::uint64_t i = 96; i < 100; ++i) expected.push_back(i);
  EXPECT_EQ(numbers(), expected);
  EXPECT_EQ(dumped_[7].header.sequence, 7U);
  EXPECT_EQ(dumped_[7].header.epoch, dumped_[0].header.epoch);
  std::uint64_t written = 0, forgotten = 0;
  for (const Counter& counter : sink_->counters()) {
    if (counter.name == "transient_written") written = counter.value;
    if (counter.name == "transient_forgotten") forgotten = counter.value;
  }
  EXPECT_EQ(written + forgotten, 100U);
}

TEST_F(TransientTest, refuses_frames_that_it_cannot_keep) {
  FrameType type = remembered_type;
  type.rate_hz = 0;
  EXPECT_THROW(validate({milliseconds(1), {}}, type), ConfigError);
  EXPECT_THROW(validate({std::chrono::hours(24), {}}, remembered_type), ConfigError);
}

/// Brute force: a frame must be written if it lies in the window of a trigger that arrives before the frame
/// or while it is in memory.
TEST_F(TransientTest, writes_each_frame_of_any_windows_once_and_in_order) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(fmt::format("trial {}", trial));
    dumped_.clear();
    const std::int64_t before = static_cast<std::int64_t>(random() % 8),
                       after = static_cast<std::int64_t>(random() % 5);
    TransientSink& sink = make(milliseconds(10 * before), milliseconds(10 * after));
    std::set<std::uint64_t> expected;
    std::vector<std::pair<std::int64_t, std::int64_t>> windows;
    constexpr std::int64_t frames = 120;
    for (std::int64_t now = 0; now < frames; ++now) {
      if (random() % 20 == 0) {
        // An event of the present frame or one of the last few.
        const std::int64_t at = std::max<std::int64_t>(0, now - static_cast<std::int64_t>(random() % 4));
        sink.trigger(UtcSpan{at * remembered_frame_ns, (at + 1) * remembered_frame_ns});
        const std::int64_t from = std::max(at - before, now - before - 1), until = at + 1 + after;
        for (std::int64_t i = std::max<std::int64_t>(from, 0); i < std::min(until, frames); ++i)
          expected.insert(static_cast<std::uint64_t>(i));
      }
      write(static_cast<std::uint64_t>(now));
    }
    sink.close();
    EXPECT_THAT(numbers(), ::testing::ElementsAreArray(expected));
    // Within a dump the numbers are successive if the frames' own are; times are the frames' own.
    for (std::size_t i = 0; i < dumped_.size(); ++i) {
      EXPECT_EQ(dumped_[i].header.utc_ns, static_cast<std::int64_t>(dumped_[i].number) * remembered_frame_ns);
      if (i == 0) continue;
      const bool same_dump = dumped_[i].header.epoch == dumped_[i - 1].header.epoch;
      if (same_dump) {
        EXPECT_EQ(dumped_[i].header.sequence - dumped_[i - 1].header.sequence,
                  dumped_[i].number - dumped_[i - 1].number);
      } else {
        EXPECT_EQ(dumped_[i].header.sequence, 0);
        EXPECT_EQ(dumped_[i].header.epoch, dumped_[i - 1].header.epoch + 1);
      }
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace takt::sensors
