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

/// What a source says about itself, or, from the one who decides, when the common time begins. Plain data:
/// it is sent between ranks as it lies in memory.
struct GroupNews {
  std::uint32_t member = 0;
  Standing standing = Standing::unheard;
  bool is_origin = false;
  /// Frames of the common time that are settled: they will be given, whatever is missing in them.
  std::uint64_t settled = 0;
  /// Of these, those before which the source's own frames have come, and how long ago the last one came.
  std::uint64_t heard = 0;
  std::int64_t age_ns = 0;
  /// Of its first frame; or the beginning of the common time.
  std::int64_t utc_ns = 0;
};

struct GroupOptions {
  std::size_t members = 1;
  /// How long a frame of the common time lasts.
  double frame_ns = 1;
  /// How much later than the others' a source's frame may come.
  std::int64_t wait_ns = 0;
  /// A source whose clock is further from the others' is astray.
  std::int64_t longest_gap_ns = 0;
  /// A stream ends with a multiple of so many frames (those of one repetition of the schedule).
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
class SourceGroup {
 public:
  explicit SourceGroup(const GroupOptions& options);

  [[nodiscard]] const GroupOptions& options() const { return options_; }

  /// What a source of this process says, and what is to be told to the others, once.
  void say(const GroupNews& news, std::int64_t now_ns);
  [[nodiscard]] std::vector<GroupNews> take_outgoing();
  /// What a source of another process said.
  void take(const GroupNews& news, std::int64_t now_ns);
  /// Lets the common time begin, where it is this group's to decide.
  void decide(std::int64_t now_ns);

  /// UTC at which the common time begins, once that is known.
  [[nodiscard]] std::optional<std::int64_t> origin() const { return origin_; }
  /// Whether a frame is one that all must give: some source has settled it, or one of its repetition.
  [[nodiscard]] bool is_due(std::uint64_t frame) const;
  /// When a source is not waited for any longer that has not settled this frame; nothing while no other one
  /// has it.
  [[nodiscard]] std::optional<std::int64_t> deadline(std::size_t member, std::uint64_t frame) const;
  [[nodiscard]] bool all_are_over() const;
  /// When a source's own frames last led on.
  [[nodiscard]] std::int64_t last_heard_ns() const { return last_heard_ns_; }

 private:
  struct Member {
    Standing standing = Standing::unheard;
    std::uint64_t settled = 0;
    std::uint64_t heard = 0;
    /// When the last of those came, by this process's clock.
    std::int64_t heard_ns = 0;
    std::int64_t utc_ns = 0;
  };
  void note(const GroupNews& news, std::int64_t now_ns);
  [[nodiscard]] std::int64_t best_origin() const;

  GroupOptions options_;
  std::vector<Member> members_;
  std::vector<GroupNews> outgoing_;
  std::optional<std::int64_t> origin_;
  /// When the first source was ready.
  std::optional<std::int64_t> first_ready_ns_;
  std::int64_t last_heard_ns_ = 0;
};

}  // namespace takt::sensors
