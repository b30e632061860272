#pragma once
/// Checkpoint of a run, from which it restarts after some frame: a consistent cut through all ranks.
///
/// Every rank executes the same iterations of the schedule, and a message is received in the iteration in
/// which it was sent. So the states of all ranks after one iteration are consistent, although the ranks save
/// them at different moments. No message is in flight, and no rank waits until another one is saved.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sensors/source.hpp"

namespace takt::pipeline {

/// State of a stage after the last frame of a checkpoint.
struct SavedStage {
  std::size_t stage = 0;
  /// Counters of the stage (StageTally).
  std::uint64_t runs = 0, given = 0, total_ns = 0;
  /// State of a stateful kernel or sink (Kernel::save, sensors::Sink::save).
  std::optional<std::vector<std::byte>> state = {};
  /// State of a source.
  struct Stream {
    sensors::StreamPlace place;
    sensors::SourceCounters counters;
    /// UTC at which the first frame arrived, in ns since 1970; 0: none had arrived.
    std::int64_t begun_utc_ns = 0;
    /// Samples of its clock from one frame to the next; 0: unknown.
    std::uint64_t step = 0;
  };
  std::optional<Stream> stream = {};
  /// Counters of a sink (SinkTally).
  struct Delivery {
    std::uint64_t passed = 0, delivered = 0, most_combined = 0, held_back = 0;
  };
  std::optional<Delivery> delivery = {};
};

struct Checkpoint {
  /// Number of frames of the source before the checkpoint.
  std::uint64_t frame = 0;
  /// Number of ranks with a part of the checkpoint; 1 if it is complete.
  std::size_t parts = 1;
  /// Rank of the part.
  std::size_t rank = 0;
  std::vector<SavedStage> stages;

  /// Returns the saved stage; null if the checkpoint does not contain it.
  [[nodiscard]] const SavedStage* find(std::size_t stage) const;
};

/// Returns a line of JSON and the bytes of the stages. The same program reads it.
[[nodiscard]] std::string to_text(const Checkpoint& checkpoint);
/// Throws ConfigError if the text is not a checkpoint.
[[nodiscard]] Checkpoint checkpoint_from_text(std::string_view text);

/// Combines the parts that ranks send, and keeps the last complete checkpoint.
class CheckpointDesk {
 public:
  /// Continues from an earlier checkpoint, if there is one.
  explicit CheckpointDesk(std::optional<Checkpoint> last = {}) : whole_(std::move(last)) {}

  void take(Checkpoint part);
  /// Returns the last complete checkpoint, with the sum of all ranks' counters and each stage once.
  [[nodiscard]] const std::optional<Checkpoint>& last() const { return whole_; }

 private:
  std::optional<Checkpoint> whole_;
  std::vector<Checkpoint> parts_;
};

}  // namespace takt::pipeline
