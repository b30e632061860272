#pragma once
/// Makes, opens, changes, hands on and destroys the sources, kernels and sinks of a rank.

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/runtime/channels/node_memory.hpp"
#include "pipeline/runtime/end_of_stream.hpp"
#include "pipeline/runtime/joined_sources.hpp"
#include "pipeline/runtime/rank_state.hpp"
#include "pipeline/runtime/run_options.hpp"
#include "pipeline/runtime/sources/source_feed.hpp"
#include "pipeline/tiles/tiled_run.hpp"

namespace takt::pipeline {

/// The stages of a paused executor, for the next one. By stage; null elsewhere.
struct KeptStages {
  std::vector<std::unique_ptr<SourceFeed>> sources;
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<std::vector<std::unique_ptr<Kernel>>> tile_kernels;
  std::vector<std::unique_ptr<sensors::Sink>> sinks;
  /// Memory of the sources, into which they still receive.
  std::vector<NodeMemory> memories;

  /// Returns by stage, of so many, whether its kernel or sink is here.
  [[nodiscard]] std::vector<bool> has_states(std::size_t stages) const;
};

/// Factories of the stages: kernels (Execution::make_kernel), sources before they are joined, and sinks.
/// Empty functions stand for the sources and sinks of the pipeline.
struct StageMakers {
  std::function<std::unique_ptr<Kernel>(std::size_t stage)> kernel;
  std::function<std::unique_ptr<sensors::Source>(std::size_t stage)> source = {};
  std::function<std::unique_ptr<sensors::Sink>(std::size_t stage)> sink = {};
};

class RankStages {
 public:
  /// Makes the stages of the program that `kept` does not have, and registers those that have to end in
  /// `end`. `joined` is null if sources are not joined; `is_shared`: other ranks also run the source. Throws
  /// StageError. The pipeline, `end` and `joined` must outlive it.
  RankStages(const RankState& state, const RunOptions& options, const StageMakers& makers,
             JoinedSources* joined, bool is_shared, EndOfStream& end, KeptStages kept);
  RankStages(const RankStages&) = delete;
  RankStages& operator=(const RankStages&) = delete;
  ~RankStages() { destroy(); }

  /// Return the source, kernel or sink of a stage; null if it is not placed here.
  [[nodiscard]] SourceFeed* source(std::size_t stage) const { return stages_.sources[stage].get(); }
  [[nodiscard]] const std::unique_ptr<Kernel>& kernel(std::size_t stage) const {
    return stages_.kernels[stage];
  }
  [[nodiscard]] sensors::Sink* sink(std::size_t stage) const { return stages_.sinks[stage].get(); }
  [[nodiscard]] TileKernels& tile_kernels() { return tile_kernels_; }
  /// Returns the stages that are sources of this rank.
  [[nodiscard]] const std::vector<std::size_t>& own_sources() const { return own_sources_; }
  /// Returns whether one of its sources may still deliver frames.
  [[nodiscard]] bool has_live_source() const;
  /// Returns for each stage whether it is a source that lends as many frames as its memory can hold. A source
  /// kept from an earlier plan does not: it receives into memory that other ranks cannot access.
  [[nodiscard]] std::vector<bool> lend_many() const;

  void open_sinks();
  void start_sources();
  /// Changes the parameters of a kernel.
  void change(std::size_t stage, const Parameters& parameters);

  /// Moves all stages out, for another executor.
  [[nodiscard]] KeptStages take();
  /// Destroys all stages, each as the current task.
  void destroy();

 private:
  void make(std::size_t stage, const StageMakers& makers, KeptStages& kept);
  [[nodiscard]] std::unique_ptr<SourceFeed> make_source(std::size_t stage, const StageMakers& makers);
  void note_descriptions(std::size_t sink);

  const Pipeline& pipeline_;
  const RankProgram& program_;
  const RunOptions& options_;
  JoinedSources* joined_;
  bool is_shared_;
  const std::atomic<bool>& draining_;
  /// Without the kernels of tiles.
  KeptStages stages_;
  TileKernels tile_kernels_;
  std::vector<std::size_t> own_sources_;
  /// By stage: true if an earlier executor has started the source or opened the sink.
  std::vector<bool> was_open_;
};

}  // namespace takt::pipeline
