#pragma once
/// All routes of a datum from its producer to its consumers.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace takt::schedulers {

/// A single transfer of one datum between two processors.
struct Transfer {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// The trees of transfers of a datum from its producer to a set of processors, direct or relayed by any
/// others. Each processor receives it at most once; one that does not need it forwards it.
class DeliveryTrees {
 public:
  /// For at most 64 processors; there are up to (P - 1) ^ (P - 1) trees.
  explicit DeliveryTrees(std::uint32_t processors) : processors_(processors) {}

  /// Returns the trees for the processors whose bits are set in `needs`, without the producer. Trees with the
  /// fewest transfers come first; within a tree, a processor's transfer follows the transfer to its source.
  [[nodiscard]] const std::vector<std::vector<Transfer>>& from(std::uint32_t maker, std::uint64_t needs);

 private:
  void choose_feeder(std::uint32_t maker, std::uint64_t needs, std::uint32_t processor,
                     std::vector<std::uint32_t>& feeder, std::vector<std::vector<Transfer>>& trees) const;

  std::uint32_t processors_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<std::vector<Transfer>>> known_;
};

}  // namespace takt::schedulers
