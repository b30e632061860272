#include "schedulers/frequency/sequence_search.hpp"

#include <algorithm>
#include <utility>

namespace takt::schedulers {

namespace {

using Ticks = Time::rep;

constexpr std::size_t most_tasks = 300, most_processors = 32;
/// A move counts as one step of the budget for this many tasks, without and with messages.
constexpr std::size_t tasks_per_step = 20, tasks_with_messages_per_step = 3;
/// How many steps back the lateness is that a step is compared with.
constexpr std::size_t history_length = 500;

/// Processors of the tasks, and a topological order of which each processor's tasks are its sequence.
struct Arrangement {
  std::vector<std::uint32_t> processor_of;
  std::vector<std::uint32_t> order;
};

/// Carries out an arrangement under a period.
class Simulation {
 public:
  explicit Simulation(const Workload& workload)
      : workload_(workload),
        graph_(workload.items()),
        processors_(workload.machine().processor_count()),
        is_free_(workload.machine().communication_is_free()),
        end_(graph_.task_count()),
        arrival_(graph_.task_count() * processors_),
        received_(graph_.task_count() * processors_),
        state_(processors_),
        release_(processors_) {}

  /// By how much the processors' occupancies exceed the period in sum, after as many rounds as it can take to
  /// find start times with which they do not; 0 if they fit.
  Ticks lateness(const Arrangement& arrangement, Ticks period) {
    std::fill(release_.begin(), release_.end(), 0);
    Ticks late = 0;
    for (std::size_t round = 0; round <= processors_; ++round) {
      run(arrangement);
      late = 0;
      for (std::size_t p = 0; p < processors_; ++p) {
        const State& state = state_[p];
        const Ticks over =
            std::max({state.ready - period, state.next_send - period - state.first_send + state.start,
                      state.next_receive - period - state.first_receive + state.start}) -
            state.start;
        if (!state.has_begun || over <= 0) continue;
        late += over;
        release_[p] = state.start + over;
      }
      if (late == 0) return 0;
    }
    return late;
  }

 private:
  struct State {
    bool has_begun = false;
    Ticks start = 0, ready = 0;
    Ticks next_send = 0, next_receive = 0, first_send = 0, first_receive = 0;
    bool has_sent = false, has_received = false;

    Ticks begin(Ticks earliest) {
      const Ticks at = std::max(ready, earliest);
      if (!has_begun) start = at;
      has_begun = true;
      return at;
    }
  };

  void run(const Arrangement& arrangement) {
    ++pass_;
    for (std::size_t p = 0; p < processors_; ++p) state_[p] = {.start = release_[p], .ready = release_[p]};
    for (std::uint32_t task : arrangement.order) {
      const std::uint32_t p = arrangement.processor_of[task];
      State& state = state_[p];
      Ticks earliest = 0;
      if (is_free_) {
        for (EdgeId in : graph_.in_edges(TaskId(task)))
          earliest = std::max(earliest, end_[graph_.edge(in).from.index()]);
      } else {
        receive(arrangement, task);
      }
      const Ticks start = state.begin(earliest);
      end_[task] = state.ready =
          start + workload_.time(TaskId(task), workload_.class_of(ProcessorId(p))).count();
      if (!is_free_) send(arrangement, task);
    }
  }

  /// Everything that the task needs and its processor has not, in order of arrival.
  void receive(const Arrangement& arrangement, std::uint32_t task) {
    const std::uint32_t p = arrangement.processor_of[task];
    arrivals_.clear();
    for (EdgeId in : graph_.in_edges(TaskId(task))) {
      const auto from = static_cast<std::uint32_t>(graph_.edge(in).from.index());
      if (arrangement.processor_of[from] == p || received_[from * processors_ + p] == pass_) continue;
      received_[from * processors_ + p] = pass_;
      arrivals_.emplace_back(arrival_[from * processors_ + p], from);
    }
    std::sort(arrivals_.begin(), arrivals_.end());
    State& state = state_[p];
    for (const auto& [arrival, from] : arrivals_) {
      const Costs costs = costs_of(arrangement, from, p);
      const Ticks at = state.begin(std::max(arrival, state.has_received ? state.next_receive : arrival));
      if (!state.has_received) state.first_receive = at;
      state.has_received = true;
      state.next_receive = at + costs.receive_gap;
      state.ready = at + costs.receive;
    }
  }

  /// One message for each other processor that needs any of the task's data.
  void send(const Arrangement& arrangement, std::uint32_t task) {
    State& state = state_[arrangement.processor_of[task]];
    destinations_.clear();
    for (EdgeId out : graph_.out_edges(TaskId(task))) {
      const std::uint32_t to = arrangement.processor_of[graph_.edge(out).to.index()];
      if (to != arrangement.processor_of[task] &&
          std::find(destinations_.begin(), destinations_.end(), to) == destinations_.end())
        destinations_.push_back(to);
    }
    std::sort(destinations_.begin(), destinations_.end());
    for (std::uint32_t to : destinations_) {
      const Costs costs = costs_of(arrangement, task, to);
      const Ticks at = state.begin(state.has_sent ? state.next_send : state.ready);
      if (!state.has_sent) state.first_send = at;
      state.has_sent = true;
      state.next_send = at + costs.send_gap;
      state.ready = at + costs.send;
      arrival_[task * processors_ + to] = at + std::max<Ticks>(0, costs.send + costs.latency);
    }
  }

