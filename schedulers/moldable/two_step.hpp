#pragma once
/// Two-step schedulers of moldable tasks: how many processors each task gets (allotment.hpp, trade_off.hpp),
/// then which (mapping.hpp). Tasks that are not moldable get one processor. Options::moldable says which
/// numbers of processors are allowed and how groups are mapped.
///
/// They look at processors as clusters of equal ones (the pace of a cluster is that of its slowest
/// processor).

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Critical Path and Area: the classical allotment on as many processors as the machine has, at most those of
/// the largest cluster for a task. In another cluster the least number that is as fast as on the fastest one,
/// or all of its processors. Source: Radulescu and van Gemund, "A low-cost approach towards mixed task and
/// data parallel scheduling" (ICPP 2001). O(n P (path + changes)), then the mapping.
[[nodiscard]] Schedule cpa(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

/// As cpa, but the tasks of a layer (longest path from an entry) never get more processors than there are, so
/// that all of them can run at once. Source: Bansal, Kumar, Singh, "An improved two-step algorithm for task
/// and data parallel scheduling in distributed memory machines", Parallel Computing 32 (10), 2006.
[[nodiscard]] Schedule mcpa(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

/// Heterogeneous CPA: the allotment is made on a reference cluster with the speed of the fastest cluster and
/// as many processors of it as the machine is worth; the area is the work over min(processors, tasks), which
/// keeps allotments small where processors abound; then as cpa. Source: N'Takpe and Suter, "Critical path and
/// area based scheduling of parallel task graphs on heterogeneous platforms" (ICPADS 2006), with the area of
/// N'Takpe, Suter, Casanova (ISPDC 2007).
[[nodiscard]] Schedule hcpa(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

/// Multi-Cluster Guaranteed Allocation Scheduling: the best trade-off between critical path and work
/// (trade_off.hpp), rounded with mu, no task on more than b processors, mapped where that many are. What the
/// promise leaves of the work goes to the critical path (LeftWork in mcgas.hpp; not in the source). The
/// schedule carries its guarantee (guarantee.hpp; for clusters of unlike speed times the fastest over the
/// slowest one, for few allowed numbers times what the longest task can lose by them), and the trade-off's
/// bound of any makespan. mu and b are those of the best guarantee, or as Options::moldable says; of several
/// mus that promise enough the one with the shortest schedule. Throws ConfigError on a mu outside (0, 1), a
/// bound of 0 or above the largest cluster, or a guarantee that cannot be had. Source: Dutot, N'Takpe, Suter,
/// Casanova, "Scheduling parallel task graphs on (almost) homogeneous multi-cluster platforms", IEEE TPDS 20
/// (7), 2009.
[[nodiscard]] Schedule mcgas(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
