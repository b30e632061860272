#include "logp/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/graphs/task_groups.hpp"
#include "core/offsets.hpp"
#include "core/random.hpp"
#include "logp/bottleneck.hpp"
#include "logp/device_queues.hpp"
#include "logp/link_times.hpp"
#include "logp/simulated_program.hpp"

namespace takt::logp {

namespace {

/// A message of one instance, over all iterations.
struct TransferState {
  /// Arrival of the last `buffers` messages, and start and end of their receives, by iteration modulo
  /// `buffers`.
  std::vector<Time> arrival;
  std::vector<Time> received_from;
  std::vector<Time> received_until;
  /// First iteration that was still waiting at the last arrival.
  std::uint64_t first_waiting = 0;
  std::uint64_t most_waiting = 0;
  Time waited{0};
};

struct ProcessorState {
  Time ready{0};
  Time next_send{0};
  Time next_receive{0};
  double wander = 0;
  /// Accumulated fraction of a tick of the additional time of its computations.
  double rest = 0;
};

/// State of one instance of an iteration.
struct FrameState {
  Time arrival{0};
  Time first_start{0};
  Time last_take{0};
  Time end{0};
  bool started = false;
};

class Simulation {
 public:
  Simulation(const TaskGraph& graph, const Machine& machine, const Schedule& schedule,
             const SimulationOptions& options)
      : schedule_(schedule),
        options_(options),
        repetition_time_(measure(schedule).repetition),
        is_varied_(options.jitter > Time{0} || options.jitter_share > 0 || options.drift > 0),
        depth_(static_cast<std::uint64_t>(largest_offset(schedule))),
        source_depth_(largest_source_offset(graph, schedule)),
        // A run never uses more buffers than frames.
        buffers_(std::min(std::max(options.buffers, least_buffers(schedule)), options.frames)),
        random_(options.seed),
        outages_(options.outages, machine.processor_count()),
        processors_(machine.processor_count()),
        present_(std::min(depth_, options.frames) + 1),
        frames_(present_.size() * schedule.replicas),
        watched_ends_(frames_.size() * options.watched.size()),
        state_ends_(schedule.travelling.size()),
        devices_(schedule),
        program_(simulated_program(graph, machine, schedule, options, devices_)),
        link_busy_(program_.passages.size()),
        input_starts_(options.input_places + std::min(source_depth_, options.frames) * schedule.replicas) {
    check_times(program_, options, devices_, repetition_time_);
    const std::vector<Time> never(buffers_, Time{0});
    transfers_.assign(program_.transfers.size(), {never, never, never});
    if (options.drift > 0)
      for (ProcessorState& processor : processors_) processor.wander = random_.unit();
    result_.processors.resize(machine.processor_count());
    result_.latencies.reserve(options.frames);
    result_.latencies_to.resize(options.watched.size());
  }

  SimulationResult run() {
    std::uint64_t iterations = 0;
    for (std::uint64_t i = 0;; ++i) {
      if (i == iterations && admit_frames(i) > 0) ++iterations;
      // After the last frames the pipeline drains.
      if (i >= iterations && (iterations == 0 || i - iterations >= depth_)) break;
      if (options_.drift > 0) wander();
      if (!program_.passages.empty()) forget_links();
      repeat(i, iterations);
      if (i >= source_depth_ && i - source_depth_ < iterations) note_taken(i - source_depth_);
      if (i >= depth_ && i - depth_ < iterations) deliver(i - depth_);
    }
    summarise();
    return std::move(result_);
  }

 private:
  // ---- input ----

  /// The state of an instance of one of the last iterations.
  FrameState& frame(std::uint64_t iteration, std::uint32_t instance) {
    return frames_[iteration % present_.size() * schedule_.replicas + instance];
  }

