#include "pipeline/protocol/figures.hpp"

#include <algorithm>

namespace takt::pipeline {

namespace {

/// Up to its first full stop.
std::string first_sentence(std::string_view text) {
  const std::size_t end = text.find(". ");
  return std::string(end == std::string_view::npos ? text : text.substr(0, end + 1));
}

/// `rank use` of `takt_rank_seconds_total rank use=compute`.
std::string labels_of(std::string_view metric) {
  std::string labels;
  bool is_value = false;
  for (const char letter : metric.substr(std::min(metric.find(' '), metric.size()))) {
    if (letter == ' ' || letter == '=') is_value = letter == '=';
    if (!is_value) labels += letter;
  }
  return labels.empty() ? labels : labels.substr(1);
}

std::string_view type_of(std::string_view name, const Figure* figure) {
  if (figure != nullptr && figure->merge == Merge::histogram) return "histogram";
  return name.ends_with("_total") ? "counter" : "gauge";
}

}  // namespace

std::string_view metric_name(std::string_view metric) {
  return metric.substr(0, metric.find(' '));
}

std::string_view place_of(Scope scope) {
  switch (scope) {
    case Scope::rank:
      return "ranks[].";
    case Scope::peer:
      return "ranks[].waits[].";
    case Scope::intake:
      return "ranks[].source_waits[].";
    case Scope::task:
      return "tasks[].";
    case Scope::source:
      return "sources[].";
    case Scope::sink:
      return "outputs[].";
    case Scope::run:
    case Scope::edge:
      break;
  }
  return "";
}

Unit shown_unit(const Figure& figure) {
  const bool is_share = figure.shown == Shown::share_of_loop || figure.shown == Shown::share_of_watch;
  return is_share ? Unit::share : figure.unit;
}

std::string_view name_of(Unit unit) {
  constexpr std::array<std::string_view, 6> names{"count", "true or false", "ns", "bytes", "Hz", "0 to 1"};
  return names[static_cast<std::size_t>(unit)];
}

void merge_into(std::uint64_t& value, std::uint64_t other, Merge rule) {
  if (rule == Merge::sum) value += other;
  if (rule == Merge::most) value = std::max(value, other);
  if (rule == Merge::first)
    value = value == 0 || other == 0 ? std::max(value, other) : std::min(value, other);
}

const std::vector<Metric>& all_metrics() {
  static const std::vector<Metric> all = [] {
    std::vector<Metric> metrics;
    for (const MetricFamily& each : metric_families)
      metrics.push_back({metric_name(each.metric), type_of(metric_name(each.metric), nullptr),
                         labels_of(each.metric), std::string(each.help)});
    for (const Figure& each : figure_table) {
      const std::string_view name = metric_name(each.metric);
      if (!name.empty() && std::ranges::find(metrics, name, &Metric::name) == metrics.end())
        metrics.push_back({name, type_of(name, &each), labels_of(each.metric), first_sentence(each.help)});
    }
    return metrics;
  }();
  return all;
}

}  // namespace takt::pipeline
