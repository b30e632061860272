#pragma once
/// Coordinator of a calibration: rank 0 sends commands to the performing ranks, itself included, and collects
/// their measurements.

#include <mpi.h>

#include "logp/calibration/observations.hpp"
#include "logp/calibration/performer.hpp"

namespace takt::logp {

/// A command's times and other times (see Block), from all its ranks. A repetition is quiet if none of them
/// lost its core.
struct Observed {
  Visit times;
  Visit other_times;
};

/// Runs on rank 0. All other ranks must call `follow`, until the coordinator is destroyed.
class Coordinator {
 public:
  /// `rests`: pause between two commands for as long as the last one took.
  Coordinator(MPI_Comm communicator, Performer& performer, bool rests);
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;
  /// Ends `follow` on the other ranks.
  ~Coordinator();

  /// Returns the measurements of all ranks together.
  [[nodiscard]] Observed coordinate(const Command& command);

 private:
  [[nodiscard]] std::vector<Reply> replies_to(const Command& command);

  MPI_Comm communicator_;
  Performer& performer_;
  bool rests_;
};

/// Performs commands until the stop command. A rank without commands sleeps for increasing times, so that it
/// does not disturb ranks on the same core.
void follow(MPI_Comm communicator, Performer& performer);

}  // namespace takt::logp
