#pragma once
/// Chrome's trace events, as `takt view --format json` and other programs write them, as a page.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/pictures/page.hpp"

namespace takt::pipeline {

/// An object with `traceEvents`, or a list whose first entry has a phase `ph`.
[[nodiscard]] bool is_trace_events(const nlohmann::ordered_json& document);

/// Complete events (phase X) as boxes, a row for each thread, with its name; those that lie within others in
/// the rows below. Flows (s to f of equal `id`, `cat` and `name`) are lines from the box that is at work when
/// they begin to the one where they end. Times count from the first event. Other phases are counted and left
/// out. Throws ConfigError where there is no complete event. O(events log events).
[[nodiscard]] Page events_page(const std::string& name, const nlohmann::ordered_json& document);

}  // namespace takt::pipeline
