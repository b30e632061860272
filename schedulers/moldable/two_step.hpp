#pragma once
/// Two-step schedulers of moldable tasks: the number of processors of each task (allotment.hpp,
/// trade_off.hpp), then its group (mapping.hpp). Other tasks have one processor. Options::moldable selects
/// the allowed numbers of processors and the mapping of groups.
///
/// Their machine model is clusters of equal processors (the speed of a cluster is that of its slowest
/// processor).

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Critical Path and Area: the classical allotment on as many processors as the machine has, at most those of
/// the largest cluster for a task. In another cluster the least number that is as fast as on the fastest one,
/// or all of its processors. Source: Radulescu and van Gemund, "A low-cost approach towards mixed task and
/// data parallel scheduling" (ICPP 2001). O(n P (path + changes)), then the mapping.
[[nodiscard]] Schedule cpa(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

/// Like cpa, but the tasks of a layer (longest path from an entry) have at most all processors in sum, so
/// that they can run in parallel. Source: Bansal, Kumar, Singh, "An improved two-step algorithm for task and
/// data parallel scheduling in distributed memory machines", Parallel Computing 32 (10), 2006.
[[nodiscard]] Schedule mcpa(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

/// Heterogeneous CPA: computes the allotment on a reference cluster with the speed of the fastest cluster and
/// the capacity of the machine. The area is the work over min(processors, tasks), which keeps allotments
/// small on many processors; then as cpa. Source: N'Takpe and Suter, "Critical path and area based scheduling
/// of parallel task graphs on heterogeneous platforms" (ICPADS 2006), with the area of N'Takpe, Suter,
/// Casanova (ISPDC 2007).
[[nodiscard]] Schedule hcpa(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

/// Multi-Cluster Guaranteed Allocation Scheduling: the best trade-off between critical path and work
/// (trade_off.hpp), rounded with mu, at most b processors per task, mapped to clusters of that size. Work
/// that the guarantee allows beyond that goes to the critical path (LeftWork in scheduler.hpp; not in the
/// source). The schedule carries its guarantee (guarantee.hpp), and the trade-off's bound of any makespan.
/// The guarantee is multiplied by the ratio of the fastest to the slowest cluster's speed, and by the largest
/// loss of a task through few allowed numbers. mu and b are those of the best guarantee, or of
/// Options::moldable; of several sufficient mu the one with the shortest schedule. Throws ConfigError on a mu
/// outside (0, 1), a bound of 0 or above the largest cluster, or an impossible guarantee. Source: Dutot,
/// N'Takpe, Suter, Casanova, "Scheduling parallel task graphs on (almost) homogeneous multi-cluster
/// platforms", IEEE TPDS 20 (7), 2009.
[[nodiscard]] Schedule mcgas(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
