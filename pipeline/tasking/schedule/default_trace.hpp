#pragma once
/// Where the trace goes without TAKT_SCHEDULE_TRACE: differs between the two libraries.

namespace takt::tasking::schedule {

/// `trace.graph` in libtakt_schedule_trace, nullptr in libtakt_schedule.
[[nodiscard]] const char* default_trace_file();

}  // namespace takt::tasking::schedule
