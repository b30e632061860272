#pragma once
/// A pipeline as the user described it, checked: sources, kernels and sinks with their types and connections.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/task_graph.hpp"
#include "pipeline/kernel.hpp"
#include "pipeline/parameters.hpp"
#include "sensors/sink.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

enum class StageKind : std::uint8_t { source, kernel, sink };

/// A source, a kernel or a sink: one task of the graph. Its index among the stages is its TaskId.
struct Stage {
  StageKind kind = StageKind::kernel;
  std::string name;
  /// Name of the kernel, source or sink type, for example `fft`, `lofar_udp`, `sigproc`.
  std::string type;
  Parameters parameters;
  /// Indices of the stages whose output it takes; all smaller than its own.
  std::vector<std::size_t> inputs;
  bool stateless = false;
  /// Type of its output; for a sink, of its input.
  FrameType output;
  SourceLocation where;
};

/// Where and how the pipeline runs.
struct Deployment {
  /// More are not asked for by anybody who meant it.
  static constexpr std::size_t most_ranks = 4096;
  /// Number of MPI ranks, that is processors, and where it is written.
  std::size_t ranks = 1;
  SourceLocation ranks_where = {};
  /// MACHINE (a file or `logp:...`); empty means: measure the links at start.
  std::string machine;
  /// Frames that may wait between two ranks.
  std::size_t depth = 8;
};

/// What a pipeline's schedule is chosen for.
enum class PlanObjective : std::uint8_t {
  /// The highest frequency that the pipeline's scheduler finds.
  frequency,
  /// Of the schedules that hold the required rate with the margin, the one with the least latency.
  latency,
  /// Of those, one on the fewest ranks, then with the least latency.
  processors,
};

/// `frequency`, `latency` or `processors`.
[[nodiscard]] std::string_view name_of(PlanObjective objective);

/// A checked pipeline. Stages are in topological order.
struct Pipeline {
  std::string name;
  std::filesystem::path file;
  std::vector<Stage> stages;
  KernelRegistry kernels;
  /// The rate that must be held, frames a second of the sources.
  std::optional<Frequency> required_rate;
  /// `latency` by default where a rate is required and no scheduler named.
  PlanObjective objective = PlanObjective::frequency;
  /// How many times the required rate a schedule must reach to hold it, where rates are compared: measured
  /// costs vary, and a stage that is always busy has a queue in front of it.
  double margin = 1.25;
  /// For the highest frequency; other objectives choose from many schedulers.
  std::string scheduler = "optfo";
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> effort;
  Deployment deployment;

  /// The task graph: one task a stage with the given times (one a stage), one edge a connection. An edge
  /// carries the producer's frame and its header. Sources, sinks and stateful kernels are stateful tasks.
  [[nodiscard]] TaskGraph task_graph(const std::vector<Time>& costs) const;

  /// Runnable objects of a stage. `make_kernel` returns a configured kernel; `path_suffix` is added to the
  /// name of a sink's file, so that a trial does not touch the real one.
  [[nodiscard]] std::unique_ptr<sensors::Source> make_source(std::size_t stage) const;
  [[nodiscard]] std::unique_ptr<Kernel> make_kernel(std::size_t stage) const;
  [[nodiscard]] std::unique_ptr<sensors::Sink> make_sink(std::size_t stage,
                                                         std::string_view path_suffix = {}) const;
};

/// Values that replace those of the file: `--set sources.station.ports=[16130]`.
struct Override {
  std::string path;
  std::string value;
  /// The option that says so, for messages (`--ranks`); nothing means `--set`.
  std::string option = {};
};

/// Reads and checks a pipeline. Throws one ConfigError that holds all errors of the file, a line each with
/// file:line:column, what was expected and the nearest valid name. Relative paths in the file count from the
/// file's folder for plug-ins and inputs, from the working directory for outputs.
[[nodiscard]] Pipeline load_pipeline(const std::filesystem::path& file,
                                     const std::vector<Override>& overrides = {});

}  // namespace takt::pipeline
