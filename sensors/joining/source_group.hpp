#pragma once
/// Synchronisation of a pipeline's sources, so that their frames of one time match: the start of the common
/// time, the progress of each source, and the end of its stream.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace takt::sensors {

/// The state of a source relative to the others.
enum class Standing : std::uint8_t {
  /// No data has arrived.
  silent,
  /// Its first frame has arrived, and the common time has not begun.
  ready,
  /// It is part of the stream, whether or not it is currently sending.
  going,
  /// Its clock is further from the common time than a gap may be: its frames are discarded.
  astray,
  /// Its stream has ended.
  over,
};

/// A report of a source about itself, or a decision for all sources. Plain data: it is sent between ranks as
/// it lies in memory.
struct GroupMessage {
  enum class Kind : std::uint8_t {
    member,
    /// The common time begins at `utc_ns`.
    origin,
    /// Asks whether any source has data of the next frame. Number `asked`.
    question,
    /// The answer to a question. No source has data: from frame `settled` on, times are `next` frames later.
    /// If `next` is 0, some source has data.
    leap,
    /// All clocks have stepped: with frame `settled` epoch `asked` begins, whose time begins at `utc_ns`.
    epoch,
  };
  std::uint32_t member = 0;
  Standing standing = Standing::silent;
  Kind kind = Kind::member;
  /// For a member: the question that it has answered, and how. A member without data pauses until the leap.
  bool has_none = false;
  std::uint32_t asked = 0;
  /// Settled frames of the common time: they will be delivered, complete or not.
  std::uint64_t settled = 0;
  /// Settled frames up to the source's last own frame, and the time since that frame arrived.
  std::uint64_t received = 0;
  std::int64_t age_ns = 0;
  /// Time of the source's first frame, of the next frame if it is astray, or the start of the common
  /// time.
  std::int64_t utc_ns = 0;
  /// The number of a source's next frame if it skips some, otherwise 0; and the time since it arrived.
  std::uint64_t next = 0;
  std::int64_t next_age_ns = 0;
};

struct GroupOptions {
  std::size_t members = 1;
  /// Duration of a frame of the common time.
  double frame_ns = 1;
  /// Largest delay of a source's frame relative to the other sources.
  std::int64_t wait_ns = 0;
  /// A source whose clock deviates further from the others is astray.
  std::int64_t longest_gap_ns = 0;
  /// Frames per iteration of the schedule: a rank may request this many of one source before the first one of
  /// another.
  std::uint64_t granule = 1;
  /// Whether this group decides; of groups that exchange all messages, exactly one does.
  bool decides = true;
};

/// One process's view of all sources. `take` supplies the messages of other processes, in any order among
/// the members. The class has no clock and no threads.
///
/// The common time begins with the latest of the first frames: as soon as every source has one or is over,
/// or when the first one has waited for `wait_ns`. If clocks disagree by more than the longest gap, the
/// largest set of agreeing sources counts.
///
/// When all sending sources are astray, the common time restarts in the same way, with its own epoch
/// (all sources must pause for it, too). It also does when the other sources were silent for the longest
/// gap.
///
/// A frame without data from any source is left out, as a single source leaves a hole. Otherwise a slow
/// pipeline would process frames that its sources had to drop, and fall further behind. The deciding group
/// asks all sources, which pause until it has announced that none has data.
class SourceGroup {
 public:
  explicit SourceGroup(const GroupOptions& options);

  [[nodiscard]] const GroupOptions& options() const { return options_; }

  /// Processes a report of a source of this process; returns the messages to send to the others, once each.
  void say(const GroupMessage& message, std::int64_t now_ns);
  [[nodiscard]] std::vector<GroupMessage> take_outgoing();
  /// Processes a report of a source of another process.
  void take(const GroupMessage& message, std::int64_t now_ns);
  /// Starts the common time, if this group decides.
  void decide(std::int64_t now_ns);

  /// Returns the first frame that no source must deliver yet.
  [[nodiscard]] std::uint64_t due() const;
  /// Returns the open question; 0 for none.
  [[nodiscard]] std::uint32_t question() const { return question_; }
  /// The last leap: its first frame, and the number of frames left out by all leaps so far.
  struct Leap {
    std::uint64_t from = 0, left_out = 0;
  };
  [[nodiscard]] const Leap& leap() const { return leap_; }

  /// The current common time and its first frame.
  struct Epoch {
    std::uint16_t number = 0;
    std::uint64_t from = 0;
  };
  [[nodiscard]] const Epoch& epoch() const { return epoch_; }

  /// Returns the start of the first epoch, once it has begun.
  [[nodiscard]] std::int64_t first_origin_ns() const { return first_origin_ns_; }
  /// Returns the UTC time at which the common time begins, once it is known.
  [[nodiscard]] std::optional<std::int64_t> origin() const { return origin_; }
  /// Reports whether all sources must deliver the frame, because one source has settled it.
  [[nodiscard]] bool is_due(std::uint64_t frame) const;
  /// Returns when the group stops waiting for a source that has not settled this frame; nothing while no
  /// other source has it.
  [[nodiscard]] std::optional<std::int64_t> deadline(std::size_t member, std::uint64_t frame) const;
  [[nodiscard]] bool have_all_ended() const;
  /// Reports whether no sending source is within the common time.
  [[nodiscard]] bool have_all_stepped(std::int64_t now_ns) const;

 private:
  struct Member {
    Standing standing = Standing::silent;
    std::uint64_t settled = 0;
    std::uint64_t received = 0;
    /// When the last of those frames arrived, by this process's clock.
    std::int64_t received_ns = 0;
    std::int64_t utc_ns = 0;
    std::uint64_t next = 0;
    std::int64_t next_ns = 0;
    std::uint32_t asked = 0;
    bool has_none = false;
  };
  void ask(std::int64_t now_ns);
  void open_question();
  void judge_answers(std::int64_t now_ns);
  void begin_epoch(std::uint16_t number, std::uint64_t from, std::int64_t utc_ns);
  void close_question(std::uint64_t from, std::uint64_t left_out);
  void note(const GroupMessage& message, std::int64_t now_ns);
  /// Considers the sources with this standing only.
  [[nodiscard]] std::int64_t best_origin(Standing standing) const;

  GroupOptions options_;
  std::vector<Member> members_;
  std::vector<GroupMessage> outgoing_;
  std::optional<std::int64_t> origin_;
  std::int64_t first_origin_ns_ = 0;
  /// When the first source was ready.
  std::optional<std::int64_t> first_ready_ns_;
  /// When a source's own frames last advanced the stream.
  std::int64_t last_received_ns_ = 0;
  std::uint32_t question_ = 0, questions_ = 0;
  /// Whether nothing has changed since the last question had no positive answer; and whether something has
  /// changed since a member answered the open one.
  bool is_idle_ = false, has_changed_ = false;
  Leap leap_;
  Epoch epoch_;
};

}  // namespace takt::sensors
