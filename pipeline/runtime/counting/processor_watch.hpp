#pragma once
/// Measures the CPU time of this process's main thread, and how long it was runnable without a processor.

#include <cstdint>
#include <optional>

#include "core/system/processor_clock.hpp"

namespace takt::pipeline {

/// CPU use within a span of time.
struct ProcessorTime {
  std::uint64_t used_ns = 0;
  /// The thread was runnable, and another thread had its processor.
  std::uint64_t delayed_ns = 0;
  std::uint64_t span_ns = 0;
};

/// Watches the rank while it processes frames. Waits for other ranks at the start and at the end do not
/// count, since they spin.
class ProcessorWatch {
 public:
  ProcessorWatch();

  /// Reads the clocks if the rank is at work. Returns the times since the first reading at work: all 0 before
  /// the second reading, and if the system does not report them.
  [[nodiscard]] ProcessorTime look(bool is_at_work);

 private:
  ProcessorClock clock_;
  std::optional<ProcessorTime> first_;
  ProcessorTime passed_;
};

}  // namespace takt::pipeline
