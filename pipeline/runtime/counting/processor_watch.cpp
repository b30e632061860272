#include "pipeline/runtime/counting/processor_watch.hpp"

#include <unistd.h>

#include "core/system/clock.hpp"

namespace takt::pipeline {

ProcessorWatch::ProcessorWatch() : clock_(::getpid()) {}

ProcessorTime ProcessorWatch::look(bool is_at_work) {
  if (!is_at_work) return passed_;
  const std::optional<ProcessorTimes> times = clock_.now();
  if (!times) return passed_;
  const ProcessorTime now{times->used_ns, times->delayed_ns, static_cast<std::uint64_t>(now_ns())};
  if (!first_) first_ = now;
  passed_ = {now.used_ns - first_->used_ns, now.delayed_ns - first_->delayed_ns,
             now.span_ns - first_->span_ns};
  return passed_;
}

}  // namespace takt::pipeline
