#pragma once
/// A source among others: its frames are cut to those of the time that all of them have in common.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/system/clock.hpp"
#include "sensors/frames/counter.hpp"
#include "sensors/joining/frame_splicer.hpp"
#include "sensors/joining/source_group.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

struct JoinedOptions {
  /// Number of the source in its group and in frames' headers.
  std::size_t member = 0;
  /// What it receives belongs to a time so much earlier than its frames say.
  std::int64_t delay_ns = 0;
  /// Whether it may stall. A source that does not (a file) is waited for however long it takes.
  bool is_live = true;
  /// What this computer's clock shows more than that by which latencies are told.
  std::int64_t clock_offset_ns = 0;
  /// now_ns, but for tests.
  std::int64_t (*clock)() = now_ns;
};

/// Frame k has the rows from k / rate after the group's origin on, to the nearest row, whatever frames the
/// source itself makes: they are copied. A frame is given when all of it has come or is known to be missing;
/// when the source has stalled and another one's frame of that time has waited long enough; or, when its
/// stream has ended, its clock is astray or its next frame is a later one, as soon as another one has the
/// frame. What is missing is marked as FrameSplicer does; numbers have holes where no source has anything.
/// Ends when all sources of the group have ended, with the same number of frames as they.
///
/// Frames are put together ahead of those that are taken, to the end of their repetition of the schedule: a
/// rank may ask one source for all of its frames before it asks another one for its first, and only a source
/// that has come so far can say whether there is a frame of which the first one has nothing.
///
/// Somebody must call `advance` on every source of the process while any of them is waited for, and carry
/// the group's news to other processes.
class JoinedSource final : public Source {
 public:
  /// `type` is with_rows of the source's own. The group must outlive it.
  JoinedSource(std::unique_ptr<Source> source, FrameType type, SourceGroup& group,
               const JoinedOptions& options);
  /// The only one of a group of its own.
  JoinedSource(std::unique_ptr<Source> source, FrameType type, const GroupOptions& alone,
               const JoinedOptions& options);

  [[nodiscard]] const FrameType& type() const override { return type_; }
  void check() const override { source_->check(); }
  void begin_at(std::int64_t utc_ns) override { source_->begin_at(utc_ns); }
  [[nodiscard]] std::optional<Reception> reception() const override;
  void start() override;
  [[nodiscard]] std::size_t least_pool() const override { return 1; }
  void use_pool(const FramePool& pool) override { pool_ = pool; }
  [[nodiscard]] SourceState poll(FrameView& frame) override;
  void release() override { --lent_; }
  void wait(std::int64_t latest_ns) override;
  [[nodiscard]] bool is_cut_off() const override { return gave_cut_off_; }
  [[nodiscard]] std::optional<std::int64_t> next_frame_ns() const override;
  void stop() override {
    is_stopped_ = true;
    source_->stop();
  }
  [[nodiscard]] SourceCounters counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

  /// Whether it has no frame because nothing more has come to it: not where it has come to a later time, or
  /// to its end, and another one has to say whether there is such a frame.
  [[nodiscard]] bool lacks_data() const { return has_work() && !head_ && !source_has_ended_; }

  /// Settles the next frame as far as what has come allows, without waiting. Throws what the source throws.
  void advance(std::int64_t now_ns);

 private:
  /// A frame of the source, of which some rows may be used.
  struct Head {
    FrameView view;
    /// Its first row, counted from the origin.
    std::int64_t row = 0;
    std::size_t used = 0;
  };
  /// A frame that is put together, waits to be taken, or is lent.
  struct Slot {
    FrameHeader header;
    bool is_cut_off = false, is_incomplete = false, is_flagged = false;
  };
  /// Where an epoch of the source lies.
  struct Anchor {
    std::uint16_t epoch = 0;
    std::uint64_t sequence = 0, first_sample = 0;
    std::int64_t row = 0;
    std::int64_t beside_ns = 0;
  };

  JoinedSource(std::unique_ptr<Source> source, FrameType type, std::unique_ptr<SourceGroup> own_group,
               SourceGroup* group, const JoinedOptions& options);
  [[nodiscard]] bool fetch();
  /// Whether it may put a frame together: one of the repetition that is being taken, for which there is room.
  [[nodiscard]] bool has_work() const;
  void begin_frame();
  /// Answers what all sources are asked. Whether it has to hold still.
  [[nodiscard]] bool holds_still(std::int64_t now_ns);
  [[nodiscard]] bool has_none_of_next();
  void follow_leap();
  /// Whether the frame at work is still to be given in an epoch that is over for the group.
  [[nodiscard]] bool is_of_last_epoch(std::int64_t now_ns);
  [[nodiscard]] bool is_astray(const Head& head) const;
  /// In frames of the common time.
  [[nodiscard]] std::uint64_t number() const { return frame_ + left_out_ - base_; }
  /// Which frame the head begins with, counted as `frame_`.
  [[nodiscard]] std::uint64_t frame_of_head() const;
  void place(Head& head);
  void let_go();
  void settle_with_data(std::int64_t now_ns);
  [[nodiscard]] bool use_head(std::int64_t now_ns);
  void settle(bool is_heard, std::int64_t now_ns);
  void stand(Standing standing, std::int64_t now_ns);
  void tell(std::int64_t now_ns);
  [[nodiscard]] std::int64_t utc_of(const FrameHeader& header) const;
  [[nodiscard]] std::int64_t next_row() const;

  std::unique_ptr<Source> source_;
  const FrameType type_;
  const JoinedOptions options_;
  const std::unique_ptr<SourceGroup> own_group_;
  SourceGroup& group_;
  const std::size_t source_rows_;
  const std::size_t samples_a_row_;
  const double frame_ns_, row_ns_;
  FrameSplicer splicer_;
  FramePool pool_;
  std::optional<FrameMemory> memory_;
  std::vector<Slot> slots_;
  /// Frames that are given and not given back.
  std::size_t lent_ = 0;

  std::optional<Head> head_;
  std::optional<Anchor> anchor_;
  bool source_has_ended_ = false, is_stopped_ = false;
  /// The frame that is being put together, and the one that is taken next; and how many before the first one
  /// were left out.
  std::uint64_t frame_ = 0, taken_ = 0, left_out_ = 0;
  /// The epoch of the common time: its number, where it begins, and which frame, of those given and left out,
  /// is its first one.
  std::uint16_t epoch_ = 0;
  bool has_origin_ = false;
  std::int64_t origin_ns_ = 0;
  std::uint64_t base_ = 0;
  bool is_begun_ = false;
  /// Whether anything of the frame that is being put together has come, and whether the end cut it off.
  bool has_data_ = false, is_cut_off_ = false, gave_cut_off_ = false;
  GroupMessage news_;
  std::int64_t heard_ns_ = 0;

  Tally given_, incomplete_, flagged_, early_, late_, astray_;
  std::atomic<std::int64_t> beside_ns_{0};
};

}  // namespace takt::sensors
