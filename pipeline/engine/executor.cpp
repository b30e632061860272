#include "pipeline/engine/executor.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "logp/mpi/backoff.hpp"
#include "logp/mpi/blocking.hpp"
#include "pipeline/activity.hpp"

namespace takt::pipeline {

namespace {

/// Adds the time from construction to destruction to a count.
class Stopwatch {
 public:
  explicit Stopwatch(Tally& count) : count_(count), start_(now_ns()) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { count_.add(elapsed_ns()); }
  [[nodiscard]] std::uint64_t elapsed_ns() const { return static_cast<std::uint64_t>(now_ns() - start_); }

 private:
  Tally& count_;
  std::int64_t start_;
};

/// Runs one stage's own code, so that whatever it throws names the stage.
template <class Work>
auto as_stage(const Pipeline& pipeline, std::size_t stage, Work work) {
  const AtWork at_work(pipeline.stages[stage].name);
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
                   const RunLimits& limits, RankTally& tally)
    : pipeline_(pipeline),
      program_(program),
      communicator_(communicator),
      limits_(limits),
      tally_(tally),
      layout_(lay_out(pipeline, program)) {
  make_stages();
  for (const ChannelPlan& plan : program_.sends)
    sends_.push_back({std::make_unique<SendChannel>(plan, pipeline_.deployment.depth, communicator)});
  for (const ChannelPlan& plan : program_.receives)
    receives_.push_back({std::make_unique<ReceiveChannel>(plan, pipeline_.deployment.depth, communicator)});
  allocate();
}

void Executor::make_stages() {
  const std::size_t count = pipeline_.stages.size();
  sources_.resize(count);
  kernels_.resize(count);
  sinks_.resize(count);
  finished_.resize(count);
  source_held_.resize(count);
  std::size_t most_inputs = 0;
  for (const Step& step : program_.steps) {
    if (step.kind != OperationKind::compute) continue;
    most_inputs = std::max(most_inputs, pipeline_.stages[step.index].inputs.size());
    as_stage(pipeline_, step.index, [&] { return make_stage(step.index), 0; });
  }
  inputs_.reserve(most_inputs);
}

void Executor::make_stage(std::size_t index) {
  const StageKind kind = pipeline_.stages[index].kind;
  if (kind == StageKind::source && !sources_[index]) {
    sources_[index] = pipeline_.make_source(index);
    has_source_ = true;
  }
  if (kind == StageKind::kernel && !kernels_[index]) kernels_[index] = pipeline_.make_kernel(index);
  if (kind == StageKind::sink && !sinks_[index]) sinks_[index] = pipeline_.make_sink(index);
}

void Executor::allocate() {
  data_.resize(layout_.homes.size());
  headers_.resize(layout_.homes.size());
  arena_.emplace(layout_.places, layout_.place_size);
}

void Executor::run() {
  for (std::size_t i = 0; i < sinks_.size(); ++i)
    if (sinks_[i]) as_stage(pipeline_, i, [&] { return sinks_[i]->open(), 0; });
  set_phase("waiting for the other ranks to be set up");
  mpi::barrier(communicator_);
  set_phase("running");
  for (std::size_t i = 0; i < sources_.size(); ++i)
    if (sources_[i]) as_stage(pipeline_, i, [&] { return sources_[i]->start(), 0; });

  while (!over()) {
    run_round();
    ++round_;
  }
  mpi::Backoff backoff;
  while (!std::all_of(sends_.begin(), sends_.end(), [](Sending& sending) { return sending.channel->idle(); }))
    backoff.wait();
  set_phase("waiting for the other ranks to end");
  mpi::barrier(communicator_);
}

bool Executor::over() const {
  return (!has_source_ || source_ended_) &&
         std::all_of(sends_.begin(), sends_.end(), [](const Sending& sending) { return sending.closed; }) &&
         std::all_of(receives_.begin(), receives_.end(),
                     [](const Receiving& receiving) { return receiving.closed; });
}

void Executor::run_round() {
  for (const Step& step : program_.steps) {
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

void Executor::receive(const Step& step) {
  Receiving& receiving = receives_[step.index];
  ReceiveChannel& channel = *receiving.channel;
  const ChannelPlan& plan = channel.plan();
  if (receiving.closed) {
    for (const ChannelPlan::Part& part : plan.parts) data_[slot(step.instance, part.stage)] = {.ended = true};
    return;
  }

  const std::int64_t start = now_ns();
  mpi::Backoff backoff;
  std::int64_t attempt = start;
  while (!channel.try_receive()) {
    progress();
    backoff.wait();
    attempt = now_ns();
  }
  tally_.wait_ns.add(static_cast<std::uint64_t>(attempt - start));
  // The attempt that succeeds is the one in which MPI copies the message.
  tally_.overhead_ns.add(static_cast<std::uint64_t>(now_ns() - attempt));

  receiving.held = true;
  const Envelope& envelope = channel.envelope();
  if (envelope.frame != frame_of(step.instance))
    throw std::logic_error(fmt::format("rank {} sent frame {} where frame {} was due", plan.peer,
                                       envelope.frame, frame_of(step.instance)));
  receiving.closed = envelope.ended != 0;
  if (receiving.closed) set_phase("draining");
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const ChannelPlan::Part& part = plan.parts[i];
    const std::byte* at = channel.message() + part.offset;
    data_[slot(step.instance, part.stage)] = {reinterpret_cast<const FrameHeader*>(at), at + header_bytes,
                                              (envelope.present >> i & 1U) != 0, receiving.closed,
                                              envelope.cut_off != 0};
  }
}

void Executor::send(const Step& step) {
  Sending& sending = sends_[step.index];
  if (sending.closed) return;
  acquire(sending);

  const Stopwatch stopwatch(tally_.overhead_ns);
  const ChannelPlan& plan = sending.channel->plan();
  Envelope envelope{.frame = frame_of(step.instance)};
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const ChannelPlan::Part& part = plan.parts[i];
    const Datum& datum = data_[slot(step.instance, part.stage)];
    if (datum.ended) envelope.ended = 1;
    if (datum.cut_off) envelope.cut_off = 1;
    if (!datum.present) continue;
    envelope.present |= std::uint64_t{1} << i;
    std::byte* at = sending.channel->message() + part.offset;
    if (datum.bytes == at + header_bytes) continue;
    std::memcpy(at, datum.header, sizeof(FrameHeader));
    std::memcpy(at + header_bytes, datum.bytes, part.bytes);
  }
  sending.channel->send(envelope);
  sending.acquired = false;
  sending.closed = envelope.ended != 0;
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
  // MPI moves messages only inside its calls: give it a chance between any two tasks.
  progress();
}

void Executor::take_from_source(const Step& step) {
  Datum& datum = data_[slot(step.instance, step.index)];
  FrameView view;
  // Before the clock of the work starts: it may have to wait for room.
  std::optional<FrameBuffer> copy;
  if (keeps_frames(pipeline_, program_, step.index))
    copy = output_buffer(slot(step.instance, step.index), pipeline_.stages[step.index].output.size().count);
  const std::optional<std::int64_t> start = wait_for_frame(step.index, frame_of(step.instance), view);
  if (!start) {
    source_ended_ = true;
    set_phase("draining");
    datum = {.ended = true};
    return;
  }
  const bool is_cut_off = sources_[step.index]->is_cut_off();
  if (view.header->missing_parts > 0) ++incomplete_;
  datum = {view.header, view.bytes.data(), true, false, is_cut_off};
  source_held_[step.index] = true;
  if (copy) {
    *copy->header = *view.header;
    std::memcpy(copy->bytes.data(), view.bytes.data(), view.bytes.size());
    datum = {copy->header, copy->bytes.data(), true, false, is_cut_off};
    sources_[step.index]->release();
    source_held_[step.index] = false;
  }
  const std::int64_t time = now_ns() - *start;
  tally_.compute_ns.add(static_cast<std::uint64_t>(time));
  StageTally& tally = tally_.stages[step.index];
  tally.runs.add(1);
  tally.total_ns.add(static_cast<std::uint64_t>(time));
  tally.time.record(Time(time));
}

void Executor::keep_counters(std::size_t stage) {
  sensors::SourceCounters counters = sources_[stage]->counters();
  // Frames that wait are not part of the run.
  counters.ingested = tally_.stages[stage].runs.value();
  counters.incomplete = incomplete_;
  const std::lock_guard lock(counters_mutex_);
  counters_at_limit_ = std::move(counters);
}

sensors::SourceCounters Executor::source_counters(std::size_t stage) const {
  const std::lock_guard lock(counters_mutex_);
  return counters_at_limit_ ? *counters_at_limit_ : sources_[stage]->counters();
}

std::optional<std::int64_t> Executor::wait_for_frame(std::size_t stage, std::uint64_t frame,
                                                     FrameView& view) {
  const std::int64_t start = now_ns();
  std::int64_t attempt = start;
  sensors::Source& source = *sources_[stage];
  sensors::SourceState state = sensors::SourceState::waiting;
  mpi::Backoff backoff;
  while (true) {
    if (source_ended_) break;
    if (limits_.frames && frame >= *limits_.frames) {
      keep_counters(stage);
      break;
    }
    stop_source_when_due(source);
    attempt = now_ns();
    state = as_stage(pipeline_, stage, [&] { return source.poll(view); });
    if (state != sensors::SourceState::waiting) break;
    progress();
    backoff.wait();
  }
  const bool is_there = state == sensors::SourceState::frame;
  // Reading a file or making a frame up is work: that of the attempt which gave the frame.
  tally_.wait_ns.add(static_cast<std::uint64_t>((is_there ? attempt : now_ns()) - start));
  if (!is_there) return std::nullopt;
  if (!first_frame_ns_) first_frame_ns_ = attempt;
  return attempt;
}

void Executor::stop_source_when_due(sensors::Source& source) {
  const bool time_is_up =
      limits_.duration && first_frame_ns_ && now_ns() - *first_frame_ns_ >= limits_.duration->count();
  if (source_stopped_ || !(time_is_up || draining_.load(std::memory_order_relaxed))) return;
  source_stopped_ = true;
  set_phase("draining");
  source.stop();
}

void Executor::check_companions(const Step& step) {
  const std::vector<std::size_t>& inputs = pipeline_.stages[step.index].inputs;
  const Datum& first = data_[slot(step.instance, inputs.front())];
  for (std::size_t input : inputs) {
    const Datum& other = data_[slot(step.instance, input)];
    if (other.present == first.present &&
        (!first.present || other.header->sequence == first.header->sequence))
      continue;
    const auto text = [](const Datum& datum) {
      return datum.present ? fmt::format("frame {}", datum.header->sequence) : "no frame";
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
  Sending& sending = sends_[*home.channel];
  acquire(sending);
  std::byte* at = sending.channel->message() + home.offset;
  return {reinterpret_cast<FrameHeader*>(at), {at + header_bytes, bytes}};
}

void Executor::run_kernel(const Step& step) {
  const Stage& stage = pipeline_.stages[step.index];
  const std::size_t index = slot(step.instance, step.index);
  Datum& output = data_[index];
  bool present = true, ended = false, cut_off = false;
  inputs_.clear();
  for (std::size_t input : stage.inputs) {
    const Datum& datum = data_[slot(step.instance, input)];
    present = present && datum.present;
    ended = ended || datum.ended;
    cut_off = cut_off || datum.cut_off;
    inputs_.push_back({datum.header, {datum.bytes, pipeline_.stages[input].output.size().count}});
  }
  output = {.ended = ended, .cut_off = cut_off};
  if (!ended) check_companions(step);
  // A stateless kernel can meet the end before earlier frames, whose instances come later in the program.
  const bool finishes = ended && !finished_[step.index];
  if (!present && !finishes) return;

  const FrameBuffer buffer = output_buffer(index, stage.output.size().count);
  const Stopwatch stopwatch(tally_.compute_ns);
  Kernel& kernel = *kernels_[step.index];
  const Outcome outcome = as_stage(pipeline_, step.index, [&] {
    Outcome made = Outcome::absorbed;
    *buffer.header = present ? *inputs_.front().header : FrameHeader{};
    if (present) made = kernel.process(inputs_, buffer);
    if (finishes && made == Outcome::absorbed) made = kernel.finish(buffer);
    return made;
  });
  if (ended) finished_[step.index] = true;
  output = {buffer.header, buffer.bytes.data(), outcome == Outcome::produced, ended, cut_off};
  if (!present) return;

  StageTally& tally = tally_.stages[step.index];
  tally.runs.add(1);
  tally.total_ns.add(stopwatch.elapsed_ns());
  tally.time.record(Time(static_cast<Time::rep>(stopwatch.elapsed_ns())));
}

void Executor::give_to_sink(const Step& step) {
  const Stage& stage = pipeline_.stages[step.index];
  const Datum& input = data_[slot(step.instance, stage.inputs.front())];
  if (finished_[step.index]) return;

  const Stopwatch stopwatch(tally_.compute_ns);
  sensors::Sink& sink = *sinks_[step.index];
  SinkTally& tally = tally_.sinks[step.index];
  as_stage(pipeline_, step.index, [&] {
    if (input.present) sink.write({input.header, {input.bytes, stage.output.size().count}});
    if (input.ended) sink.close();
    return 0;
  });
  if (input.present) {
    const std::int64_t now = now_ns();
    tally.latency.record(Time(now - input.header->ingested_ns));
    tally_.stages[step.index].runs.add(1);
    tally_.stages[step.index].total_ns.add(stopwatch.elapsed_ns());
    tally_.stages[step.index].time.record(Time(static_cast<Time::rep>(stopwatch.elapsed_ns())));
  }
  if (input.ended) {
    finished_[step.index] = true;
    return;
  }
  tally.delivered.add(1);
  if (!input.present) tally.absorbed.add(1);
  if (input.cut_off) return;
  const auto now = static_cast<std::uint64_t>(now_ns());
  tally.timed.add(1);
  if (tally.timed.value() == program_.instances) tally.first_ns.set(now);
  tally.last_ns.set(now);
}

void Executor::release_round() {
  for (Receiving& receiving : receives_) {
    if (receiving.held && !receiving.closed) receiving.channel->release();
    receiving.held = false;
  }
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (source_held_[i]) sources_[i]->release();
    source_held_[i] = false;
  }
}

void Executor::acquire(Sending& sending) {
  if (sending.acquired) return;
  if (!sending.channel->try_acquire()) {
    const Stopwatch stopwatch(tally_.wait_ns);
    mpi::Backoff backoff;
    while (!sending.channel->try_acquire()) backoff.wait();
  }
  sending.acquired = true;
}

void Executor::progress() {
  for (Sending& sending : sends_) sending.channel->progress();
}

}  // namespace takt::pipeline
