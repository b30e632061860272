#include "pipeline/runtime/counting/iteration_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

#include <fmt/format.h>

namespace takt::pipeline {

namespace {

/// Returns the rate between the ends of two iterations.
std::optional<double> rate_between(const std::vector<std::int64_t>& ended, std::size_t first,
                                   std::size_t last) {
  if (last <= first || ended[last] <= ended[first]) return std::nullopt;
  return 1e9 * static_cast<double>(last - first) / static_cast<double>(ended[last] - ended[first]);
}

}  // namespace

std::optional<double> steady_rate(const IterationTimes& times, std::size_t skipped, std::size_t least,
                                  std::size_t cycle) {
  std::vector<std::int64_t> ended = times.ended_ns, ingested = times.ingested_ns;
  // Drop iterations after the last one with a frame left: the ingestion times of those are unknown.
  while (!ingested.empty() && ingested.back() == 0) ingested.pop_back();
  ended.resize(ingested.size());
  // An iteration without a frame left gets the next known ingestion time.
  for (std::size_t i = ingested.size(); i-- > 1;)
    if (ingested[i - 1] == 0) ingested[i - 1] = ingested[i];
  if (ended.size() <= skipped) return std::nullopt;

  // Count only iterations that ended before the source delivered its last frame.
  const auto end = static_cast<std::size_t>(std::ranges::upper_bound(ended, ingested.back()) - ended.begin());
  if (end <= skipped) return std::nullopt;
  const auto on_their_way = [&](std::size_t round) {
    const auto begun = std::ranges::upper_bound(ingested, ended[round]) - ingested.begin();
    return begun - static_cast<std::ptrdiff_t>(round);
  };
  const std::size_t last = end - 1;
  const std::ptrdiff_t full = on_their_way(last);
  std::size_t first = skipped;
  while (first < last && on_their_way(first) + 1 < full) ++first;
  if (last - first < std::max(least, cycle)) return std::nullopt;
  return rate_between(ended, first + (last - first) % cycle, last);
}

std::optional<double> mean_rate(const IterationTimes& times, std::size_t skipped, std::size_t cycle) {
  if (times.ended_ns.size() <= skipped) return std::nullopt;
  const std::size_t last = times.ended_ns.size() - 1, rounds = last - skipped;
  return rate_between(times.ended_ns, rounds < cycle ? skipped : skipped + rounds % cycle, last);
}

std::string to_text(const RankRate& rate) {
  return fmt::format("{} {} {} {} {} {}", rate.hertz, rate.is_steady ? 1 : 0, rate.processor_ns, rate.node,
                     rate.cores, rate.claimed);
}

RankRate rank_rate_from_text(const std::string& text) {
  RankRate rate;
  std::istringstream words(text);
  std::string hertz;
  // An istream cannot parse `inf`.
  words >> hertz >> rate.is_steady >> rate.processor_ns >> rate.node >> rate.cores >> rate.claimed;
  rate.hertz = std::stod(hertz);
  return rate;
}

namespace {

/// The ranks of one node.
struct NodeRate {
  double slowest = std::numeric_limits<double>::infinity();
  /// Rates of the ranks with a sink: their sum and their number.
  double sum = 0;
  std::size_t sinks = 0;
  /// CPU time per iteration, divided by the number of processors.
  double work_ns = 0;
  std::size_t busy = 0, cores = 1;

  [[nodiscard]] bool is_oversubscribed() const { return busy > cores; }
  [[nodiscard]] double rate() const {
    return is_oversubscribed() && sinks > 0 ? sum / static_cast<double>(sinks) : slowest;
  }
};

}  // namespace

double rate_of(const std::vector<RankRate>& ranks) {
  std::map<int, NodeRate> nodes;
  bool are_all_steady = true;
  double claimed = 0;
  for (const RankRate& rank : ranks) {
    NodeRate& node = nodes[rank.node];
    node.cores = static_cast<std::size_t>(rank.cores);
    node.work_ns += rank.processor_ns / rank.cores;
    if (rank.processor_ns > 0) ++node.busy;
    if (!std::isfinite(rank.hertz)) continue;
    are_all_steady = are_all_steady && rank.is_steady;
    node.slowest = std::min(node.slowest, rank.hertz);
    node.sum += rank.hertz;
    ++node.sinks;
    claimed += rank.hertz * rank.claimed;
  }
  double rate = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const auto& [number, node] : nodes) {
    rate = std::min(rate, node.rate());
    if (!are_all_steady || node.is_oversubscribed()) most = std::max(most, node.work_ns);
  }
  if (!std::isfinite(rate)) return 0;
  if (claimed > 0) rate = claimed;
  return most > 0 ? std::min(rate, 1e9 / most) : rate;
}

}  // namespace takt::pipeline
