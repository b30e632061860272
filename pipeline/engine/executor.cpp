#include "pipeline/engine/executor.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <sched.h>

#include "core/clock.hpp"
#include "core/copy_out.hpp"
#include "core/error.hpp"
#include "logp/mpi/blocking.hpp"
#include "pipeline/activity.hpp"
#include "pipeline/engine/events.hpp"
#include "pipeline/engine/pinning.hpp"
#include "pipeline/program/execution.hpp"

namespace takt::pipeline {

namespace {

/// Cores that this process may use.
std::size_t cores_allowed() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return 1;
  return static_cast<std::size_t>(CPU_COUNT(&allowed));
}

/// Envelope::ended when all parts have.
std::uint64_t all_parts(const ChannelPlan& plan) {
  return plan.parts.size() == Envelope::max_parts ? ~std::uint64_t{0}
                                                  : (std::uint64_t{1} << plan.parts.size()) - 1;
}

/// A stage has worked for so long.
void count_run(StageTally& tally, std::int64_t duration_ns) {
  tally.runs.add(1);
  tally.total_ns.add(static_cast<std::uint64_t>(duration_ns));
  tally.time.record(Time(duration_ns));
}

/// Runs one stage's own code, so that whatever it throws names the stage.
template <class Work>
auto as_stage(const Pipeline& pipeline, std::size_t stage, std::uint64_t frame, Work work) {
  const AtWork at_work(pipeline.stages[stage].name, frame);
  try {
    return work();
  } catch (const ConfigError& error) {
    throw StageError(stage, error.what(), true);
  } catch (const std::exception& error) {
    throw StageError(stage, error.what());
  } catch (...) {
    throw StageError(stage, "threw an exception of unknown type");
  }
}

}  // namespace

Executor::Executor(const Pipeline& pipeline, const RankProgram& program, MPI_Comm communicator,
                   const std::vector<int>& nodes, KernelMaker make_kernel, const RunOptions& options,
                   RankTally& tally)
    : pipeline_(pipeline),
      program_(program),
      communicator_(communicator),
      make_kernel_(std::move(make_kernel)),
      options_(options),
      tally_(tally),
      timeline_(tally.uses) {
  join_sources();
  if (options_.traced) {
    recorder_.emplace(*options_.traced);
    timeline_.record(&*recorder_);
  }
  make_stages();
  neighbourhood_ = neighbourhood(nodes);
  layout_ = lay_out(pipeline_, program_, neighbourhood_);
  allocate(nodes);
}

void Executor::join_sources() {
  if (!pipeline_.joins_sources()) return;
  const bool has_sources = std::ranges::any_of(program_.steps, [&](const Step& step) {
    return step.kind == OperationKind::compute && pipeline_.stages[step.index].kind == StageKind::source;
  });
  news_.emplace(communicator_, has_sources);
  if (!has_sources) return;
  sensors::GroupOptions options = pipeline_.group_options();
  options.decides = news_->decides();
  options.granule = program_.instances;
  group_.emplace(options);
}

void Executor::make_stages() {
  const std::size_t count = pipeline_.stages.size();
  sources_.resize(count);
  kernels_.resize(count);
  for (const Stage& stage : pipeline_.stages) only_moves_.push_back(stage.type == redistribution_type);
  sinks_.resize(count);
  finished_.resize(count, true);
  make_tiled_runs();
  std::size_t most_inputs = 0;
  for (std::size_t i = 0; i < program_.steps.size(); ++i) {
    const Step& step = program_.steps[i];
    if (step.kind != OperationKind::compute) continue;
    const Stage& stage = pipeline_.stages[step.index];
    most_inputs = std::max(most_inputs, stage.inputs.size());
    if (stage.kind != StageKind::source) finished_[step.index] = false;
    if (!is_tiled(program_, i)) as_stage(pipeline_, step.index, 0, [&] { return make_stage(step.index), 0; });
  }
  unfinished_ = static_cast<std::size_t>(std::ranges::count(finished_, false));
  inputs_.reserve(most_inputs);
}

