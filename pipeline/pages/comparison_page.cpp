#include "pipeline/pages/comparison_page.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "core/pictures/bar_chart.hpp"
#include "core/pictures/dot_chart.hpp"
#include "core/pictures/heat_map.hpp"
#include "core/pictures/html.hpp"
#include "core/pictures/scatter_chart.hpp"
#include "core/pictures/text_table.hpp"
#include "core/units.hpp"
#include "schedulers/judge/comparison_summary.hpp"
#include "schedulers/judge/figure_columns.hpp"

namespace takt::pipeline {

namespace {

/// Largest number of instances in a picture; the table shows all of them.
constexpr std::size_t most_instances = 60;
constexpr double us_per_second = 1e6;

std::string seconds_text(double seconds) {
  return to_string(Time(static_cast<Time::rep>(seconds * 1e9 + 0.5)));
}

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// The page's parts, each from the same rows.
class ComparisonParts {
 public:
  explicit ComparisonParts(const std::vector<schedulers::ComparisonRow>& rows)
      : rows_(rows), instances_(schedulers::instances_of(rows)), summary_(schedulers::summarise(rows)) {
    if (instances_.empty()) return;
    for (const schedulers::ComparisonRow& row : instances_.front()) {
      const auto known = std::find(families_.begin(), families_.end(), row.family);
      family_of_[row.scheduler] = static_cast<std::size_t>(known - families_.begin());
      if (known == families_.end()) families_.push_back(row.family);
    }
  }

  std::string body() const {
    return heading() + "<div class=\"cards\">\n" + summary_card() + lengths_card() + periods_card() +
           best_card() + trade_off_card() + seconds_card() + speed_up_card() +
           duels_card(schedulers::Objective::makespan) + duels_card(schedulers::Objective::frequency) +
           instances_card(schedulers::Objective::makespan) +
           instances_card(schedulers::Objective::frequency) + rows_card() + "</div>\n";
  }

 private:
  std::string heading() const {
    std::set<std::string> graphs, machines;
    std::size_t failed = 0;
    for (const schedulers::ComparisonRow& row : rows_) {
      graphs.insert(row.graph);
      machines.insert(row.machine);
      if (!row.is_valid()) ++failed;
    }
    return fmt::format(
        "<h1>Comparison of schedulers</h1>\n<p>{} on {} and {}: {}, {} without a valid schedule. Times are "
        "in ticks (nanoseconds).</p>\n",
        plural(summary_.schedulers.size(), "scheduler"), plural(graphs.size(), "graph"),
        plural(machines.size(), "machine"), plural(rows_.size(), "schedule"), failed);
  }

  /// Returns the schedulers with a valid schedule, by a figure, the lowest first.
  template <class Figure>
  std::vector<const schedulers::SchedulerSummary*> by_rising(Figure figure) const {
    std::vector<const schedulers::SchedulerSummary*> order;
    for (const schedulers::SchedulerSummary& each : summary_.schedulers)
      if (each.served > 0) order.push_back(&each);
    std::stable_sort(order.begin(), order.end(),
                     [&](const auto* a, const auto* b) { return figure(*a) < figure(*b); });
    return order;
  }

  /// A dot for each scheduler: the mean of a figure over its valid schedules, with its range.
  template <class Figure>
  std::string dots(ChartAxis axis, Figure figure, bool highest_first = false) const {
    std::map<std::string, std::vector<double>> values;
    for (const schedulers::ComparisonRow& row : rows_)
      if (row.is_valid()) values[row.scheduler].push_back(figure(*row.figures));
    DotChart chart{axis, families_, {}};
    for (const schedulers::SchedulerSummary& each : summary_.schedulers) {
      const std::vector<double>& of = values[each.scheduler];
      if (of.empty()) continue;
      double sum = 0;
      for (const double value : of) sum += value;
      chart.dots.push_back({each.scheduler, sum / static_cast<double>(of.size()),
                            *std::min_element(of.begin(), of.end()), *std::max_element(of.begin(), of.end()),
                            family_of_.at(each.scheduler)});
    }
    std::stable_sort(chart.dots.begin(), chart.dots.end(), [&](const auto& a, const auto& b) {
      return highest_first ? a.value > b.value : a.value < b.value;
    });
    return to_svg(chart);
  }

  std::string lengths_card() const {
    return html_card("Normalised schedule length",
                     "Makespan over the critical path without data: 1 is optimal. Dot: mean; line: from the "
                     "best to the worst instance.",
                     dots({.title = "normalised schedule length (logarithmic)", .scale = Scale::logarithmic},
                          [](const schedulers::Figures& f) { return f.normalised_length(); }));
  }

