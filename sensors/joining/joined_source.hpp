#pragma once
/// A source within a group: its frames are re-framed to the group's common time.

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
  /// Number of the source in its group and in frame headers.
  std::size_t member = 0;
  /// Its data are this much older than its frames' times.
  std::int64_t delay_ns = 0;
  /// Whether it may stall. The group waits indefinitely for a source that cannot (a file).
  bool is_live = true;
  /// Offset of this computer's clock from the clock that defines latencies.
  std::int64_t clock_offset_ns = 0;
  /// now_ns, except in tests.
  std::int64_t (*clock)() = now_ns;
};

/// Frame k has the rows from k / rate after the group's origin on, to the nearest row, whatever the source's
/// own frames; rows are copied. A frame is delivered when all of it has arrived or is known to be missing. It
/// is also delivered when the source has stalled and another source's frame has waited long enough. If its
/// stream has ended, its clock is astray or its next frame is a later one, the frame is delivered as soon as
/// another source has it. FrameSplicer marks missing rows; numbers have holes where no source has data. The
/// stream ends when all sources of the group have ended, with their number of frames.
///
/// Frames are assembled ahead of the consumer, to the end of their iteration of the schedule: a rank may
/// request all frames of one source before the first one of another. Only a source that is this far ahead can
/// report that a frame exists which the first source lacks.
///
/// While it waits for any source of the process, the caller must call `advance` on all of them, and exchange
/// the group's messages with other processes.
class JoinedSource final : public Source {
 public:
  /// `type` is with_rows of the source's own. The group must outlive the object.
  JoinedSource(std::unique_ptr<Source> source, FrameType type, SourceGroup& group,
               const JoinedOptions& options);
  /// The only member of its own group.
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

  /// Reports whether it lacks a frame because no data has arrived. False if it has reached a later time or
  /// its end, and another source must report whether the frame exists.
  [[nodiscard]] bool lacks_data() const { return has_work() && !head_ && !source_has_ended_; }

  /// Settles the next frame from the available data, without waiting. Rethrows the source's errors.
  void advance(std::int64_t now_ns);

 private:
  /// A frame of the source whose rows may be partly used.
  struct Head {
    FrameView view;
    /// Its first row, counted from the origin.
    std::int64_t row = 0;
    std::size_t used = 0;
  };
  /// A frame that is being assembled, waits to be polled, or is lent.
  struct Slot {
    FrameHeader header;
    bool is_cut_off = false, is_incomplete = false, is_flagged = false;
  };
  /// The start of an epoch of the source.
  struct Anchor {
    std::uint16_t epoch = 0;
    std::uint64_t sequence = 0, first_sample = 0;
    std::int64_t row = 0;
    std::int64_t offset_ns = 0;
  };

  JoinedSource(std::unique_ptr<Source> source, FrameType type, std::unique_ptr<SourceGroup> own_group,
               SourceGroup* group, const JoinedOptions& options);
  [[nodiscard]] bool fetch();
  /// Reports whether it may assemble a frame: one of the current iteration, with space for it.
  [[nodiscard]] bool has_work() const;
  void begin_frame();
  /// Answers the group's question. Returns whether it must pause.
  [[nodiscard]] bool holds_still(std::int64_t now_ns);
  [[nodiscard]] bool has_none_of_next();
  void follow_leap();
  /// Reports whether the frame under assembly belongs to an epoch that is over for the group.
  [[nodiscard]] bool is_of_last_epoch(std::int64_t now_ns);
  [[nodiscard]] bool is_astray(const Head& head) const;
  /// Returns the number in frames of the common time.
  [[nodiscard]] std::uint64_t number() const { return frame_ + left_out_ - base_; }
  /// Returns the frame in which the head begins, counted as `frame_`.
  [[nodiscard]] std::uint64_t frame_of_head() const;
  void place(Head& head);
  void let_go();
  void settle_with_data(std::int64_t now_ns);
  [[nodiscard]] bool use_head(std::int64_t now_ns);
  void settle(bool is_received, std::int64_t now_ns);
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
  const std::size_t samples_per_row_;
  const double frame_ns_, row_ns_;
  FrameSplicer splicer_;
  FramePool pool_;
  std::optional<FrameMemory> memory_;
  std::vector<Slot> slots_;
  /// Number of lent frames.
  std::size_t lent_ = 0;

  std::optional<Head> head_;
  std::optional<Anchor> anchor_;
  bool source_has_ended_ = false, is_stopped_ = false;
  /// The frame under assembly, the one that is polled next, and the number of frames left out before the
  /// former.
  std::uint64_t frame_ = 0, taken_ = 0, left_out_ = 0;
  /// The epoch of the common time: its number, its start, and its first frame, counting delivered and
  /// left-out frames.
  std::uint16_t epoch_ = 0;
  bool has_origin_ = false;
  std::int64_t origin_ns_ = 0;
  std::uint64_t base_ = 0;
  bool is_begun_ = false;
  /// Whether the frame under assembly has any data, and whether the end of the stream cut it off.
  bool has_data_ = false, is_cut_off_ = false, gave_cut_off_ = false;
  GroupMessage message_;
  std::int64_t received_ns_ = 0;

  Tally given_, incomplete_, flagged_, early_, late_, astray_;
  std::atomic<std::int64_t> offset_ns_{0};
};

}  // namespace takt::sensors
