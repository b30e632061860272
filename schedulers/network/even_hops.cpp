#include "schedulers/network/even_hops.hpp"

#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

namespace takt::schedulers {

namespace {

constexpr int most_rounds = 32;

/// Assignment of a schedule's processors to those of a network.
class Places {
 public:
  Places(const DelayModel& model, const logp::Machine& machine, const std::vector<ProcessorId>& processor_of)
      : count_(machine.processor_count()), squares_(count_ * count_, 0), partners_(count_), place_(count_) {
    std::iota(place_.begin(), place_.end(), std::size_t{0});
    const Platform& platform = machine.platform();
    const Routes routes(platform.network);
    for (std::size_t a = 0; a < count_; ++a)
      for (std::size_t b = 0; b < count_; ++b) {
        const std::size_t hops = routes.distance(NodeId(platform.node_of[a]), NodeId(platform.node_of[b]));
        squares_[a * count_ + b] = static_cast<std::int64_t>(hops * hops);
      }
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> messages;
    for (EdgeId id : model.graph().edges()) {
      const std::size_t from = processor_of[model.graph().edge(id).from.index()].index(),
                        to = processor_of[model.graph().edge(id).to.index()].index();
      if (from != to) ++messages[{from, to}];
    }
    for (const auto& [ends, number] : messages) {
      partners_[ends.first].push_back({ends.second, number, true});
      partners_[ends.second].push_back({ends.first, number, false});
    }
  }

  bool exchange_if_better(std::size_t a, std::size_t b) {
    const std::int64_t before = squares_of(a, b) + squares_of(b, a);
    std::swap(place_[a], place_[b]);
    if (squares_of(a, b) + squares_of(b, a) < before) return true;
    std::swap(place_[a], place_[b]);
    return false;
  }

  [[nodiscard]] ProcessorId of(ProcessorId processor) const { return ProcessorId(place_[processor.index()]); }

 private:
  struct Partner {
    std::size_t other;
    std::int64_t messages;
    bool is_sent;
  };

  /// Sum over the messages from and to a processor. Messages between it and the counterpart count half, so
  /// once in the sum of both, which is all that is compared.
  [[nodiscard]] std::int64_t squares_of(std::size_t processor, std::size_t counterpart) const {
    std::int64_t sum = 0;
    for (const Partner& partner : partners_[processor]) {
      const std::size_t here = place_[processor], there = place_[partner.other];
      const std::int64_t square =
          partner.is_sent ? squares_[here * count_ + there] : squares_[there * count_ + here];
      sum += (partner.other == counterpart ? 1 : 2) * partner.messages * square;
    }
    return sum;
  }

  std::size_t count_;
  /// Squared hop counts, by pair of processors.
  std::vector<std::int64_t> squares_;
  std::vector<std::vector<Partner>> partners_;
  std::vector<std::size_t> place_;
};

}  // namespace

std::vector<ProcessorId> even_hops(const DelayModel& model, const logp::Machine& machine,
                                   std::vector<ProcessorId> processor_of) {
  if (machine.platform().network.empty() || model.graph().has_work_table()) return processor_of;
  Places places(model, machine, processor_of);
  const std::vector<double>& speeds = machine.platform().speeds;
  bool is_better = true;
  for (int round = 0; round < most_rounds && is_better; ++round) {
    is_better = false;
    for (std::size_t a = 0; a < speeds.size(); ++a)
      for (std::size_t b = a + 1; b < speeds.size(); ++b)
        if (speeds[a] == speeds[b] && places.exchange_if_better(a, b)) is_better = true;
  }
  for (ProcessorId& processor : processor_of) processor = places.of(processor);
  return processor_of;
}

}  // namespace takt::schedulers