  /// Fills an iteration with the next frames that the input queue can hold, one for each instance, and
  /// returns their number.
  std::uint32_t admit_frames(std::uint64_t iteration) {
    std::uint32_t& present = present_[iteration % present_.size()];
    present = 0;
    while (present < schedule_.replicas && result_.ingested < options_.frames) {
      const std::uint64_t index = result_.ingested++;
      if (!options_.frame_interval) {
        frame(iteration, present++) = {};
        ++admitted_;
        continue;
      }
      const Time arrival(std::llround(static_cast<double>(index) * *options_.frame_interval));
      const std::uint64_t number = admitted_;
      while (first_not_taken_ < taken_ && input_starts_[first_not_taken_ % input_starts_.size()] <= arrival)
        ++first_not_taken_;
      const std::uint64_t waiting = number - first_not_taken_;
      if (waiting >= input_starts_.size()) {
        ++result_.lost;
        continue;
      }
      result_.most_input_queue = std::max(result_.most_input_queue, waiting + 1);
      frame(iteration, present++) = {.arrival = arrival};
      ++admitted_;
    }
    return present;
  }

  /// The tasks without inputs have taken all frames of an iteration.
  void note_taken(std::uint64_t iteration) {
    for (std::uint32_t i = 0; i < present_[iteration % present_.size()]; ++i)
      input_starts_[taken_++ % input_starts_.size()] = frame(iteration, i).last_take;
  }

  // ---- one repetition ----

  /// No send can start before the slowest processor is ready.
  void forget_links() {
    Time ready = Time::max();
    for (std::size_t p = 0; p < processors_.size(); ++p)
      if (!schedule_.processors[p].empty()) ready = std::min(ready, processors_[p].ready);
    links_.forget_before(ready);
  }

  void wander() {
    constexpr double step = 0.01;
    for (ProcessorState& processor : processors_)
      processor.wander = std::clamp(processor.wander + step * (2 * random_.unit() - 1), 0.0, 1.0);
  }

  [[nodiscard]] Time varied(Time length, ProcessorState& processor) {
    const auto exact = static_cast<double>(length.count());
    double longer = processor.rest + exact * options_.drift * processor.wander;
    if (options_.jitter_share > 0) longer += exact * options_.jitter_share * random_.unit();
    if (options_.jitter > Time{0})
      longer += std::floor(static_cast<double>(options_.jitter.count() + 1) * random_.unit());
    const double whole = std::floor(longer);
    processor.rest = longer - whole;
    return length + Time(static_cast<Time::rep>(whole));
  }

  /// Executes the program of one iteration; `iterations` have frames.
  void repeat(std::uint64_t number, std::uint64_t iterations) {
    for (const SimulatedStep& step : program_.steps) {
      // Frames before the first one, or after the last one.
      if (step.offset > number || number - step.offset >= iterations) continue;
      const std::uint64_t repetition = number - step.offset;
      if (step.instance >= present_[repetition % present_.size()]) continue;
      const std::uint64_t place = repetition % buffers_;
      ProcessorState& processor = processors_[step.processor];
      ProcessorTimes& times = result_.processors[step.processor];
      FrameState& frame = this->frame(repetition, step.instance);
      Time start = processor.ready;
      auto wait_until = [&](Time time, Time& account) {
        if (time <= start) return;
        if (processor.ready > Time{0} || number > 0) account += time - start;
        start = time;
      };
      switch (step.kind) {
        case OperationKind::compute: {
          if (step.takes_frame) take(frame, start, wait_until, times);
          if (step.state) wait_until(state_ends_[*step.state], times.message_wait);
          if (step.on_device) wait_until(devices_.end_of_oldest(*step.on_device), times.message_wait);
          const Time length = is_varied_ ? varied(step.length, processor) : step.length;
          times.compute += length;
          processor.ready = work(step, start, length, times);
          if (step.state) state_ends_[*step.state] = processor.ready;
          if (step.on_device) devices_.start(*step.on_device, processor.ready);
          if (step.watched) watched_end(repetition, step.instance, *step.watched) = processor.ready;
          break;
        }
        case OperationKind::send: {
          TransferState& transfer = transfers_[step.transfer];
          wait_until(processor.next_send, times.gap_wait);
          wait_until(transfer.received_until[place], times.room_wait);
          const Time sent = work(step, start, step.length, times);
          transfer.arrival[place] =
              pass_links(step, sent + step.transit - step.length,
                         std::max(static_cast<Time::rep>(repetition) * repetition_time_, frame.arrival));
          processor.next_send = start + step.gap;
          times.overhead += step.length;
          processor.ready = sent;
          break;
        }
        case OperationKind::receive: {
          TransferState& transfer = transfers_[step.transfer];
          const Time arrival = transfer.arrival[place];
          wait_until(arrival, times.message_wait);
          wait_until(processor.next_receive, times.gap_wait);
          processor.ready = work(step, start, step.length, times);
          processor.next_receive = start + step.gap;
          times.overhead += step.length;
          const std::uint64_t ahead = waiting_at(arrival, transfer, repetition);
          transfer.received_from[place] = start;
          transfer.received_until[place] = processor.ready;
          transfer.waited += start - arrival;
          if (start > arrival) transfer.most_waiting = std::max(transfer.most_waiting, ahead + 1);
          break;
        }
      }
      frame.end = std::max(frame.end, processor.ready);
    }
  }

