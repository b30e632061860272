#include "schedulers/search/processor_selections.hpp"

#include <algorithm>
#include <functional>

#include "schedulers/search/processor_kinds.hpp"
#include "schedulers/search/processor_ranking.hpp"

namespace takt::schedulers {

namespace {

using Selection = std::vector<ProcessorId>;

/// All selections, one of each interchangeable set; `most` + 1 of them if there are more.
class AllSelections {
 public:
  AllSelections(const ProcessorKinds& kinds, std::size_t most) : kinds_(kinds), most_(most) {}

  std::vector<Selection> take(std::size_t count) && {
    add_kinds(0, 0, count);
    return std::move(result_);
  }

 private:
  void add_kinds(std::size_t kind, ProcessorKinds::Code code, std::size_t missing) {
    if (result_.size() > most_) return;
    if (missing == 0) return result_.push_back(selection_);
    if (kind == kinds_.count()) return;
    const std::size_t before = selection_.size();
    const std::size_t size = kinds_.size(kind), twin = kinds_.twin(kind);
    std::size_t allowed = std::min(missing, size);
    if (twin != kind) allowed = std::min(allowed, kinds_.used(code, twin));
    for (std::size_t taken = 0; taken <= allowed; ++taken) {
      if (taken > 0) {
        selection_.push_back(kinds_.member(kind, taken - 1));
        code = kinds_.take(code, kind);
      }
      add_kinds(kind + 1, code, missing - taken);
    }
    selection_.resize(before);
  }

  const ProcessorKinds& kinds_;
  std::size_t most_;
  Selection selection_;
  std::vector<Selection> result_;
};

/// Grows by the processor that minimises the sum of the least times of all tasks.
Selection quickest_together(const Workload& workload, std::size_t count) {
  Selection chosen;
  Selection rest = fastest_first(workload);
  std::vector<Time> least(workload.item_count(), Time::max());
  while (chosen.size() < count) {
    auto sum_with = [&](ProcessorId p) {
      Time sum{0};
      for (std::size_t i = 0; i < least.size(); ++i)
        sum += std::min(least[i], workload.time(TaskId(i), workload.class_of(p)));
      return sum;
    };
    const auto next = std::ranges::min_element(rest, std::less{}, sum_with);
    for (std::size_t i = 0; i < least.size(); ++i)
      least[i] = std::min(least[i], workload.time(TaskId(i), workload.class_of(*next)));
    chosen.push_back(*next);
    rest.erase(next);
  }
  return chosen;
}

}  // namespace

std::vector<std::vector<ProcessorId>> selections(const Workload& workload, std::size_t count,
                                                 std::size_t most) {
  const ProcessorKinds kinds(workload);
  if (kinds.fit_a_code())
    if (auto all = AllSelections(kinds, most).take(count); all.size() <= most) return all;

  const Selection fastest = fastest_first(workload);
  std::vector<Selection> result;
  auto add = [&](const Selection& order) {
    Selection selection(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
    std::ranges::sort(selection);
    if (result.size() < most && std::ranges::find(result, selection) == result.end())
      result.push_back(std::move(selection));
  };
  add(fastest);
  if (workload.class_count() > 1) add(quickest_together(workload, count));
  for (std::size_t i = 0; i < std::min(kinds.count(), most); ++i)
    add(nearest_first(workload, kinds.first(i)));
  return result;
}

TaskGraph for_processors(const TaskGraph& graph, const std::vector<ProcessorId>& processors) {
  TaskGraphBuilder builder;
  if (graph.is_undirected()) builder.set_undirected();
  for (TaskId task : graph.tasks()) {
    (void)builder.add_task(graph.task(task));
    if (!graph.has_work_table()) continue;
    std::vector<Time> times;
    for (ProcessorId p : processors) times.push_back(graph.work_on(task, p).value());
    builder.set_work_table(task, std::move(times));
  }
  for (DatumId datum : ids<DatumId>(graph.datum_count()))
    (void)builder.add_datum(graph.datum_task(datum), graph.datum_size(datum));
  for (EdgeId edge : graph.edges()) (void)builder.add_edge(graph.edge(edge).datum, graph.edge(edge).to);
  return std::move(builder).build();
}

}  // namespace takt::schedulers
