#pragma once
/// How long the system has let this process's main thread work, and how long it made it wait for a processor.

#include <cstdint>
#include <optional>

#include "core/system/processor_clock.hpp"

namespace takt::pipeline {

/// Of a span of time.
struct ProcessorTime {
  std::uint64_t used_ns = 0;
  /// It was ready to work, and another thread had its processor.
  std::uint64_t delayed_ns = 0;
  std::uint64_t span_ns = 0;
};

/// Watches while the rank works at frames: waiting for other ranks at the start and at the end, which spins,
/// does not count.
class ProcessorWatch {
 public:
  ProcessorWatch();

  /// Looks at the clocks, where the rank is at work now; with what was seen at the first look at work, gives
  /// what has passed since. All 0 before the second look, and where the system does not tell.
  [[nodiscard]] ProcessorTime look(bool is_at_work);

 private:
  ProcessorClock clock_;
  std::optional<ProcessorTime> first_;
  ProcessorTime passed_;
};

}  // namespace takt::pipeline
