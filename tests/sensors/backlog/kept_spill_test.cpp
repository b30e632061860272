/// Tests the continuation of a source with a kept spill file after its process has died: every received frame
/// once, missing ones counted, and continuous numbers.

#include <fstream>
#include <numeric>
#include <optional>
#include <thread>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "sensors/backlog/backlogged_source.hpp"
#include "tests/sensors/backlog/numbered_frames.hpp"
#include "tests/support/program.hpp"

namespace takt::sensors {
namespace backlog_kept_spill_test {

using test::number_of;
using test::numbered_bytes;
using test::numbered_type;
using test::NumberedFrame;
using ::testing::IsEmpty;

/// Frames of a station's clock from this number on: as received by a process that starts then.
class ClockSource final : public Source {
 public:
  static constexpr std::uint64_t step = 50;
  ClockSource(std::uint64_t first, std::uint64_t count, std::uint64_t phase = 0)
      : first_(first), end_(first + count), phase_(phase), next_(first) {}
  const FrameType& type() const override { return numbered_type; }
  void start() override {}
  SourceState poll(FrameView& view) override {
    if (next_ == end_) return SourceState::ended;
    frame_.emplace(next_);
    header_ = {.sequence = next_ - first_,
               .utc_ns = static_cast<std::int64_t>(next_) * 10'000'000,
               .first_sample = next_ * step + phase_};
    view = {&header_, frame_->view().bytes};
    ++next_;
    return SourceState::frame;
  }
  void release() override {}
  void stop() override { next_ = end_; }
  SourceCounters counters() const override { return {}; }

