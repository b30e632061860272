#include "pipeline/pages/figures_page.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

#include "core/formats/json.hpp"
#include "core/pictures/document_page.hpp"
#include "core/pictures/figure_text.hpp"
#include "pipeline/protocol/figures.hpp"

namespace takt::pipeline {

namespace {

using Figures = nlohmann::ordered_json;

/// Returns the number at a key times a factor; NaN if it is missing.
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

/// Returns one figure of all objects of a list.
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
      "Use of the ranks' time",
      "Tasks, messages, scheduling loop; starved: waiting for input; blocked: waiting for free buffers.",
      "rank", "%", names, series, true);
}

View task_bars(const Figures& tasks) {
  std::vector<std::string> names;
  for (const Figures& task : tasks) names.push_back(name_in(task, "name"));
  return bar_view("Times of tasks", "Planned, and measured in the run: mean and 99th percentile.", "task",
                  "ns", names,
                  {series_of(tasks, "planned", "planned_ns"), series_of(tasks, "mean", "mean_ns"),
                   series_of(tasks, "99 %", "p99_ns")});
}

/// Shares in reports of runs, of several streams and of plans.
bool is_share(const std::string& key) {
  constexpr std::string_view others[]{"given",
                                      "used",
                                      "delayed",
                                      "overhead",
                                      "outage",
                                      "waiting_for_input",
                                      "waiting_for_messages",
                                      "waiting_for_room",
                                      "waiting_for_gap"};
  return std::ranges::find(others, key) != std::end(others) ||
         std::ranges::any_of(figure_table, [&](const Figure& row) {
           return row.key == key && shown_unit(row) == Unit::share;
         });
}

/// A report with `_share` after the names of shares, by which pages tell units. Sources and sinks name their
/// counters themselves.
Figures with_shares(const Figures& value) {
  if (!value.is_structured()) return value;
  Figures named = value.is_array() ? Figures::array() : Figures::object();
  for (const auto& [key, each] : value.items())
    if (value.is_array())
      named.push_back(with_shares(each));
    else
      named[each.is_number() && is_share(key) ? key + "_share" : key] =
          key == "counters" ? each : with_shares(each);
  return named;
}

Figures curve(const char* name, const char* style) {
  return {{"name", name}, {"style", style}, {"x", Figures::array()}, {"y", Figures::array()}};
}

/// Returns the trials at chosen rates: those of the search, and those of the curve below its result.
std::vector<Figures> trials_of(const Figures& document) {
  std::vector<Figures> trials;
  for (const char* const list : {"trials", "curve"})
    if (has_list(document, list))
      for (const Figures& trial : document[list])
        if (figure(trial, "offered_hz") > 0) trials.push_back(trial);
  std::ranges::stable_sort(trials, {}, [](const Figures& trial) { return figure(trial, "offered_hz"); });
  return trials;
}

/// Plots the output rate over the offered rate; equal rates mean that the rate holds.
View rate_dots(const std::vector<Figures>& trials) {
  Figures same = curve("as much as is offered", "line"), holds = curve("holds", "dots"),
          fails = curve("does not hold", "dots");
  double most = 0;
  for (const Figures& trial : trials) {
    const double offered = figure(trial, "offered_hz"), sustained = figure(trial, "sustained_hz");
    if (!std::isfinite(sustained)) continue;
    Figures& each = trial.contains("holds") && trial["holds"] == true ? holds : fails;
    each["x"].push_back(offered);
    each["y"].push_back(sustained);
    most = std::max(most, offered);
  }
  for (const double end : {0.0, most}) {
    same["x"].push_back(end);
    same["y"].push_back(end);
  }
  Figures view{{"kind", "chart"},
               {"name", "Trials"},
               {"says", "Offered rate and output rate, in frames/s: below the line, frames were lost."},
               {"x", "offered (Hz)"},
               {"y", "sustained (Hz)"},
               {"series", {holds, fails, same}}};
  return view.dump(-1, ' ', false, Figures::error_handler_t::replace);
}

