#pragma once
/// Shows Chrome trace events, written by `takt view --format json` or other programs, as a page.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/pictures/page.hpp"

namespace takt::pipeline {

/// Returns true for an object with `traceEvents`, or a list whose first entry has a phase `ph`.
[[nodiscard]] bool is_trace_events(const nlohmann::ordered_json& document);

/// Shows complete events (phase X) as boxes, with one row and label for each thread; nested events are in the
/// rows below. Flows (s to f of equal `id`, `cat` and `name`) are lines from the box active at their start to
/// the one at their end. Times start at the first event. Other phases are counted but not shown. Throws
/// ConfigError if there is no complete event. O(events log events).
[[nodiscard]] Page events_page(const std::string& name, const nlohmann::ordered_json& document);

}  // namespace takt::pipeline
