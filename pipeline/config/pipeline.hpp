#pragma once
/// A pipeline as the user described it, checked: sources, kernels and sinks with their types and connections.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "pipeline/config/restart.hpp"
#include "pipeline/config/site.hpp"
#include "pipeline/kernel.hpp"
#include "pipeline/parameters.hpp"
#include "pipeline/watching/deadlines.hpp"
#include "schedulers/plan/goal.hpp"
#include "sensors/backlog/frame_backlog.hpp"
#include "sensors/files/transient_sink.hpp"
#include "sensors/joining/joined_source.hpp"
#include "sensors/sink.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

enum class StageKind : std::uint8_t { source, kernel, sink };

/// `source`, `kernel` or `sink`.
[[nodiscard]] std::string_view name_of(StageKind kind);

/// A source, a kernel or a sink: one task of the graph. Its index among the stages is its TaskId.
struct Stage {
  StageKind kind = StageKind::kernel;
  std::string name;
  /// Name of the kernel, source or sink type, for example `fft`, `lofar_udp`, `sigproc`.
  std::string type;
  Parameters parameters;
  /// Indices of the stages whose output it takes; all smaller than its own. A sink's second one triggers it.
  std::vector<std::size_t> inputs;
  /// Successive frames may be handled by different ranks: of a kernel that keeps nothing from one to the
  /// next, and of a source or sink that several ranks can run (may_be_shared of sensors::Source and Sink).
  bool stateless = false;
  /// Of a kernel with one input, by axis of that: the axis of the output along which it gives parts of it by
  /// themselves (Kernel::separates).
  std::vector<std::optional<std::size_t>> separable = {};
  /// Of a kernel that can work in a group of ranks: how frames are divided among them.
  std::optional<BlockDistribution> distribution = {};
  /// Type of its output; for a sink, of its input.
  FrameType output;
  /// Of a kernel of which somebody takes further outputs: the types of all its outputs. Its frames hold them
  /// (several_outputs.hpp), and stages with a `port` take them apart.
  std::vector<FrameType> outputs = {};
  /// Of a stage that takes one output out of its input's frames: its number, 0 for the first one.
  std::optional<std::size_t> port = {};
  /// Frames that it gives for each one of its sources: below 1 from a kernel on that gathers several into
  /// one, as the rates of their types say.
  double gives = 1;
  /// Of a source: the frames that it makes itself. Those of joined sources are cut anew, to `output`.
  FrameType own_frames = {};
  /// Of a source: what its recording says of the observation (sensors::Source::description).
  std::vector<std::string> description = {};
  /// Of a joined source: what it receives belongs to a time so much earlier than its frames say.
  Time delay{0};
  /// Of a source or sink: frames wait beside its own thread.
  std::optional<sensors::BacklogOptions> backlog = {};
  /// Of a sink: it writes what lies around moments that its second input, or the user, names.
  std::optional<sensors::TransientOptions> transient = {};
  SourceLocation where;
};

/// How frames pass between ranks of one node: in memory that they share, or like between nodes.
enum class Transport : std::uint8_t { automatic, mpi };

/// Which processors ranks keep to: a core of their own each as long as a node has enough, the ones with these
/// numbers, by rank, each of the rank's own computer, or, with neither, wherever the system puts them.
struct Pinning {
  bool is_automatic = false;
  std::vector<std::size_t> processors = {};
  SourceLocation where = {};
};

/// Where and how the pipeline runs.
struct Deployment {
  /// More are not asked for by anybody who meant it.
  static constexpr std::size_t most_ranks = 4096;
  /// Number of MPI ranks, that is processors, and where it is written.
  std::size_t ranks = 1;
  SourceLocation ranks_where = {};
  /// On which hosts; and what Slurm is asked for where the user submits the run.
  Site site = {};
  std::optional<SlurmRequest> slurm = {};
  /// Whether the run is started again when a rank dies.
  std::optional<Restart> restart = {};
  /// MACHINE (a file or `logp:...`), and where it is written; empty means: measure the links at start.
  std::string machine = {};
  SourceLocation machine_where = {};
  /// Frames that may wait between two ranks; 0: as suits their size.
  std::size_t depth = 0;
  Transport transport = Transport::automatic;
  /// Parts in which kernels work through their frames wherever they can (tiles/tiling.hpp); 1: none; nothing:
  /// as suits the caches.
  std::optional<std::size_t> tiles = {};
  Pinning pinning = {};
  /// Priority of the threads that process frames among those that go first (SCHED_FIFO); 0: ordinary ones.
  int realtime = 0;
  SourceLocation realtime_where = {};
  /// Whether no memory of a rank may be swapped out.
  bool locks_memory = false;
  SourceLocation lock_memory_where = {};
  /// Of each rank, the part of its processor that it has where other work wants that too, in (0, 1]; empty:
  /// as much as anybody.
  std::vector<double> shares = {};
  /// Where the run is shown to browsers and Prometheus: an address (live/http_server.hpp), `auto`, or `off`.
  std::string serve = "auto";
  /// What a task that does not come back is held to (watchdog.hpp); a run that was asked to stop, and in
  /// which nothing has moved for twice the deadline of a frame, is ended.
  Deadlines deadlines = {};
};

