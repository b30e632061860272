#include "pipeline/report/figures_page.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/formats/json.hpp"
#include "core/pictures/document_page.hpp"

namespace takt::pipeline {

namespace {

using Figures = nlohmann::ordered_json;

/// The number under a key, times a factor; NaN where there is none.
double figure(const Figures& object, const char* key, double factor = 1) {
  return object.is_object() && object.contains(key) && object[key].is_number()
             ? factor * object[key].get<double>()
             : std::nan("");
}

bool has_list(const Figures& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_array() && !object[key].empty() &&
         object[key].front().is_object();
}

std::string name_in(const Figures& object, const char* key) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "?";
}

/// One figure of all objects of a list.
BarSeries series_of(const Figures& list, const std::string& name, const char* key, double factor = 1) {
  BarSeries series{name, {}};
  for (const Figures& each : list) series.values.push_back(figure(each, key, factor));
  return series;
}

View rank_bars(const Figures& ranks) {
  std::vector<std::string> names;
  for (const Figures& rank : ranks)
    names.push_back("rank " + (rank.contains("rank") ? rank["rank"].dump() : "?"));
  std::vector<BarSeries> series;
  for (const char* const use : {"compute", "message", "other", "starved", "blocked"})
    series.push_back(series_of(ranks, use, use, 100));
  return bar_view(
      "What the ranks' time went into",
      "Tasks, messages, the loop around them; waiting for frames; waiting for another rank to take some.",
      "rank", "%", names, series, true);
}

View task_bars(const Figures& tasks) {
  std::vector<std::string> names;
  for (const Figures& task : tasks) names.push_back(name_in(task, "name"));
  return bar_view("Times of tasks", "Planned, and measured in the run: the mean, and what 99 % stay below.",
                  "task", "ns", names,
                  {series_of(tasks, "planned", "planned_ns"), series_of(tasks, "mean", "mean_ns"),
                   series_of(tasks, "99 %", "p99_ns")});
}

/// What came out over what was offered: where a rate holds, the same.
View rate_dots(const Figures& document) {
  const auto dots = [](const char* name, const char* style) {
    return Figures{{"name", name}, {"style", style}, {"x", Figures::array()}, {"y", Figures::array()}};
  };
  Figures same = dots("as much as is offered", "line"), holds = dots("holds", "dots"),
          fails = dots("does not hold", "dots");
  double most = 0;
  for (const Figures& trial : document["trials"]) {
    const double offered = figure(trial, "offered_hz"), sustained = figure(trial, "sustained_hz");
    if (!std::isfinite(offered) || !std::isfinite(sustained)) continue;
    Figures& each = trial.contains("holds") && trial["holds"] == true ? holds : fails;
    each["x"].push_back(offered);
    each["y"].push_back(sustained);
    most = std::max(most, offered);
  }
  for (const double end : {0.0, most}) {
    same["x"].push_back(end);
    same["y"].push_back(end);
  }
  Figures view{
      {"kind", "chart"},
      {"name", "Trials"},
      {"says", "Frames a second that were offered, and that came out: below the line some were lost."},
      {"x", "offered (Hz)"},
      {"y", "sustained (Hz)"},
      {"series", {holds, fails, same}}};
  return view.dump(-1, ' ', false, Figures::error_handler_t::replace);
}

/// The mean of a figure by scheduler, the best first.
View scheduler_bars(const Figures& rows, const char* key, const char* name, const char* says) {
  std::vector<std::string> order;
  std::map<std::string, std::pair<double, int>> sums;
  for (const Figures& row : rows) {
    const std::string scheduler = name_in(row, "scheduler");
    if (!sums.contains(scheduler)) order.push_back(scheduler);
    auto& [sum, count] = sums[scheduler];
    const double value = figure(row, key);
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  const auto mean = [&](const std::string& scheduler) {
    const auto& [sum, count] = sums[scheduler];
    return count > 0 ? sum / count : std::numeric_limits<double>::infinity();
  };
  // The best first; those that have no figure last.
  std::ranges::stable_sort(order, {}, mean);
  BarSeries series{name, {}};
  for (const std::string& each : order)
    series.values.push_back(std::isfinite(mean(each)) ? mean(each) : std::nan(""));
  return bar_view(name, says, "scheduler", name, order, {series});
}

/// As takt compare writes it.
bool is_comparison(const Figures& document) {
  return document.is_array() && !document.empty() && document.front().is_object() &&
         document.front().contains("scheduler") && document.front().contains("nsl");
}

}  // namespace

Page figures_page(const std::string& name, const Figures& document) {
  std::string says = "Figures.";
  std::vector<View> pictures;
  if (has_list(document, "ranks") && has_list(document, "tasks") && document.contains("frames")) {
    says = "The report of a run.";
    pictures = {rank_bars(document["ranks"]), task_bars(document["tasks"])};
  } else if (has_list(document, "trials")) {
    says = "The highest rate without loss, by trials.";
    pictures = {rate_dots(document)};
  } else if (is_comparison(document)) {
    says = "A comparison of schedulers.";
    pictures = {
        scheduler_bars(document, "ratio", "period / bound",
                       "Means over all graphs and machines; 1 is proven to be the best."),
        scheduler_bars(document, "nsl", "makespan / critical path", "Means over all graphs and machines.")};
  }
  Page page = document_page(name, says, document);
  page.views.insert(page.views.begin(), pictures.begin(), pictures.end());
  return page;
}

}  // namespace takt::pipeline
