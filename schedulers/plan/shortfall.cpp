#include "schedulers/plan/shortfall.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/formats/json_text.hpp"
#include "core/pictures/figure_text.hpp"
#include "core/pictures/text_fill.hpp"
#include "schedulers/bounds/group_bounds.hpp"
#include "schedulers/bounds/least_times.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/moldable/mixed_fo.hpp"
#include "schedulers/plan/plan.hpp"

namespace takt::schedulers {

namespace {

/// Largest factor of processors that is tried, and largest number.
constexpr std::size_t most_growth = 16, most_processors = 256;
/// Largest number of tasks named as too long.
constexpr std::size_t most_blamed = 3;

/// Returns a copy with changed tasks.
template <class Change>
TaskGraph changed(const TaskGraph& graph, Change change) {
  TaskGraphBuilder builder;
  for (TaskId id : graph.tasks()) {
    Task task = graph.task(id);
    change(id, task);
    (void)builder.add_task(std::move(task));
  }
  for (DatumId datum : ids<DatumId>(graph.datum_count()))
    (void)builder.add_datum(graph.datum_task(datum), graph.datum_size(datum));
  for (EdgeId edge : graph.edges()) (void)builder.add_edge(graph.edge(edge).datum, graph.edge(edge).to);
  return std::move(builder).build();
}

Period found_period(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  return make_plan(graph, machine, {.options = options}).evaluation.figures.exact_period();
}

class Adviser {
 public:
  Adviser(const RequiredRate& rate, const TaskGraph& graph, const logp::Machine& machine,
          const KnownPeriod& known, const AdviceOptions& options)
      : rate_(rate), graph_(graph), machine_(machine), options_(options) {
    result_.best = known.best;
    result_.bound = known.bound;
    bound_among_ = known.bound_among;
  }

  Shortfall run() {
    if (graph_.is_moldable()) return explain_groups();
    find_bound();
    blame_tasks();
    if (!graph_.has_work_table()) {
      count_processors();
      try_without_state();
    }
    ask_for_speed();
    // A pipeline's plan has no such option.
    if (!result_.is_impossible && !options_.is_in_ns)
      result_.advice.push_back(
          "a longer search (--effort): no bound excludes the frequency, but no schedule was found");
    return std::move(result_);
  }

 private:
  /// Moldable tasks: the plan has one processor per task, and groups may be faster.
  Shortfall explain_groups() {
    const GroupBounds bounds = group_bounds(graph_, machine_);
    result_.bound = bounds.period;
    result_.reason = explain(bounds.is_of_state ? BoundRule::state : BoundRule::area);
    result_.is_impossible = !rate_.is_held_by(bounds.period);
    const Period found = measure(mixed_fo(graph_, machine_, options_.search)).exact_period();
    result_.advice.push_back(
        fmt::format("groups of processors for moldable tasks (--scheduler mixed_fo): period {} found{}",
                    text_of(found), rate_.is_held_by(found) ? "" : ", which is not enough either"));
    ask_for_speed();
    return std::move(result_);
  }

  void find_bound() {
    const PeriodBound bound = PeriodBounds(graph_, machine_).best();
    if (bound.period >= result_.bound) {
      result_.bound = bound.period;
      result_.reason = explain(bound.rule);
    } else {
      result_.reason = "proven by the search";
      if (!bound_among_.empty()) result_.reason += " of " + bound_among_;
      result_.among = bound_among_;
    }
    result_.is_impossible = !rate_.is_held_by(result_.bound);
  }

  /// Finds tasks that take longer than the period whatever the others do, the longest first.
  void blame_tasks() {
    const LeastTimes least(graph_, machine_);
    std::vector<std::pair<Time, TaskId>> blamed;
    for (TaskId id : graph_.tasks()) {
      const bool is_replicable = graph_.task(id).stateless && machine_.processor_count() > 1;
      if (const Time time = least.of(id); !is_replicable && !rate_.is_held_by({time, 1}))
        blamed.emplace_back(time, id);
    }
    std::ranges::stable_sort(blamed, std::greater{}, [](const auto& each) { return each.first; });
    blamed_ = !blamed.empty();
    for (std::size_t i = 0; i < std::min(blamed.size(), most_blamed); ++i) {
      const auto& [time, id] = blamed[i];
      const double factor = static_cast<double>(time.count()) / rate_.period;
      const std::string own =
          is_built_in(id) ? "it is built in: reduce its work by its parameters, or use a faster processor"
                          : fmt::format("make it {:.3g} times faster, or split it into at least {} tasks{}",
                                        factor, std::ceil(factor),
                                        graph_.task(id).stateless
                                            ? ""
                                            : ", or declare it stateless if it keeps no data between frames");
      result_.advice.push_back(fmt::format("task '{}' takes {}, {:.3g} times the {} between frames: {}",
                                           graph_.task(id).name, text_of({time, 1}), factor,
                                           text_of(rate_.period), own));
    }
    if (blamed.size() > most_blamed)
      result_.advice.push_back(fmt::format("the same for {} more tasks", blamed.size() - most_blamed));
  }

