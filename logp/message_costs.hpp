#pragma once
/// Costs of one message: the one place where a gap is at least an overhead, and a transit is o + L. Only the
/// checks compute them separately, so that neither hides errors of the other.

#include <algorithm>

#include "core/schedule.hpp"
#include "logp/cost.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

struct MessageCosts {
  Time send_overhead{0};
  Time receive_overhead{0};
  /// max(o, g): least time to the start of the next send, or receive, of the same processor.
  Time send_gap{0};
  Time receive_gap{0};
  Time latency{0};

  /// All costs 0.
  MessageCosts() = default;
  MessageCosts(const LinkCosts& costs, Bytes size)
      : send_overhead(costs.send_overhead.at(size)),
        receive_overhead(costs.receive_overhead.at(size)),
        send_gap(std::max(send_overhead, costs.send_gap.at(size))),
        receive_gap(std::max(receive_overhead, costs.receive_gap.at(size))),
        latency(costs.latency.at(size)) {}
  MessageCosts(const Machine& machine, const Message& message)
      : MessageCosts(machine.costs(message.from, message.to), message.size) {}

  /// Returns the time from the start of the send to the arrival: o + L. A measured L can be negative, but no
  /// message arrives before it is sent.
  [[nodiscard]] Time transit() const { return std::max(Time{0}, send_overhead + latency); }
  /// Returns the time from the start of the send to the end of the receive, without waiting: o + L + o.
  [[nodiscard]] Time delay() const { return std::max(Time{0}, send_overhead + latency + receive_overhead); }
  /// Returns the larger gap of its two ends.
  [[nodiscard]] Time gap() const { return std::max(send_gap, receive_gap); }
};

}  // namespace takt::logp
