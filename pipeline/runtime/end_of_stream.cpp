#include "pipeline/runtime/end_of_stream.hpp"

#include "core/system/clock.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

void EndOfStream::expect(std::size_t stage) {
  if (!finished_[stage]) return;
  finished_[stage] = false;
  ++unfinished_;
  ++expected_;
}

void EndOfStream::finish(std::size_t stage) {
  end_finishing(state_.pipeline.stages[stage].name);
  finished_[stage] = true;
  --unfinished_;
}

void EndOfStream::begin_flush() {
  if (std::exchange(has_rest_begun_, true)) return;
  set_phase(Phase::draining);
  state_.timeline.enter(state_.timeline.use(), now_ns());
  state_.tally.worked_ns.set(state_.tally.work_ns());
  state_.tally.processor_ns.set(static_cast<std::uint64_t>(thread_processor_ns()));
}

std::int64_t EndOfStream::finishing_since(std::size_t stage) {
  std::int64_t& since = finishing_since_ns_[stage];
  if (since == 0) since = now_ns();
  return since;
}

bool EndOfStream::is_flush_unused(std::size_t stage) {
  const bool drains = draining_.load(std::memory_order_relaxed);
  std::optional<bool>& drained_before = drained_before_rest_[stage];
  if (!drained_before) drained_before = drains;
  return drains && !*drained_before;
}

}  // namespace takt::pipeline