void Executor::make_stage(std::size_t index) {
  const StageKind kind = pipeline_.stages[index].kind;
  if (kind == StageKind::source && !sources_[index]) {
    std::unique_ptr<sensors::Source> source;
    if (group_) {
      auto joined = pipeline_.make_source(index, *group_, options_.clock_offset_ns);
      joined_.push_back({index, joined.get()});
      source = std::move(joined);
    } else {
      source = pipeline_.make_source(index);
    }
    sources_[index] = std::make_unique<SourceFeed>(std::move(source), options_.limits, draining_);
  }
  if (kind == StageKind::kernel && !kernels_[index]) kernels_[index] = make_kernel_(index);
  if (kind == StageKind::sink && !sinks_[index]) sinks_[index] = pipeline_.make_sink(index);
}

void Executor::make_tiled_runs() {
  std::size_t most_members = 0;
  for (const auto& [first, group] : program_.tiled) {
    most_members = std::max(most_members, group.members.size());
    for (const TileGroup::Member& member : group.members)
      as_stage(pipeline_, member.stage, 0, [&] { return tile_kernels_.of(member).size(); });
    tiled_runs_.push_back(std::make_unique<TiledRun>(
        pipeline_, group, tile_kernels_, [this](std::size_t stage, Kernel& kernel, const KernelCall& input) {
          return call(stage, tiled_frame_, kernel, input);
        }));
  }
  tiled_work_.resize(most_members);
}

Neighbourhood Executor::neighbourhood(const std::vector<int>& nodes) const {
  int rank = 0;
  MPI_Comm_rank(communicator_, &rank);
  const auto node_of = [&](int other) { return nodes[static_cast<std::size_t>(other)]; };
  Neighbourhood neighbourhood;
  for (const ChannelPlan& plan : program_.sends)
    neighbourhood.is_shared.push_back(node_of(plan.peer) == node_of(rank));
  for (const auto& feed : sources_)
    neighbourhood.lends_many.push_back(feed && feed->source().least_pool() > 0);
  return neighbourhood;
}

void Executor::allocate(const std::vector<int>& nodes) {
  data_.resize(layout_.homes.size());
  headers_.resize(layout_.homes.size());
  arena_.emplace(layout_.places, layout_.place_size);
  if (options_.checks_memory) memory_check_.emplace(layout_.place_size);
  passages_.resize(layout_.homes.size());
  for (std::size_t i = 0; i < passages_.size(); ++i)
    if (layout_.homes[i] && layout_.homes[i]->may_be_copied) passages_[i].emplace();
  if (layout_.may_copy()) workbench_.emplace(1, layout_.place_size);
  sends_.resize(program_.sends.size());
  receives_.resize(program_.receives.size());
  blocked_ns_ = std::vector<Tally>(sends_.size());
  starved_ns_ = std::vector<Tally>(receives_.size());

  SharedLayout shared;
  for (std::size_t c = 0; c < program_.sends.size(); ++c) {
    std::optional<RingPlace>& ring = shared.rings.emplace_back();
    if (!neighbourhood_.is_shared[c]) continue;
    const std::size_t bytes = program_.sends[c].bytes;
    ring = {.depth = ring_depth(pipeline_.deployment, bytes, program_.instances),
            .stride = layout_.messages[c].bytes};
    ring->offset = shared.add(ring->bytes());
  }
  struct Pool {
    std::size_t stage, offset, frames, stride;
  };
  std::vector<Pool> pools;
  for (std::size_t stage = 0; stage < sources_.size(); ++stage) {
    if (!neighbourhood_.lends_many[stage]) continue;
    // Frames are given back in their order: of every round that somebody still reads, and of that at work.
    std::size_t rounds = 1;
    for (std::uint32_t instance = 0; instance < program_.instances; ++instance)
      for (std::size_t c : layout_.referring[slot(instance, stage)])
        rounds = std::max(rounds, 1 + shared.rings[c]->depth);
    const std::size_t lent = rounds * program_.instances;
    if (lent == 1) continue;
    constexpr std::size_t line = 64;
    const std::size_t stride = (pipeline_.stages[stage].output.size().count + line - 1) / line * line;
    const std::size_t frames = sources_[stage]->source().least_pool() + lent;
    pools.push_back({stage, shared.add(frames * stride), frames, stride});
  }

  channels_ = open_channels(program_.sends, program_.receives, shared, nodes,
                            window_depth(pipeline_.deployment), communicator_);
  for (const Pool& pool : pools)
    sources_[pool.stage]->source().use_pool(
        {{channels_.memory.begin() + pool.offset, pool.frames * pool.stride}, pool.stride});

  const auto is_mpi = [](const auto& channel) { return !channel->is_shared(); };
  waiting_.naps = group_ || std::ranges::any_of(channels_.sends, is_mpi) ||
                  std::ranges::any_of(channels_.receives, is_mpi);
  int rank = 0;
  MPI_Comm_rank(communicator_, &rank);
  const auto neighbours = std::ranges::count(nodes, nodes[static_cast<std::size_t>(rank)]);
  waiting_.is_crowded = static_cast<std::size_t>(neighbours) > cores_allowed();
}

