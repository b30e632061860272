#pragma once
/// Rank 0 coordinates: it sends commands to the ranks that perform, itself among them, and collects what they
/// saw.

#include <mpi.h>

#include "logp/calibration/observations.hpp"
#include "logp/calibration/performer.hpp"

namespace takt::logp {

/// A command's times and other times (see Block), of all its ranks. A repetition is quiet when none of them
/// was taken from its core.
struct Observed {
  Visit times;
  Visit other_times;
};

/// On rank 0. All other ranks must `follow`, until the coordinator's end.
class Coordinator {
 public:
  /// `rests`: between two commands, as long as the last one took.
  Coordinator(MPI_Comm communicator, Performer& performer, bool rests);
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;
  /// Sends the others home.
  ~Coordinator();

  /// What all ranks together saw.
  [[nodiscard]] Observed coordinate(const Command& command);

 private:
  [[nodiscard]] std::vector<Reply> replies_to(const Command& command);

  MPI_Comm communicator_;
  Performer& performer_;
  bool rests_;
};

/// Performs commands until there are no more. A rank without commands sleeps more and more, so that it does
/// not disturb those that share its core.
void follow(MPI_Comm communicator, Performer& performer);

}  // namespace takt::logp
