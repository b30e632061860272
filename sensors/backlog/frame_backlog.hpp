#pragma once
/// Frames that wait for somebody slower, and what becomes of the next one when there are too many.

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
  /// Whoever gives frames waits for room.
  block,
  /// The new frame is dropped.
  drop_newest,
  /// The oldest frame that waits is dropped.
  drop_oldest,
  /// Every second frame is taken from then on, every fourth when that is not enough, and so on; more again
  /// once hardly any wait. By the frames' numbers, so that those taken lie evenly in time.
  decimate,
  /// Frames go to disk, and come back in their order.
  spill,
};

[[nodiscard]] std::string_view name_of(BacklogPolicy policy);
/// Throws ConfigError with the nearest names.
[[nodiscard]] BacklogPolicy parse_backlog_policy(std::string_view name);

struct BacklogOptions {
  BacklogPolicy policy = BacklogPolicy::block;
  /// Frames that may wait in memory.
  std::size_t depth = 8;
  /// On disk, in a file without a name that is gone with the process.
  Bytes spill{1 << 30};
  std::filesystem::path folder;
  /// Of a source whose policy is `spill`: a file that stays when the process dies, through which every frame
  /// goes. Half of it is for frames that wait, the other half for those that were taken. Empty: none.
  std::filesystem::path kept = {};
};

/// What a backlog takes for its frames in memory.
[[nodiscard]] Bytes memory_of(const BacklogOptions& options, Bytes frame_size);

/// Between two threads, one that puts and one that takes. received = given + dropped + decimated + waiting,
/// at every moment.
class FrameBacklog {
 public:
  struct Counts {
    std::uint64_t received = 0, given = 0, dropped = 0, decimated = 0, spilled = 0, waiting = 0,
                  most_waiting = 0;
    /// Frames of the source that those stand for which were dropped and decimated (FrameHeader::combined).
    std::uint64_t left_out = 0;
  };

  /// Throws OptionError where no frame has room, WorkError when there is no file to spill to.
  FrameBacklog(const BacklogOptions& options, Bytes frame_size);
  FrameBacklog(const FrameBacklog&) = delete;
  FrameBacklog& operator=(const FrameBacklog&) = delete;

  /// Copies a frame; waits under `block` alone. `is_cut_off` is given back with it.
  void put(const FrameView& frame, bool is_cut_off = false);
  /// Nothing more will be put.
  void end();
  /// Nothing more will be taken: whoever puts does not wait any more, and what comes is dropped.
  void abandon();
  /// The same, where what was taken last has failed: that frame and all that wait are dropped.
  void fail();

  /// The oldest frame, valid until `release`; waits until this moment (now_ns) at the latest.
  [[nodiscard]] std::optional<FrameView> take(std::int64_t latest_ns);
  /// Of the frame that was taken last.
  [[nodiscard]] bool is_cut_off() const { return lent_is_cut_off_; }
  void release();
  /// Waits until a frame can be taken, the end, or this moment.
  void wait(std::int64_t latest_ns);
  /// Nothing is left, and nothing will come.
  [[nodiscard]] bool is_over() const;

  /// For another one like it, of a policy that keeps nothing on disk: the frames that wait, the one that is
  /// lent first, and the counts. By whoever puts.
  void save(StateWriter& state) const;
  /// Before anything is put: goes on with what another one saved.
  void load(StateReader& state);

  /// What another process has put behind some frame.
  struct Kept {
    std::vector<FrameHeader> waiting;
    /// Behind that frame, and of it what is before the last one that waits.
    SpillFile::Gone gone, gone_between;
  };
  /// Before anything is put, with a file that was kept: as if `taken` frames had been taken, the last of them
  /// with this header. What waits behind them is next. Where the file does not go on there, it is emptied.
  /// Reads the heads of all records.
  [[nodiscard]] Kept go_on_behind(std::uint64_t taken, const FrameHeader& last);
  /// With a file that was kept, by whoever puts: so many frames are missing before the next one, of which no
  /// hole in its number tells.
  void miss(std::uint64_t frames) { file_->add({.lost = frames}); }

  /// Any thread.
  [[nodiscard]] Counts counts() const;
  [[nodiscard]] std::vector<Counter> counters() const;
  /// What the user should know, one sentence each. Any thread.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  struct Slot {
    FrameHeader header;
    std::span<std::byte> bytes;
    bool is_cut_off = false;
  };
  using Lock = std::unique_lock<std::mutex>;

  /// Counts a frame that is not given, in one of the counts.
  void leave_out(std::uint64_t& count, const FrameHeader& header);
  [[nodiscard]] bool makes_room(Lock& lock, const FrameHeader& header);
  [[nodiscard]] bool goes_on_behind(std::uint64_t taken, const FrameHeader& last) const;
  void spill(Lock& lock, const FrameView& frame, bool is_cut_off);
  [[nodiscard]] bool read_back(Lock& lock, Slot& slot);
  [[nodiscard]] std::uint64_t on_disk() const { return written_ - read_; }
  [[nodiscard]] bool has_frame() const { return !ready_.empty() || on_disk() > 0; }

  const BacklogOptions options_;
  const std::size_t frame_bytes_;
  /// That may wait on disk.
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
  /// Of `decimate`: frames are taken whose number is a multiple of it.
  std::uint64_t step_ = 1;
  /// Records that were written to and read from disk.
  std::uint64_t written_ = 0, read_ = 0;
  Counts counts_;
  std::string disk_failure_;
};

}  // namespace takt::sensors
