#include "logp/calibration/host_links.hpp"

#include <algorithm>
#include <numeric>

#include "logp/calibration/hold_out.hpp"

namespace takt::logp {

namespace {

constexpr Bytes small_message{64}, large_message{65536};

bool are_alike(const LinkCosts& quickest, const LinkCosts& other) {
  return std::ranges::all_of(std::array{small_message, large_message}, [&](Bytes size) {
    const double least = lone_message_time(quickest, size), time = lone_message_time(other, size);
    return time <= alike * least && least <= alike * time;
  });
}

}  // namespace

std::vector<HostPair> host_pairs(const std::vector<RankLocation>& locations) {
  const Platform platform = platform_of(locations);
  std::vector<int> first_ranks(platform.cluster_of_node.size(), -1);
  for (std::size_t rank = 0; rank < locations.size(); ++rank)
    if (int& first = first_ranks[platform.node_of[rank]]; first < 0) first = static_cast<int>(rank);
  std::vector<HostPair> pairs;
  for (std::size_t a = 0; a < first_ranks.size(); ++a)
    for (std::size_t b = a + 1; b < first_ranks.size(); ++b) {
      if (pairs.size() == most_host_pairs) return {};
      const ProcessorId from(static_cast<std::size_t>(first_ranks[a])),
          to(static_cast<std::size_t>(first_ranks[b]));
      pairs.push_back({platform.level(from, to), {first_ranks[a], first_ranks[b]}});
    }
  return pairs.size() < 2 ? std::vector<HostPair>{} : pairs;
}

std::vector<LinkClass> classify(const std::vector<MeasuredPair>& pairs) {
  std::vector<std::size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto time = [&](std::size_t i) { return lone_message_time(pairs[i].costs, large_message); };
  std::ranges::stable_sort(order, {}, time);
  std::vector<LinkClass> classes;
  for (const std::size_t i : order) {
    // Members are sorted by speed, fastest first.
    const auto known = std::ranges::find_if(classes, [&](const LinkClass& each) {
      return each.level == pairs[i].pair.level &&
             are_alike(pairs[each.members.front()].costs, pairs[i].costs);
    });
    if (known != classes.end())
      known->members.push_back(i);
    else
      classes.push_back({pairs[i].pair.level, {i}});
  }
  for (LinkClass& each : classes) std::swap(each.members.front(), each.members[each.members.size() / 2]);
  for (const Level level : {Level::cluster, Level::wide}) {
    LinkClass* largest = nullptr;
    for (LinkClass& each : classes)
      if (each.level == level && (largest == nullptr || each.members.size() >= largest->members.size()))
        largest = &each;
    if (largest != nullptr) largest->is_of_level = true;
  }
  std::ranges::stable_sort(classes, [](const LinkClass& a, const LinkClass& b) {
    return a.level != b.level ? a.level < b.level : a.is_of_level > b.is_of_level;
  });
  return classes;
}

std::vector<PairCosts> costs_between(const HostPair& pair, const LinkCosts& costs, const Platform& platform) {
  const auto node_of = [&](int rank) { return platform.node_of[static_cast<std::size_t>(rank)]; };
  std::vector<PairCosts> all;
  for (std::size_t a = 0; a < platform.processor_count(); ++a)
    for (std::size_t b = 0; b < platform.processor_count(); ++b) {
      const bool there = platform.node_of[a] == node_of(pair.ranks[0]) &&
                         platform.node_of[b] == node_of(pair.ranks[1]),
                 back = platform.node_of[a] == node_of(pair.ranks[1]) &&
                        platform.node_of[b] == node_of(pair.ranks[0]);
      if (there || back) all.push_back({ProcessorId(a), ProcessorId(b), costs});
    }
  return all;
}

}  // namespace takt::logp
