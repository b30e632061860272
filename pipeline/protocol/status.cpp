#include "pipeline/protocol/status.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/formats/json.hpp"

namespace takt::sensors {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Counter, name, unit, value)

}  // namespace takt::sensors

namespace takt::pipeline {

/// By its name, so that a record stays readable.
void to_json(nlohmann::json& json, const Phase& phase) {
  json = traits_of(phase).name;
}
void from_json(const nlohmann::json& json, Phase& phase) {
  phase = find_phase(json.get<std::string>());
}

/// Counters other than 0, by name.
template <Scope scope>
void to_json(nlohmann::json& json, const Counts<scope>& counts) {
  json = nlohmann::json::object();
  Counts<scope>::each_count(counts, [&](const Figure& figure, std::uint64_t value) {
    if (value != 0) json[figure.name] = value;
  });
  Counts<scope>::each_histogram(counts, [&](const Figure& figure, const Buckets& buckets) {
    if (!buckets.empty()) json[figure.name] = buckets;
  });
}
template <Scope scope>
void from_json(const nlohmann::json& json, Counts<scope>& counts) {
  std::size_t known = 0;
  const auto take = [&](const Figure& figure, auto& value) {
    if (!json.contains(figure.name)) return;
    json[figure.name].get_to(value);
    ++known;
  };
  Counts<scope>::each_count(counts, take);
  Counts<scope>::each_histogram(counts, take);
  if (!json.is_object() || known != json.size()) throw ConfigError("not the figures of this program");
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StageStatus, stage, counts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceStatus, stage, counts, waits, details, warnings, lost_in_outage)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SinkStatus, stage, counts, location, counters, warnings)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WaitStatus, rank, counts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankStatus, rank, host, pid, final, failure, failed_stage, is_config_error,
                                   has_begun, phase, task, waits_for, counts, waits, stages, sources, sinks)

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

/// Merges warnings without repetition.
void add(std::vector<std::string>& warnings, const std::vector<std::string>& others) {
  for (const std::string& warning : others)
    if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(warning);
}

/// Merges counters; of high-water marks the higher one.
void add(std::vector<sensors::Counter>& counters, const std::vector<sensors::Counter>& others) {
  sensors::SourceCounters all{.details = std::move(counters)};
  sensors::add(all, {.details = others});
  counters = std::move(all.details);
}

/// Adds the status of the same sink on another rank.
void add(SinkStatus& sink, const SinkStatus& other) {
  sink.counts.add(other.counts);
  add(sink.counters, other.counters);
  add(sink.warnings, other.warnings);
}

void add(SourceStatus& source, const SourceStatus& other) {
  source.counts.add(other.counts);
  source.waits.add(other.waits);
  add(source.details, other.details);
  add(source.warnings, other.warnings);
}

/// Merges the entries of all ranks by stage, in the order of the stages.
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
