#pragma once
/// The loop of one rank: frame after frame through the steps of its program.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <mpi.h>
#include <sched.h>

#include "core/system/stop_request.hpp"
#include "pipeline/calls/memory_check.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/program/layout.hpp"
#include "pipeline/program/program.hpp"
#include "pipeline/program/reordering.hpp"
#include "pipeline/protocol/checkpoint.hpp"
#include "pipeline/protocol/restart_folder.hpp"
#include "pipeline/protocol/status.hpp"
#include "pipeline/runtime/bound_step.hpp"
#include "pipeline/runtime/channels/nodes.hpp"
#include "pipeline/runtime/channels/open_channels.hpp"
#include "pipeline/runtime/counting/iteration_times.hpp"
#include "pipeline/runtime/counting/tally.hpp"
#include "pipeline/runtime/counting/timeline.hpp"
#include "pipeline/runtime/counting/trace_recorder.hpp"
#include "pipeline/runtime/output_placement.hpp"
#include "pipeline/runtime/probe.hpp"
#include "pipeline/runtime/sources/self_scheduling.hpp"
#include "pipeline/runtime/sources/source_exchange.hpp"
#include "pipeline/runtime/sources/source_feed.hpp"
#include "pipeline/runtime/sources/source_turns.hpp"
#include "pipeline/runtime/sources/waiting.hpp"
#include "pipeline/runtime/stage_error.hpp"
#include "pipeline/runtime/update_queue.hpp"
#include "pipeline/tiles/tiled_run.hpp"
#include "pipeline/watching/activity.hpp"
#include "sensors/output_book.hpp"

namespace takt::pipeline {

/// How an executor begins where a run stood, and keeps what the next one would need.
struct Restarting {
  /// What the run starts again from; nothing where it begins, or goes on.
  std::optional<Checkpoint> from;
  /// Where sinks of this host enter their files; what those of all hosts had begun before.
  std::filesystem::path books;
  BegunFiles begun = {};
  /// Given what this rank has, before the first repetition and after every so many.
  std::uint64_t rounds = 1;
  std::function<void(Checkpoint)> give;
  /// Told each file that a sink begins.
  std::function<void(const BegunFiles&)> tell = {};
};

struct RunOptions {
  StreamLimits limits;
  /// What this rank's node gives it.
  NodeShare share;
  /// What this rank's clock shows more than that of the source's rank.
  std::int64_t clock_offset_ns = 0;
  /// UTC at which sources begin that make up their frames, the same on all ranks; nanoseconds since 1970.
  std::int64_t start_utc_ns = 0;
  /// Where the thread that processes frames keeps to, once sources have started threads of their own.
  std::optional<cpu_set_t> processors;
  /// How nice that thread is from then on to others on its processor (pinning.hpp); 0: as before.
  int niceness = 0;
  /// Watch what kernels write (memory_check.hpp).
  bool checks_memory = false;
  /// Frames of which is recorded what happened when.
  std::optional<TracedFrames> traced;
  /// Changes of parameters; null where there are none. Must outlive the executor.
  UpdateQueue* changes = nullptr;
  /// Where to keep when rounds end, by stage; null: nowhere. Must outlive the executor.
  std::vector<IterationTimes>* iteration_times = nullptr;
  /// Of a run that may start again; null of others. Must outlive the executor.
  const Restarting* restarting = nullptr;
  /// Ways of outputs that were tried before; null: none were. Must outlive the executor.
  OutputPlacements* output_placements = nullptr;
  /// Number of the first frame: those before it went through an executor that was paused.
  std::uint64_t first_frame = 0;
};

/// The stages of a rank whose executor was paused, for the one that goes on. By stage; null elsewhere.
struct KeptStages {
  std::vector<std::unique_ptr<SourceFeed>> sources;
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<std::vector<std::unique_ptr<Kernel>>> tile_kernels;
  std::vector<std::unique_ptr<sensors::Sink>> sinks;
  /// Memory that was given to the sources, in which they still receive.
  std::vector<NodeMemory> memories;
};

/// Make what a stage does: kernels (Execution::make_kernel), and sources, as they are before they are joined,
/// and sinks, those of the pipeline where nothing else is said.
struct StageMakers {
  std::function<std::unique_ptr<Kernel>(std::size_t stage)> kernel;
  std::function<std::unique_ptr<sensors::Source>(std::size_t stage)> source = {};
  std::function<std::unique_ptr<sensors::Sink>(std::size_t stage)> sink = {};
};

/// Runs one rank's share of a pipeline. Construction makes the stages and posts the receives; `run` returns
/// when the stream is over and every frame has left. In the steady state it allocates nothing and takes no
/// lock of its own.
///
/// The end of a stream travels with it: a source that has ended marks its output so; what depends on it is
/// marked in turn, kernels give what they still hold (Kernel::finish), one round later where they have just
/// given something else, the last message of each channel carries the mark, and a rank stops when all its
/// stages and channels have ended.
class Executor {
 public:
  /// Every rank of the communicator must construct one, whether or not its program has steps. Throws
  /// StageError when a stage cannot be made.
  ///
  /// `nodes` says which ranks share memory (runtime/channels/nodes.hpp). Stages that were kept are used as
  /// they are, their sources started and their sinks open; of a stage that is placed elsewhere now, nothing
  /// is used.
  Executor(const Pipeline& pipeline, const RankProgram& program, MPI_Comm communicator,
           const std::vector<int>& nodes, StageMakers makers, const RunOptions& options, RankTally& tally,
           KeptStages kept = {});
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  /// Ends the stages that nobody took, each as the task at work.
  ~Executor();

