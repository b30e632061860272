#pragma once
/// A checked pipeline: sources, kernels and sinks with their types and connections.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "pipeline/config/latency_limit.hpp"
#include "pipeline/config/named_device.hpp"
#include "pipeline/config/place.hpp"
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
  /// Indices of the predecessors; all smaller than its own. A sink's second input triggers it.
  std::vector<std::size_t> inputs;
  /// True if different ranks may handle successive frames: for kernels without state, and for sources and
  /// sinks that several ranks can share (may_be_shared of sensors::Source and Sink).
  bool stateless = false;
  /// For kernels whose state may travel from rank to rank with the frames: its largest size
  /// (Kernel::travelling_state); 0 for others.
  Bytes travelling{0};
  /// For kernels with one input, by axis of it: the output axis along which the kernel is separable
  /// (Kernel::separates).
  std::vector<std::optional<std::size_t>> separable = {};
  /// For kernels that can work in a group of ranks: the distribution of frames.
  std::optional<BlockDistribution> distribution = {};
  /// Type of its output; for a sink, of its input.
  FrameType output;
  /// For kernels whose further outputs are used: the types of all outputs. Its frames hold all of them
  /// (several_outputs.hpp), and stages with a `port` extract them.
  std::vector<FrameType> outputs = {};
  /// For stages that extract one output from its input's frames: its number, 0 for the first one.
  std::optional<std::size_t> port = {};
  /// For asynchronous kernels: how many frames later the output of a frame follows
  /// (AsynchronousKernel::depth), and the memory of frames under way.
  std::size_t depth = 0;
  Bytes in_flight{0};
  /// Frames of the sources by which its output is later because of asynchronous kernels.
  double lag = 0;
  /// The device that its asynchronous kernel names.
  std::optional<KernelDevice> kernel_device = {};
  /// Frames produced per frame of its sources, from the rates of the types: below 1 downstream of a kernel
  /// that gathers frames.
  double gives = 1;
  /// For sources: the type of frames before joining. Joined sources cut them anew, to `output`.
  FrameType own_frames = {};
  /// For sources: the description of the observation in the recording (sensors::Source::description).
  std::vector<std::string> description = {};
  /// For joined sources: the input belongs to a time earlier by this much than its frames state.
  Time delay{0};
  /// For sources and sinks: the queue next to its own thread.
  std::optional<sensors::BacklogOptions> backlog = {};
  /// For sinks: writes the frames around moments that its second input, or the user, triggers.
  std::optional<sensors::TransientOptions> transient = {};
  /// Where it must run.
  std::optional<Place> place = {};
  SourceLocation where;
  /// For an asynchronous kernel that works on a device with a name: its number in Deployment::devices.
  std::optional<std::size_t> device = {};

  /// Returns the number of iterations of so many frames that come to it without a frame while asynchronous
  /// tasks fill: frames are under way in their devices, and pass on only when later ones come.
  [[nodiscard]] std::uint64_t iterations_held(std::uint32_t replicas) const;
};

/// Transport of frames between ranks of one node: shared memory, or the same as between nodes.
enum class Transport : std::uint8_t { automatic, mpi };

/// Processors of the ranks: automatic (one core for each rank while the node has enough), these numbers by
/// rank on each rank's own computer (with several cores per rank: as many for each rank), or, with neither,
/// the operating system's choice.
struct Pinning {
  bool is_automatic = false;
  std::vector<std::size_t> processors = {};
  SourceLocation where = {};
};

/// Resources and settings of a run.
struct Deployment {
  /// Larger numbers are taken for mistakes.
  static constexpr std::size_t most_ranks = 4096;
  /// Number of MPI ranks, and where it is written.
  std::size_t ranks = 1;
  SourceLocation ranks_where = {};
  /// Hosts of the ranks, and the request to Slurm if the user submits the run.
  Site site = {};
  std::optional<SlurmRequest> slurm = {};
  /// Settings for restarts after the death of a rank.
  std::optional<Restart> restart = {};
  /// MACHINE (a file or `logp:...`), and where it is written; empty: measure the links at the start.
  std::string machine = {};
  SourceLocation machine_where = {};
  /// Frames that may be queued between two ranks; 0: depends on their size.
  std::size_t depth = 0;
  Transport transport = Transport::automatic;
  /// Parts into which separable kernels divide their frames (tiles/tiling.hpp); 1: none; nothing: depends on
  /// the caches.
  std::optional<std::size_t> tiles = {};
  Pinning pinning = {};
  /// Cores of each rank, on which its kernels run tasks; nothing: one, or an equal share of the node's cores
  /// where measured costs are lower with it. Where it is written.
  std::optional<std::size_t> cores_per_rank = 1;
  SourceLocation cores_where = {};
  /// Real-time priority (SCHED_FIFO) of the threads that process frames; 0: ordinary priority.
  int realtime = 0;
  SourceLocation realtime_where = {};
  /// True if no memory of a rank may be swapped out.
  bool locks_memory = false;
  SourceLocation lock_memory_where = {};
  /// By rank, its CPU share under contention, in (0, 1]; empty: ordinary
  /// shares.
  std::vector<double> shares = {};
  /// Address of the live page and of Prometheus metrics (live/http_server.hpp), `auto`, or `off`.
  std::string serve = "auto";
  /// Deadlines of tasks (watchdog.hpp). A run that was asked to stop ends after twice the deadline of a frame
  /// without any progress.
  Deadlines deadlines = {};
  /// Devices that the file or kernels name; an asynchronous task without one has a device of its own.
  std::vector<NamedDevice> devices = {};
};

