#include "logp/calibration/hold_out.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/random.hpp"

namespace takt::logp {

namespace {

double nanoseconds(const Cost& cost, Bytes size) {
  return static_cast<double>(cost.at(size).count());
}

/// Least time between two messages at the sender and on the link.
double gap(const LinkCosts& costs, Bytes size) {
  return std::max({nanoseconds(costs.send_gap, size), nanoseconds(costs.receive_gap, size),
                   nanoseconds(costs.send_overhead, size)});
}

}  // namespace

double lone_message_time(const LinkCosts& costs, Bytes size) {
  return nanoseconds(costs.send_overhead, size) + nanoseconds(costs.latency, size) +
         nanoseconds(costs.receive_overhead, size);
}

double burst_time(const LinkCosts& costs, Bytes size, std::size_t count) {
  const double apart = std::max(
      {gap(costs, size), nanoseconds(costs.send_overhead, size), nanoseconds(costs.receive_overhead, size)});
  return lone_message_time(costs, size) + static_cast<double>(count - 1) * apart;
}

std::optional<double> burst_time_by_gap(const LinkCosts& costs, Bytes size, std::size_t count) {
  const double time = lone_message_time(costs, size) + static_cast<double>(count - 1) * gap(costs, size);
  return time < burst_time(costs, size, count) ? std::optional(time) : std::nullopt;
}

double fan_in_time(const LinkCosts& costs, Bytes size, std::size_t count) {
  const double apart =
      std::max(nanoseconds(costs.receive_gap, size), nanoseconds(costs.receive_overhead, size));
  return lone_message_time(costs, size) + static_cast<double>(count - 1) * apart;
}

std::vector<Bytes> hold_out_sizes(const std::vector<Bytes>& measured, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  const double octaves = std::log2(static_cast<double>(measured.back().count));
  std::vector<Bytes> sizes;
  for (std::size_t i = 0; i < count; ++i) {
    Bytes size{0};
    do {
      const double octave = octaves * (static_cast<double>(i) + random.unit()) / static_cast<double>(count);
      size = Bytes{static_cast<std::uint64_t>(std::exp2(octave))};
      // Almost every size of the first octaves is measured: the next unmeasured one replaces them.
      while (size < measured.back() && std::binary_search(measured.begin(), measured.end(), size))
        ++size.count;
    } while (size >= measured.back());
    sizes.push_back(size);
  }
  return sizes;
}

double Trial::nearest() const {
  return std::clamp(measured, std::min(by_gap.value_or(predicted), predicted), predicted);
}

bool Trial::passes(double tolerance) const {
  return std::abs(nearest() - measured) <= std::max(tolerance * std::abs(measured), slack());
}

std::vector<std::string> objections_of(const std::vector<Trial>& trials, double tolerance) {
  std::vector<std::string> objections;
  const auto made = static_cast<std::size_t>(
      std::count_if(trials.begin(), trials.end(), [](const Trial& trial) { return trial.visits > 0; }));
  if (2 * made < trials.size())
    objections.push_back(fmt::format(
        "other processes use the cores, or the host moves them: only {} of {} trials were undisturbed", made,
        trials.size()));

  std::map<std::string, std::vector<const Trial*>> missed;
  std::map<std::string, std::size_t> made_of_kind;
  for (const Trial& trial : trials) {
    if (trial.visits == 0) continue;
    ++made_of_kind[trial.kind];
    if (!trial.passes(tolerance)) missed[trial.kind].push_back(&trial);
  }
  for (const auto& [kind, failures] : missed) {
    const bool too_many = 4 * failures.size() > made_of_kind[kind];
    for (const Trial* trial : failures)
      if (too_many || !trial->passes(2 * tolerance))
        objections.push_back(fmt::format(
            "{} of {} took {:.0f} ns, predicted {:.0f} ns ({:+.0f} %, allowed {:.0f} %)", kind, trial->what,
            trial->measured, trial->nearest(), 100 * trial->error(), 100 * tolerance));
  }
  return objections;
}

}  // namespace takt::logp