  /// Opens the sinks, waits for all ranks, starts the source, works until the end of the stream, waits for
  /// all ranks. Throws StageError when a stage fails; the communicator is then good for nothing but
  /// MPI_Abort.
  void run();

  /// What a rank does while one of its kernels waits for other ranks: its joined sources go on.
  void go_on() { advance_sources(); }

  /// From any thread: sources stop receiving; what they took in is still delivered.
  void drain() {
    ask_to_stop();
    draining_.store(true, std::memory_order_relaxed);
  }

  /// From any thread: ends the work at the end of a round as if the stream ended there, but kernels keep what
  /// they have, and sinks stay open. Only the rank with the source needs to be told. Not with joined sources.
  void pause() { pauses_.store(true, std::memory_order_relaxed); }
  /// Whether that is why `run` returned; false too where this rank has not noticed.
  [[nodiscard]] bool was_paused() const { return is_paused_; }
  /// Its stages, once it was paused; it is good for nothing any more.
  [[nodiscard]] KeptStages take_stages();

  /// From any thread: sinks that remember write what they have.
  void trigger_sinks() { triggers_.fetch_add(1, std::memory_order_relaxed); }

  /// From any thread: sinks begin files of their own with the frame that they write next.
  void begin_files();
  /// From any thread: sinks are given no frames, or are again, into new files.
  void hold_sinks(bool are_held);
  /// Shows frames of this stage to `probe`, or of none. The thread's that looks.
  void choose_probe(std::optional<std::size_t> stage);
  [[nodiscard]] Probe& probe() { return probe_; }

  /// What is placed here, by stage; null elsewhere.
  [[nodiscard]] const SourceFeed* source(std::size_t stage) const { return sources_[stage].get(); }
  [[nodiscard]] const sensors::Sink* sink(std::size_t stage) const { return sinks_[stage].get(); }
  /// What was recorded; nothing where nothing was to be. When `run` has returned.
  [[nodiscard]] std::optional<RankTrace> trace() const;
  /// How long it has waited for the others to end, without a task of its own; 0 once they have. From any
  /// thread.
  [[nodiscard]] std::int64_t idle_ns() const;
  /// Where ranks claim frames: how many of those of a repetition are this rank's in its rounds; 0 elsewhere.
  [[nodiscard]] std::size_t claimed_a_round() const;

