#pragma once
/// `--try` of `takt run` and `takt plan`.

#include <string>

#include "cli/pipeline_options.hpp"
#include "cli/progress.hpp"
#include "pipeline/planning/pipeline_plan.hpp"

namespace takt::cli {

/// Plans the pipeline as a run would, tries that plan beside others on this machine, says on stderr what each
/// sustained, and gives the best. `profile` is a file of costs, or empty: they are measured.
[[nodiscard]] pipeline::PipelinePlan plan_by_trial(const PipelineArguments& arguments,
                                                   const pipeline::Pipeline& pipeline,
                                                   const std::string& profile, ProgressLine& progress);

/// What `--try` says in help.
inline constexpr const char* try_help =
    "Try the plan, up to three others and one rank alone for some seconds at full speed, and "
    "choose the first plan that holds the required rate, or the fastest";

}  // namespace takt::cli
