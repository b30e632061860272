#include "schedulers/relay/stage_sequence.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace takt::schedulers {

namespace {

using Index = std::uint32_t;

constexpr Index last_rank = std::numeric_limits<Index>::max();
/// Tries per stage and iteration, failed iterations before a stop, and visited operations of all stages.
constexpr std::size_t tries_at_once = 50, most_vain_rounds = 4, most_walked = 100'000;

/// Per operation, in the order of preference: the sends that need it.
class SendRanks {
 public:
  explicit SendRanks(std::span<const StageOperation> operations)
      : operations_(operations), rank_(operations.size(), last_rank) {
    rank_by_sends();
  }
  [[nodiscard]] std::vector<Index> take() && { return std::move(rank_); }

 private:
  /// Visits all operations that a send needs, itself included, that have no rank yet.
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
  /// Rank of the first send that needs it.
  std::vector<Index> rank_;
  std::vector<Index> seen_;
};

/// One simulation in order of time.
class StageWalk {
 public:
  StageWalk(std::span<const StageOperation> operations, std::span<const Index> rank)
      : operations_(operations), rank_(rank), missing_(operations.size()), followers_(operations.size()) {
    for (Index i = 0; i < operations.size(); ++i) {
      missing_[i] = operations[i].needs.size();
      for (Index need : operations[i].needs) followers_[need].push_back(i);
      if (missing_[i] == 0) make_ready(i);
    }
  }

  void run() {
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
  }
  [[nodiscard]] std::vector<Index> take_order() && { return std::move(order_); }
  [[nodiscard]] Time span() const { return now_; }

 private:
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

  std::span<const StageOperation> operations_;
  std::span<const Index> rank_;
  std::vector<std::size_t> missing_;
  std::vector<std::vector<Index>> followers_;
  Ready ready_[3];
  Time now_{0}, next_send_{0}, next_receive_{0};
  std::vector<Index> order_;
};

}  // namespace

StageSequence::StageSequence(std::span<const StageOperation> operations)
    : operations_(operations), ranks_(operations.size()) {
  const std::vector<Index> ranks = SendRanks(operations).take();
  StageWalk walk(operations, ranks);
  walk.run();
  span_ = walk.span();
  order_ = std::move(walk).take_order();
  for (Index place = 0; place < order_.size(); ++place) ranks_[order_[place]] = place;
  Time sends{0}, receives{0};
  for (const StageOperation& operation : operations) {
    least_ += operation.length;
    if (operation.kind == OperationKind::send) sends += operation.gap;
    if (operation.kind == OperationKind::receive) receives += operation.gap;
  }
  least_ = std::max({least_, sends, receives});
}

bool StageSequence::improve(std::size_t tries, SearchRandom& random) {
  const Time before = span_;
  for (std::size_t i = 0; i < tries && span_ > least_; ++i) {
    std::vector<Index> ranks = ranks_;
    for (std::size_t changes = 1 + random.below(3); changes > 0; --changes) {
      const std::size_t changed = random.below(ranks.size());
      ranks[changed] = static_cast<Index>(random.below(ranks.size()));
    }
    StageWalk walk(operations_, ranks);
    walk.run();
    if (walk.span() > span_) continue;
    span_ = walk.span();
    order_ = std::move(walk).take_order();
    ranks_ = std::move(ranks);
  }
  return span_ < before;
}

std::vector<std::vector<std::uint32_t>> sequence_stages(std::span<const std::vector<StageOperation>> stages,
                                                        Sequencing sequencing) {
  std::vector<StageSequence> sequences;
  Time least{0};
  for (const std::vector<StageOperation>& operations : stages)
    least = std::max(least, sequences.emplace_back(operations).least());
  SearchRandom random(1);
  std::vector<std::size_t> vain_rounds(stages.size(), 0);
  for (std::size_t walked = 0; sequencing == Sequencing::improved && walked < most_walked;) {
    const auto worst = std::ranges::max_element(sequences, {}, &StageSequence::span);
    if (worst == sequences.end() || worst->span() <= least) break;
    const auto stage = static_cast<std::size_t>(worst - sequences.begin());
    // The worst stage determines the period: the others do not matter then.
    if (vain_rounds[stage] == most_vain_rounds) break;
    vain_rounds[stage] = worst->improve(tries_at_once, random) ? 0 : vain_rounds[stage] + 1;
    walked += tries_at_once * stages[stage].size();
  }
  std::vector<std::vector<std::uint32_t>> orders;
  for (const StageSequence& sequence : sequences) orders.push_back(sequence.order());
  return orders;
}

}  // namespace takt::schedulers