 private:
  /// Of the rank to which the others send what they have made of the frames that they claimed.
  struct Collection {
    struct Part {
      std::uint32_t instance = 0;
      std::span<const BoundStep> steps;
      /// In which its messages come.
      std::vector<std::size_t> channels;
    };
    struct Sender {
      /// One for each of its frames in a round, and the one whose frame comes next.
      std::vector<Part> parts;
      std::size_t next = 0;

      [[nodiscard]] const Part& part() const { return parts[next]; }
    };
    /// A frame of this rank's own that is ahead of its turn: copies of what is needed then.
    struct Early {
      std::uint64_t frame = 0;
      std::vector<Datum> data;
      std::vector<FrameHeader> headers;
    };

    /// See ReorderProgram.
    std::optional<Part> work, rest;
    std::vector<Sender> senders;
    /// The frame whose turn it is, and the one at work.
    std::uint64_t next = 0, at_work = 0;
    /// Stages whose outputs `rest` needs of `work`.
    std::vector<std::size_t> needed;
    /// Of the frame that was worked at last, what is needed.
    std::vector<Datum> fresh;
    /// A ring; `first` is the oldest, of `count`.
    std::vector<Early> early;
    std::size_t first = 0, count = 0;
    std::optional<sensors::FrameMemory> memory;
    /// Channels in which the next frame may come.
    std::vector<std::size_t> waited_for;
  };
  struct Sending {
    /// Whether the next message may be filled.
    bool acquired = false;
    bool closed = false;
  };
  struct Receiving {
    bool held = false;
    bool closed = false;
    /// By a pause.
    bool paused = false;
    Arrivals arrivals;
    /// Whether its sender last ran on the processor of this rank, which looking would keep from it.
    bool is_beside = false;
  };
  /// Of stages that the tally does not know, members of a group beyond the first, what is counted is dropped.
  [[nodiscard]] StageTally& tally_of(std::size_t stage) {
    return stage < tally_.stages.size() ? tally_.stages[stage] : not_reported_;
  }
  /// Whether nobody looks at the clock while a stage works, though it did not work when somebody last looked:
  /// it is called for few frames only.
  [[nodiscard]] bool is_overlooked(const StageTally& tally) const {
    return timeline_.skims() && tally.looks != timeline_.looks();
  }
  /// A stage has worked for so long, where somebody has looked at the clock.
  void count_run(StageTally& tally, std::int64_t duration_ns, bool was_overlooked = false) {
    if (timeline_.skims() && !was_overlooked) return tally.ran_untimed();
    tally.ran(duration_ns);
    if (!timeline_.skims()) tally.looks = timeline_.looks();
  }
  /// Which changes the stages know that go on.
  void remember_changes();
  void make_stages();
  /// Where there are several sources, lets them know of each other. Collective.
  void join_sources();
  /// Where the schedule may have several ranks run the source, lets them agree. They claim frames where
  /// nothing passes between ranks, or all that passes goes from them to one rank, which puts it into its
  /// order; otherwise they take turns. Collective.
  void share_source();
  /// The rank to which goes all that this one sends; or one of `Passing`.
  [[nodiscard]] int passing() const;
  /// Before a round: what the ranks that share the source have agreed on.
  void take_turn();
  [[nodiscard]] SourceFeed& shared_feed();
  /// Until none of them is too far behind.
  void wait_for_others();
  /// Joined sources of this rank settle frames, and hear of those of other ranks, also while the rank waits
  /// for something else: another rank may wait for what they have to say.
  void advance_sources();
  void make_stage(std::size_t index);
  void make_tiled_runs();
  [[nodiscard]] Neighbourhood neighbourhood(const std::vector<int>& nodes) const;
  /// Opens the channels, and gives sources memory to fill.
  void allocate(const std::vector<int>& nodes);
  /// Binds the program's steps, once all that they point to is there.
  void bind_steps();
  [[nodiscard]] BoundStep bind(const Step& step);
  [[nodiscard]] std::size_t slot(std::uint32_t instance, std::size_t stage) const {
    return instance * pipeline_.stages.size() + stage;
  }
  [[nodiscard]] std::uint64_t frame_of(std::uint32_t instance) const {
    if (collection_) return collection_->at_work;
    if (claims_) return claims_->first() + claimed_place_[instance];
    return options_.first_frame + round_ * program_.instances + instance;
  }

