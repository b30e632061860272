#include "pipeline/runtime/rank_state.hpp"

namespace takt::pipeline {

void RankState::record_step(const Step& step) {
  const std::uint64_t frame = frames.of(step);
  if (step.kind == OperationKind::compute)
    return recorder->begin(frame, TraceKind::task, static_cast<std::uint32_t>(step.index), -1);
  const bool is_send = step.kind == OperationKind::send;
  const ChannelPlan& plan = is_send ? program.sends[step.index] : program.receives[step.index];
  recorder->begin(frame, is_send ? TraceKind::send : TraceKind::receive, static_cast<std::uint32_t>(plan.tag),
                  plan.peer);
}

}  // namespace takt::pipeline
