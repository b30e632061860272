#pragma once
/// The optimal division of a given order of tasks into a relay chain (chains on chains).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// The boundaries of an order of n items: boundary b, 0 <= b <= n, lies before the b-th item. Data made
/// before and needed after it are live there and cross it in one message for each instance; no data are live
/// at 0 and n.
struct Boundaries {
  /// Ticks that the messages occupy the processors before and after the boundary.
  std::vector<Time::rep> send, receive;
  /// No chain with this boundary has a smaller period: the messages' gaps.
  std::vector<Time::rep> gap;
};

/// A divided order: processor chain[k] has the items order[cuts[k]], ..., order[cuts[k + 1] - 1].
struct ChainPartition {
  std::vector<ProcessorId> chain;
  std::vector<std::size_t> cuts;
  Time period{0};
};

/// Finds cuts of one order with the least maximum of receive + work + send.
///
/// A piece from boundary i to j fits a period T if work(j) + send(j) <= T + work(i) - receive(i), where
/// work(b) is the work before b. So to cover the first j items with the fewest pieces, only the largest
/// work(i) - receive(i) among the boundaries reached by c pieces matters, for each number c: one scan
/// decides T in O(n) for equal processors (the idea of a probe is from Pinar and Aykanat, "Fast optimal
/// load balancing algorithms for 1D partitioning", 2004; the scan over all boundaries handles sends and
/// receives that differ between boundaries, so that a longer piece can cost less). Different processors or
/// links are used in the chain's given order, in O(n P). A processor may then be left out if all links are
/// equal, otherwise only at the ends of the chain. Doubling and bisection find the period: O(n log W)
/// probes.
class ChainPartitioner {
 public:
  /// `order` is a topological order of the items, `chain` the available processors, in order.
  ChainPartitioner(const Workload& workload, std::span<const TaskId> order,
                   std::span<const ProcessorId> chain);

  /// Returns the best partition; `at_least` must be a lower bound of its period. Of partitions with the same
  /// period, one with the fewest processors, if processors and links are equal.
  [[nodiscard]] ChainPartition best(Time at_least = Time{0}) const;

  /// Returns a partition with at most this period, if there is one.
  [[nodiscard]] std::optional<ChainPartition> within(Time period) const;

 private:
  [[nodiscard]] bool fits(Time::rep period) const;
  [[nodiscard]] std::size_t fewest_pieces(Time::rep period, std::vector<std::uint32_t>* before) const;
  [[nodiscard]] std::vector<std::vector<bool>> reach(Time::rep period) const;
  [[nodiscard]] ChainPartition cut_equal(Time::rep period) const;
  [[nodiscard]] ChainPartition cut_different(Time::rep period) const;
  [[nodiscard]] Time period_of(const ChainPartition& partition) const;

  /// Work before each boundary on the chain's k-th processor.
  [[nodiscard]] const std::vector<Time::rep>& work(std::size_t k) const {
    return work_[workload_.class_of(chain_[k])];
  }
  /// Costs of a boundary between the chain's k-th processor and the next used one.
  [[nodiscard]] const Boundaries& boundaries(std::size_t k) const { return boundaries_[boundaries_of_[k]]; }

  const Workload& workload_;
  std::span<const TaskId> order_;
  std::vector<ProcessorId> chain_;
  std::vector<std::vector<Time::rep>> work_;
  std::vector<Boundaries> boundaries_;
  std::vector<std::size_t> boundaries_of_;
  /// For equal processors: work + send and work - receive at each boundary.
  std::vector<Time::rep> reach_, base_;
};

}  // namespace takt::schedulers