/// How several sources come together.
struct Joining {
  /// How much later than the others' a source's frame may come. 0 in the file: half of what the smallest
  /// queue of a live source holds.
  Time wait{0};
  SourceLocation wait_where = {};
  /// A source whose clock is further from the others' is left out.
  Time longest_gap = usual_gap;
  static constexpr Time usual_gap{std::chrono::seconds{10}};
};

/// A checked pipeline. Stages are in topological order.
struct Pipeline {
  std::string name;
  std::filesystem::path file;
  /// Files of its plug-ins.
  std::vector<std::filesystem::path> plugins = {};
  std::vector<Stage> stages;
  KernelRegistry kernels;
  /// What its schedule is made for; times are in nanoseconds. Without a word of the user: the least latency
  /// that holds the rate with the margin where a rate is required and no scheduler named, otherwise the
  /// highest frequency.
  schedulers::Goal goal{.margin = default_margin};
  /// Where the required rate is written.
  SourceLocation rate_where = {};
  /// Whether the file leaves open what to plan for: no rate, no objective, no scheduler. What its source
  /// gives is enough then.
  bool leaves_goal_open = true;
  /// Whether the file names the objective, and the margin.
  bool names_objective = false, has_own_margin = false;
  Deployment deployment;
  Joining joining;
  /// Whether all sinks replace files of earlier runs, whatever they say themselves.
  bool overwrites = false;

  static constexpr double default_margin = 1.25;

  /// The rate that must be held, frames a second of the sources.
  [[nodiscard]] std::optional<Frequency> required_rate() const;
  /// How often the sources give a frame, the slowest one; nothing where they give them as fast as they are
  /// taken.
  [[nodiscard]] std::optional<Frequency> source_rate() const;
  /// The sources' stages.
  [[nodiscard]] std::vector<std::size_t> sources() const;
  /// Whether there are several, whose frames are cut to one time.
  [[nodiscard]] bool joins_sources() const { return sources().size() > 1; }
  /// One rank is to run the source, and one each sink, even where several could: what starts again, or
  /// changes its plan, has its stream in one place.
  void keep_ends_on_one_rank();
  /// These stages do not work through frames in parts, whatever their kernels allow.
  void keep_whole(std::span<const TaskId> tasks);
  /// For their group; who decides and its granule are the run's to say.
  [[nodiscard]] sensors::GroupOptions group_options() const;

  /// Calls of a stage for each frame of its sources: below 1 behind kernels that gather frames. O(inputs).
  [[nodiscard]] double calls_a_frame(std::size_t stage) const;

  /// The task graph: one task a stage, one edge a connection. `costs` are times of a call, one a stage; the
  /// graph has what they take for each frame of the sources, in the mean (calls_a_frame). An edge
  /// carries the producer's frame and its header. Stateless stages are stateless tasks. A
  /// data-parallel kernel is moldable where `groups` (by stage; on two ranks and more, as measured) shows
  /// that more ranks are faster. `by_rank`: by stage the times of a call on each rank, where those are
  /// unlike, and empty otherwise.
  [[nodiscard]] TaskGraph task_graph(const std::vector<Time>& costs,
                                     const std::vector<std::vector<MoldableProfile::Point>>& groups = {},
                                     const std::vector<std::vector<Time>>& by_rank = {}) const;

  /// The most ranks that can work on a frame of this stage together; 1 where it runs on one rank only.
  [[nodiscard]] std::size_t most_members(std::size_t stage) const;

  /// Runnable objects of a stage. A joined source without a group is one by itself, whose frames have the
  /// type and shape of the others'; what it joins is `own`, or the stage's own source where that is null.
  /// `make_kernel` returns a configured kernel; a sink with another `path`
  /// writes there, one file whatever is in it, so that a trial does not touch the real one.
  [[nodiscard]] std::unique_ptr<sensors::Source> make_source(std::size_t stage) const;
  [[nodiscard]] std::unique_ptr<sensors::JoinedSource> make_joined_source(
      std::size_t stage, std::unique_ptr<sensors::Source> own = {}) const;
  [[nodiscard]] std::unique_ptr<sensors::JoinedSource> make_joined_source(
      std::size_t stage, sensors::SourceGroup& group, std::int64_t clock_offset_ns,
      std::unique_ptr<sensors::Source> own = {}) const;
  [[nodiscard]] std::unique_ptr<Kernel> make_kernel(std::size_t stage) const;
  /// One with other values.
  [[nodiscard]] std::unique_ptr<Kernel> make_kernel(std::size_t stage, const Parameters& parameters) const;
  /// And for another input, a part of its own.
  [[nodiscard]] std::unique_ptr<Kernel> make_kernel(std::size_t stage, const Parameters& parameters,
                                                    const FrameType& input, FrameType& output) const;
  [[nodiscard]] std::unique_ptr<sensors::Sink> make_sink(std::size_t stage) const;
  [[nodiscard]] std::unique_ptr<sensors::Sink> make_sink(std::size_t stage, const std::string& path) const;
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
