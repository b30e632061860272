#pragma once
/// Rank 0 conducts: it sends orders to the ranks that perform, itself among them, and collects what they saw.

#include <mpi.h>

#include "logp/calibration/observations.hpp"
#include "logp/calibration/performer.hpp"

namespace takt::logp {

/// An order's times and other times (see Block), of all its ranks. A repetition is quiet when none of them
/// was taken from its core.
struct Observed {
  Visit times;
  Visit other_times;
};

/// On rank 0. All other ranks must `follow`, until the conductor's end.
class Conductor {
 public:
  /// `rests`: between two orders, as long as the last one took.
  Conductor(MPI_Comm communicator, Performer& performer, bool rests);
  Conductor(const Conductor&) = delete;
  Conductor& operator=(const Conductor&) = delete;
  /// Sends the others home.
  ~Conductor();

  /// What all ranks together saw.
  [[nodiscard]] Observed conduct(const Order& order);

 private:
  [[nodiscard]] std::vector<Reply> replies_to(const Order& order);

  MPI_Comm communicator_;
  Performer& performer_;
  bool rests_;
};

/// Performs orders until there are no more. A rank without orders sleeps more and more, so that it does not
/// disturb those that share its core.
void follow(MPI_Comm communicator, Performer& performer);

}  // namespace takt::logp