 private:
  const std::uint64_t first_, end_, phase_;
  std::uint64_t next_;
  FrameHeader header_;
  std::optional<NumberedFrame> frame_;
};

/// Polls the next frames of a source, as far as there are any; returns their headers.
std::vector<FrameHeader> take(BackloggedSource& source, std::size_t count) {
  std::vector<FrameHeader> headers;
  FrameView view;
  while (headers.size() < count) {
    const SourceState state = source.poll(view);
    if (state == SourceState::ended) break;
    if (state == SourceState::waiting) {
      source.wait(now_ns() + 1'000'000);
      continue;
    }
    const NumberedFrame expected(view.header->first_sample / ClockSource::step);
    EXPECT_TRUE(std::ranges::equal(view.bytes, expected.view().bytes));
    headers.push_back(*view.header);
    source.release();
  }
  return headers;
}

std::vector<std::uint64_t> numbers(const std::vector<FrameHeader>& headers) {
  std::vector<std::uint64_t> numbers;
  for (const FrameHeader& header : headers) numbers.push_back(header.sequence);
  return numbers;
}

std::vector<std::uint64_t> from_to(std::uint64_t first, std::uint64_t end) {
  std::vector<std::uint64_t> numbers(end - first);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

BacklogOptions spill_kept_in(const test::TemporaryFolder& folder, std::uint64_t records = 300) {
  return {.policy = BacklogPolicy::spill,
          .depth = 2,
          .spill = Bytes{records * (sizeof(SpillFile::Head) + numbered_bytes)},
          .kept = folder / "kept"};
}

TEST(KeptSpill, continues_after_the_cut_and_numbers_later_frames) {
  const test::TemporaryFolder folder;
  const BacklogOptions options = spill_kept_in(folder);
  StreamPlace cut;
  {
    BackloggedSource source(std::make_unique<ClockSource>(0, 60), options);
    source.start();
    EXPECT_FALSE(source.resumed());
    const auto headers = take(source, 20);
    EXPECT_EQ(numbers(headers), from_to(0, 20));
    cut = {20, headers.back()};
    // It takes more after the cut, and dies: these are delivered again.
    EXPECT_EQ(numbers(take(source, 10)), from_to(20, 30));
    while (source.counters().details.front().value < 60) std::this_thread::yield();
  }
  {
    // Ten frames were sent while no process received.
    BackloggedSource source(std::make_unique<ClockSource>(70, 30), options);
    EXPECT_FALSE(source.resume_after(cut));
    source.start();
    const auto kept = take(source, 40);
    EXPECT_EQ(numbers(kept), from_to(20, 60));
    cut = {60, kept.back()};
    EXPECT_EQ(numbers(take(source, 5)), from_to(70, 75));
    EXPECT_EQ(source.resumed()->lost, 10);
    EXPECT_EQ(source.counters().lost, 10);
    while (source.counters().details.front().value < 70) std::this_thread::yield();
  }
  {
    // Frames after the outage, with numbers other than the source's own, are numbered consecutively.
    BackloggedSource source(std::make_unique<ClockSource>(103, 7), options);
    EXPECT_FALSE(source.resume_after(cut));
    source.start();
    EXPECT_EQ(numbers(take(source, 100)), [] {
      auto all = from_to(70, 100);
      const auto more = from_to(103, 110);
      all.insert(all.end(), more.begin(), more.end());
      return all;
    }());
    EXPECT_EQ(source.resumed()->lost, 3);
    EXPECT_EQ(source.counters().lost, 13);
    EXPECT_EQ(source.counters().ingested, 37);
  }
}

TEST(KeptSpill, counts_frames_dropped_by_an_earlier_process) {
  const test::TemporaryFolder folder;
  // Space for ten waiting frames.
  const BacklogOptions options = spill_kept_in(folder, 20);
  StreamPlace cut;
  {
    BackloggedSource source(std::make_unique<ClockSource>(0, 60), options);
    source.start();
    while (source.counters().dropped < 50) std::this_thread::yield();
    const auto headers = take(source, 4);
    cut = {4, headers.back()};
  }
  // The last 50 were dropped, and five were sent while no process received.
  BackloggedSource source(std::make_unique<ClockSource>(65, 3), options);
  EXPECT_FALSE(source.resume_after(cut));
  source.start();
  EXPECT_EQ(numbers(take(source, 100)), (std::vector<std::uint64_t>{4, 5, 6, 7, 8, 9, 65, 66, 67}));
  EXPECT_EQ(source.counters().dropped, 50);
  EXPECT_EQ(source.counters().lost, 5);
}

/// Frames on another time grid begin an epoch: no number reveals the frames missing before it.
TEST(KeptSpill, counts_frames_lost_before_an_epoch) {
  const test::TemporaryFolder folder;
  const BacklogOptions options = spill_kept_in(folder);
  StreamPlace cut;
  {
    BackloggedSource source(std::make_unique<ClockSource>(0, 20), options);
    source.start();
    cut = {5, take(source, 5).back()};
    while (source.counters().details.front().value < 20) std::this_thread::yield();
  }
  for (const std::uint64_t first : {30, 60}) {
    BackloggedSource source(std::make_unique<ClockSource>(first, 10, first / 10), options);
    EXPECT_FALSE(source.resume_after(cut));
    source.start();
    const auto headers = take(source, 100);
    EXPECT_EQ(headers.size(), first == 30 ? 25 : 35);
    EXPECT_EQ(headers.back().epoch, first / 30);
    EXPECT_EQ(headers.back().sequence, 9);
    EXPECT_EQ(source.resumed()->lost, first == 30 ? 10 : 20);
    EXPECT_EQ(source.counters().lost, first == 30 ? 10 : 30);
  }
}

TEST(KeptSpill, is_emptied_if_it_does_not_continue_there) {
  const test::TemporaryFolder folder;
  const BacklogOptions options = spill_kept_in(folder);
  const auto write = [&](std::uint64_t first, std::uint64_t count) {
    FrameBacklog backlog(options, Bytes{numbered_bytes});
    for (std::uint64_t i = first; i < first + count; ++i) backlog.put(NumberedFrame(i).view());
  };
  const auto next_after = [&](std::uint64_t taken, std::uint64_t last) {
    FrameBacklog backlog(options, Bytes{numbered_bytes});
    return numbers(backlog.continue_after(taken, {.sequence = last}).waiting);
  };
  write(0, 20);
  EXPECT_EQ(next_after(0, 0), from_to(0, 20));
  EXPECT_EQ(next_after(5, 4), from_to(5, 20));
  EXPECT_THAT(next_after(20, 19), IsEmpty());
  // Belongs to another stream, with other numbers.
  EXPECT_THAT(next_after(5, 7), IsEmpty());
  EXPECT_THAT(next_after(5, 4), IsEmpty()) << "emptied";
  write(0, 20);
  // The run continued elsewhere for a while.
  EXPECT_THAT(next_after(30, 29), IsEmpty());
}

/// Frames already taken are overwritten in the ring, and the record being written at the death of the process
/// may be incomplete.
TEST(KeptSpill, delivers_only_complete_frames_of_a_wrapped_ring) {
  const test::TemporaryFolder folder;
  constexpr std::uint64_t records = 8;
  std::optional<SpillFile> file(SpillFile::kept(folder / "ring", records, numbered_bytes));
  EXPECT_FALSE(file->found());
  for (std::uint64_t i = 0; i < 21; ++i) ASSERT_TRUE(file->write(i, NumberedFrame(i).view(), false));
  EXPECT_THROW((void)SpillFile::kept(folder / "ring", records, numbered_bytes), WorkError) << "it is in use";
  file.reset();
  // Half of frame 21 overwrites frame 13.
  std::fstream bytes(folder / "ring", std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(sizeof(SpillFile::Gone) + 5 * (sizeof(SpillFile::Head) + numbered_bytes) +
              sizeof(SpillFile::Head));
  bytes << "half";
  bytes.close();
  file.emplace(SpillFile::kept(folder / "ring", records, numbered_bytes));
  ASSERT_TRUE(file->found());
  EXPECT_EQ(file->found()->first, 14);
  EXPECT_EQ(file->found()->next, 21);
  for (std::uint64_t i = 14; i < 21; ++i) {
    SpillFile::Head head;
    std::array<std::byte, numbered_bytes> data{};
    ASSERT_TRUE(file->read(i, head, data));
    EXPECT_EQ(head.header.sequence, i);
    EXPECT_EQ(number_of({&head.header, data}), i);
  }
}

}  // namespace backlog_kept_spill_test
}  // namespace takt::sensors
