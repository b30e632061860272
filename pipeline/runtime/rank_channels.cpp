#include "pipeline/runtime/rank_channels.hpp"

#include <algorithm>

namespace takt::pipeline {

namespace {

/// Memory of a source, within the rank's shared memory.
struct Pool {
  std::size_t stage = 0, offset = 0, bytes = 0, stride = 0;
};

/// Returns the largest number of frames that a source may lend at a time.
std::size_t most_lent_at_once(const RankState& state, const Layout& layout, std::size_t stage,
                              const SharedLayout& shared, bool releases_early) {
  // Frames are released in order: those of every iteration that some rank still reads, and of the current
  // one, which joined sources assemble ahead.
  std::size_t rounds = 1;
  for (std::uint32_t instance = 0; instance < state.program.instances; ++instance) {
    const std::size_t slot = state.slot(instance, stage);
    const std::size_t later = layout.read_until[slot] / state.program.steps.size();
    rounds = std::max(rounds, 1 + later);
    for (const std::size_t channel : layout.referring[slot])
      rounds = std::max(rounds, 1 + later + shared.rings[channel]->depth);
  }
  return rounds == 1 && releases_early ? most_lent(state.program, layout, stage, state.pipeline.stages.size())
                                       : rounds * instances_of(state.program, stage);
}

}  // namespace

Neighbourhood neighbourhood(const RankProgram& program, const std::vector<int>& nodes,
                            const std::vector<bool>& lends_many, MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  const auto node_of = [&](int other) { return nodes[static_cast<std::size_t>(other)]; };
  Neighbourhood found{.is_shared = {}, .lends_many = lends_many};
  for (const ChannelPlan& plan : program.sends)
    found.is_shared.push_back(node_of(plan.peer) == node_of(rank));
  return found;
}

Channels open_rank_channels(const RankState& state, const RankMemory& memory, const RankStages& stages,
                            const Neighbourhood& neighbourhood, bool releases_early,
                            const std::vector<int>& nodes,
                            const std::vector<std::optional<std::size_t>>& memory_nodes,
                            MPI_Comm communicator) {
  const RankProgram& program = state.program;
  SharedLayout shared;
  for (std::size_t c = 0; c < program.sends.size(); ++c) {
    std::optional<RingPlace>& ring = shared.rings.emplace_back();
    if (!neighbourhood.is_shared[c]) continue;
    ring = {.depth = ring_depth(state.pipeline, program.sends[c], program.instances),
            .stride = memory.layout.messages[c].bytes};
    ring->offset = shared.add(ring->bytes());
  }
  std::vector<Pool> pools;
  for (const std::size_t stage : stages.own_sources()) {
    if (!neighbourhood.lends_many[stage]) continue;
    const std::size_t lent = most_lent_at_once(state, memory.layout, stage, shared, releases_early);
    if (lent == 1) continue;
    constexpr std::size_t line = 64;
    const std::size_t stride = (state.bytes[stage] + line - 1) / line * line;
    const std::size_t bytes = (stages.source(stage)->source().least_pool() + lent) * stride;
    pools.push_back({stage, shared.add(bytes), bytes, stride});
  }

  Channels channels = open_channels(program.sends, program.receives, shared, nodes,
                                    window_depth(state.pipeline.deployment), communicator, memory_nodes);
  for (const Pool& pool : pools)
    stages.source(pool.stage)
        ->source()
        .use_pool({{channels.memory.begin() + pool.offset, pool.bytes}, pool.stride});
  return channels;
}

}  // namespace takt::pipeline
