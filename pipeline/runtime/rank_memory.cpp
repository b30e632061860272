#include "pipeline/runtime/rank_memory.hpp"

namespace takt::pipeline {

RankMemory::RankMemory(const RankState& state, const Neighbourhood& neighbourhood,
                       OutputPlacements& all_placements)
    : layout(lay_out(state.pipeline, state.program, neighbourhood)),
      data(layout.homes.size()),
      headers(layout.homes.size()),
      arena(layout.places, layout.place_size),
      placements(layout.homes.size()) {
  for (std::size_t slot = 0; slot < placements.size(); ++slot) {
    const std::optional<Home>& home = layout.homes[slot];
    if (!home || (!home->may_be_copied && !home->may_pass_caches)) continue;
    const std::size_t stage = slot % state.pipeline.stages.size();
    placements[slot] =
        &all_placements.of(state.pipeline.stages[stage].name, home->may_be_copied, state.bytes[stage]);
  }
  if (layout.may_copy()) workbench.emplace(1, layout.place_size);
}

}  // namespace takt::pipeline