void Executor::run() {
  for (std::size_t i = 0; i < sinks_.size(); ++i)
    if (sinks_[i]) as_stage(pipeline_, i, 0, [&] { return sinks_[i]->open(), 0; });
  set_phase("waiting for the other ranks to be set up");
  mpi::barrier(communicator_);
  set_phase(phase_running);
  timeline_.start();
  for (std::size_t i = 0; i < sources_.size(); ++i)
    if (sources_[i]) as_stage(pipeline_, i, 0, [&] { return sources_[i]->source().start(), 0; });
  timeline_.enter(Use::other);
  if (options_.processors) keep_to(*options_.processors);

  while (!over()) {
    run_round();
    ++round_;
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (sources_[i]) release_frames(i);
  }
  timeline_.enter(Use::blocked);
  Wait wait(waiting_, timeline_.since());
  for (const auto& channel : channels_.sends)
    while (!channel->is_idle()) {
      wait.pause(progress(),
                 [&](std::int64_t latest) { channel->sleep_until_released(channel->released(), latest); });
    }
  timeline_.enter(Use::starved);
  set_phase("waiting for the other ranks to end");
  mpi::barrier(communicator_);
  if (news_) news_->end();
  timeline_.enter(Use::other);
}

bool Executor::over() const {
  return std::ranges::all_of(sources_, [](const auto& feed) { return !feed || feed->has_ended(); }) &&
         unfinished_ == 0 &&
         std::all_of(sends_.begin(), sends_.end(), [](const Sending& sending) { return sending.closed; }) &&
         std::all_of(receives_.begin(), receives_.end(),
                     [](const Receiving& receiving) { return receiving.closed; });
}

void Executor::pass_triggers_on() {
  const std::uint32_t triggers = triggers_.load(std::memory_order_relaxed);
  if (triggers == triggers_passed_on_) return;
  triggers_passed_on_ = triggers;
  for (const auto& sink : sinks_)
    if (sink) sink->trigger(std::nullopt);
}

void Executor::run_round() {
  pass_triggers_on();
  auto tiled = program_.tiled.begin();
  for (std::size_t i = 0; i < program_.steps.size(); ++i) {
    const Step& step = program_.steps[i];
    if (tiled != program_.tiled.end() && tiled->first == i) {
      run_tiles(*tiled_runs_[static_cast<std::size_t>(tiled - program_.tiled.begin())], step);
      i += tiled->group.members.size() - 1;
      ++tiled;
      continue;
    }
    if (recorder_) [[unlikely]]
      record(step);
    switch (step.kind) {
      case OperationKind::receive:
        receive(step);
        break;
      case OperationKind::compute:
        compute(step);
        break;
      case OperationKind::send:
        send(step);
        break;
    }
  }
  release_round();
}

void Executor::record(const Step& step) {
  const std::uint64_t frame = frame_of(step.instance);
  if (step.kind == OperationKind::compute)
    return recorder_->begin(frame, TraceKind::task, static_cast<std::uint32_t>(step.index), -1);
  const bool is_send = step.kind == OperationKind::send;
  const ChannelPlan& plan = is_send ? program_.sends[step.index] : program_.receives[step.index];
  recorder_->begin(frame, is_send ? TraceKind::send : TraceKind::receive,
                   static_cast<std::uint32_t>(plan.tag), plan.peer);
}

std::optional<RankTrace> Executor::trace() const {
  if (!recorder_) return std::nullopt;
  return recorder_->trace(options_.clock_offset_ns);
}