  /// Of a stage that a checkpoint has; null where there is nothing to start again from.
  [[nodiscard]] const SavedStage* saved(std::size_t stage) const {
    const Restarting* const restarting = options_.restarting;
    return restarting != nullptr && restarting->from ? restarting->from->find(stage) : nullptr;
  }
  /// In which a sink of a run that may start again enters its files.
  [[nodiscard]] sensors::OutputBook book_of(std::size_t sink) const;
  void open_sinks();
  /// Gives what this rank has at the end of a repetition, while the stream goes on and no kernel has given
  /// its rest.
  void look_for_checkpoint();
  [[nodiscard]] SavedStage save_stage(std::size_t stage);

  void run_round();
  void run_steps(std::span<const BoundStep> steps);

  /// `places`: by step of the program, where it is among those that are bound.
  void prepare_collection(const std::vector<std::size_t>& places);
  /// In place of a round, on the rank that collects: all frames whose turn it is, then one of its own; or it
  /// waits.
  void collect();
  /// The frame whose turn it is, where it is there.
  [[nodiscard]] bool take_next();
  void work_ahead();
  void keep_early();
  /// Whether, by this moment (now_ns), a message has come that may be the next one.
  bool wait_for_next(std::int64_t latest_ns);
  /// Whether no rank will send a frame any more.
  [[nodiscard]] bool has_collected_all();
  /// What kernels and sinks do at the end.
  void end_collection();
  /// The stream's end has come to this rank; what follows is what kernels still have.
  void begin_rest();
  /// Begins a pause where it was asked for, and there is a stream to pause.
  void look_for_pause();
  /// What a stage gives in a pause: nothing. It has done what it does.
  void pause_stage(const Step& step);
  /// Tells the recorder what follows.
  void record(const Step& step);
  void receive(const Step& step);
  void compute(const BoundStep& step);
  void send(const Step& step);
  void take_from_source(const BoundStep& step);
  void run_kernel(const BoundStep& step);
  /// The same for what is nearly always so in the steady state of small frames: a simple step in a skimmed
  /// round, in the middle of the stream. Whether it was. A third of the time.
  bool run_common(const BoundStep& step);
  /// As `run_common`, of a source.
  bool take_common(const BoundStep& step);
  /// All steps of a group, tile by tile.
  void run_tiles(TiledRun& run, const Step& first);
  /// With the frame's number for messages, and the watch on memory.
  [[nodiscard]] KernelResult call(std::size_t stage, std::uint64_t frame, Kernel& kernel,
                                  const KernelCall& call);
  /// The result, when what the kernel took and gave in the call is counted (StageTally::balance).
  KernelResult balanced(std::size_t stage, const KernelCall& call, KernelResult result);
  void balance(std::size_t stage, const KernelCall& call, std::uint32_t given);
  /// Of a kernel with several inputs. Throws StageError unless they are the same frame, or none is there.
  void check_companions(const BoundStep& step);
  void give_to_sink(const BoundStep& step);
  /// At the end of a round, those whose stream has ended in it.
  void close_sinks();
  /// Tells sinks of this rank what the user has asked for.
  void pass_triggers_on();
  /// Lets the probe look at what a stage has given.
  void show(std::size_t stage, const Datum& datum) {
    if (probe_.wants(stage) && datum.present) [[unlikely]]
      probe_.show(stage, {datum.header, {datum.bytes, bytes_[stage]}});
  }
  void finish_stage(std::size_t stage);
  /// When this kernel was first asked for its rest (now_ns): now, where it was not before.
  [[nodiscard]] std::int64_t finishing_since(std::size_t stage);
  /// Whether the user has asked to stop since this kernel began to give its rest, which may have no end.
  /// Asked each time that it gave some of it.
  [[nodiscard]] bool is_rest_unwanted(std::size_t stage);
  void release_round();

