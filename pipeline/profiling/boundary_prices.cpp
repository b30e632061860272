#include "pipeline/profiling/boundary_prices.hpp"

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "pipeline/profiling/boundary_trials.hpp"

namespace takt::pipeline {

namespace {

class Mean {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  [[nodiscard]] std::optional<double> value() const {
    return count_ > 0 ? std::optional(sum_ / count_) : std::nullopt;
  }

 private:
  double sum_ = 0;
  int count_ = 0;
};

struct Prices {
  Mean writing, reading;
};
using PricesOfSizes = std::map<Bytes, Prices>;

PricesOfSizes prices_of(const Pipeline& pipeline, const std::vector<StageCost>& costs) {
  PricesOfSizes prices;
  const auto size_of = [&](std::size_t stage) { return pipeline.stages[stage].output.size(); };
  for (std::size_t stage = 0; stage < costs.size(); ++stage) {
    if (const std::optional<Time> writing = costs[stage].writing)
      prices[size_of(stage)].writing.add(static_cast<double>(writing->count()));
    const std::optional<Time> reading = costs[stage].reading;
    if (!reading) continue;
    double bytes = 0;
    for (const std::size_t input : pipeline.stages[stage].inputs)
      if (size_of(input) >= least_priced) bytes += static_cast<double>(size_of(input).count);
    // All of them came from the other core at once.
    for (const std::size_t input : pipeline.stages[stage].inputs)
      if (size_of(input) >= least_priced)
        prices[size_of(input)].reading.add(static_cast<double>(reading->count()) *
                                           static_cast<double>(size_of(input).count) / bytes);
  }
  return prices;
}

/// The curve, from each of these sizes up to the next one through what that one costs.
class Curve {
 public:
  explicit Curve(const logp::Cost& measured)
      : measured_(measured), empty_(static_cast<double>(measured.at(Bytes{0}).count())) {}

  void add(Bytes size, double beside_empty) {
    if (segments_.empty())
      for (const logp::Cost::Segment& segment : measured_.segments())
        if (segment.from < size) segments_.push_back(segment);
    segments_.push_back(
        {.from = size, .constant = empty_, .per_byte = beside_empty / static_cast<double>(size.count)});
  }
  /// What was measured of this size beside what an empty message costs.
  [[nodiscard]] double measured(Bytes size) const {
    return std::max(0.0, static_cast<double>(measured_.at(size).count()) - empty_);
  }
  [[nodiscard]] logp::Cost cost() && {
    return segments_.empty() ? measured_ : logp::Cost(std::move(segments_));
  }

 private:
  const logp::Cost& measured_;
  double empty_;
  std::vector<logp::Cost::Segment> segments_;
};

}  // namespace

logp::Machine priced_by_kernels(const logp::Machine& machine, const Pipeline& pipeline,
                                const std::vector<StageCost>& costs) {
  std::array<logp::LinkCosts, level_count> levels = machine.level_costs();
  logp::LinkCosts& within = levels[static_cast<std::size_t>(Level::node)];
  Curve latency(within.latency), send(within.send_overhead), receive(within.receive_overhead),
      send_gap(within.send_gap), receive_gap(within.receive_gap);
  for (const auto& [size, prices] : prices_of(pipeline, costs)) {
    send.add(size, prices.writing.value().value_or(send.measured(size)));
    receive.add(size, prices.reading.value().value_or(receive.measured(size)));
    for (Curve* const free : {&latency, &send_gap, &receive_gap}) free->add(size, 0);
  }
  within = {.latency = std::move(latency).cost(),
            .send_overhead = std::move(send).cost(),
            .receive_overhead = std::move(receive).cost(),
            .send_gap = std::move(send_gap).cost(),
            .receive_gap = std::move(receive_gap).cost(),
            .backbone = within.backbone};
  return logp::Machine(machine.platform(), levels, machine.pair_costs(), machine.cluster_costs());
}

}  // namespace takt::pipeline
