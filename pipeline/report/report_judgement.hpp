#pragma once
/// What a report says about the run as a whole: see also the methods of Report.

#include "pipeline/report/report.hpp"

namespace takt::pipeline {

/// Notes a sustained rate far above the prediction: the choice of the plan relied on wrong figures.
void note_fast_run(Report& report);

/// Notes a capacity below the prediction in a run of idle ranks.
void note_idle_ranks(Report& report);

}  // namespace takt::pipeline
