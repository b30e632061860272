#pragma once
/// What the parts of `takt plan` share.

#include <string>
#include <vector>

#include "cli/pipeline_options.hpp"
#include "cli/progress.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::cli {

struct PlanArguments {
  std::vector<std::string> graphs;
  std::string machine, scheduler, objective, format, output;
  bool trace = false;
  bool pareto = false;
  /// Frequencies to hold, one a graph, as written; and a schedule whose streams go on as they are.
  std::vector<std::string> frequencies;
  std::string running;
  /// Of each graph; equal ones are placed in their order.
  std::vector<int> priorities;
  schedulers::Options options;
  double time_limit = 10;
  /// For a pipeline: values of its file to replace, and costs from an earlier profile.
  std::vector<std::string> overrides;
  std::optional<std::uint64_t> ranks, seed, effort;
  std::string profile;
  /// How long trial runs last at most; empty: none.
  std::string trial;
  ProgressArguments progress;
  /// All words of the command, for the ranks that measure a pipeline.
  std::vector<std::string> words;
};

/// A pipeline, planned as a run of it would be.
int plan_pipeline(const PlanArguments& arguments);

/// `--pareto`: the front of frequency against latency against processors.
int plan_front(const PlanArguments& arguments);

/// Several streams, or streams together with others that are running.
int plan_streams(const PlanArguments& arguments);

}  // namespace takt::cli
