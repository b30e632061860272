#include "pipeline/launch/deviation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/distinct_texts.hpp"
#include "pipeline/constants.hpp"

namespace takt::pipeline {

namespace {

using SlowTask = Deviation::SlowTask;
using BusyRank = Deviation::BusyRank;

/// CPU share from which a rank counts as undisturbed.
constexpr double undisturbed = 1 - worthwhile_gain;
/// Factor of time above plan from which a task alone is reported.
constexpr double slower = 1 + large_share;

double slowness(const SlowTask& task) {
  return static_cast<double>(task.takes.count()) /
         static_cast<double>(std::max<Time::rep>(1, task.planned.count()));
}

bool is_slow(const SlowTask& task) {
  return slowness(task) >= slower;
}

/// Returns true if other processes explain more of the slow-down than anything else, or all but a small
/// share. Both are factors: a task that is 3 times as slow with half of a processor owes 2 to other processes
/// and 1.5 to itself.
bool is_for_others(const SlowTask& task) {
  if (task.had >= undisturbed) return false;
  return slowness(task) * task.had < slower || 1 / task.had >= std::sqrt(slowness(task));
}

/// Returns `60 % of a processor`.
std::string part_of_processor(double share) {
  return fmt::format("{:.0f} % of a processor", 100 * share);
}

std::string text_of(const SlowTask& task) {
  return fmt::format("task '{}' takes {} per frame, planned {}", task.name, takt::to_string(task.takes),
                     takt::to_string(task.planned));
}

/// Returns `, 'b' 3 ms, planned 1 ms, and 2 more slow tasks` for the tasks after the first one.
std::string others_of(const std::vector<SlowTask>& tasks) {
  if (tasks.size() < 2) return {};
  const SlowTask& next = tasks[1];
  std::string text = fmt::format(", '{}' {}, planned {}", next.name, takt::to_string(next.takes),
                                 takt::to_string(next.planned));
  if (tasks.size() > 2)
    text += fmt::format(", and {} more slow task{}", tasks.size() - 2, tasks.size() > 3 ? "s" : "");
  return text;
}

/// Describes a rank, with the number of similar ones.
std::string text_of(const BusyRank& rank, std::size_t others) {
  std::string text = fmt::format("rank {} is {:.0f} % busy", rank.rank, 100 * rank.busy);
  if (rank.had < undisturbed) text += ", with " + part_of_processor(rank.had);
  text += fmt::format(", planned {:.0f} % at this rate: it is now the bottleneck", 100 * rank.planned);
  if (others > 0) text += fmt::format(", as {} other{}", others, others > 1 ? "s have" : " has");
  return text;
}

std::string rate_text(const Deviation& deviation) {
  std::string text;
  if (deviation.required) {
    const auto [has, required] =
        distinct_texts(deviation.is_missed ? deviation.output_rate : deviation.room, *deviation.required);
    text = deviation.is_missed
               ? fmt::format("the output is {}, required {}", has, required)
               : fmt::format("the required {} is at risk: the ranks can sustain {}", required, has);
  }
  if (deviation.dropped > 0)
    text +=
        fmt::format("{}the pipeline is too slow: {} frame{} dropped at the source in {:.{}f} s",
                    text.empty() ? "" : "; ", deviation.dropped, deviation.dropped == 1 ? " was" : "s were",
                    deviation.seconds, deviation.seconds < 1 ? 1 : 0);
  return text;
}

/// Occasional dropped frames are mentioned, but do not cause another report.
bool misses_rate(const Deviation& deviation) {
  const auto dropped = static_cast<double>(deviation.dropped);
  const double came = deviation.output_rate.hertz * deviation.seconds + dropped;
  return deviation.required.has_value() || (dropped > 0 && dropped >= settled_error * came);
}

}  // namespace

std::optional<Diagnosis> diagnosis_of(const Deviation& deviation) {
  const bool misses = deviation.required.has_value() || deviation.dropped > 0;
  std::vector<SlowTask> tasks = deviation.tasks;
  // A moderately slow task explains a rank or a rate; alone it is not reported.
  if (deviation.ranks.empty() && !misses)
    std::erase_if(tasks, [](const auto& task) { return !is_slow(task); });
  if (tasks.empty() && deviation.ranks.empty() && !misses) return std::nullopt;

  std::ranges::stable_sort(tasks, std::greater{}, &SlowTask::excess);
  const auto disturbed = std::ranges::find_if(tasks, is_for_others);
  const auto to_blame = std::ranges::find_if_not(tasks, is_for_others);
  const bool has_disturbed_rank =
      std::ranges::any_of(deviation.ranks, [](const BusyRank& rank) { return rank.had < undisturbed; });
  // Other processes slow all tasks, so no task is the cause unless one is slower by far.
  const bool is_by_others = disturbed != tasks.end()
                                ? to_blame == tasks.end() || disturbed->excess >= to_blame->excess
                                : to_blame == tasks.end() && has_disturbed_rank;
  Diagnosis found{.cause = {}, .told = {}, .misses_rate = misses_rate(deviation), .text = {}};
  std::vector<std::string> parts;
  if (is_by_others) {
    found.cause = processors_cause;
    parts.emplace_back("other processes compete for the CPU");
    if (disturbed != tasks.end()) {
      std::rotate(tasks.begin(), disturbed, disturbed + 1);
      parts.back() += fmt::format(": {}, with {}{}", text_of(tasks.front()),
                                  part_of_processor(tasks.front().had), others_of(tasks));
    }
  } else if (!tasks.empty()) {
    std::rotate(tasks.begin(), to_blame, to_blame + 1);
    found.cause = "task " + tasks.front().name;
    parts.push_back(text_of(tasks.front()) + others_of(tasks));
  }
  if (!is_by_others)
    for (const SlowTask& task : tasks) found.told.insert("task " + task.name);
  if (!deviation.ranks.empty()) {
    const auto busiest = std::ranges::max_element(
        deviation.ranks, {}, [](const BusyRank& rank) { return rank.busy - rank.planned; });
    if (found.cause.empty()) found.cause = fmt::format("rank {}", busiest->rank);
    parts.push_back(text_of(*busiest, deviation.ranks.size() - 1));
    for (const BusyRank& rank : deviation.ranks) found.told.insert(fmt::format("rank {}", rank.rank));
  }
  if (misses) {
    if (found.cause.empty()) found.cause = rate_cause;
    parts.push_back(rate_text(deviation));
    found.told.insert(rate_cause);
  }
  found.told.insert(found.cause);
  for (const std::string& part : parts) found.text += (found.text.empty() ? "" : "; ") + part;
  return found;
}

}  // namespace takt::pipeline