  [[nodiscard]] bool is_built_in(TaskId task) const {
    return std::ranges::find(options_.built_in, task) != options_.built_in.end();
  }

  void count_processors() {
    // More processors do not shorten a task that is too long.
    if (blamed_) return;
    const std::size_t have = machine_.processor_count();
    const std::size_t most = std::min(std::min(most_growth * have, std::max(have, most_processors)),
                                      machine_.platform().most_grown());
    if (most == have) return;
    std::optional<std::size_t> by_bound;
    for (std::size_t count = have + 1; count <= most && !by_bound; ++count)
      if (rate_.is_held_by(PeriodBounds(graph_, machine_.grown(count)).best().period)) by_bound = count;
    if (!by_bound) {
      result_.advice.push_back(
          fmt::format("more processors are not enough: the bound stays too high up to {}", most));
      return;
    }
    for (std::size_t count = *by_bound; count <= most; count += 1 + count / 8)
      if (const Period found = found_period(graph_, machine_.grown(count), options_.search);
          rate_.is_held_by(found)) {
        result_.advice.push_back(
            fmt::format("{} processors like the fastest one instead of {}: period {} found{}", count, have,
                        text_of(found), count == *by_bound ? ", the least number" : ""));
        return;
      }
    result_.advice.push_back(fmt::format(
        "more processors: at least {} by the bounds, but no schedule was found up to {}", *by_bound, most));
  }

  void try_without_state() {
    std::size_t count = 0;
    const TaskGraph stateless = changed(graph_, [&](TaskId id, Task& task) {
      if (task.stateless || is_built_in(id)) return;
      ++count;
      task.stateless = true;
    });
    if (count == 0 || machine_.processor_count() < 2) return;
    const Period found = found_period(stateless, machine_, options_.search);
    if (!rate_.is_held_by(found)) return;
    result_.advice.push_back(
        fmt::format("replication: if the {} task{} with state {} declared stateless, frames can alternate "
                    "between processors: period {}",
                    count, count == 1 ? "" : "s", count == 1 ? "were" : "were all", text_of(found)));
  }

  void ask_for_speed() {
    const double factor = result_.best.ticks() / rate_.period;
    result_.advice.push_back(
        fmt::format("all tasks and messages {:.3g} times faster: the best schedule found has period {}",
                    factor, text_of(result_.best)));
  }

  [[nodiscard]] std::string text_of(const Period& period) const {
    return options_.is_in_ns ? time_text(period.ticks()) : to_decimal(period);
  }
  [[nodiscard]] std::string text_of(double time) const {
    return options_.is_in_ns ? time_text(time) : fmt::format("{:.6g}", time);
  }

  const RequiredRate& rate_;
  const TaskGraph& graph_;
  const logp::Machine& machine_;
  const AdviceOptions& options_;
  Shortfall result_;
  std::string bound_among_;
  bool blamed_ = false;
};

}  // namespace

Shortfall explain_shortfall(const RequiredRate& rate, const TaskGraph& graph, const logp::Machine& machine,
                            const KnownPeriod& known, const AdviceOptions& options) {
  return Adviser(rate, graph, machine, known, options).run();
}

std::string to_text(const Shortfall& shortfall, const RequiredRate& rate) {
  // After the program's name.
  constexpr std::size_t room = text_columns - 6;
  std::string text = fill(
      fmt::format("a frequency of {:.6g} (period {:.6g}) {}: the best period found is {}\n"
                  "lower bound of the period: {} ({})\n",
                  1 / rate.period, rate.period,
                  shortfall.is_impossible
                      ? "cannot be held by " + (shortfall.among.empty() ? "any schedule" : shortfall.among)
                      : "was neither reached nor excluded",
                  to_decimal(shortfall.best), to_decimal(shortfall.bound), shortfall.reason),
      room);
  if (!shortfall.advice.empty()) text += "remedies:\n";
  for (const std::string& advice : shortfall.advice)
    text += fmt::format("  * {}\n", fill(advice, text_columns - 4, 4));
  return text;
}

std::string to_json(const Shortfall& shortfall, const RequiredRate& rate) {
  nlohmann::ordered_json json;
  json["held"] = false;
  json["answer"] = shortfall.is_impossible ? "impossible" : "not decided";
  json["among"] = shortfall.among.empty() ? "all schedules" : shortfall.among;
  json["required_period"] = rate.period;
  json["period"] = shortfall.best.ticks();
  json["lower_bound"] = shortfall.bound.ticks();
  json["impossible"] = shortfall.is_impossible;
  json["reason"] = shortfall.reason;
  json["advice"] = shortfall.advice;
  return json_text(json);
}

}  // namespace takt::schedulers
