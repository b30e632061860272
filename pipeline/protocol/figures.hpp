#pragma once
/// The table of figures: what ranks count and reports show, one row a figure.
///
/// Messages of ranks, the JSON report, metrics, the live page, the tables of the verbose report and the
/// tables in docs/reference are made from it. A new figure is a row in the file of its scope (figures/), and
/// `counts["name"]` or `figures["name"]` at the place that knows its value (figure_values.hpp).

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/protocol/figures/end_figures.hpp"
#include "pipeline/protocol/figures/figure.hpp"
#include "pipeline/protocol/figures/rank_figures.hpp"
#include "pipeline/protocol/figures/run_figures.hpp"
#include "pipeline/protocol/figures/task_figures.hpp"

namespace takt::pipeline {

/// Returns the rows of several scopes one after the other.
template <std::size_t... counts>
consteval auto joined(const std::array<Figure, counts>&... scopes) {
  std::array<Figure, (counts + ...)> rows;
  auto next = rows.begin();
  ((next = std::ranges::copy(scopes, next).out), ...);
  return rows;
}

/// The rows of a scope are consecutive.
inline constexpr auto figure_table = joined(run_figures, rank_figures, peer_figures, intake_figures,
                                            task_figures, edge_figures, source_figures, sink_figures);

/// Metrics that are no single row: several rows with one label each, or values whose names only a run knows.
struct MetricFamily {
  /// Name and labels, as in Figure::metric.
  std::string_view metric;
  std::string_view help;
};

inline constexpr auto metric_families = std::to_array<MetricFamily>({
    {"takt_run_info pipeline scheduler objective", "1; the labels describe the run."},
    {"takt_ranks", "Ranks that have reported."},
    {"takt_source_events_total source event unit",
     "Counters of a source: packets and causes of loss, by name."},
    {"takt_source_high_water source queue unit", "Largest fill of a source's queues."},
    {"takt_channel_records_total source channel", "Records that arrived of a channel."},
    {"takt_channel_latency_seconds_total source channel",
     "Sum over these records: time from the last sample of a record to its arrival."},
    {"takt_channel_latency_longest_seconds source channel", "The longest of these times."},
    {"takt_frequency_hertz kind",
     "Throughput in frames/s: sustained since the start, predicted, required, and the estimated limit of the "
     "ranks."},
    {"takt_rank_seconds_total rank host use", "Time of a rank by use."},
    {"takt_rank_wait_seconds_total rank for use", "Time that a rank waited `for` another one."},
});

/// Where the report has a figure of this scope: `ranks[].`; empty of the run.
[[nodiscard]] std::string_view place_of(Scope scope);
/// Unit in the report.
[[nodiscard]] Unit shown_unit(const Figure& figure);
/// `ns`, `Hz`, `0 to 1`.
[[nodiscard]] std::string_view name_of(Unit unit);

/// Merges the counts of two ranks.
void merge_into(std::uint64_t& value, std::uint64_t other, Merge rule);

/// A metric as Prometheus knows it.
struct Metric {
  std::string_view name;
  /// `counter`, `gauge` or `histogram`.
  std::string_view type;
  /// As in Figure::metric, without values.
  std::string labels;
  std::string help;
};
/// Each once, in the order of the tables.
[[nodiscard]] const std::vector<Metric>& all_metrics();
/// `takt_frequency_hertz` of `takt_frequency_hertz kind=sustained`.
[[nodiscard]] std::string_view metric_name(std::string_view metric);

}  // namespace takt::pipeline
