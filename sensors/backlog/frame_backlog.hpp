#pragma once
/// A queue of frames for a slower consumer, with a policy for overflow.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/saved_state.hpp"
#include "core/units.hpp"
#include "sensors/backlog/spill_file.hpp"
#include "sensors/frames/counter.hpp"
#include "sensors/frames/frame.hpp"
#include "sensors/frames/frame_memory.hpp"

namespace takt::sensors {

enum class BacklogPolicy : std::uint8_t {
  /// The producer waits for space.
  block,
  /// The new frame is dropped.
  drop_newest,
  /// The oldest waiting frame is dropped.
  drop_oldest,
  /// Only every second frame is accepted from then on, every fourth if necessary, and so on; more again when
  /// few wait. Selected by the frames' numbers, so that accepted frames are evenly spaced in time.
  decimate,
  /// Frames are written to disk and read back in order.
  spill,
};

[[nodiscard]] std::string_view name_of(BacklogPolicy policy);
/// Throws ConfigError with the nearest names.
[[nodiscard]] BacklogPolicy parse_backlog_policy(std::string_view name);

struct BacklogOptions {
  BacklogPolicy policy = BacklogPolicy::block;
  /// Largest number of frames waiting in memory.
  std::size_t depth = 8;
  /// On disk, in an unnamed file that vanishes with the process.
  Bytes spill{1 << 30};
  std::filesystem::path folder;
  /// For a source whose policy is `spill`: a file that survives the process and contains every frame. Half of
  /// it is for waiting frames, the other half for frames already taken. Empty: none.
  std::filesystem::path kept = {};
};

/// Returns the memory of a backlog's frames.
[[nodiscard]] Bytes memory_of(const BacklogOptions& options, Bytes frame_size);

/// A queue between a producer and a consumer thread. received = given + dropped + decimated + waiting, at any
/// time.
class FrameBacklog {
 public:
  struct Counts {
    std::uint64_t received = 0, given = 0, dropped = 0, decimated = 0, spilled = 0, waiting = 0,
                  most_waiting = 0;
    /// Source frames represented by the dropped and decimated ones (FrameHeader::combined).
    std::uint64_t left_out = 0;
  };

  /// Throws OptionError if no frame fits, WorkError if the spill file cannot be created.
  FrameBacklog(const BacklogOptions& options, Bytes frame_size);
  FrameBacklog(const FrameBacklog&) = delete;
  FrameBacklog& operator=(const FrameBacklog&) = delete;

  /// Copies a frame; waits only under `block`. `is_cut_off` is returned with the frame.
  void put(const FrameView& frame, bool is_cut_off = false);
  /// Announces the end of the input.
  void end();
  /// Announces that no frame will be taken: the producer no longer waits, and new frames are dropped.
  void abandon();
  /// Abandons the queue after a failure of the last frame taken: drops it and all waiting frames.
  void fail();

  /// Returns the oldest frame, valid until `release`; waits at most until this time (now_ns).
  [[nodiscard]] std::optional<FrameView> take(std::int64_t latest_ns);
  /// Returns the flag of the last frame taken.
  [[nodiscard]] bool is_cut_off() const { return lent_is_cut_off_; }
  void release();
  /// Waits until a frame can be taken, the end, or this time.
  void wait(std::int64_t latest_ns);
  /// Reports whether the queue is empty and ended.
  [[nodiscard]] bool is_over() const;

  /// Saves the waiting frames, the lent one first, and the counts, for a policy without disk. Called by the
  /// producer.
  void save(StateWriter& state) const;
  /// Continues with the state of `save`; called before the first `put`.
  void load(StateReader& state);

  /// Frames that an earlier process put after a given frame.
  struct Kept {
    std::vector<FrameHeader> waiting;
    /// After that frame, and its part before the last waiting frame.
    SpillFile::Gone gone, gone_between;
  };
  /// Continues with a kept file as if `taken` frames had been taken, the last with this header; the frames
  /// after it are next. Empties the file if it does not continue there. Reads the headers of all records.
  /// Called before the first `put`.
  [[nodiscard]] Kept continue_after(std::uint64_t taken, const FrameHeader& last);
  /// Counts missing frames before the next one that leave no hole in its number. For a kept file, called by
  /// the producer.
  void miss(std::uint64_t frames) { file_->add({.lost = frames}); }

  /// Thread-safe.
  [[nodiscard]] Counts counts() const;
  [[nodiscard]] std::vector<Counter> counters() const;
  /// Returns warnings, one sentence each. Thread-safe.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  struct Slot {
    FrameHeader header;
    std::span<std::byte> bytes;
    bool is_cut_off = false;
  };
  using Lock = std::unique_lock<std::mutex>;

  /// Counts a frame that is not delivered, in one of the counts.
  void leave_out(std::uint64_t& count, const FrameHeader& header);
  [[nodiscard]] bool makes_room(Lock& lock, const FrameHeader& header);
  [[nodiscard]] bool continues_after(std::uint64_t taken, const FrameHeader& last) const;
  void spill(Lock& lock, const FrameView& frame, bool is_cut_off);
  [[nodiscard]] bool read_back(Lock& lock, Slot& slot);
  [[nodiscard]] std::uint64_t on_disk() const { return written_ - read_; }
  [[nodiscard]] bool has_frame() const { return !ready_.empty() || on_disk() > 0; }

  const BacklogOptions options_;
  const std::size_t frame_bytes_;
  /// Largest number of frames waiting on disk.
  const std::uint64_t most_on_disk_;
  std::optional<SpillFile> file_;
  FrameMemory memory_;
  std::vector<Slot> slots_;

  mutable std::mutex mutex_;
  std::condition_variable has_room_, has_frame_;
  std::vector<Slot*> free_;
  std::deque<Slot*> ready_;
  Slot* lent_ = nullptr;
  bool lent_is_cut_off_ = false;
  bool has_ended_ = false, is_abandoned_ = false;
  /// For `decimate`: accepts frames whose number is a multiple of it.
  std::uint64_t step_ = 1;
  /// Records written to and read from disk.
  std::uint64_t written_ = 0, read_ = 0;
  Counts counts_;
  std::string disk_failure_;
};

}  // namespace takt::sensors
