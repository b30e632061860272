#include "schedulers/relay/stage_sequence.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace takt::schedulers {

namespace {

using Index = std::uint32_t;

class StageOrder {
 public:
  explicit StageOrder(std::span<const StageOperation> operations)
      : operations_(operations),
        rank_(operations.size(), last_rank),
        missing_(operations.size()),
        followers_(operations.size()) {
    rank_by_sends();
    for (Index i = 0; i < operations.size(); ++i) {
      missing_[i] = operations[i].needs.size();
      for (Index need : operations[i].needs) followers_[need].push_back(i);
      if (missing_[i] == 0) make_ready(i);
    }
  }

  std::vector<Index> run() && {
    while (order_.size() < operations_.size()) {
      if (!ready(OperationKind::send).empty() && next_send_ <= now_) {
        next_send_ = now_ + take(OperationKind::send).gap;
      } else if (!ready(OperationKind::receive).empty() && next_receive_ <= now_) {
        next_receive_ = now_ + take(OperationKind::receive).gap;
      } else if (!ready(OperationKind::compute).empty()) {
        take(OperationKind::compute);
      } else {
        wait();
        continue;
      }
      now_ += operations_[order_.back()].length;
    }
    return std::move(order_);
  }

 private:
  static constexpr Index last_rank = std::numeric_limits<Index>::max();
  using Ready = std::set<std::pair<Index, Index>>;

  Ready& ready(OperationKind kind) { return ready_[static_cast<std::size_t>(kind)]; }
  void make_ready(Index i) { ready(operations_[i].kind).emplace(rank_[i], i); }

  const StageOperation& take(OperationKind kind) {
    const Index i = ready(kind).begin()->second;
    ready(kind).erase(ready(kind).begin());
    order_.push_back(i);
    for (Index follower : followers_[i])
      if (--missing_[follower] == 0) make_ready(follower);
    return operations_[i];
  }

  void wait() {
    std::optional<Time> next;
    if (!ready(OperationKind::send).empty()) next = next_send_;
    if (!ready(OperationKind::receive).empty()) next = std::min(next.value_or(next_receive_), next_receive_);
    now_ = next.value();
  }

  /// Everything that a send needs, the send included, that has no rank yet.
  template <class Visit>
  void for_each_needed(Index send, const Visit& visit) {
    std::vector<Index> open{send};
    while (!open.empty()) {
      const Index i = open.back();
      open.pop_back();
      if (seen_[i] == send || rank_[i] != last_rank) continue;
      seen_[i] = send;
      visit(i);
      open.insert(open.end(), operations_[i].needs.begin(), operations_[i].needs.end());
    }
  }

  void rank_by_sends() {
    seen_.assign(operations_.size(), last_rank);
    std::vector<std::pair<Time, Index>> sends;
    for (Index i = 0; i < operations_.size(); ++i) {
      if (operations_[i].kind != OperationKind::send) continue;
      Time before{0};
      for_each_needed(
          i, [&](Index needed) { before += std::max(operations_[needed].length, operations_[needed].gap); });
      sends.emplace_back(before, i);
    }
    std::sort(sends.begin(), sends.end());
    seen_.assign(operations_.size(), last_rank);
    for (Index rank = 0; rank < sends.size(); ++rank) {
      std::vector<Index> needed;
      for_each_needed(sends[rank].second, [&](Index i) { needed.push_back(i); });
      for (Index i : needed) rank_[i] = rank;
    }
  }

  std::span<const StageOperation> operations_;
  /// Of the send that needs it first.
  std::vector<Index> rank_;
  std::vector<std::size_t> missing_;
  std::vector<std::vector<Index>> followers_;
  std::vector<Index> seen_;
  Ready ready_[3];
  Time now_{0}, next_send_{0}, next_receive_{0};
  std::vector<Index> order_;
};

}  // namespace

std::vector<std::uint32_t> sequence_stage(std::span<const StageOperation> operations) {
  return StageOrder(operations).run();
}

}  // namespace takt::schedulers
