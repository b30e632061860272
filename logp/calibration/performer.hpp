#pragma once
/// Performs commands: the timed loops.

#include <mpi.h>

#include "logp/calibration/command.hpp"
#include "logp/calibration/endpoint.hpp"

namespace takt::logp {

/// One rank's part of a measurement. All ranks of a command perform it at the same time.
class Performer {
 public:
  /// `fills`: the endpoints receive into other memory than they send from, so fresh data must be written
  /// before each timed send.
  Performer(MPI_Comm communicator, EndpointFactory endpoints, bool fills);

  /// Performs this rank's part. Precondition: it is one of the command's ranks.
  [[nodiscard]] Reply perform(const Command& command);

 private:
  struct Line;

  void exchange(Line& line, const Command& command, std::uint64_t repeat, Block& block);
  void ping_pong(Line& line, const Command& command, std::uint64_t repeat, Block& block);
  void overheads(Line& line, const Command& command, std::uint64_t repeat, Block& block);
  void burst(Line& line, const Command& command, std::uint64_t repeat, Block& block);
  Reply fan_in(const Command& command, std::size_t place);
  Reply replay(const Command& command, std::size_t place);

  int rank_ = 0;
  EndpointFactory endpoints_;
  bool fills_;
  /// Time of two consecutive clock reads.
  double clock_time_;
};

}  // namespace takt::logp
