#pragma once
/// What the sources of a pipeline tell one another, so that their frames of one time come together: where the
/// common time begins, how far each has come, and which stream is over.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace takt::sensors {

/// Where a source stands among the others.
enum class Standing : std::uint8_t {
  /// Nothing has come from it yet.
  unheard,
  /// Its first frame is there, and the common time has not begun.
  ready,
  /// It is part of the stream, whether or not it sends at the moment.
  going,
  /// Its clock is further from the common time than a gap may be: its frames are thrown away.
  astray,
  /// Its stream has ended.
  over,
};

/// What a source says about itself, or what is decided for all. Plain data: it is sent between ranks as it
/// lies in memory.
struct GroupMessage {
  enum class Kind : std::uint8_t {
    member,
    /// The common time begins at `utc_ns`.
    origin,
    /// Does any source have something of the next frame? Number `asked`.
    question,
    /// None has: from frame `settled` on, frames are of a time `next` frames later. 0: some have, go on.
    leap,
    /// All clocks have stepped: with frame `settled` epoch `asked` begins, whose time begins at `utc_ns`.
    epoch,
  };
  std::uint32_t member = 0;
  Standing standing = Standing::unheard;
  Kind kind = Kind::member;
  /// Of a member: which question it has answered, and how. Whoever has none holds still until the leap.
  bool has_none = false;
  std::uint32_t asked = 0;
  /// Frames of the common time that are settled: they will be given, whatever is missing in them.
  std::uint64_t settled = 0;
  /// Of these, those before which the source's own frames have come, and how long ago the last one came.
  std::uint64_t heard = 0;
  std::int64_t age_ns = 0;
  /// Of its first frame; of a source that is astray, of the one that comes next; or the beginning of the
  /// common time.
  std::int64_t utc_ns = 0;
  /// Where a source's next frame leaves out some: which frame it is, otherwise 0; and how long ago it came.
  std::uint64_t next = 0;
  std::int64_t next_age_ns = 0;
};

struct GroupOptions {
  std::size_t members = 1;
  /// How long a frame of the common time lasts.
  double frame_ns = 1;
  /// How much later than the others' a source's frame may come.
  std::int64_t wait_ns = 0;
  /// A source whose clock is further from the others' is astray.
  std::int64_t longest_gap_ns = 0;
  /// Frames of one repetition of the schedule: a source may be asked for so many before another one is asked
  /// for its first.
  std::uint64_t granule = 1;
  /// Whether this is the group that decides; of groups that tell each other everything, exactly one.
  bool decides = true;
};

/// One process's view of all sources; those of other processes are told by `take`, whose order among the
/// members is free. No clock of its own, no threads.
///
/// The common time begins with the latest of the first frames, as soon as every source has one or is over, or
/// when the first of them has waited for `wait_ns`; of sources whose clocks disagree by more than the longest
/// gap, those count that most agree with.
///
/// When the sources that send are astray, all of them, the common time begins anew in the same way, with an
/// epoch of its own (all are asked to hold still for it, too); so it does where the others have been silent
/// for the longest gap.
///
/// A frame of which no source has anything is left out, as a single source leaves a hole: otherwise a
/// pipeline that is too slow would work on frames that its sources had to drop, and fall behind more and
/// more. Who decides asks all sources, and they hold still until they hear that none has anything.
class SourceGroup {
 public:
  explicit SourceGroup(const GroupOptions& options);

  [[nodiscard]] const GroupOptions& options() const { return options_; }

  /// What a source of this process says, and what is to be told to the others, once.
  void say(const GroupMessage& news, std::int64_t now_ns);
  [[nodiscard]] std::vector<GroupMessage> take_outgoing();
  /// What a source of another process said.
  void take(const GroupMessage& news, std::int64_t now_ns);
  /// Lets the common time begin, where it is this group's to decide.
  void decide(std::int64_t now_ns);

  /// The first frame that nobody must give yet.
  [[nodiscard]] std::uint64_t due() const;
  /// The question that is open; 0 for none.
  [[nodiscard]] std::uint32_t question() const { return question_; }
  /// The last leap: from which frame on, and the frames left out by all leaps so far.
  struct Leap {
    std::uint64_t from = 0, left_out = 0;
  };
  [[nodiscard]] const Leap& leap() const { return leap_; }

  /// The common time that began last, and the frame that is its first one.
  struct Epoch {
    std::uint16_t number = 0;
    std::uint64_t from = 0;
  };
  [[nodiscard]] const Epoch& epoch() const { return epoch_; }

  /// Of the first epoch, once it has begun.
  [[nodiscard]] std::int64_t first_origin_ns() const { return first_origin_ns_; }
  /// UTC at which the common time begins, once that is known.
  [[nodiscard]] std::optional<std::int64_t> origin() const { return origin_; }
  /// Whether a frame is one that all must give: some source has settled it.
  [[nodiscard]] bool is_due(std::uint64_t frame) const;
  /// When a source is not waited for any longer that has not settled this frame; nothing while no other one
  /// has it.
  [[nodiscard]] std::optional<std::int64_t> deadline(std::size_t member, std::uint64_t frame) const;
  [[nodiscard]] bool all_are_over() const;
  /// Whether nobody who sends is within the common time.
  [[nodiscard]] bool have_all_stepped(std::int64_t now_ns) const;

 private:
  struct Member {
    Standing standing = Standing::unheard;
    std::uint64_t settled = 0;
    std::uint64_t heard = 0;
    /// When the last of those came, by this process's clock.
    std::int64_t heard_ns = 0;
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
  void note(const GroupMessage& news, std::int64_t now_ns);
  /// Of those who stand so.
  [[nodiscard]] std::int64_t best_origin(Standing standing) const;

  GroupOptions options_;
  std::vector<Member> members_;
  std::vector<GroupMessage> outgoing_;
  std::optional<std::int64_t> origin_;
  std::int64_t first_origin_ns_ = 0;
  /// When the first source was ready.
  std::optional<std::int64_t> first_ready_ns_;
  /// When a source's own frames last led on.
  std::int64_t last_heard_ns_ = 0;
  std::uint32_t question_ = 0, questions_ = 0;
  /// Nothing has changed since a question was answered in vain; something has since somebody answered the one
  /// that is open.
  bool is_idle_ = false, has_changed_ = false;
  Leap leap_;
  Epoch epoch_;
};

}  // namespace takt::sensors
