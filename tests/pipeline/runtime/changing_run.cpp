/// `changing_run PIPELINE PROFILE OTHER_PROFILE FRAMES REPORT [SCHEDULE]`: runs a pipeline by the plan for
/// one profile, or by the schedule of a file, and switches to the plan for the other one when the run first
/// deviates, independent of measurements. Costs far below the true ones make every run deviate. The pipeline
/// names its machine. Warnings go to stderr.

#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/system/text_file.hpp"
#include "pipeline/config/change.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/profile_file.hpp"
#include "pipeline/launch/jobs/reaper.hpp"
#include "pipeline/launch/launcher.hpp"
#include "pipeline/planning/adaptation.hpp"
#include "pipeline/protocol/run_folder.hpp"
#include "pipeline/report/report.hpp"
#include "pipeline/runtime/rank/rank.hpp"

namespace takt::pipeline {
namespace {

int run(const std::vector<std::string>& words) {
  const std::string &file = words.at(0), &first = words.at(1), &other = words.at(2), &frames = words.at(3),
                    &report = words.at(4);
  Pipeline pipeline = load_pipeline(file);
  pipeline.keep_ends_on_one_rank();
  if (own_rank()) {
    // GCC 12 gives a false warning about a list of initial values.
    RankOptions options;
    options.profile = first;
    options.trial = Time{0};
    options.adapts = true;
    options.run.limits.frames = std::stoull(frames);
    if (words.size() > 5) options.schedule = words[5];
    return run_rank(std::move(pipeline), options, [](const RunRecord&) {});
  }
  bool has_changed = false;
  const auto changes = std::make_shared<Changes>(pipeline);
  LaunchOptions options{.ranks = pipeline.deployment.ranks,
                        .site = pipeline.deployment.site,
                        .stages = pipeline.stages.size(),
                        .arguments = words};
  options.check_change = [changes](const std::string& text) { return changes->check(text); };
  options.window = Time{std::chrono::milliseconds{200}};
  options.on_warning = [](const std::string& text) { std::fputs((text + '\n').c_str(), stderr); };
  options.replan = [&](const SharedPlan& current, const Observed&,
                       const std::stop_token& stop) -> std::optional<PipelinePlan> {
    if (std::exchange(has_changed, true)) return std::nullopt;
    // As if the ranks had measured the other costs, and sustained almost nothing.
    Observed observed{.costs = {}, .capacity_hz = 1};
    for (const StageCost& cost : read_profile(other, pipeline)) observed.costs.emplace_back(cost.cost);
    return adapted_plan(pipeline, current, observed, 2, stop);
  };
  const RunRecord record = launch(options);
  write_text_file(report, to_json(make_report(record)));
  if (!record.failure.empty()) std::fputs((record.failure + '\n').c_str(), stderr);
  return record.failure.empty() ? 0 : 1;
}

}  // namespace
}  // namespace takt::pipeline

int main(int argc, char** argv) try {
  takt::pipeline::run_reaper();
  return takt::pipeline::run({argv + 1, argv + argc});
} catch (const std::exception& error) {
  std::fputs((std::string(error.what()) + '\n').c_str(), stderr);
  return 1;
}