  struct Costs {
    Ticks send = 0, receive = 0, send_gap = 0, receive_gap = 0, latency = 0;
  };
  [[nodiscard]] Costs costs_of(const Arrangement& arrangement, std::uint32_t task, std::uint32_t to) const {
    Bytes size;
    const auto out = graph_.out_edges(TaskId(task));
    for (std::size_t i = 0; i < out.size(); ++i) {
      const Edge& edge = graph_.edge(out[i]);
      if (arrangement.processor_of[edge.to.index()] != to) continue;
      bool is_first = true;
      for (std::size_t j = 0; j < i && is_first; ++j) {
        const Edge& other = graph_.edge(out[j]);
        is_first = other.datum != edge.datum || arrangement.processor_of[other.to.index()] != to;
      }
      if (is_first) size += edge.size;
    }
    const logp::LinkCosts& links =
        workload_.links(ProcessorId(arrangement.processor_of[task]), ProcessorId(to));
    Costs costs;
    costs.send = links.send_overhead.at(size).count();
    costs.receive = links.receive_overhead.at(size).count();
    costs.send_gap = std::max(costs.send, links.send_gap.at(size).count());
    costs.receive_gap = std::max(costs.receive, links.receive_gap.at(size).count());
    costs.latency = links.latency.at(size).count();
    return costs;
  }

  const Workload& workload_;
  const TaskGraph& graph_;
  std::size_t processors_;
  bool is_free_;
  std::vector<Ticks> end_;
  /// By task and destination: when its message arrives, and in which pass it was received last.
  std::vector<Ticks> arrival_;
  std::vector<std::uint64_t> received_;
  std::uint64_t pass_ = 0;
  std::vector<State> state_;
  std::vector<Ticks> release_;
  std::vector<std::pair<Ticks, std::uint32_t>> arrivals_;
  std::vector<std::uint32_t> destinations_;
};

class SequenceSearch {
 public:
  SequenceSearch(const Workload& workload, const logp::Allocation& allocation, Ticks bound,
                 std::uint64_t& budget, SearchRandom& random)
      : graph_(workload.items()),
        simulation_(workload),
        bound_(bound),
        budget_(budget),
        random_(random),
        processors_(workload.machine().processor_count()),
        cost_of_move_(1 + graph_.task_count() / (workload.machine().communication_is_free()
                                                     ? tasks_per_step
                                                     : tasks_with_messages_per_step)) {
    arrange(allocation);
  }

  logp::Allocation run() {
    best_ = current_;
    period_ = shortest_period(current_, 0, longest_period());
    aim();
    for (step_ = 0; budget_ > 0 && period_ > bound_; ++step_) {
      budget_ -= std::min(budget_, cost_of_move_);
      if (step_ - improved_at_ > patience()) start_again();
      undo_ = current_;
      if (!try_move()) continue;
      const Ticks late = simulation_.lateness(current_, period_ - 1);
      Ticks& before = history_[step_ % history_length];
      if (late > late_ && late > before) {
        std::swap(current_, undo_);
        set_places();
      } else {
        accept(late);
      }
      before = std::min(before, late_);
    }
    return allocation_of(best_);
  }

 private:
  void arrange(const logp::Allocation& allocation) {
    // A topological order of the edges and the sequences together.
    const std::size_t count = graph_.task_count();
    current_.processor_of.resize(count);
    std::vector<std::size_t> missing(count);
    std::vector<std::uint32_t> next(count, static_cast<std::uint32_t>(count));
    for (std::uint32_t p = 0; p < allocation.order.size(); ++p)
      for (std::size_t i = 0; i < allocation.order[p].size(); ++i) {
        const std::size_t task = allocation.order[p][i].index();
        current_.processor_of[task] = p;
        missing[task] = graph_.in_edges(TaskId(task)).size() + (i > 0 ? 1 : 0);
        if (i > 0) next[allocation.order[p][i - 1].index()] = static_cast<std::uint32_t>(task);
      }
    for (std::uint32_t task = 0; task < count; ++task)
      if (missing[task] == 0) current_.order.push_back(task);
    for (std::size_t i = 0; i < current_.order.size(); ++i) {
      const std::uint32_t task = current_.order[i];
      auto arrive = [&](std::size_t follower) {
        if (--missing[follower] == 0) current_.order.push_back(static_cast<std::uint32_t>(follower));
      };
      for (EdgeId out : graph_.out_edges(TaskId(task))) arrive(graph_.edge(out).to.index());
      if (next[task] < count) arrive(next[task]);
    }
    set_places();
  }

