#pragma once
/// Ends a rank when its parent process has died.

#include <thread>

namespace takt::pipeline {

/// While an object exists, this process ends silently soon after its parent, such as a killed mpirun or its
/// daemon. A mpirun that ends while ranks are starting may also leave them.
class ParentWatch {
 public:
  ParentWatch();

 private:
  /// PR_SET_PDEATHSIG watches the thread that forked, which mpirun may end early.
  std::jthread thread_;
};

}  // namespace takt::pipeline
