#include "pipeline/live/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "pipeline/protocol/figure_values.hpp"
#include "pipeline/protocol/histogram.hpp"
#include "pipeline/report/report.hpp"

namespace takt::pipeline {

namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

std::string escaped_label(const std::string& text) {
  std::string result;
  for (const char letter : text) switch (letter) {
      case '\\':
        result += "\\\\";
        break;
      case '"':
        result += "\\\"";
        break;
      case '\n':
        result += "\\n";
        break;
      default:
        result += letter;
    }
  return result;
}

/// Families in the order in which they are begun.
class Exposition {
 public:
  void family(const Metric& metric) {
    name_ = metric.name;
    out_ += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", metric.name, metric.help, metric.type);
  }
  void sample(const Labels& labels, double value, std::string_view suffix = "") {
    out_ += name_;
    out_ += suffix;
    if (!labels.empty()) {
      out_ += '{';
      for (std::size_t i = 0; i < labels.size(); ++i)
        out_ +=
            fmt::format("{}{}=\"{}\"", i > 0 ? "," : "", labels[i].first, escaped_label(labels[i].second));
      out_ += '}';
    }
    // Whole numbers with all their digits.
    out_ += std::abs(value) < 9e15 && value == std::floor(value)
                ? fmt::format(" {}\n", static_cast<std::int64_t>(value))
                : fmt::format(" {:.9g}\n", value);
  }
  void histogram(const Labels& labels, const Distribution& distribution) {
    // 1, 2.5, 5 from 10 us to 100 s.
    for (double decade = 1e4; decade < 1e12; decade *= 10)
      for (const double step : {1.0, 2.5, 5.0}) {
        const double limit = decade * step;
        if (limit > 1e11) continue;
        Labels with_limit = labels;
        with_limit.emplace_back("le", fmt::format("{:g}", limit / 1e9));
        sample(with_limit, static_cast<double>(distribution.at_most(Time(std::llround(limit)))), "_bucket");
      }
    Labels all = labels;
    all.emplace_back("le", "+Inf");
    sample(all, static_cast<double>(distribution.count()), "_bucket");
    sample(labels, distribution.sum_ns() / 1e9, "_sum");
    sample(labels, static_cast<double>(distribution.count()), "_count");
  }
  [[nodiscard]] std::string text() && { return std::move(out_); }

 private:
  std::string_view name_;
  std::string out_;
};

/// The most that was ever there: no count of events.
bool is_high_water(const sensors::Counter& counter) {
  return counter.name.find("high_water") != std::string::npos;
}

/// One that a scope describes, a rank or a task, with the values of its rows.
struct Instance {
  Labels labels;
  std::map<const Figure*, double> values;
  std::map<const Figure*, Distribution> distributions;
};

/// The figures of a run, by scope.
using Instances = std::map<Scope, std::vector<Instance>>;

/// Prometheus requires seconds.
double in_base_unit(const Figure& figure, double value) {
  return figure.unit == Unit::ns ? value / 1e9 : value;
}

/// Counts as they are, where there are some; what the report computes as it shows it.
template <Scope scope>
void add(Instances& instances, Labels labels, std::type_identity_t<const Counts<scope>*> counts,
         const FigureValues<scope>& figures) {
  Instance instance{.labels = std::move(labels), .values = {}, .distributions = {}};
  figures.each([&](const Figure& figure, const std::optional<double>& value) {
    if (value && figure.merge == Merge::computed) instance.values[&figure] = in_base_unit(figure, *value);
  });
  if (counts != nullptr) {
    Counts<scope>::each_count(*counts, [&](const Figure& figure, std::uint64_t count) {
      instance.values[&figure] = in_base_unit(figure, static_cast<double>(count));
    });
    Counts<scope>::each_histogram(*counts, [&](const Figure& figure, const Buckets& buckets) {
      instance.distributions[&figure].merge(buckets);
    });
  }
  instances[scope].push_back(std::move(instance));
}

void add_ranks(Instances& instances, const Report& report) {
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    const Report::Rank& rank = report.ranks[i];
    const Labels labels{{"rank", fmt::format("{}", i)}, {"host", rank.host}};
    const auto with = [&](std::string_view name, std::string value) {
      Labels all = labels;
      all.emplace_back(name, std::move(value));
      return all;
    };
    FigureValues<Scope::rank> of_plan;
    of_plan["queue"] = rank.figures["queue"];
    add(instances, labels, rank.has_reported ? &rank.counts : nullptr,
        rank.has_reported ? rank.figures : of_plan);
    for (const Report::Rank::Wait& wait : rank.waits)
      add(instances, with("for", fmt::format("{}", wait.rank)), &wait.counts, wait.figures);
    for (const Report::Rank::SourceWait& wait : rank.source_waits)
      add(instances, with("source", report.tasks[wait.stage].name), &wait.counts, wait.figures);
  }
}

