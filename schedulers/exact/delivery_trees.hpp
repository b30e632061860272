#pragma once
/// The ways that a datum can take from its maker to those who need it.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace takt::schedulers {

/// One datum goes from one processor to another one, once.
struct Transfer {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// The trees of transfers that bring a datum from its maker to a set of processors, directly or by way of any
/// others: every processor gets it once at most, and one that does not need it passes it on.
class DeliveryTrees {
 public:
  /// For this many processors, at most 64; there are up to (P - 1) ^ (P - 1) trees.
  explicit DeliveryTrees(std::uint32_t processors) : processors_(processors) {}

  /// `needs` has bit p set for each processor p that needs it, the maker not among them. Trees with fewest
  /// transfers come first; within a tree, each processor's transfer comes after the one that it is fed by.
  [[nodiscard]] const std::vector<std::vector<Transfer>>& from(std::uint32_t maker, std::uint64_t needs);

 private:
  void choose_feeder(std::uint32_t maker, std::uint64_t needs, std::uint32_t processor,
                     std::vector<std::uint32_t>& feeder, std::vector<std::vector<Transfer>>& trees) const;

  std::uint32_t processors_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<std::vector<Transfer>>> known_;
};

}  // namespace takt::schedulers
