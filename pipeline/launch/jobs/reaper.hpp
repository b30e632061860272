#pragma once
/// Who ends what a run leaves behind on a host, whoever of it is killed.

namespace takt::pipeline {

/// Of a rank that was started by takt, before it has other threads: puts it into the run's cgroup
/// (run_cgroup.hpp), and, the first rank of a host, starts a process beside it. Once that rank is gone,
/// however it went, the process waits until the run's ranks here have ended, for 15 s at most; then it kills
/// whatever has the run's folder in its environment, or is in the cgroup, removes the folder where nobody has
/// it any more, and ends. The launcher does the same on its own host, and sooner; but it may be killed
/// itself, and on other hosts nobody else does.
void keep_house();

}  // namespace takt::pipeline
