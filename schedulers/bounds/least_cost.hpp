#pragma once
/// Least costs of messages over all routes of the data.

#include <algorithm>
#include <cstdint>

#include "logp/cost.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// Returns the least value of a cost over all sizes from `size` on, at least 0.
[[nodiscard]] Time least_cost(const logp::Cost& cost, Bytes size);

/// The least total cost of the messages of some data, however the data are divided among them.
class LeastTotal {
 public:
  /// Adds a cost that a message may have, for messages of at least `smallest` bytes.
  void add(const logp::Cost& cost, Bytes smallest);

  /// Messages with `size` bytes in sum cost at least constant() + per_byte() size.
  [[nodiscard]] double constant() const { return constant_; }
  [[nodiscard]] double per_byte() const { return per_byte_; }
  /// Returns the least cost of data of this total size.
  [[nodiscard]] Time::rep operator()(std::uint64_t size) const;

 private:
  bool is_known_ = false;
  double constant_ = 0, per_byte_ = 0;
  /// Whether all numbers are integers, without rounding.
  bool is_whole_ = true;
};

/// The least cost of a message of a graph, over all data and processors; all 0 if the graph has no edge, or
/// the machine a single processor.
struct LeastMessage {
  LeastMessage(const TaskGraph& graph, const logp::Machine& machine);

  /// Time of the sender, of the receiver, and of both for the same message.
  Time send{0}, receive{0}, both{0};
  /// From the start of a send (or receive) to the start of the processor's next one.
  Time interval{0};

  /// Returns the cost at the cheaper end.
  [[nodiscard]] Time one() const { return std::min(send, receive); }
};

/// The least costs of messages between any processors of the workload's machine, for its data.
struct LeastMessageCosts {
  explicit LeastMessageCosts(const Workload& workload);

  LeastTotal send, receive, send_gap, receive_gap;
};

}  // namespace takt::schedulers
