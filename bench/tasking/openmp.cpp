/// OpenMP's tasks.

#include <omp.h>

#include "bench/tasking/library.hpp"

namespace takt::bench {
namespace {

int threads = 1;

struct OpenmpGroup {
  template <class F>
  void run(F&& callable) {
#pragma omp task default(shared) firstprivate(callable)
    callable();
  }
  void wait() {
#pragma omp taskwait
  }
};

struct OpenmpRun {
  template <class F>
  static std::uint64_t in(const F& callable) {
    std::uint64_t result = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    result = callable();
    return result;
  }
};

}  // namespace

TaskLibrary openmp_tasks() {
  return library_of<OpenmpGroup, OpenmpRun>(
      "OpenMP", [](int workers) { threads = workers; }, [] {});
}

}  // namespace takt::bench
