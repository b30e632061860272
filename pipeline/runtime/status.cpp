#include "pipeline/runtime/status.hpp"

#include <nlohmann/json.hpp>

namespace nlohmann {

/// Optional values are null when absent.
template <class Value>
struct adl_serializer<std::optional<Value>> {
  static void to_json(json& json, const std::optional<Value>& value) {
    if (value)
      json = *value;
    else
      json = nullptr;
  }
  static void from_json(const json& json, std::optional<Value>& value) {
    if (json.is_null())
      value.reset();
    else
      value = json.get<Value>();
  }
};

}  // namespace nlohmann

namespace takt::sensors {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Counter, name, unit, value, merge)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceCounters, ingested, lost, dropped, incomplete, details)

}  // namespace takt::sensors

namespace takt::pipeline {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StageStatus, stage, runs, total_ns, time)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceStatus, stage, counters, warnings)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SinkStatus, stage, delivered, absorbed, timed, first_ns, last_ns, latency,
                                   counters, location)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PlannedStage, name, type, kind, inputs, ranks, cost_ns, output)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankStatus, rank, host, pid, final, failure, failed_stage, is_config_error,
                                   activity, elapsed_ns, compute_ns, overhead_ns, wait_ns, stages, sources,
                                   sinks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunPlan, pipeline, scheduler, objective, ranks, replicas, stages,
                                   predicted_hz, limit, required_hz, predicted_busy, notes)

namespace {

/// File names need not be UTF-8, which JSON is.
std::string dump(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string to_text(const RankStatus& status) {
  return dump(status);
}
std::string to_text(const RunPlan& plan) {
  return dump(plan);
}
RankStatus status_from_text(std::string_view text) {
  return nlohmann::json::parse(text).get<RankStatus>();
}
RunPlan plan_from_text(std::string_view text) {
  return nlohmann::json::parse(text).get<RunPlan>();
}

}  // namespace takt::pipeline
