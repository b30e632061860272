#include "pipeline/tasking/library_threads.hpp"

#include <dlfcn.h>

namespace takt::tasking {

namespace {

/// OpenMP's functions, of whichever runtime the program has loaded; both or none.
struct OpenMp {
  int (*most_threads)() = nullptr;
  void (*set_threads)(int) = nullptr;

  static const OpenMp& loaded() {
    static const OpenMp found = [] {
      OpenMp functions;
      functions.most_threads = reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
      functions.set_threads = reinterpret_cast<void (*)(int)>(::dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
      return functions.most_threads == nullptr || functions.set_threads == nullptr ? OpenMp{} : functions;
    }();
    return found;
  }
};

}  // namespace

OneLibraryThread::OneLibraryThread() {
  const OpenMp& openmp = OpenMp::loaded();
  if (openmp.set_threads == nullptr) return;
  before_ = openmp.most_threads();
  openmp.set_threads(1);
}

OneLibraryThread::~OneLibraryThread() {
  if (before_ > 0) OpenMp::loaded().set_threads(before_);
}

}  // namespace takt::tasking
