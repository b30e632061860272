#pragma once
/// Quick measurement of a machine within a second, for an immediate plan.

#include <chrono>
#include <optional>

#include <mpi.h>

#include "logp/calibration/endpoint.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

struct QuickOptions {
  /// Largest message size, at most a megabyte: larger ones are extrapolated.
  Bytes largest{1 << 20};
  /// Duration for all links together. Over a slow link, or next to other load, visiting every size once takes
  /// longer, up to about ten seconds per link.
  Time duration{std::chrono::milliseconds{300}};
  /// Method of sending messages.
  EndpointFactory endpoints;
  /// Messages that an endpoint holds before the first one must be received; at least 2.
  std::size_t window = 8;
};

/// Measures the same medians as `calibrate`, with the same definitions and loops, but with few visits and
/// only powers of two, joined by straight lines (point_curve.hpp), without trials or objections. Pairs of
/// hosts are measured one by one; pairs that differ from their level have costs of their own
/// (host_links.hpp). Meanwhile ranks are bound to separate cores, as far as there are enough. Collective.
/// Rank 0 receives the machine, one processor per rank; other ranks receive nothing. With a single rank
/// messages cost nothing.
[[nodiscard]] std::optional<Machine> measure_quickly(MPI_Comm communicator, const QuickOptions& options);

}  // namespace takt::logp
