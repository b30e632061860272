#include "pipeline/runtime/rank/early_packets.hpp"

#include <cstdint>

#include <fmt/format.h>
#include <mpi.h>

#include "core/error.hpp"
#include "logp/mpi/blocking.hpp"
#include "pipeline/runtime/stage_error.hpp"

namespace takt::pipeline {

EarlyPackets::EarlyPackets(const Pipeline& pipeline, const std::vector<int>& nodes, int rank)
    : counts_(pipeline.stages.size()) {
  if (nodes[static_cast<std::size_t>(rank)] != rank) return;
  for (const std::size_t source : pipeline.sources()) {
    if (!pipeline.kernels.find_source(pipeline.stages[source].type)->is_live) continue;
    counts_[source] = as_stage_at(pipeline, source, Deadline::set_up, [&] {
      const std::unique_ptr<sensors::Source> made = pipeline.make_source(source);
      try {
        return made->count_packets();
      } catch (const WorkError&) {
        // The source reports the reason when it starts.
        return std::unique_ptr<sensors::PacketCount>();
      }
    });
  }
}

void EarlyPackets::note(const Pipeline& pipeline, RunPlan& plan) {
  for (const std::size_t source : pipeline.sources()) {
    const std::uint64_t own = counts_[source] ? counts_[source]->packets() : 0;
    counts_[source].reset();
    std::uint64_t all = 0;
    for (const std::string& count : mpi::gather(fmt::format("{}", own), MPI_COMM_WORLD))
      all += std::stoull(count);
    if (all > 0)
      plan.notes.push_back(
          fmt::format("{} packets reached '{}' during planning, before the stream began: they were discarded",
                      all, pipeline.stages[source].name));
  }
}

}  // namespace takt::pipeline
