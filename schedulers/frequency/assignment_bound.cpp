#include "schedulers/frequency/assignment_bound.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "schedulers/frequency/least_cost.hpp"

namespace takt::schedulers {

namespace {

using Ticks = Time::rep;

/// Beyond, it would not come to an end, and recurse deeply.
constexpr std::size_t most_items = 100;

class AssignmentSearch {
 public:
  AssignmentSearch(const Workload& workload, Ticks at_least, Ticks below, std::uint64_t& budget)
      : workload_(workload),
        graph_(workload.items()),
        costs_(workload),
        at_least_(at_least),
        best_(below),
        budget_(budget),
        is_free_(workload.machine().communication_is_free()),
        processors_(workload.machine().processor_count()),
        load_(processors_),
        processor_of_(graph_.task_count(), nowhere),
        needs_(graph_.datum_count() * processors_, 0),
        away_(graph_.datum_count(), 0) {
    for (TaskId item : graph_.tasks()) {
      Ticks least = workload.time(item, 0).count();
      for (std::uint32_t c = 1; c < workload.class_count(); ++c)
        least = std::min(least, workload.time(item, c).count());
      least_.push_back(least);
      order_.push_back(item);
    }
    std::ranges::stable_sort(order_, std::greater{}, [&](TaskId item) { return least_[item.index()]; });
    made_.resize(graph_.task_count());
    for (DatumId datum : ids<DatumId>(graph_.datum_count()))
      made_[graph_.datum_task(datum).index()].push_back(datum);
  }

  /// Nothing when the budget has ended.
  std::optional<Ticks> run() {
    place(0, std::accumulate(least_.begin(), least_.end(), Ticks{0}));
    if (gave_up_) return std::nullopt;
    return best_;
  }

 private:
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  struct Load {
    std::size_t items = 0;
    Ticks work = 0;
    /// Data that leave and enter, and how many.
    std::uint64_t out = 0, in = 0;
    std::size_t out_count = 0, in_count = 0;
  };

  /// Time of the tasks, sends and receives.
  [[nodiscard]] Ticks busy(const Load& load) const {
    Ticks time = load.work;
    if (load.out_count > 0) time += costs_.send(load.out);
    if (load.in_count > 0) time += costs_.receive(load.in);
    return time;
  }
  /// From the first send, or receive, to the next repetition's.
  [[nodiscard]] Ticks gaps(const Load& load) const {
    return std::max(load.out_count > 0 ? costs_.send_gap(load.out) : 0,
                    load.in_count > 0 ? costs_.receive_gap(load.in) : 0);
  }

  void place(std::size_t index, Ticks rest) {
    if (!fits(rest)) return;
    if (index == order_.size()) {
      best_ = 0;
      for (const Load& load : load_) best_ = std::max({best_, busy(load), gaps(load)});
      return;
    }
    const TaskId item = order_[index];
    for (std::size_t p : by_load()) {
      if (best_ <= at_least_ || gave_up_) return;
      if (load_[p].items == 0 && has_equal_before(p)) continue;
      if (budget_ == 0) {
        gave_up_ = true;
        return;
      }
      --budget_;
      const std::vector<Load> before = load_;
      assign(item, p);
      place(index + 1, rest - least_[item.index()]);
      withdraw(item);
      load_ = before;
    }
  }

  /// Whether every processor is done below the best time, and the rest of the work can be.
  [[nodiscard]] bool fits(Ticks rest) const {
    Ticks room = 0;
    for (const Load& load : load_) {
      const Ticks left = best_ - 1 - busy(load);
      if (left < 0 || gaps(load) >= best_) return false;
      room += left;
    }
    return rest <= room;
  }

  [[nodiscard]] std::vector<std::size_t> by_load() const {
    std::vector<std::size_t> result(processors_);
    std::iota(result.begin(), result.end(), 0);
    std::ranges::stable_sort(result, std::less{}, [&](std::size_t p) { return load_[p].work; });
    return result;
  }

  [[nodiscard]] bool has_equal_before(std::size_t processor) const {
    for (std::size_t p = 0; p < processor; ++p)
      if (load_[p].items == 0 &&
          workload_.class_of(ProcessorId(p)) == workload_.class_of(ProcessorId(processor)))
        return true;
    return false;
  }

  void assign(TaskId item, std::size_t processor) {
    Load& load = load_[processor];
    ++load.items;
    load.work += workload_.time(item, workload_.class_of(ProcessorId(processor))).count();
    processor_of_[item.index()] = processor;
    if (is_free_) return;
    for (EdgeId in : graph_.in_edges(item)) {
      const DatumId datum = graph_.edge(in).datum;
      const std::size_t maker = processor_of_[graph_.edge(in).from.index()];
      if (needs(datum, processor)++ == 0 && maker != nowhere && maker != processor)
        transfer(datum, maker, processor);
    }
    for (DatumId datum : made_[item.index()])
      for (std::size_t p = 0; p < processors_; ++p)
        if (p != processor && needs(datum, p) > 0) transfer(datum, processor, p);
  }

  void transfer(DatumId datum, std::size_t from, std::size_t to) {
    const std::uint64_t size = graph_.datum_size(datum).count;
    load_[to].in += size;
    ++load_[to].in_count;
    if (away_[datum.index()]++ > 0) return;
    load_[from].out += size;
    ++load_[from].out_count;
  }

  /// The loads are restored by who assigned.
  void withdraw(TaskId item) {
    const std::size_t processor = processor_of_[item.index()];
    processor_of_[item.index()] = nowhere;
    if (is_free_) return;
    for (EdgeId in : graph_.in_edges(item)) {
      const DatumId datum = graph_.edge(in).datum;
      const std::size_t maker = processor_of_[graph_.edge(in).from.index()];
      if (--needs(datum, processor) == 0 && maker != nowhere && maker != processor) --away_[datum.index()];
    }
    for (DatumId datum : made_[item.index()]) away_[datum.index()] = 0;
  }

  [[nodiscard]] std::uint32_t& needs(DatumId datum, std::size_t processor) {
    return needs_[datum.index() * processors_ + processor];
  }

  const Workload& workload_;
  const TaskGraph& graph_;
  LeastMessageCosts costs_;
  Ticks at_least_, best_;
  std::uint64_t& budget_;
  bool is_free_, gave_up_ = false;
  std::size_t processors_;
  std::vector<Load> load_;
  std::vector<std::size_t> processor_of_;
  /// By datum and processor: how many of the tasks there need it.
  std::vector<std::uint32_t> needs_;
  /// To how many processors a datum goes.
  std::vector<std::uint32_t> away_;
  std::vector<Ticks> least_;
  std::vector<TaskId> order_;
  std::vector<std::vector<DatumId>> made_;
};

}  // namespace

Time assignment_bound(const Workload& workload, Time at_least, Time below, std::uint64_t& budget) {
  if (below <= at_least || workload.item_count() == 0 || workload.item_count() > most_items) return at_least;
  AssignmentSearch search(workload, at_least.count(), below.count(), budget);
  return std::max(at_least, Time(search.run().value_or(at_least.count())));
}

}  // namespace takt::schedulers