  void set_places() {
    place_.resize(current_.order.size());
    for (std::uint32_t i = 0; i < current_.order.size(); ++i) place_[current_.order[i]] = i;
  }

  /// Long enough for any arrangement: everything one after the other.
  [[nodiscard]] Ticks longest_period() {
    Ticks period = 1;
    while (simulation_.lateness(current_, period) > 0) period *= 2;
    return period;
  }

  /// The least period above `low` that the arrangement holds, which must hold `high`.
  [[nodiscard]] Ticks shortest_period(const Arrangement& arrangement, Ticks low, Ticks high) {
    while (high - low > 1) {
      const Ticks middle = low + (high - low) / 2;
      (simulation_.lateness(arrangement, middle) == 0 ? high : low) = middle;
    }
    return high;
  }

  void aim() {
    late_ = least_late_ = simulation_.lateness(current_, period_ - 1);
    history_.assign(history_length, late_);
    improved_at_ = step_;
  }

  void accept(Ticks late) {
    late_ = late;
    if (late < least_late_) {
      least_late_ = late;
      improved_at_ = step_;
    }
    if (late > 0) return;
    best_ = current_;
    period_ = shortest_period(current_, std::max<Ticks>(bound_, 1) - 1, period_ - 1);
    aim();
  }

  /// Steps without any improvement after which the search is stuck.
  [[nodiscard]] std::size_t patience() const { return history_length + 50 * graph_.task_count(); }

  /// From the best arrangement with some random moves.
  void start_again() {
    current_ = best_;
    set_places();
    for (std::size_t moves = 2 + random_.below(graph_.task_count()); moves > 0; --moves) try_move();
    aim();
  }

  bool try_move() {
    const std::size_t count = graph_.task_count();
    const auto task = static_cast<std::uint32_t>(random_.below(count));
    switch (random_.below(3)) {
      case 0: {
        const auto to = static_cast<std::uint32_t>(random_.below(processors_));
        if (to == current_.processor_of[task]) return false;
        current_.processor_of[task] = to;
        if (random_.below(2) == 0) shift(task);
        return true;
      }
      case 1: {
        const auto other = static_cast<std::uint32_t>(random_.below(count));
        if (current_.processor_of[task] == current_.processor_of[other]) return false;
        std::swap(current_.processor_of[task], current_.processor_of[other]);
        return true;
      }
      default:
        return shift(task);
    }
  }

  /// To any place in the order between the task's predecessors and successors.
  bool shift(std::uint32_t task) {
    std::uint32_t first = 0, last = static_cast<std::uint32_t>(current_.order.size() - 1);
    for (EdgeId in : graph_.in_edges(TaskId(task)))
      first = std::max(first, place_[graph_.edge(in).from.index()] + 1);
    for (EdgeId out : graph_.out_edges(TaskId(task)))
      last = std::min(last, place_[graph_.edge(out).to.index()] - 1);
    const std::uint32_t from = place_[task];
    const std::uint32_t to = first + static_cast<std::uint32_t>(random_.below(last - first + 1));
    if (to == from) return false;
    const auto begin = current_.order.begin();
    if (from < to)
      std::rotate(begin + from, begin + from + 1, begin + to + 1);
    else
      std::rotate(begin + to, begin + from, begin + from + 1);
    for (std::uint32_t i = std::min(from, to); i <= std::max(from, to); ++i) place_[current_.order[i]] = i;
    return true;
  }

  [[nodiscard]] logp::Allocation allocation_of(const Arrangement& arrangement) const {
    logp::Allocation allocation{std::vector<std::vector<TaskId>>(processors_)};
    for (std::uint32_t task : arrangement.order)
      allocation.order[arrangement.processor_of[task]].emplace_back(task);
    return allocation;
  }

  const TaskGraph& graph_;
  Simulation simulation_;
  Ticks bound_;
  std::uint64_t& budget_;
  SearchRandom& random_;
  std::size_t processors_;
  std::uint64_t cost_of_move_;
  Arrangement current_, undo_, best_;
  std::vector<std::uint32_t> place_;
  /// The best period, how late the current arrangement is for one tick less, and how little that has been
  /// since the last start.
  Ticks period_ = 0, late_ = 0, least_late_ = 0;
  std::vector<Ticks> history_;
  std::size_t step_ = 0, improved_at_ = 0;
};

}  // namespace

bool can_improve_sequences(const Workload& workload) {
  return workload.replicas() == 1 && workload.item_count() > 0 && workload.item_count() <= most_tasks &&
         workload.machine().processor_count() > 1 && workload.machine().processor_count() <= most_processors;
}

logp::Allocation improve_sequences(const Workload& workload, const logp::Allocation& allocation, Time bound,
                                   std::uint64_t& budget, SearchRandom& random) {
  return SequenceSearch(workload, allocation, bound.count(), budget, random).run();
}

}  // namespace takt::schedulers