Instances instances_of(const Report& report) {
  Instances instances;
  add_ranks(instances, report);
  if (report.tasks.empty()) return instances;
  add(instances, {}, nullptr, report.figures);
  for (const Report::Task& task : report.tasks)
    add(instances, {{"task", task.name}, {"kind", task.kind}}, &task.counts, task.figures);
  for (const Report::Edge& edge : report.edges)
    add(instances, {{"task", report.tasks[edge.task].name}, {"input", report.tasks[edge.input].name}},
        nullptr, edge.figures);
  for (const Report::Source& source : report.sources)
    add(instances, {{"source", source.name}}, &source.counts, source.figures);
  for (const Report::Output& output : report.outputs)
    add(instances, {{"sink", output.sink}}, &output.counts, output.figures);
  return instances;
}

/// Returns the labels that a row names, and those to which it gives a value.
Labels sample_labels(const Figure& figure, const Labels& known) {
  Labels labels;
  std::istringstream words{std::string(figure.metric)};
  std::string word;
  for (words >> word; words >> word;) {
    const std::size_t end = word.find('=');
    const auto label = std::ranges::find(known, word, &Labels::value_type::first);
    if (end != std::string::npos)
      labels.emplace_back(word.substr(0, end), word.substr(end + 1));
    else if (label != known.end())
      labels.push_back(*label);
  }
  return labels;
}

/// Counters that sources name themselves.
void add_source_events(Exposition& out, const Report& report, bool are_high_waters) {
  for (const Report::Source& source : report.sources)
    for (const sensors::Counter& each : source.details)
      if (is_high_water(each) == are_high_waters)
        out.sample(
            {{"source", source.name}, {are_high_waters ? "queue" : "event", each.name}, {"unit", each.unit}},
            static_cast<double>(each.value));
}

/// The latencies of the channels of sources.
void add_channels(Exposition& out, const Report& report, std::string_view name) {
  for (const Report::Source& source : report.sources)
    for (const sensors::ChannelLatency& each : source.channels) {
      const Labels labels{{"source", source.name}, {"channel", each.channel}};
      if (name == "takt_channel_records_total") out.sample(labels, static_cast<double>(each.records));
      if (name == "takt_channel_latency_seconds_total")
        out.sample(labels, static_cast<double>(each.sum.count()) / 1e9);
      if (name == "takt_channel_latency_longest_seconds")
        out.sample(labels, static_cast<double>(each.longest.count()) / 1e9);
    }
}

void add_figures(Exposition& out, const Metric& metric, const Instances& instances) {
  for (const Figure& figure : figure_table) {
    if (metric_name(figure.metric) != metric.name || !instances.contains(figure.scope)) continue;
    for (const Instance& instance : instances.at(figure.scope)) {
      const Labels labels = sample_labels(figure, instance.labels);
      if (const auto value = instance.values.find(&figure); value != instance.values.end())
        out.sample(labels, value->second);
      if (const auto found = instance.distributions.find(&figure); found != instance.distributions.end())
        out.histogram(labels, found->second);
    }
  }
}

}  // namespace

std::string to_prometheus(const RunRecord& record) {
  Exposition out;
  const Report report = make_report(record);
  const Instances instances = instances_of(report);
  for (const Metric& metric : all_metrics()) {
    out.family(metric);
    if (metric.name == "takt_run_info")
      out.sample(
          {{"pipeline", report.pipeline}, {"scheduler", report.scheduler}, {"objective", report.objective}},
          1);
    if (metric.name == "takt_ranks")
      out.sample({}, static_cast<double>(std::ranges::count_if(report.ranks, &Report::Rank::has_reported)));
    if (metric.name == "takt_source_events_total") add_source_events(out, report, false);
    if (metric.name == "takt_source_high_water") add_source_events(out, report, true);
    if (metric.name.starts_with("takt_channel_")) add_channels(out, report, metric.name);
    add_figures(out, metric, instances);
  }
  return std::move(out).text();
}

}  // namespace takt::pipeline
