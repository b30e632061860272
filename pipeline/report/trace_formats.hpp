#pragma once
/// Traces in the formats of others.

#include <string>

#include "pipeline/report/trace.hpp"

namespace takt::pipeline {

/// The trace event format of Chrome and Perfetto: a process a rank, in it a thread for its loop; a slice (X)
/// for every event, a flow (s, f) for every message. Times in microseconds with exactly three decimals, so
/// that no nanosecond is lost and slices of a thread do not overlap.
[[nodiscard]] std::string to_chrome_json(const RunTrace& trace);

/// Paje, for ViTE and pajeng: a container a rank, states, links for messages. Time never runs backwards. L.
/// M. Schnorr, "Paje trace file" (2014).
[[nodiscard]] std::string to_paje(const RunTrace& trace);

/// One event a line, with a header: `rank,kind,subject,frame,start_ns,end_ns,peer`, times from the first
/// event on.
[[nodiscard]] std::string to_csv(const RunTrace& trace);

}  // namespace takt::pipeline