void Executor::receive(const Step& step) {
  Receiving& receiving = receives_[step.index];
  ReceiveChannel& channel = *channels_.receives[step.index];
  const ChannelPlan& plan = channel.plan();
  if (receiving.closed) {
    for (const ChannelPlan::Part& part : plan.parts)
      data_[slot(step.instance, part.stage)] = {.ended = true, .after_end = true};
    return;
  }

  timeline_.follow(Use::message);
  if (!channel.has_message()) {
    const std::int64_t start = timeline_.enter(Use::starved);
    Wait wait(waiting_, start, patience_.begin(start));
    do {
      wait.pause(progress(), [&](std::int64_t latest) { channel.sleep_until_message(latest); });
    } while (!channel.has_message());
    const std::int64_t end = timeline_.enter(Use::message);
    patience_.end(end);
    starved_ns_[step.index].add(static_cast<std::uint64_t>(end - start));
  }

  receiving.held = true;
  const std::byte* const message = channel.message();
  const auto& envelope = *reinterpret_cast<const Envelope*>(message);
  if (envelope.frame != frame_of(step.instance))
    throw std::logic_error(fmt::format("rank {} sent frame {} where frame {} was due", plan.peer,
                                       envelope.frame, frame_of(step.instance)));
  receiving.closed = envelope.ended == all_parts(plan);
  if (envelope.after_end != 0) set_phase(phase_draining);
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const ChannelPlan::Part& part = plan.parts[i];
    const auto& header = *reinterpret_cast<const PartHeader*>(message + part.header);
    data_[slot(step.instance, part.stage)] = {&header.header,
                                              message + part.header + header.elements,
                                              (envelope.present >> i & 1U) != 0,
                                              (envelope.ended >> i & 1U) != 0,
                                              envelope.cut_off != 0,
                                              envelope.after_end != 0};
  }
}

void Executor::send(const Step& step) {
  Sending& sending = sends_[step.index];
  if (sending.closed) return;
  timeline_.follow(Use::message);
  if (!sending.acquired) wait_for_room(step.index);

  SendChannel& channel = *channels_.sends[step.index];
  const ChannelPlan& plan = channel.plan();
  const MessageLayout& layout = layout_.messages[step.index];
  std::byte* const message = channel.message(channel.sent());
  Envelope envelope{.frame = frame_of(step.instance)};
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const Datum& datum = data_[slot(step.instance, plan.parts[i].stage)];
    if (datum.ended) envelope.ended |= std::uint64_t{1} << i;
    if (datum.cut_off) envelope.cut_off = 1;
    if (datum.after_end) envelope.after_end = 1;
    if (!datum.present) continue;
    envelope.present |= std::uint64_t{1} << i;
    std::byte* const at = message + plan.parts[i].header;
    const std::byte* elements = datum.bytes;
    if (layout.elements[i]) {
      std::byte* const place = message + *layout.elements[i];
      if (elements != place) copy_out(place, elements, plan.parts[i].bytes);
      elements = place;
    }
    auto& header = *reinterpret_cast<PartHeader*>(at);
    if (datum.header != &header.header) header.header = *datum.header;
    header.elements = elements - at;
  }
  channel.send(envelope);
  sending.acquired = false;
  sending.closed = envelope.ended == all_parts(plan);
}

void Executor::compute(const Step& step) {
  switch (pipeline_.stages[step.index].kind) {
    case StageKind::source:
      take_from_source(step);
      break;
    case StageKind::kernel:
      run_kernel(step);
      break;
    case StageKind::sink:
      give_to_sink(step);
      break;
  }
  if (!waiting_.naps) return;
  (void)progress();
  timeline_.enter(Use::other);
}

void Executor::take_from_source(const Step& step) {
  const std::size_t index = slot(step.instance, step.index);
  Datum& datum = data_[index];
  FrameView view;
  // Before the clock of the work starts: it may have to wait for room.
  std::optional<FrameBuffer> copy;
  if (layout_.homes[index]) copy = output_buffer(index, pipeline_.stages[step.index].output.size().count);
  const std::optional<std::int64_t> start = wait_for_frame(step.index, frame_of(step.instance), view);
  if (!start) {
    datum = {.ended = true, .after_end = true};
    return;
  }
  SourceFeed& feed = *sources_[step.index];
  const bool is_cut_off = feed.source().is_cut_off();
  datum = {view.header, view.bytes.data(), true, false, is_cut_off};
  if (copy) {
    *copy->header = *view.header;
    copy_out(copy->bytes.data(), view.bytes.data(), view.bytes.size());
    datum = {copy->header, copy->bytes.data(), true, false, is_cut_off};
    feed.release();
  }
  count_run(tally_of(step.index), timeline_.enter(Use::other) - *start);
  tally_of(step.index).given.add(1);
}

