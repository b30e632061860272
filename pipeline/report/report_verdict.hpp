#pragma once
/// The first line of a report: how the run ended, why, and what to do.

#include <string>

#include "pipeline/report/report.hpp"

namespace takt::pipeline {

/// `held: 200 Hz, latency p99 12 ms, 20 ms required`; `NOT HELD: 34 frames dropped: the queue of 'sky' (8
/// frames, 40 ms) was full: raise 'depth'`; `400 frames at 97 Hz` without a required rate. Causes are those
/// that the figures of the report show, in the order: source, processors, queues, busiest rank. After a
/// change of plan, whether the last plan held the rate.
[[nodiscard]] std::string verdict_text(const Report& report);

}  // namespace takt::pipeline