  /// Returns when a message of an iteration with the planned begin `begin` has passed all its links. It is
  /// ready at the given time, but uses no link earlier than reserved: without delays, messages do not
  /// conflict.
  Time pass_links(const SimulatedStep& step, Time ready, Time begin) {
    for (std::size_t k = 0; k < step.passage_count; k += step.passages_together) {
      const std::size_t first = step.first_passage + k;
      const LinkPassage& passage = program_.passages[first];
      ready = links_.book(std::span(program_.links).subspan(first, step.passages_together),
                          std::max(ready, begin + passage.reserved), passage.length) +
              passage.length;
      for (Time& busy : std::span(link_busy_).subspan(first, step.passages_together)) busy += passage.length;
    }
    return ready;
  }

  /// Moves the start after an outage, if there is one; returns the end of the operation.
  Time work(const SimulatedStep& step, Time& start, Time length, ProcessorTimes& times) const {
    if (outages_.empty()) return start + length;
    const Outages::Work work = outages_.work(step.processor, start, length);
    times.outage += work.end - start - length;
    start = work.start;
    return work.end;
  }

  template <class Wait>
  void take(FrameState& frame, Time& start, Wait wait_until, ProcessorTimes& times) {
    wait_until(frame.arrival, times.input_wait);
    frame.first_start = frame.started ? std::min(frame.first_start, start) : start;
    frame.last_take = std::max(frame.last_take, start);
    frame.started = true;
  }

  Time& watched_end(std::uint64_t iteration, std::uint32_t instance, std::size_t task) {
    const std::uint64_t frame = iteration % present_.size() * schedule_.replicas + instance;
    return watched_ends_[frame * options_.watched.size() + task];
  }

  /// Returns the number of earlier iterations of the message that still waited when this one arrived.
  [[nodiscard]] std::uint64_t waiting_at(Time arrival, TransferState& transfer,
                                         std::uint64_t repetition) const {
    while (transfer.first_waiting < repetition &&
           transfer.received_from[transfer.first_waiting % buffers_] <= arrival)
      ++transfer.first_waiting;
    return repetition - transfer.first_waiting;
  }

  void deliver(std::uint64_t iteration) {
    for (std::uint32_t i = 0; i < present_[iteration % present_.size()]; ++i) {
      const FrameState& frame = this->frame(iteration, i);
      const Time since = options_.frame_interval ? frame.arrival : frame.first_start;
      result_.latencies.push_back(frame.end - since);
      for (std::size_t task = 0; task < result_.latencies_to.size(); ++task)
        result_.latencies_to[task].push_back(watched_end(iteration, i, task) - since);
      if (options_.frame_interval) input_waited_ += frame.last_take - frame.arrival;
      if (result_.delivered == 0) first_start_ = frame.first_start;
      ++result_.delivered;
      last_end_ = std::max(last_end_, frame.end);
    }
    ends_.push_back({last_end_, result_.delivered});
  }

  // ---- result ----

