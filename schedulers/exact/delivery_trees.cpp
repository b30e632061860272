#include "schedulers/exact/delivery_trees.hpp"

#include <algorithm>
#include <optional>

namespace takt::schedulers {

namespace {

constexpr std::uint32_t no_feeder = static_cast<std::uint32_t>(-1);

bool has(std::uint64_t set, std::uint32_t processor) {
  return (set >> processor & 1) != 0;
}

/// Returns the transfers of the tree in which `feeder` names each processor's source, from the producer
/// outwards; nothing if some processor is not reached, or receives data that it neither needs nor forwards.
std::optional<std::vector<Transfer>> tree_of(const std::vector<std::uint32_t>& feeder, std::uint32_t maker,
                                             std::uint64_t needs) {
  std::uint64_t feeds = 0;
  std::size_t fed = 0;
  for (const std::uint32_t each : feeder)
    if (each != no_feeder) {
      feeds |= std::uint64_t{1} << each;
      ++fed;
    }
  for (std::uint32_t p = 0; p < feeder.size(); ++p)
    if (feeder[p] != no_feeder && !has(needs, p) && !has(feeds, p)) return std::nullopt;
  std::vector<Transfer> tree;
  std::vector<std::uint32_t> reached{maker};
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (std::uint32_t p = 0; p < feeder.size(); ++p)
      if (feeder[p] == reached[i]) {
        tree.push_back({reached[i], p});
        reached.push_back(p);
      }
  if (tree.size() < fed) return std::nullopt;
  return tree;
}

}  // namespace

const std::vector<std::vector<Transfer>>& DeliveryTrees::from(std::uint32_t maker, std::uint64_t needs) {
  auto [entry, is_new] = known_.try_emplace({maker, needs});
  if (is_new) {
    std::vector<std::uint32_t> feeder(processors_, no_feeder);
    choose_feeder(maker, needs, 0, feeder, entry->second);
    std::ranges::stable_sort(entry->second, std::less{}, [](const auto& tree) { return tree.size(); });
  }
  return entry->second;
}

void DeliveryTrees::choose_feeder(std::uint32_t maker, std::uint64_t needs, std::uint32_t processor,
                                  std::vector<std::uint32_t>& feeder,
                                  std::vector<std::vector<Transfer>>& trees) const {
  if (processor == processors_) {
    if (auto tree = tree_of(feeder, maker, needs)) trees.push_back(std::move(*tree));
    return;
  }
  if (processor == maker || !has(needs, processor)) choose_feeder(maker, needs, processor + 1, feeder, trees);
  if (processor == maker) return;
  for (std::uint32_t from = 0; from < processors_; ++from) {
    if (from == processor) continue;
    feeder[processor] = from;
    choose_feeder(maker, needs, processor + 1, feeder, trees);
  }
  feeder[processor] = no_feeder;
}

}  // namespace takt::schedulers
