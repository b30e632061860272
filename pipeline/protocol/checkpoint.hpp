#pragma once
/// What a run needs to start again behind some frame: a consistent cut through all of its ranks.
///
/// Every rank works through the same repetitions of the schedule, and what is sent in one is received in the
/// same one. So what the ranks have at the end of a repetition of one number belongs together, though they
/// come to it at different moments, and nothing is under way: no rank waits for another one to be saved.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sensors/source.hpp"

namespace takt::pipeline {

/// A stage behind the last frame of a checkpoint.
struct SavedStage {
  std::size_t stage = 0;
  /// What was counted of it (StageTally).
  std::uint64_t runs = 0, given = 0, total_ns = 0;
  /// Of a kernel or a sink that keeps something (Kernel::save, sensors::Sink::save).
  std::optional<std::vector<std::byte>> state = {};
  /// Of a source.
  struct Stream {
    sensors::StreamPlace place;
    sensors::SourceCounters counters;
    /// UTC of the moment at which the first frame came, ns since 1970; 0: none had come.
    std::int64_t begun_utc_ns = 0;
    /// Samples of its clock from one frame to the next; 0: not known.
    std::uint64_t step = 0;
  };
  std::optional<Stream> stream = {};
  /// Of a sink (SinkTally).
  struct Delivery {
    std::uint64_t passed = 0, delivered = 0, most_combined = 0, held_back = 0;
  };
  std::optional<Delivery> delivery = {};
};

struct Checkpoint {
  /// Frames of the source before it.
  std::uint64_t frame = 0;
  /// How many ranks have a part of it; 1 of a whole one.
  std::size_t parts = 1;
  /// Whose part it is.
  std::size_t rank = 0;
  std::vector<SavedStage> stages;

  /// Null where it is not among them.
  [[nodiscard]] const SavedStage* find(std::size_t stage) const;
};

/// Of a line of JSON and the stages' bytes. Both ends are of one program.
[[nodiscard]] std::string to_text(const Checkpoint& checkpoint);
/// Throws ConfigError where the text is none.
[[nodiscard]] Checkpoint checkpoint_from_text(std::string_view text);

/// Puts parts together as ranks send them, and keeps the last one that is whole.
class CheckpointDesk {
 public:
  /// Goes on from a checkpoint of before, if there is one.
  explicit CheckpointDesk(std::optional<Checkpoint> last = {}) : whole_(std::move(last)) {}

  void take(Checkpoint part);
  /// Counts are those of all ranks together; a stage stands in it once.
  [[nodiscard]] const std::optional<Checkpoint>& last() const { return whole_; }

 private:
  std::optional<Checkpoint> whole_;
  std::vector<Checkpoint> parts_;
};

}  // namespace takt::pipeline