  std::string periods_card() const {
    return html_card("Period over its lower bound",
                     "1 is optimal. Dot: mean; line: from the best to the worst instance.",
                     dots({.title = "period / lower bound (logarithmic)", .scale = Scale::logarithmic},
                          [](const schedulers::Figures& f) { return f.ratio(); }));
  }

  std::string speed_up_card() const {
    return html_card(
        "Speed-up", "Time on the fastest single processor over the makespan. Dot: mean; line: range.",
        dots(
            {.title = "speed-up"}, [](const schedulers::Figures& f) { return f.speed_up(); }, true));
  }

  std::string seconds_card() const {
    return html_card(
        "Time to schedule", "Run time of the schedulers on this computer. Dot: mean; line: range.",
        dots({.title = "time to schedule (logarithmic)", .scale = Scale::logarithmic, .text = seconds_text},
             [](const schedulers::Figures& f) { return std::max(f.seconds, 1e-7); }));
  }

  std::string best_card() const {
    BarChart chart;
    chart.axis.title = "instances";
    chart.legend = {"shortest makespan", "highest frequency"};
    for (const schedulers::SchedulerSummary* each : by_rising([](const schedulers::SchedulerSummary& s) {
           return -static_cast<double>(s.best[0] + s.best[1]);
         }))
      chart.groups.push_back(
          {each->scheduler, {static_cast<double>(each->best[0]), static_cast<double>(each->best[1])}});
    return html_card(
        "Share of best schedules",
        fmt::format("Number of instances, of {}, in which no scheduler was better; ties count for each.",
                    plural(summary_.instances, "instance")),
        to_svg(chart));
  }

  std::string trade_off_card() const {
    ScatterChart chart;
    chart.x = {
        .title = "mean time to schedule (logarithmic)", .scale = Scale::logarithmic, .text = seconds_text};
    chart.y = {.title = "mean makespan over the best of the instance", .scale = Scale::logarithmic};
    chart.legend = families_;
    for (const schedulers::SchedulerSummary* each :
         by_rising([](const schedulers::SchedulerSummary& s) { return s.mean_excess[0]; }))
      chart.points.push_back({each->scheduler, std::max(each->mean_seconds, 1e-7), each->mean_excess[0],
                              family_of_.at(each->scheduler)});
    return html_card("Quality against time",
                     "Below and left is better: short schedules, found quickly. Overlapping points have no "
                     "label; point at them to see it.",
                     to_svg(chart));
  }

  std::string duels_card(schedulers::Objective objective) const {
    const auto& duels = summary_.duels[static_cast<std::size_t>(objective)];
    HeatMap map;
    for (const schedulers::SchedulerSummary& each : summary_.schedulers) {
      map.rows.push_back(each.scheduler);
      map.columns.push_back(each.scheduler);
    }
    for (std::size_t i = 0; i < duels.size(); ++i) {
      auto& cells = map.cells.emplace_back();
      for (std::size_t j = 0; j < duels.size(); ++j) {
        const auto& [wins, ties, losses] = duels[i][j];
        const std::size_t met = wins + ties + losses;
        if (met == 0)
          cells.push_back({});
        else
          cells.push_back({.strength = static_cast<double>(wins) / static_cast<double>(met),
                           .text = fmt::format("{}", wins),
                           .title = fmt::format("{} against {}: {} better, {} equal, {} worse", map.rows[i],
                                                map.columns[j], wins, ties, losses)});
      }
    }
    return html_card(fmt::format("Pairwise wins: {}", name_of(objective)),
                     "Number of instances in which the row's scheduler was better than the column's.",
                     to_svg(map), CardWidth::of_contents);
  }

  std::string instances_card(schedulers::Objective objective) const {
    HeatMap map;
    for (const schedulers::SchedulerSummary& each : summary_.schedulers)
      map.columns.push_back(each.scheduler);
    const bool one_machine = std::ranges::all_of(
        rows_, [&](const schedulers::ComparisonRow& row) { return row.machine == rows_.front().machine; });
    for (const std::span<const schedulers::ComparisonRow> instance : instances_) {
      if (map.rows.size() == most_instances) break;
      const schedulers::ComparisonRow& first = instance.front();
      map.rows.push_back(shortened(one_machine ? last_part(first.graph)
                                               : last_part(first.graph) + " on " + last_part(first.machine)));
      map.cells.push_back(cells_of(instance, objective));
    }
    const bool is_makespan = objective == schedulers::Objective::makespan;
    return html_card(
        is_makespan ? "Makespan over the best, instance by instance"
                    : "Period over the best, instance by instance",
        fmt::format("Green: best; orange: worse, full at twice the best; grey: no valid schedule.{}",
                    instances_.size() > most_instances
                        ? fmt::format(" The first {} of {} instances.", most_instances, instances_.size())
                        : ""),
        to_svg(map), CardWidth::of_contents);
  }

