#pragma once
/// Counts packets of live sources that arrive while a run is planned.

#include <cstddef>
#include <memory>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/run_plan.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

/// Opens the ports of the sources on the first rank of each host, and counts arriving packets.
class EarlyPackets {
 public:
  /// `nodes` lists the ranks that share a host. Ignores ports that cannot be opened here: their source
  /// reports the reason.
  EarlyPackets(const Pipeline& pipeline, const std::vector<int>& nodes, int rank);

  /// Closes the ports, and notes in the plan of every rank the number of packets on all hosts. Collective
  /// over MPI_COMM_WORLD.
  void note(const Pipeline& pipeline, RunPlan& plan);

 private:
  /// By stage; null where nothing is counted.
  std::vector<std::unique_ptr<sensors::PacketCount>> counts_;
};

}  // namespace takt::pipeline