/// How several sources are joined.
struct Joining {
  /// Longest wait for a late source's frame. 0 in the file: half of the time that the smallest queue of a
  /// live source holds.
  Time wait{0};
  SourceLocation wait_where = {};
  /// A source whose clock differs from the other clocks by more is ignored.
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
  /// The cores of this rank, for its kernels; outlives them.
  Tasks* tasks = &serial_tasks();
  /// Goal of the schedule; times are in nanoseconds. By default: the least latency that holds the rate
  /// with the margin if the file requires a rate and names no scheduler, otherwise the highest
  /// frequency.
  schedulers::Goal goal{.margin = default_margin};
  /// Where the required rate is written.
  SourceLocation rate_where = {};
  /// The required latency, and where it is written.
  std::optional<LatencyLimit> latency = {};
  SourceLocation latency_where = {};
  /// True if the file sets no rate, objective or scheduler. The rate of the source then
  /// suffices.
  bool leaves_goal_open = true;
  /// True if the file names the objective, or the margin.
  bool names_objective = false, has_own_margin = false;
  Deployment deployment;
  Joining joining;
  /// True if all sinks replace files of earlier runs, whatever their own parameters are.
  bool overwrites = false;

  static constexpr double default_margin = 1.25;

  /// Returns the required rate in frames/s of the sources.
  [[nodiscard]] std::optional<Frequency> required_rate() const;
  /// Returns the rate of the slowest source; nothing if the sources produce frames as fast as they are
  /// consumed.
  [[nodiscard]] std::optional<Frequency> source_rate() const;
  /// Returns the stages that are sources.
  [[nodiscard]] std::vector<std::size_t> sources() const;
  /// Returns true if there are several sources, whose frames are aligned in time.
  [[nodiscard]] bool joins_sources() const { return sources().size() > 1; }
  /// Keeps the source and each sink on one rank, even where several ranks could share it: runs that restart
  /// or change their plan need each stream in one place.
  void keep_ends_on_one_rank();
  /// Keeps each state on one rank, even where it may travel: in runs that change their plan, and where ranks
  /// share no memory.
  void keep_states_on_one_rank();
  /// Disables tiles for these stages, whatever their kernels support.
  void keep_whole(std::span<const TaskId> tasks);
  /// Returns the options of the group of joined sources, without its leader and granule, which the run sets.
  [[nodiscard]] sensors::GroupOptions group_options() const;

  /// Returns the calls of a stage per frame of its sources: below 1 downstream of decimations. O(inputs).
  [[nodiscard]] double calls_a_frame(std::size_t stage) const;

  /// Returns the task graph: one task for each stage, one edge for each connection. `costs` holds the
  /// time of a call by stage; the graph holds the mean time per frame of the sources (calls_a_frame).
  /// An edge carries the producer's frame and its header. Stateless stages are stateless tasks. A
  /// data-parallel kernel is moldable if `groups` (by stage: measured times on two or more ranks)
  /// shows a speed-up. `by_rank`: times of a call by stage and rank where ranks differ, empty
  /// otherwise.
  [[nodiscard]] TaskGraph task_graph(const std::vector<Time>& costs,
                                     const std::vector<std::vector<MoldableProfile::Point>>& groups = {},
                                     const std::vector<std::vector<Time>>& by_rank = {}) const;

  /// Returns the largest number of ranks that can process a frame of this stage together, at least 1.
  [[nodiscard]] std::size_t most_members(std::size_t stage) const;

  /// Make runnable objects of a stage. A joined source without a group is joined with itself only; its frames
  /// have the common type and shape. It joins `own`, or the stage's own source if that is null. `make_kernel`
  /// returns a configured kernel. A sink with another `path` writes all of its output to that one file, so
  /// that a trial run does not touch the real one.
  [[nodiscard]] std::unique_ptr<sensors::Source> make_source(std::size_t stage) const;
  [[nodiscard]] std::unique_ptr<sensors::JoinedSource> make_joined_source(
      std::size_t stage, std::unique_ptr<sensors::Source> own = {}) const;
  [[nodiscard]] std::unique_ptr<sensors::JoinedSource> make_joined_source(
      std::size_t stage, sensors::SourceGroup& group, std::int64_t clock_offset_ns,
      std::unique_ptr<sensors::Source> own = {}) const;
  [[nodiscard]] std::unique_ptr<Kernel> make_kernel(std::size_t stage) const;
  /// The same with other parameter values.
  [[nodiscard]] std::unique_ptr<Kernel> make_kernel(std::size_t stage, const Parameters& parameters) const;
  /// The same for a part of the kernel's input.
  [[nodiscard]] std::unique_ptr<Kernel> make_kernel(std::size_t stage, const Parameters& parameters,
                                                    const FrameType& input, FrameType& output) const;
  [[nodiscard]] std::unique_ptr<sensors::Sink> make_sink(std::size_t stage) const;
  [[nodiscard]] std::unique_ptr<sensors::Sink> make_sink(std::size_t stage, const std::string& path) const;
};

/// Values that replace those of the file: `--set sources.station.ports=[16130]`.
struct Override {
  std::string path;
  std::string value;
  /// The option that sets it, for messages (`--ranks`); empty: `--set`.
  std::string option = {};
};

/// Reads and checks a pipeline. Throws one ConfigError with all errors of the file, one line each, with
/// file:line:column, the valid values and the nearest valid name. Relative paths of plug-ins and inputs start
/// at the file's directory, those of outputs at the working directory.
[[nodiscard]] Pipeline load_pipeline(const std::filesystem::path& file,
                                     const std::vector<Override>& overrides = {});

}  // namespace takt::pipeline
