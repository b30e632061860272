#include "pipeline/tasking/schedule/workers.hpp"

#include <memory>

#include <unistd.h>

namespace takt::tasking::schedule {

Workers& Workers::of(int workers) {
  // Never destroyed: units may run while the program exits.
  static auto* const kept = new std::unique_ptr<Workers>;
  static pid_t process = 0;
  // After a fork there are no threads to end.
  if (process != ::getpid()) (void)kept->release();
  process = ::getpid();
  if (*kept == nullptr || (*kept)->pool.workers() != workers) {
    kept->reset();
    *kept = std::make_unique<Workers>(workers);
  }
  return **kept;
}

}  // namespace takt::tasking::schedule