  /// Returns the file name of a path.
  static std::string last_part(const std::string& name) { return name.substr(name.rfind('/') + 1); }

  static std::string shortened(const std::string& text) {
    constexpr std::size_t most_letters = 56;
    return text.size() <= most_letters ? text : "..." + text.substr(text.size() - most_letters + 3);
  }

  static std::vector<HeatMap::Cell> cells_of(std::span<const schedulers::ComparisonRow> instance,
                                             schedulers::Objective objective) {
    double best = 0;
    bool is_first = true;
    for (const schedulers::ComparisonRow& row : instance)
      if (row.is_valid()) {
        best = is_first ? cost(*row.figures, objective) : std::min(best, cost(*row.figures, objective));
        is_first = false;
      }
    std::vector<HeatMap::Cell> cells;
    for (const schedulers::ComparisonRow& row : instance) {
      if (!row.is_valid()) {
        cells.push_back({.title = fmt::format("{}: {}", row.scheduler, row.error)});
        continue;
      }
      const double value = cost(*row.figures, objective), ratio = best > 0 ? value / best : 1;
      cells.push_back({.strength = ratio - 1,
                       .text = ratio < 9.995 ? fmt::format("{:.2f}", ratio) : fmt::format("{:.0f}", ratio),
                       .title = fmt::format("{}: {:.6g} ticks, the best {:.6g}", row.scheduler, value, best),
                       .is_marked = value <= best});
    }
    return cells;
  }

  std::string summary_card() const {
    TextTable table({{"scheduler"},
                     {"family"},
                     {"served", true},
                     {"shortest", true},
                     {"fastest", true},
                     {"mean NSL", true},
                     {"makespan/bound", true},
                     {"period/bound", true},
                     {"speed-up", true},
                     {"efficiency", true},
                     {"processors", true},
                     {"time (us)", true}});
    for (const schedulers::SchedulerSummary& each : summary_.schedulers) {
      std::vector<std::string> row{each.scheduler, families_[family_of_.at(each.scheduler)],
                                   fmt::format("{}", each.served)};
      if (each.served > 0) {
        for (const std::size_t best : each.best) row.push_back(fmt::format("{}", best));
        for (const double mean : {each.mean_nsl, each.mean_makespan_ratio, each.mean_ratio,
                                  each.mean_speed_up, each.mean_efficiency, each.mean_processors})
          row.push_back(fmt::format("{:.4g}", mean));
        row.push_back(fmt::format("{:.4g}", us_per_second * each.mean_seconds));
      }
      row.resize(12);
      table.add(std::move(row));
    }
    return html_card("Summary",
                     "Means over the instances that a scheduler supports; shortest, fastest: number of "
                     "instances with the least makespan or period. Column headings sort.",
                     table.to_html(true), CardWidth::page);
  }

  std::string rows_card() const {
    std::vector<TextTable::Column> columns{{"graph"}, {"machine"}, {"scheduler"}};
    for (const schedulers::FigureColumn& column : schedulers::figure_columns())
      columns.push_back({std::string(column.name), column.is_number});
    columns.push_back({.name = "error", .is_prose = true});
    TextTable table(std::move(columns));
    for (const schedulers::ComparisonRow& row : rows_) {
      std::vector<std::string> cells{row.graph, row.machine, row.scheduler};
      for (const schedulers::FigureColumn& column : schedulers::figure_columns())
        cells.push_back(row.figures ? schedulers::to_text(column.of(*row.figures), schedulers::Digits::few)
                                    : "");
      cells.push_back(row.error);
      table.add(std::move(cells));
    }
    return html_card("All schedules", "Times in ticks.",
                     "<details><summary>Show the table</summary>\n" + table.to_html(true) + "</details>\n",
                     CardWidth::page);
  }

  const std::vector<schedulers::ComparisonRow>& rows_;
  std::vector<std::span<const schedulers::ComparisonRow>> instances_;
  schedulers::ComparisonSummary summary_;
  std::vector<std::string> families_;
  /// The family's number of each scheduler.
  std::map<std::string, std::size_t> family_of_;
};

}  // namespace

std::string comparison_page(const std::vector<schedulers::ComparisonRow>& rows) {
  return html_page("takt compare", ComparisonParts(rows).body());
}

}  // namespace takt::pipeline