void Executor::release_frames(std::size_t stage) {
  SourceFeed& feed = *sources_[stage];
  while (feed.oldest() && !is_read(stage, *feed.oldest())) feed.release();
}

bool Executor::is_read(std::size_t stage, std::uint64_t frame) {
  const std::uint64_t round = frame / program_.instances;
  if (round >= round_) return true;
  const auto instance = static_cast<std::uint32_t>(frame % program_.instances);
  return std::ranges::any_of(layout_.referring[slot(instance, stage)],
                             [&](std::size_t c) { return channels_.sends[c]->released() <= round; });
}

std::vector<WaitStatus> Executor::waits() const {
  std::map<int, WaitStatus> by_rank;
  for (std::size_t c = 0; c < starved_ns_.size(); ++c)
    by_rank[program_.receives[c].peer].starved_ns += starved_ns_[c].value();
  for (std::size_t c = 0; c < blocked_ns_.size(); ++c)
    by_rank[program_.sends[c].peer].blocked_ns += blocked_ns_[c].value();
  std::vector<WaitStatus> waits;
  for (auto& [rank, wait] : by_rank) {
    wait.rank = rank;
    waits.push_back(wait);
  }
  return waits;
}

std::optional<std::int64_t> Executor::wait_for_frame(std::size_t stage, std::uint64_t frame,
                                                     FrameView& view) {
  SourceFeed& feed = *sources_[stage];
  std::int64_t attempt = timeline_.follow(Use::starved);
  Wait wait(waiting_, attempt);
  while (true) {
    release_frames(stage);
    const sensors::SourceState state =
        as_stage(pipeline_, stage, frame, [&] { return feed.poll(frame, view); });
    if (state == sensors::SourceState::frame) break;
    if (state == sensors::SourceState::ended) {
      timeline_.enter(Use::other);
      return std::nullopt;
    }
    wait.pause(progress(), [&](std::int64_t latest) { feed.sleep(latest); });
    attempt = now_ns();
  }
  // Reading a file or making a frame up is work: that of the attempt which gave the frame.
  timeline_.enter(Use::compute, attempt);
  return attempt;
}

void Executor::check_companions(const Step& step) {
  const std::vector<std::size_t>& inputs = pipeline_.stages[step.index].inputs;
  const Datum& first = data_[slot(step.instance, inputs.front())];
  for (std::size_t input : inputs) {
    const Datum& other = data_[slot(step.instance, input)];
    // What `finish` gives need not be numbered.
    if (other.present == first.present &&
        (!first.present || first.ended ||
         (other.header->sequence == first.header->sequence && other.header->epoch == first.header->epoch)))
      continue;
    const auto text = [](const Datum& datum) {
      if (!datum.present) return std::string("no frame");
      return datum.header->epoch == 0
                 ? fmt::format("frame {}", datum.header->sequence)
                 : fmt::format("frame {} of epoch {}", datum.header->sequence, datum.header->epoch);
    };
    throw StageError(
        step.index,
        fmt::format("its inputs do not come together: {} of '{}', {} of '{}'; a kernel that gathers "
                    "frames must divide its output's rate_hz by their number",
                    text(first), pipeline_.stages[inputs.front()].name, text(other),
                    pipeline_.stages[input].name));
  }
}

FrameBuffer Executor::output_buffer(std::size_t slot_index, std::size_t bytes) {
  const Home& home = *layout_.homes[slot_index];
  if (!home.channel) return {&headers_[slot_index], arena_->frame(home.place).first(bytes)};
  if (!sends_[*home.channel].acquired) wait_for_room(*home.channel);
  const SendChannel& channel = *channels_.sends[*home.channel];
  std::byte* const message = channel.message(channel.sent());
  return {&reinterpret_cast<PartHeader*>(message + channel.plan().parts[home.part].header)->header,
          {message + *layout_.messages[*home.channel].elements[home.part], bytes}};
}