  /// Says in the header of a source's frame which changes it has seen. The header lies in its slot then.
  void stamp(Datum& datum, std::size_t slot_index);
  /// Takes over what has changed up to this number.
  void change_parameters(std::size_t stage, std::uint32_t number);
  /// Writes into a sink's history what the recordings upstream say of themselves (Stage::description).
  void note_descriptions(std::size_t stage);
  /// Tells a sink what has changed before this frame.
  void note_changes(std::size_t stage, const FrameHeader& header);
  /// What has changed since the stage asked last.
  [[nodiscard]] std::vector<Change> take_over_changes(std::size_t stage, std::uint32_t number);
  void change_tiles(std::size_t stage, const Parameters& parameters);

  /// When the source began to give the frame; nothing at the end of the stream.
  [[nodiscard]] std::optional<std::int64_t> wait_for_frame(std::size_t stage, std::uint64_t frame,
                                                           FrameView& view);
  /// A message has come, for which this rank had waited since `start` until `end`.
  void note_arrival(std::size_t channel, std::int64_t start, std::int64_t end);
  [[nodiscard]] FrameBuffer output_buffer(std::size_t slot_index, std::size_t bytes);

  /// Whether a channel's next message may be filled: nobody reads the one that was in its memory.
  [[nodiscard]] bool has_room(std::size_t channel);
  void wait_for_room(std::size_t channel);
  /// A wait that goes on is told as it passes, so that those who look on see it: the time since that moment
  /// is given to this use and added to `told`, where it is not a short one. Returns the moment until which it
  /// has been told.
  std::int64_t tell_of_wait(Use use, Tally& told, std::int64_t since_ns);
  /// For which source of this rank it waits while it waits for a frame of this one: another one that is
  /// joined with it where that has to say whether there is such a frame.
  [[nodiscard]] std::size_t awaited_source(std::size_t stage) const;
  /// How long this rank has waited for the other end of a channel.
  [[nodiscard]] Tally& starved_at(std::size_t channel) {
    return tally_.waits[program_.receives[channel].peer]["starved"];
  }
  [[nodiscard]] Tally& blocked_at(std::size_t channel) {
    return tally_.waits[program_.sends[channel].peer]["blocked"];
  }
  void sleep_until_room(std::size_t channel, std::int64_t latest_ns);
  /// Gives frames back to the source that nobody reads any more.
  void release_frames(std::size_t stage);
  /// Gives the oldest frame back to the source.
  void release(std::size_t stage);
  /// Whether frames of this round are given back before its end, as soon as all that this rank does with them
  /// is done; otherwise rounds, or the frames that were claimed, say what is read.
  [[nodiscard]] bool gives_back_early() const {
    return program_.instances > 1 && !claims_ && !reordering_ && !group_;
  }
  [[nodiscard]] bool is_read(std::size_t stage, std::uint64_t frame);
  /// MPI moves messages only inside its calls: gives it a chance. Whether a message is under way.
  bool progress();
  [[nodiscard]] bool over() const;

