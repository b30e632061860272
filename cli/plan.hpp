#pragma once
/// Declarations shared by the parts of `takt plan`.

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
  bool lazy = false;
  /// Required frequencies, one for each graph, as written; and a schedule whose streams stay unchanged.
  std::vector<std::string> frequencies;
  std::string running;
  /// Priority of each graph; graphs of equal priority are placed in their order.
  std::vector<int> priorities;
  schedulers::Options options;
  std::optional<double> time_limit;
  /// For a pipeline: overrides of its file, and costs from an earlier profile.
  std::vector<std::string> overrides;
  std::optional<std::uint64_t> ranks, seed, effort;
  std::string profile;
  /// Longest time of trial runs; empty: none.
  std::string trial;
  ProgressArguments progress;
  /// All words of the command, for the ranks that measure a pipeline.
  std::vector<std::string> words;
};

/// Plans a pipeline as for a run.
int plan_pipeline(const PlanArguments& arguments);

/// `--pareto`: the front of frequency, latency and processors.
int plan_front(const PlanArguments& arguments);

/// `--lazy`: a C program, call by call.
int plan_lazy(const PlanArguments& arguments);

/// Plans several streams, or streams together with running ones.
int plan_streams(const PlanArguments& arguments);

}  // namespace takt::cli
