#pragma once
/// The least that messages cost, whatever way the data take.

#include <algorithm>
#include <cstdint>

#include "logp/cost.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// The least value of a cost for any size from `size` on, and not negative.
[[nodiscard]] Time least_cost(const logp::Cost& cost, Bytes size);

/// What any messages with some data cost together at least, however the data are shared out among them.
class LeastTotal {
 public:
  /// For messages of `smallest` bytes at least. To be called once for each cost that a message may have.
  void add(const logp::Cost& cost, Bytes smallest);

  /// No messages with this much data in sum cost less than constant() + per_byte() size.
  [[nodiscard]] double constant() const { return constant_; }
  [[nodiscard]] double per_byte() const { return per_byte_; }
  /// For data of this size in sum.
  [[nodiscard]] Time::rep operator()(std::uint64_t size) const;

 private:
  bool is_known_ = false;
  double constant_ = 0, per_byte_ = 0;
  /// Whether no number is rounded.
  bool is_whole_ = true;
};

/// What a message of a graph costs at least, whatever its data and its processors; all 0 where the graph has
/// no edge, or the machine no two processors.
struct LeastMessage {
  LeastMessage(const TaskGraph& graph, const logp::Machine& machine);

  /// At its sender, at its receiver, and at both ends of one message.
  Time send{0}, receive{0}, both{0};
  /// From its start at either end to that of the next one.
  Time interval{0};

  /// At whichever end is the cheaper one.
  [[nodiscard]] Time one() const { return std::min(send, receive); }
};

/// The least costs of messages between any processors of the workload's machine, for its data.
struct LeastMessageCosts {
  explicit LeastMessageCosts(const Workload& workload);

  LeastTotal send, receive, send_gap, receive_gap;
};

}  // namespace takt::schedulers
