#include "schedulers/bounds/assignment_search.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "schedulers/bounds/least_cost.hpp"

namespace takt::schedulers {

namespace {

using Ticks = Time::rep;

class AssignmentSearch {
 public:
  AssignmentSearch(const Workload& workload, Ticks below, Interchange interchange, std::uint64_t& budget,
                   const AssignmentVisit& visit)
      : workload_(workload),
        graph_(workload.items()),
        costs_(workload),
        below_(below),
        budget_(budget),
        visit_(visit),
        has_interchange_(interchange == Interchange::of_equal_speed || workload.links_are_equal()),
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
    by_load_.assign(graph_.task_count(), std::vector<std::size_t>(processors_));
  }

  bool run() {
    place(0, std::accumulate(least_.begin(), least_.end(), Ticks{0}));
    return !gave_up_;
  }

 private:
  static constexpr ProcessorId nowhere = ProcessorId(static_cast<std::size_t>(0xFFFFFFFF));

  struct Load {
    std::size_t items = 0;
    Ticks work = 0;
    /// Sizes of the data sent and received, and their numbers.
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
  /// Time from the first send, or receive, to that of the next iteration.
  [[nodiscard]] Ticks gaps(const Load& load) const {
    return std::max(load.out_count > 0 ? costs_.send_gap(load.out) : 0,
                    load.in_count > 0 ? costs_.receive_gap(load.in) : 0);
  }

  void place(std::size_t index, Ticks rest) {
    if (!fits(rest)) return;
    if (index == order_.size()) {
      Ticks longest = 0;
      for (const Load& load : load_) longest = std::max({longest, busy(load), gaps(load)});
      below_ = visit_(processor_of_, Time(longest)).count();
      return;
    }
    const TaskId item = order_[index];
    for (std::size_t p : by_load(index)) {
      if (gave_up_) return;
      if (load_[p].items == 0 && has_equal_before(p)) continue;
      if (budget_ == 0) {
        gave_up_ = true;
        return;
      }
      --budget_;
      assign(item, p);
      place(index + 1, rest - least_[item.index()]);
      withdraw(item, p);
    }
  }

  /// Whether every processor stays below the limit and the rest of the work fits.
  [[nodiscard]] bool fits(Ticks rest) const {
    for (const Load& load : load_) {
      const Ticks left = below_ - 1 - busy(load);
      if (left < 0 || gaps(load) >= below_) return false;
      // The room of all processors together may exceed the range of Ticks.
      rest -= std::min(rest, left);
    }
    return rest <= 0;
  }

  [[nodiscard]] const std::vector<std::size_t>& by_load(std::size_t index) {
    std::vector<std::size_t>& result = by_load_[index];
    std::iota(result.begin(), result.end(), 0);
    std::ranges::stable_sort(result, std::less{}, [&](std::size_t p) { return load_[p].work; });
    return result;
  }

  [[nodiscard]] bool has_equal_before(std::size_t processor) const {
    if (!has_interchange_) return false;
    for (std::size_t p = 0; p < processor; ++p)
      if (load_[p].items == 0 &&
          workload_.class_of(ProcessorId(p)) == workload_.class_of(ProcessorId(processor)))
        return true;
    return false;
  }

  void assign(TaskId item, std::size_t processor) {
    Load& load = load_[processor];
    ++load.items;
    load.work += time(item, processor);
    processor_of_[item.index()] = ProcessorId(processor);
    if (is_free_) return;
    for (EdgeId in : graph_.in_edges(item)) {
      const auto [from, to, size, datum] = graph_.edge(in);
      const ProcessorId maker = processor_of_[from.index()];
      if (needs(datum, processor)++ == 0 && maker != nowhere && maker.index() != processor)
        add_transfer(datum, maker.index(), processor);
    }
    for (DatumId datum : made_[item.index()])
      for (std::size_t p = 0; p < processors_; ++p)
        if (p != processor && needs(datum, p) > 0) add_transfer(datum, processor, p);
  }

  /// Reverses assign(), in reverse order.
  void withdraw(TaskId item, std::size_t processor) {
    if (!is_free_) {
      for (DatumId datum : made_[item.index()])
        for (std::size_t p = 0; p < processors_; ++p)
          if (p != processor && needs(datum, p) > 0) remove_transfer(datum, processor, p);
      for (EdgeId in : graph_.in_edges(item)) {
        const auto [from, to, size, datum] = graph_.edge(in);
        const ProcessorId maker = processor_of_[from.index()];
        if (--needs(datum, processor) == 0 && maker != nowhere && maker.index() != processor)
          remove_transfer(datum, maker.index(), processor);
      }
    }
    Load& load = load_[processor];
    --load.items;
    load.work -= time(item, processor);
    processor_of_[item.index()] = nowhere;
  }

  void add_transfer(DatumId datum, std::size_t from, std::size_t to) {
    const std::uint64_t size = graph_.datum_size(datum).count;
    load_[to].in += size;
    ++load_[to].in_count;
    if (away_[datum.index()]++ > 0) return;
    load_[from].out += size;
    ++load_[from].out_count;
  }
  void remove_transfer(DatumId datum, std::size_t from, std::size_t to) {
    const std::uint64_t size = graph_.datum_size(datum).count;
    load_[to].in -= size;
    --load_[to].in_count;
    if (--away_[datum.index()] > 0) return;
    load_[from].out -= size;
    --load_[from].out_count;
  }

  [[nodiscard]] Ticks time(TaskId item, std::size_t processor) const {
    return workload_.time(item, workload_.class_of(ProcessorId(processor))).count();
  }
  [[nodiscard]] std::uint32_t& needs(DatumId datum, std::size_t processor) {
    return needs_[datum.index() * processors_ + processor];
  }

  const Workload& workload_;
  const TaskGraph& graph_;
  LeastMessageCosts costs_;
  Ticks below_;
  std::uint64_t& budget_;
  const AssignmentVisit& visit_;
  bool has_interchange_, is_free_, gave_up_ = false;
  std::size_t processors_;
  std::vector<Load> load_;
  std::vector<ProcessorId> processor_of_;
  /// Per datum and processor: number of tasks there that need it.
  std::vector<std::uint32_t> needs_;
  /// Per datum: number of processors that receive it.
  std::vector<std::uint32_t> away_;
  std::vector<Ticks> least_;
  std::vector<TaskId> order_;
  std::vector<std::vector<DatumId>> made_;
  /// Processors in the order in which each item tries them.
  std::vector<std::vector<std::size_t>> by_load_;
};

}  // namespace

bool for_each_assignment(const Workload& workload, Time below, Interchange interchange, std::uint64_t& budget,
                         const AssignmentVisit& visit) {
  return AssignmentSearch(workload, below.count(), interchange, budget, visit).run();
}

}  // namespace takt::schedulers