/// Plots the latency over the offered rate.
View latency_dots(const Figures& document, const std::vector<Figures>& trials) {
  Figures half = curve("median", "dots"), most = curve("99 %", "dots");
  for (const Figures& trial : trials) {
    if (!trial.contains("latency_ns")) continue;
    for (const auto& [series, key] : {std::pair{&half, "p50"}, {&most, "p99"}}) {
      const double latency = figure(trial["latency_ns"], key);
      if (!std::isfinite(latency)) continue;
      (*series)["x"].push_back(figure(trial, "offered_hz"));
      (*series)["y"].push_back(latency);
    }
  }
  Figures view{
      {"kind", "chart"},
      {"name", "Latency"},
      {"says",
       "Latency of the frames of a trial, from the source to the last sink: median and 99th percentile."},
      {"x", "offered (Hz)"},
      {"y", "latency (ns)"},
      {"series", {half, most}}};
  if (const double required = figure(document, "required_latency_ns"); std::isfinite(required)) {
    Figures limit = curve(("required of " + name_in(document, "latency_quantile")).c_str(), "line");
    double last = 0;
    for (const Figures& trial : trials) last = std::max(last, figure(trial, "offered_hz"));
    for (const double end : {0.0, last}) {
      limit["x"].push_back(end);
      limit["y"].push_back(required);
    }
    view["series"].push_back(std::move(limit));
  }
  return view.dump(-1, ' ', false, Figures::error_handler_t::replace);
}

/// Makes the page of takt sustain. Saturated trials have no offered rate and are not shown.
Page rates_page(const std::string& name, Figures document) {
  const std::vector<Figures> trials = trials_of(document);
  const double saturated =
      document.contains("saturated") ? figure(document["saturated"], "sustained_hz") : std::nan("");
  document.erase("saturated");
  Page page = document_page(name, "Highest rate without loss, found by trials.", with_shares(document));
  if (std::isfinite(saturated))
    page.facts.push_back({"as fast as possible", frequency_text(saturated),
                          "sustained when sources wait for the pipeline instead of keeping a rate"});
  page.views.insert(page.views.begin(), {rate_dots(trials), latency_dots(document, trials)});
  return page;
}

/// Returns true for output of takt simulate.
bool is_simulation(const Figures& document) {
  return has_list(document, "processors") && document["processors"].front().contains("waiting_for_gap");
}

Page simulation_page(const std::string& name, Figures document) {
  Figures& processors = document["processors"];
  const std::pair<const char*, const char*> uses[]{{"compute", "compute"},
                                                   {"overhead", "overhead"},
                                                   {"waits for input", "waiting_for_input"},
                                                   {"for messages", "waiting_for_messages"},
                                                   {"for room", "waiting_for_room"},
                                                   {"for a gap", "waiting_for_gap"},
                                                   {"outage", "outage"}};
  std::vector<BarSeries> series;
  for (const auto& [says, key] : uses)
    if (std::ranges::any_of(processors, [&, k = key](const Figures& each) { return figure(each, k) > 0; }))
      series.push_back(series_of(processors, says, key, 100));
  std::vector<std::string> names;
  Figures numbered = Figures::array();
  for (std::size_t i = 0; i < processors.size(); ++i) {
    names.push_back("P" + std::to_string(i));
    Figures row{{"processor", i}};
    row.update(processors[i]);
    numbered.push_back(row);
  }
  processors = numbered;
  Page page = document_page(name, "A schedule, executed under LogP.", with_shares(document));
  page.views.insert(page.views.begin(),
                    bar_view("Use of the processors' time", "Tasks, message overheads, and waiting.",
                             "processor", "%", names, series, true));
  return page;
}

/// Plots the mean of a figure by scheduler, best first.
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
  // Best first; schedulers without the figure last.
  std::ranges::stable_sort(order, {}, mean);
  BarSeries series{name, {}};
  for (const std::string& each : order)
    series.values.push_back(std::isfinite(mean(each)) ? mean(each) : std::nan(""));
  return bar_view(name, says, "scheduler", name, order, {series});
}

/// Returns true for output of takt compare.
bool is_comparison(const Figures& document) {
  return document.is_array() && !document.empty() && document.front().is_object() &&
         document.front().contains("scheduler") && document.front().contains("nsl");
}