  void summarise() {
    result_.duration = last_end_ - first_start_;
    const auto duration = static_cast<double>(std::max(Time{1}, result_.duration).count());
    if (ends_.size() >= 2) {
      // Excludes the frames of the draining pipeline, if there are others.
      const std::size_t last = ends_.size() > depth_ + 2 ? ends_.size() - 1 - depth_ : ends_.size() - 1;
      const auto& [middle, frames_then] = ends_[last / 2];
      const auto& [end, frames] = ends_[last];
      result_.sustained_period =
          static_cast<double>((end - middle).count()) / static_cast<double>(frames - frames_then);
    }
    double sum = 0;
    for (Time latency : result_.latencies) sum += static_cast<double>(latency.count());
    if (result_.delivered > 0) result_.mean_latency = sum / static_cast<double>(result_.delivered);
    std::ranges::sort(result_.latencies);
    for (std::vector<Time>& latencies : result_.latencies_to) std::ranges::sort(latencies);
    result_.mean_input_queue = static_cast<double>(input_waited_.count()) / duration;

    std::map<std::pair<ProcessorId, ProcessorId>, ChannelQueue> channels;
    for (std::size_t i = 0; i < transfers_.size(); ++i) {
      const TransferState& transfer = transfers_[i];
      const auto& [from, to] = program_.transfers[i];
      ChannelQueue& channel = channels[{from, to}];
      channel.from = from;
      channel.to = to;
      channel.mean += static_cast<double>(transfer.waited.count()) / duration;
      channel.most = std::max(channel.most, transfer.most_waiting);
    }
    for (const auto& [ends, channel] : channels) result_.channels.push_back(channel);
    std::map<LinkId, Time> links;
    for (std::size_t k = 0; k < link_busy_.size(); ++k) links[program_.links[k]] += link_busy_[k];
    for (const auto& [link, busy] : links) result_.links.push_back({link, busy});
    result_.devices = devices_.loads(last_end_);
    result_.bottleneck = bottleneck_of(result_, options_);
  }

  const Schedule& schedule_;
  const SimulationOptions& options_;
  const Time repetition_time_;
  const bool is_varied_;
  /// Largest offset, of all operations and of tasks without inputs.
  const std::uint64_t depth_, source_depth_;
  const std::uint64_t buffers_;
  Random random_;
  const Outages outages_;
  LinkTimes links_;
  std::vector<TransferState> transfers_;
  std::vector<ProcessorState> processors_;
  /// Number of frames of the last iterations, by iteration modulo its size.
  std::vector<std::uint32_t> present_;
  /// The same, then by instance.
  std::vector<FrameState> frames_;
  /// The same, then by watched task.
  std::vector<Time> watched_ends_;
  /// By task whose state travels: the end of its last instance.
  std::vector<Time> state_ends_;
  DeviceQueues devices_;
  const SimulatedProgram program_;
  /// By passage: sum over all iterations.
  std::vector<Time> link_busy_;
  /// Times at which the last frames left the input, by their number modulo its places.
  std::vector<Time> input_starts_;
  std::uint64_t admitted_ = 0;
  /// Of the admitted frames, those with a known start, and the first that is not taken yet.
  std::uint64_t taken_ = 0;
  std::uint64_t first_not_taken_ = 0;
  Time input_waited_{0};
  Time first_start_{0};
  Time last_end_{0};
  /// End of each iteration, and the frames delivered by then.
  std::vector<std::pair<Time, std::uint64_t>> ends_;
  SimulationResult result_;
};

}  // namespace

SimulationResult simulate(const TaskGraph& graph, const Machine& machine, const Schedule& schedule,
                          const SimulationOptions& options) {
  check(options, machine, schedule);
  if (schedule.processors.size() != machine.processor_count())
    throw ConfigError(fmt::format("the schedule has {} processors, the machine {}",
                                  schedule.processors.size(), machine.processor_count()));
  if (runs_in_groups(graph, schedule))
    throw ConfigError(
        "the schedule runs moldable tasks on groups of processors, which cannot be simulated over many "
        "frames (takt verify checks two successive iterations)");
  return Simulation(graph, machine, schedule, options).run();
}

}  // namespace takt::logp
