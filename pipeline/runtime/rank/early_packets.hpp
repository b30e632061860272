#pragma once
/// Packets of live sources that come while a run is planned.

#include <cstddef>
#include <memory>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/run_plan.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

/// Opens the ports of the sources on the first rank of each host, and counts what comes.
class EarlyPackets {
 public:
  /// `nodes` says which ranks share a host. Ports that cannot be opened here are left to the source, which
  /// says why.
  EarlyPackets(const Pipeline& pipeline, const std::vector<int>& nodes, int rank);

  /// Closes the ports, and notes in the plan of every rank how many packets came to any host. Collective over
  /// MPI_COMM_WORLD.
  void note(const Pipeline& pipeline, RunPlan& plan);

 private:
  /// By stage; null where nothing is counted.
  std::vector<std::unique_ptr<sensors::PacketCount>> counts_;
};

}  // namespace takt::pipeline
