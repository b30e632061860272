#include "logp/redistribution.hpp"

#include <algorithm>
#include <vector>

namespace takt::logp {

namespace {

/// One side of the messages of one processor: the time so far, and the additional time of the last one.
class PortOfProcessor {
 public:
  void add(Time step, Time last) {
    before_ += last_step_;
    last_step_ = step;
    last_ = last;
  }
  [[nodiscard]] Time time() const { return before_ + last_; }

 private:
  Time before_{0};
  Time last_step_{0};
  Time last_{0};
};

/// Returns the begin of block `index` of `count`.
std::uint64_t block_begin(Bytes size, std::size_t index, std::size_t count) {
  // size * index / count, without a 64-bit overflow of the product.
  return size.count / count * index + size.count % count * index / count;
}

}  // namespace

Time redistribution_time(const Machine& machine, std::span<const ProcessorId> from,
                         std::span<const ProcessorId> to, Bytes size) {
  std::vector<PortOfProcessor> sends(from.size()), receives(to.size());
  std::uint64_t moved = 0;
  const LinkCosts* shared = nullptr;
  const auto move = [&](std::size_t i, std::size_t j, Bytes part) {
    if (from[i] == to[j]) return;
    const LinkCosts& costs = machine.costs(from[i], to[j]);
    const Time sending = costs.send_overhead.at(part), receiving = costs.receive_overhead.at(part);
    const Time message = std::max(Time{0}, sending + costs.latency.at(part)) + receiving;
    sends[i].add(std::max(sending, costs.send_gap.at(part)), message);
    receives[j].add(std::max(receiving, costs.receive_gap.at(part)), message);
    moved += part.count;
    shared = &costs;
  };
  if (size.count == 0) move(0, 0, size);
  for (std::size_t i = 0, j = 0; i < from.size() && j < to.size() && size.count > 0;) {
    const std::uint64_t sender_end = block_begin(size, i + 1, from.size()),
                        receiver_end = block_begin(size, j + 1, to.size());
    const std::uint64_t begin = std::max(block_begin(size, i, from.size()), block_begin(size, j, to.size()));
    if (const std::uint64_t end = std::min(sender_end, receiver_end); end > begin)
      move(i, j, Bytes{end - begin});
    if (sender_end <= receiver_end) ++i;
    if (receiver_end <= sender_end) ++j;
  }
  Time longest{0};
  for (const PortOfProcessor& port : sends) longest = std::max(longest, port.time());
  for (const PortOfProcessor& port : receives) longest = std::max(longest, port.time());
  if (shared != nullptr)
    longest = std::max(longest, shared->latency.at(Bytes{0}) + shared->backbone.at(Bytes{moved}));
  return longest;
}

double estimated_redistribution(const LinkCosts& costs, std::size_t senders, std::size_t receivers,
                                Bytes size) {
  const std::size_t most = std::max(senders, receivers), least = std::min(senders, receivers);
  const std::size_t messages = (most + least - 1) / least;
  const Bytes part{size.count / (least * messages)};
  const bool at_sender = senders <= receivers;
  const Time overhead = at_sender ? costs.send_overhead.at(part) : costs.receive_overhead.at(part);
  const Time gap = at_sender ? costs.send_gap.at(part) : costs.receive_gap.at(part);
  const Time message = std::max(Time{0}, costs.send_overhead.at(part) + costs.latency.at(part)) +
                       costs.receive_overhead.at(part);
  const Time ports = std::max(overhead, gap) * static_cast<Time::rep>(messages - 1) + message;
  return static_cast<double>(std::max(ports, costs.latency.at(Bytes{0}) + costs.backbone.at(size)).count());
}

}  // namespace takt::logp
