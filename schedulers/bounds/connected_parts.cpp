#include "schedulers/bounds/connected_parts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "schedulers/bounds/least_cost.hpp"
#include "schedulers/bounds/least_times.hpp"

namespace takt::schedulers {

namespace {

/// The largest cost that is represented exactly, in units: sums of a million of them are exact.
constexpr double most_units = 1LL << 40;
/// Relative error bound of floating-point products.
constexpr double part_tolerance = 1e-12;
/// Largest number of tasks of all parts together.
constexpr std::size_t most_members = 8'000'000;

class PartSearch {
 public:
  using Amount = PartCosts::Amount;

  PartSearch(const PartCosts& costs, Amount limit, std::uint64_t& budget)
      : costs_(costs), limit_(limit), budget_(budget), nodes_(costs.task_count()) {
    for (std::size_t task = 0; task < nodes_.size(); ++task) nodes_[task].with = costs.work(task);
  }

  /// Enumerates all parts with the first task, then those with the second but not the first, and so on.
  std::optional<ConnectedParts> run() {
    for (std::size_t task = 0; task < nodes_.size(); ++task) {
      fixed_ = nodes_[task].with;
      include(task);
      const bool is_done = grow();
      exclude(task);
      if (!is_done) return std::nullopt;
      leave_out(task);
    }
    sort();
    return std::move(parts_);
  }

 private:
  enum class State : std::uint8_t { open, in, out };
  struct Node {
    State state = State::open;
    /// Number of its neighbours in the part.
    std::uint32_t links = 0;
    /// Cost of the part without this task, and with it:
    /// its time and its data towards excluded tasks.
    Amount without = 0, with = 0;

    [[nodiscard]] bool is_next() const { return state == State::open && links > 0; }
    [[nodiscard]] Amount least() const { return std::min(without, with); }
  };

  bool grow() {
    if (budget_ == 0) return false;
    --budget_;
    if (fixed_ + undecided_ > limit_) return true;
    std::optional<std::uint32_t> largest;
    for (std::uint32_t task : next_)
      if (nodes_[task].is_next() && (!largest || nodes_[task].without > nodes_[*largest].without))
        largest = task;
    if (!largest) return add();
    Node& node = nodes_[*largest];
    const Amount least = node.least(), with = node.with, without = node.without;
    undecided_ -= least;
    fixed_ += with;
    include(*largest);
    bool is_done = grow();
    exclude(*largest);
    fixed_ += without - with;
    if (is_done) {
      leave_out(*largest);
      is_done = grow();
      take_back(*largest);
    }
    fixed_ -= without;
    undecided_ += least;
    return is_done;
  }

  void include(std::size_t task) {
    nodes_[task].state = State::in;
    members_.push_back(static_cast<std::uint32_t>(task));
    for (const PartCosts::Neighbour& neighbour : costs_.neighbours(task)) {
      Node& node = nodes_[neighbour.task];
      if (node.state != State::open) continue;
      if (node.links++ == 0)
        next_.push_back(neighbour.task);
      else
        undecided_ -= node.least();
      node.without += neighbour.mine;
      undecided_ += node.least();
    }
  }

  /// Undoes the last `include`.
  void exclude(std::size_t task) {
    for (const PartCosts::Neighbour& neighbour : costs_.neighbours(task)) {
      Node& node = nodes_[neighbour.task];
      if (node.state != State::open) continue;
      undecided_ -= node.least();
      node.without -= neighbour.mine;
      if (--node.links == 0)
        next_.pop_back();
      else
        undecided_ += node.least();
    }
    members_.pop_back();
    nodes_[task].state = State::open;
  }

  void leave_out(std::size_t task) {
    nodes_[task].state = State::out;
    change_with(task, 1);
  }

  void take_back(std::size_t task) {
    change_with(task, -1);
    nodes_[task].state = State::open;
  }

  void change_with(std::size_t task, Amount sign) {
    for (const PartCosts::Neighbour& neighbour : costs_.neighbours(task)) {
      Node& node = nodes_[neighbour.task];
      if (node.state != State::open) continue;
      const Amount before = node.least();
      node.with += sign * neighbour.theirs;
      if (node.links > 0) undecided_ += node.least() - before;
    }
  }

  bool add() {
    parts_.tasks.insert(parts_.tasks.end(), members_.begin(), members_.end());
    parts_.first.push_back(parts_.tasks.size());
    parts_.cost.push_back(fixed_);
    return parts_.tasks.size() <= most_members;
  }

  void sort() {
    std::vector<std::size_t> order(parts_.count());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [this](std::size_t i) { return parts_.cost[i]; });
    ConnectedParts sorted;
    sorted.tasks.reserve(parts_.tasks.size());
    for (std::size_t i : order) {
      const std::span<const std::uint32_t> part = parts_.part(i);
      sorted.tasks.insert(sorted.tasks.end(), part.begin(), part.end());
      sorted.first.push_back(sorted.tasks.size());
      sorted.cost.push_back(parts_.cost[i]);
    }
    parts_ = std::move(sorted);
  }

  const PartCosts& costs_;
  const Amount limit_;
  std::uint64_t& budget_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> members_, next_;
  /// Certain costs, and the least additional costs of the undecided neighbours.
  Amount fixed_ = 0, undecided_ = 0;
  ConnectedParts parts_;
};

}  // namespace

PartCosts::PartCosts(const Workload& workload, Time largest)
    : per_tick_(most_units / static_cast<double>(std::max<Time::rep>(1, largest.count()))) {
  const TaskGraph& graph = workload.items();
  const LeastTimes least(graph, workload.machine());
  for (TaskId task : graph.tasks()) work_.push_back(amount(static_cast<double>(least.of(task).count())));

  std::vector<double> sharing(graph.datum_count(), 0);
  for (EdgeId id : graph.edges()) ++sharing[graph.edge(id).datum.index()];
  const LeastMessageCosts messages(workload);
  std::vector<std::map<std::uint32_t, Neighbour>> by_task(graph.task_count());
  for (EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    const double size = static_cast<double>(edge.size.count) / sharing[edge.datum.index()];
    const Amount sent = amount(messages.send.per_byte() * size),
                 received = amount(messages.receive.per_byte() * size);
    if (sent + received == 0) continue;
    const auto from = static_cast<std::uint32_t>(edge.from.index()),
               to = static_cast<std::uint32_t>(edge.to.index());
    Neighbour& forth = by_task[from].try_emplace(to, Neighbour{to, 0, 0}).first->second;
    forth.mine += sent;
    forth.theirs += received;
    Neighbour& back = by_task[to].try_emplace(from, Neighbour{from, 0, 0}).first->second;
    back.mine += received;
    back.theirs += sent;
  }
  first_.push_back(0);
  for (const auto& neighbours : by_task) {
    for (const auto& [task, neighbour] : neighbours) neighbours_.push_back(neighbour);
    first_.push_back(neighbours_.size());
  }
}

PartCosts::Amount PartCosts::amount(double ticks) const {
  return static_cast<Amount>(std::min(2 * most_units, ticks * per_tick_ * (1 - part_tolerance)));
}

PartCosts::Amount PartCosts::limit(double ticks) const {
  return static_cast<Amount>(std::min(2 * most_units, ticks * per_tick_ * (1 + part_tolerance))) + 1;
}

std::optional<ConnectedParts> connected_parts(const PartCosts& costs, PartCosts::Amount limit,
                                              std::uint64_t& budget) {
  return PartSearch(costs, limit, budget).run();
}

}  // namespace takt::schedulers
