#pragma once
/// No rank outlives its job.

#include <thread>

namespace takt::pipeline {

/// While it lives, this process ends, in silence, a moment after its parent: a rank whose mpirun, or daemon
/// of it, was killed. A mpirun that is asked to end while ranks are starting up may leave them, too.
class ParentWatch {
 public:
  ParentWatch();

 private:
  /// The kernel's own PR_SET_PDEATHSIG watches the thread that forked, and mpirun may end that one early.
  std::jthread thread_;
};

}  // namespace takt::pipeline
