#pragma once
/// The least that messages cost, whatever way the data take.

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

  /// For data of this size in sum.
  [[nodiscard]] Time::rep operator()(std::uint64_t size) const;

 private:
  bool is_known_ = false;
  double constant_ = 0, per_byte_ = 0;
  /// Whether no number is rounded.
  bool is_whole_ = true;
};

/// The least costs of messages between any processors of the workload's machine, for its data.
struct LeastMessageCosts {
  explicit LeastMessageCosts(const Workload& workload);

  LeastTotal send, receive, send_gap, receive_gap;
};

}  // namespace takt::schedulers
