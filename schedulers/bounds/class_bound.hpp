#pragma once
/// A lower bound of the period on classes of processors, for schedules of any number of frames.

#include "core/period.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// The least period if each class shared out the work that it takes, stateless tasks being cut at will: the
/// linear relaxation for unrelated machines (Lenstra, Shmoys, Tardos, Mathematical Programming 46, 1990) with
/// classes in the place of machines. A task with state sees every frame on one processor, so it goes only to
/// classes on which it takes no longer than the period, and the bound is the least T that is no smaller than
/// the relaxation with these classes alone.
///
/// By duality, for any prices y of a tick on each class,
///
///   period * sum over classes of members * y >= sum over tasks of the least y * time.
///
/// With two classes the best prices are those at which some task costs the same on both, and all are looked
/// at: O(n log^2 n). With more, good ones are found in 200 rounds by making those classes more expensive to
/// which too much goes. Prices and sums are whole numbers, so that the bound is exactly one. 0 where all
/// processors are alike, and where tasks times processors are more than 20,000,000.
[[nodiscard]] Period class_bound(const TaskGraph& graph, const logp::Machine& machine);

}  // namespace takt::schedulers