  const Pipeline& pipeline_;
  RankProgram program_;
  MPI_Comm communicator_;
  StageMakers makers_;
  /// By stage: of its output; of a sink, of its input.
  std::vector<std::size_t> bytes_;
  /// By stage: how many frames of a repetition are this rank's.
  std::vector<std::uint64_t> frames_a_round_;
  RunOptions options_;
  std::optional<MemoryCheck> memory_check_;
  RankTally& tally_;
  std::optional<TraceRecorder> recorder_;
  StageTally not_reported_;
  Timeline timeline_;
  /// Whether rounds may be skimmed (Timeline): not where each step sees to MPI, nor where memory is watched.
  bool may_skim_ = false;
  WaitPolicy waiting_;
  Patience patience_{waiting_};
  Neighbourhood neighbourhood_;
  Layout layout_;
  Channels channels_;

  std::optional<SourceTurns> turns_;
  std::optional<SelfScheduling> claims_;
  /// Where frames are claimed: by instance of this rank, which one of those of a round it is.
  std::vector<std::uint64_t> claimed_place_;
  /// Where this rank collects frames that are claimed; `program_` is its program then.
  std::optional<ReorderProgram> reordering_;
  std::optional<Collection> collection_;
  std::optional<SourceExchange> news_;
  std::optional<sensors::SourceGroup> group_;
  struct Joined {
    std::size_t stage;
    sensors::JoinedSource* source;
  };
  std::vector<Joined> joined_;
  std::vector<std::unique_ptr<SourceFeed>> sources_;
  /// Those that this rank has.
  std::vector<std::size_t> own_sources_;
  std::vector<std::unique_ptr<Kernel>> kernels_;
  TileKernels tile_kernels_;
  /// As in RankProgram::tiled.
  std::vector<std::unique_ptr<TiledRun>> tiled_runs_;
  std::vector<TiledRun::Work> tiled_work_;
  std::uint64_t tiled_frame_ = 0;
  std::vector<std::unique_ptr<sensors::Sink>> sinks_;
  /// Sinks that several ranks have and whose stream ends in this round.
  std::vector<std::size_t> closing_;
  /// Whether a kernel has given its rest, or a sink is closed; of what else there is, true.
  std::vector<bool> finished_;
  /// By stage, from the first frame of its rest on: whether the user had asked to stop by then.
  std::vector<std::optional<bool>> drained_before_rest_;
  /// By stage, of kernels whose rest was asked for: since when; 0 of others.
  std::vector<std::int64_t> finishing_since_ns_;
  /// Kernels and sinks here that are not yet, and how many there are.
  std::size_t unfinished_ = 0, stages_to_finish_ = 0;
  std::vector<Sending> sends_;
  std::vector<Receiving> receives_;

  std::vector<BoundStep> bound_steps_;
  /// The last step that took a frame from a source, in this round or the one before.
  std::size_t taking_ = 0;
  /// Inputs of all steps, one after the other.
  std::vector<Datum*> operands_;
  std::vector<Datum> data_;
  std::vector<FrameHeader> headers_;
  std::optional<sensors::FrameMemory> arena_;
  OutputPlacements own_output_placements_;
  /// By slot: of outputs that are made for another rank of this node; null of all else.
  std::vector<OutputPlacement*> output_placements_;
  /// Where outputs are made that are copied into their message.
  std::optional<sensors::FrameMemory> workbench_;
  std::vector<FrameView> inputs_;

  KeptStages kept_;
  /// By stage: whether a source runs, or a sink is open, since an executor before this one.
  std::vector<bool> was_open_;
  /// By stage: the last change that it has taken over.
  std::vector<std::uint32_t> known_changes_;
  std::uint64_t round_ = 0;
  std::atomic<bool> draining_{false};
  std::atomic<bool> pauses_{false};
  bool is_paused_ = false, has_rest_begun_ = false;
  /// Since when (now_ns) it is idle, without a task; 0 when it is not.
  std::atomic<std::int64_t> idle_since_{0};
  /// Commands of the user that sinks write what they remember, and how many of them they know of.
  std::atomic<std::uint32_t> triggers_{0};
  std::uint32_t triggers_passed_on_ = 0;
  std::atomic<bool> are_held_{false};
  Probe probe_;
};

}  // namespace takt::pipeline