/// Returns true for numbers, null, and undefined decibels.
bool is_point(const Figures& value) {
  return value.is_number() || value.is_null() || value == "-inf" || value == "nan";
}

/// Returns true for rows of numbers only: they are plotted over the first column.
bool are_curves(const Figures& document) {
  constexpr std::size_t least_rows = 3, most_columns = 6;
  if (!document.is_array() || document.size() < least_rows || !document.front().is_object()) return false;
  const std::size_t columns = document.front().size();
  return columns >= 2 && columns <= most_columns && std::ranges::all_of(document, [](const Figures& row) {
           return row.is_object() && row.front().is_number() && std::ranges::all_of(row, is_point);
         });
}

View curves_view(const Figures& rows) {
  std::vector<std::string> names;
  for (const auto& [name, value] : rows.front().items()) names.push_back(name);
  Figures series = Figures::array();
  for (std::size_t i = 1; i < names.size(); ++i) {
    Figures each = curve(names[i].c_str(), "line");
    Figures zeros = Figures::array();
    for (const Figures& row : rows) {
      const Figures y = row.value(names[i], Figures());
      if (y == "-inf") zeros.push_back(each["x"].size());
      each["x"].push_back(row.value(names.front(), Figures()));
      each["y"].push_back(y.is_number() ? y : Figures());
    }
    each["zeros"] = zeros;
    series.push_back(each);
  }
  return Figures{{"kind", "chart"},
                 {"name", "Curves"},
                 {"says", ""},
                 {"x", names.front()},
                 {"y", names.size() == 2 ? names.back() : "value"},
                 {"series", series}}
      .dump(-1, ' ', false, Figures::error_handler_t::replace);
}

bool is_report(const Figures& document) {
  return has_list(document, "ranks") && has_list(document, "tasks") && document.contains("frames");
}

/// Makes a page of several streams: one row for each, and below it each stream's report.
Page streams_page(const std::string& name, Figures document) {
  std::vector<std::pair<std::string, Page>> reports;
  for (Figures& stream : document["streams"]) {
    const std::string stream_name = name_in(stream, "name");
    if (is_report(stream["report"])) reports.emplace_back(stream_name, figures_page("", stream["report"]));
    stream.erase("report");
  }
  Page page = document_page(name, "The report of several streams.", with_shares(document));
  for (auto& [stream, report] : reports) {
    Figures figures = Figures::array();
    for (const PageFact& fact : report.facts)
      figures.push_back({{"figure", fact.name}, {"value", fact.value}});
    report.views.push_back(document_page("", "", {{"figures", figures}}).views.front());
    for (const View& each : report.views) {
      Figures view = Figures::parse(each);
      view["name"] = stream + ": " + view["name"].get<std::string>();
      page.views.push_back(view.dump(-1, ' ', false, Figures::error_handler_t::replace));
    }
  }
  return page;
}

}  // namespace

Page figures_page(const std::string& name, const Figures& document) {
  if (has_list(document, "trials")) return rates_page(name, document);
  if (document.is_object() && is_simulation(document)) return simulation_page(name, document);
  if (has_list(document, "streams") && document["streams"].front().contains("report"))
    return streams_page(name, document);
  std::string says = "Figures.";
  std::vector<View> pictures;
  Figures shown = document;
  if (is_report(document)) {
    says = "The report of a run.";
    shown = with_shares(document);
    if (document.contains("verdict") && document["verdict"].is_string()) {
      says += " " + document["verdict"].get<std::string>();
      shown.erase("verdict");
    }
    pictures = {rank_bars(document["ranks"]), task_bars(document["tasks"])};
  } else if (are_curves(document)) {
    pictures = {curves_view(document)};
  } else if (is_comparison(document)) {
    says = "A comparison of schedulers.";
    pictures = {
        scheduler_bars(document, "ratio", "period / bound",
                       "Means over all graphs and machines; 1 is optimal."),
        scheduler_bars(document, "nsl", "makespan / critical path", "Means over all graphs and machines.")};
  }
  Page page = document_page(name, says, shown);
  page.views.insert(page.views.begin(), pictures.begin(), pictures.end());
  return page;
}

}  // namespace takt::pipeline
