#pragma once
/// A first look at a machine within a second, for a plan that is made at once.

#include <chrono>
#include <optional>

#include <mpi.h>

#include "logp/calibration/endpoint.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

struct QuickOptions {
  /// Messages from 1 byte to this size, but to a megabyte at most: larger ones are extrapolated.
  Bytes largest{1 << 20};
  /// How long to measure all links together; over a slow link, or beside others' work, it takes
  /// longer to visit every size once, though not above some ten seconds a link.
  Time duration{std::chrono::milliseconds{300}};
  /// How messages are sent.
  EndpointFactory endpoints;
  /// Messages that an endpoint holds before the first one must have been received; 2 at least.
  std::size_t window = 8;
};

/// The medians that `calibrate` measures, by the same definitions and from the same loops, but from few
/// visits to the powers of two only, joined by straight lines (point_curve.hpp), and without trials or
/// reasons to refuse them. Pairs of hosts are measured one by one, and those that are unlike the others of
/// their level have costs of their own (host_links.hpp). While it lasts, ranks are bound to cores of their
/// own as far as there are enough. Collective. The machine, one processor a rank, is rank 0's; nothing comes
/// to the others. A single rank has nobody to talk to: its messages cost nothing.
[[nodiscard]] std::optional<Machine> measure_quickly(MPI_Comm communicator, const QuickOptions& options);

}  // namespace takt::logp