void Executor::run_kernel(const Step& step) {
  const Stage& stage = pipeline_.stages[step.index];
  const std::size_t index = slot(step.instance, step.index);
  Datum& output = data_[index];
  bool present = true, ended = true, cut_off = false, after_end = false;
  inputs_.clear();
  for (std::size_t input : stage.inputs) {
    const Datum& datum = data_[slot(step.instance, input)];
    present = present && datum.present;
    ended = ended && datum.ended;
    cut_off = cut_off || datum.cut_off;
    after_end = after_end || datum.after_end;
    inputs_.push_back({datum.header, {datum.bytes, pipeline_.stages[input].output.size().count}});
  }
  output = {.ended = ended, .cut_off = cut_off, .after_end = after_end};
  check_companions(step);
  // A stateless kernel can meet the end before earlier frames, whose instances come later in the program.
  const bool finishes = ended && !finished_[step.index];
  if (!present && !finishes) return;

  const FrameBuffer buffer = output_buffer(index, stage.output.size().count);
  std::optional<Passage>& passage = passages_[index];
  const bool copies = passage && passage->copies();
  const FrameBuffer made{buffer.header,
                         copies ? workbench_->frame(0).first(buffer.bytes.size()) : buffer.bytes};
  const bool only_moves = only_moves_[step.index];
  const std::int64_t start = timeline_.follow(only_moves ? Use::message : Use::compute);
  const auto [outcome, gave_rest] =
      call(step.index, frame_of(step.instance), *kernels_[step.index],
           {present ? std::span<const FrameView>(inputs_) : std::span<const FrameView>{},
            finishes && !only_moves, made});
  const bool has_finished = only_moves ? finishes : gave_rest;
  std::int64_t end = timeline_.enter(copies ? Use::message : Use::other);
  const std::int64_t duration = end - start;
  if (passage && outcome == Outcome::produced) {
    if (copies) {
      copy_out(buffer.bytes.data(), made.bytes.data(), buffer.bytes.size());
      end = timeline_.enter(Use::other);
    }
    passage->took(end - start);
  }
  if (has_finished) finish_stage(step.index);
  output = {buffer.header,
            buffer.bytes.data(),
            outcome == Outcome::produced,
            ended && finished_[step.index],
            cut_off,
            after_end};
  if (present) count_run(tally_of(step.index), duration);
  if (output.present) tally_of(step.index).given.add(1);
}

KernelResult Executor::call(std::size_t stage, std::uint64_t frame, Kernel& kernel, const KernelCall& call) {
  return as_stage(pipeline_, stage, frame, [&] {
    if (!memory_check_) return call_kernel(kernel, call);
    KernelCall watched = call;
    watched.output = memory_check_->begin(call.inputs, call.output);
    const KernelResult result = call_kernel(kernel, watched);
    memory_check_->end(call.inputs, call.output);
    return result;
  });
}

void Executor::run_tiles(TiledRun& run, const Step& first) {
  const TileGroup& group = run.group();
  const Datum& root = data_[slot(first.instance, group.root)];
  const std::span work = std::span(tiled_work_).first(group.members.size());
  const bool finishes =
      root.ended && std::ranges::any_of(group.members, [&](const TileGroup::Member& member) {
        return !finished_[member.stage];
      });
  if (!root.present && !finishes) {
    for (const TileGroup::Member& member : group.members)
      data_[slot(first.instance, member.stage)] = {
          .ended = root.ended, .cut_off = root.cut_off, .after_end = root.after_end};
    return;
  }
  for (std::size_t i = 0; i < work.size(); ++i) {
    const TileGroup::Member& member = group.members[i];
    const std::size_t bytes = pipeline_.stages[member.stage].output.size().count;
    work[i] = {.has_finished = finished_[member.stage]};
    if (member.is_kept) work[i].output = output_buffer(slot(first.instance, member.stage), bytes);
  }
  timeline_.follow(Use::compute);
  tiled_frame_ = frame_of(first.instance);
  const FrameView frame{root.header, {root.bytes, pipeline_.stages[group.root].output.size().count}};
  run.run({frame, root.present, root.ended}, work);
  // A record shows the members one after the other, each with all its tiles.
  for (std::size_t i = 0; recorder_ && i < work.size(); ++i) {
    record({OperationKind::compute, first.instance, group.members[i].stage});
    timeline_.enter(Use::compute, timeline_.since() + work[i].time_ns);
  }
  timeline_.enter(Use::other);
  for (std::size_t i = 0; i < work.size(); ++i) {
    const TileGroup::Member& member = group.members[i];
    const TiledRun::Work& done = work[i];
    StageTally& tally = tally_.stages[member.stage];
    if (done.has_finished && !finished_[member.stage]) finish_stage(member.stage);
    data_[slot(first.instance, member.stage)] = {done.output.header, done.output.bytes.data(),
                                                 done.is_present,    done.has_ended,
                                                 root.cut_off,       root.after_end};
    if (done.was_called) count_run(tally, done.time_ns);
    if (done.is_present) tally.given.add(1);
  }
}

