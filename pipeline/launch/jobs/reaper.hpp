#pragma once
/// The reaper: ends the processes that a run leaves on a host, whichever of them is killed.

namespace takt::pipeline {

/// Call in a rank started by takt, before it has other threads. Puts the rank into the run's cgroup
/// (run_cgroup.hpp) and, in the first rank of a host, starts the reaper process. After that rank has ended
/// for any reason, the reaper waits up to 15 s for the run's ranks on this host. Then it kills everything
/// that has the run's directory in its environment or is in the cgroup, removes the directory if it is
/// unused, and exits. The launcher does the same on its own host without delay, but it may be killed, and it
/// cannot act on other hosts.
void run_reaper();

}  // namespace takt::pipeline
