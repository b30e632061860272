#include "pipeline/launch/status.hpp"

#include "core/formats/json.hpp"

namespace takt::sensors {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Counter, name, unit, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceCounters, ingested, lost, dropped, incomplete, details)

}  // namespace takt::sensors

namespace takt::pipeline {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StageStatus, stage, runs, given, total_ns, time)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceStatus, stage, counters, warnings, lost_in_outage)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SinkStatus, stage, passed, delivered, most_combined, timed, first_ns,
                                   last_ns, latency, counters, location, warnings)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WaitStatus, rank, starved_ns, blocked_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankStatus, rank, host, pid, final, failure, failed_stage, is_config_error,
                                   activity, compute_ns, message_ns, starved_ns, blocked_ns, other_ns,
                                   watched_ns, used_ns, delayed_ns, waits, stages, sources, sinks)

std::optional<double> sustained_rate(std::uint64_t timed, std::uint64_t first_ns, std::uint64_t last_ns,
                                     std::uint32_t replicas) {
  if (timed < 3 * std::uint64_t{replicas} || last_ns <= first_ns) return std::nullopt;
  return 1e9 * static_cast<double>(timed - replicas) / static_cast<double>(last_ns - first_ns);
}

std::string to_text(const RankStatus& status) {
  return json_line(status);
}
RankStatus status_from_text(std::string_view text) {
  return value_from_json<RankStatus>(text);
}

}  // namespace takt::pipeline