void Executor::give_to_sink(const Step& step) {
  const Stage& stage = pipeline_.stages[step.index];
  const Datum& input = data_[slot(step.instance, stage.inputs.front())];
  if (finished_[step.index]) return;

  const std::int64_t start = timeline_.follow(Use::compute);
  sensors::Sink& sink = *sinks_[step.index];
  SinkTally& tally = tally_.sinks[step.index];
  as_stage(pipeline_, step.index, frame_of(step.instance), [&] {
    for (const std::size_t i : std::span(stage.inputs).subspan(1)) {
      const Datum& event = data_[slot(step.instance, i)];
      const FrameType& type = pipeline_.stages[i].output;
      if (!event.present) continue;
      if (const auto when = find_event(type, {event.header, {event.bytes, type.size().count}}))
        sink.trigger(when);
    }
    if (input.present) sink.write({input.header, {input.bytes, stage.output.size().count}});
    if (input.ended) sink.close();
    return 0;
  });
  const std::int64_t end = timeline_.enter(Use::other);
  if (input.present) {
    tally.latency.record(Time(end - options_.clock_offset_ns - input.header->ingested_ns));
    tally.delivered.add(input.header->combined);
    tally.most_combined.raise_to(input.header->combined);
    count_run(tally_of(step.index), end - start);
  }
  if (input.ended) finish_stage(step.index);
  if (input.after_end) return;
  tally.passed.add(1);
  if (input.cut_off) return;
  tally.timed.add(1);
  if (tally.timed.value() == program_.instances) tally.first_ns.set(static_cast<std::uint64_t>(end));
  tally.last_ns.set(static_cast<std::uint64_t>(end));
}

void Executor::finish_stage(std::size_t stage) {
  finished_[stage] = true;
  --unfinished_;
}

void Executor::release_round() {
  for (std::size_t c = 0; c < receives_.size(); ++c) {
    if (receives_[c].held) channels_.receives[c]->release();
    receives_[c].held = false;
  }
}

bool Executor::has_room(std::size_t channel) {
  SendChannel& own = *channels_.sends[channel];
  if (!own.has_room()) return false;
  return std::ranges::all_of(layout_.messages[channel].referring, [&](std::size_t other) {
    return sends_[other].closed || own.sent() < channels_.sends[other]->released() + own.depth();
  });
}

void Executor::wait_for_room(std::size_t channel) {
  sends_[channel].acquired = true;
  if (has_room(channel)) return;
  const Use use = timeline_.use();
  const std::int64_t start = timeline_.enter(Use::blocked);
  Wait wait(waiting_, start, patience_.begin(start));
  do {
    wait.pause(progress(), [&](std::int64_t latest) { sleep_until_room(channel, latest); });
  } while (!has_room(channel));
  const std::int64_t end = timeline_.enter(use);
  patience_.end(end);
  blocked_ns_[channel].add(static_cast<std::uint64_t>(end - start));
}

void Executor::sleep_until_room(std::size_t channel, std::int64_t latest_ns) {
  SendChannel& own = *channels_.sends[channel];
  if (!own.has_room()) return own.sleep_until_released(own.released(), latest_ns);
  // Its message is read through another channel.
  for (std::size_t other : layout_.messages[channel].referring) {
    const std::uint64_t released = channels_.sends[other]->released();
    if (own.sent() >= released + own.depth())
      return channels_.sends[other]->sleep_until_released(released, latest_ns);
  }
}

void Executor::advance_sources() {
  if (!group_) return;
  news_->exchange(*group_);
  for (const Joined& joined : joined_)
    as_stage(pipeline_, joined.stage, 0, [&] { return joined.source->advance(now_ns()), 0; });
  news_->exchange(*group_);
}

bool Executor::progress() {
  if (!waiting_.naps) return false;
  advance_sources();
  // One call lets MPI go on with all that is under way.
  const auto goes_on = [](const auto& channel) { return channel->progress(); };
  if (!std::ranges::any_of(channels_.sends, goes_on)) (void)std::ranges::any_of(channels_.receives, goes_on);
  const auto moves = [](const auto& channel) { return channel->is_moving(); };
  return std::ranges::any_of(channels_.sends, moves) || std::ranges::any_of(channels_.receives, moves);
}

}  // namespace takt::pipeline
