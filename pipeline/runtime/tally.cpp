#include "pipeline/runtime/tally.hpp"

#include <time.h>

namespace takt::pipeline {

std::int64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

}  // namespace takt::pipeline
