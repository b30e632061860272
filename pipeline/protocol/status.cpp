#include "pipeline/protocol/status.hpp"

#include <algorithm>

#include "core/formats/json.hpp"

namespace takt::sensors {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Counter, name, unit, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceCounters, ingested, lost, dropped, incomplete, details)

}  // namespace takt::sensors

namespace takt::pipeline {

/// By its name, so that a record stays readable.
void to_json(nlohmann::json& json, const Phase& phase) {
  json = traits_of(phase).name;
}
void from_json(const nlohmann::json& json, Phase& phase) {
  phase = find_phase(json.get<std::string>());
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StageStatus, stage, runs, given, overstated, total_ns, time)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceStatus, stage, counters, warnings, lost_in_outage, awaited_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SinkStatus, stage, passed, delivered, most_combined, rest, timed, first_ns,
                                   last_ns, latency, counters, location, warnings)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WaitStatus, rank, starved_ns, blocked_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankStatus, rank, host, pid, final, failure, failed_stage, is_config_error,
                                   has_begun, phase, task, waits_for, compute_ns, message_ns, starved_ns,
                                   blocked_ns, other_ns, rest_ns, watched_ns, used_ns, delayed_ns, resident,
                                   resident_at_first, waits, stages, sources, sinks)

std::string RankStatus::activity() const {
  const std::string text = activity_text(phase, task);
  return waits_for.empty() ? text : text + ", which waits for " + waits_for;
}

std::optional<double> sustained_rate(std::uint64_t timed, std::uint64_t first_ns, std::uint64_t last_ns,
                                     std::uint32_t replicas) {
  if (timed < 3 * std::uint64_t{replicas} || last_ns <= first_ns) return std::nullopt;
  return 1e9 * static_cast<double>(timed - replicas) / static_cast<double>(last_ns - first_ns);
}

namespace {

/// Each is told once.
void add(std::vector<std::string>& warnings, const std::vector<std::string>& others) {
  for (const std::string& warning : others)
    if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(warning);
}

/// What another rank has in the same sink.
void add(SinkStatus& sink, const SinkStatus& other) {
  sink.passed += other.passed;
  sink.delivered += other.delivered;
  sink.most_combined = std::max(sink.most_combined, other.most_combined);
  sink.rest += other.rest;
  sink.timed += other.timed;
  // From the first rank's first repetition to the last rank's last frame; 0: it has had none.
  if (sink.first_ns == 0 || other.first_ns == 0)
    sink.first_ns = std::max(sink.first_ns, other.first_ns);
  else
    sink.first_ns = std::min(sink.first_ns, other.first_ns);
  sink.last_ns = std::max(sink.last_ns, other.last_ns);
  sink.latency.insert(sink.latency.end(), other.latency.begin(), other.latency.end());
  for (const sensors::Counter& counter : other.counters) {
    const auto same = std::ranges::find(sink.counters, counter.name, &sensors::Counter::name);
    if (same == sink.counters.end())
      sink.counters.push_back(counter);
    else
      same->value += counter.value;
  }
  add(sink.warnings, other.warnings);
}

void add(SourceStatus& source, const SourceStatus& other) {
  sensors::add(source.counters, other.counters);
  add(source.warnings, other.warnings);
  source.awaited_ns += other.awaited_ns;
}

/// What all ranks have of something, in the order of the stages.
template <class Status>
std::vector<Status> together(const std::vector<std::optional<RankStatus>>& ranks,
                             std::vector<Status> RankStatus::*of_rank) {
  std::vector<Status> all;
  for (const auto& rank : ranks) {
    if (!rank) continue;
    for (const Status& each : (*rank).*of_rank) {
      const auto place = std::ranges::lower_bound(all, each.stage, {}, &Status::stage);
      if (place != all.end() && place->stage == each.stage)
        add(*place, each);
      else
        all.insert(place, each);
    }
  }
  return all;
}

}  // namespace

std::vector<SourceStatus> sources_of(const std::vector<std::optional<RankStatus>>& ranks) {
  return together(ranks, &RankStatus::sources);
}
std::vector<SinkStatus> sinks_of(const std::vector<std::optional<RankStatus>>& ranks) {
  return together(ranks, &RankStatus::sinks);
}

std::string to_text(const RankStatus& status) {
  return json_line(status);
}
RankStatus status_from_text(std::string_view text) {
  return value_from_json<RankStatus>(text);
}

}  // namespace takt::pipeline
