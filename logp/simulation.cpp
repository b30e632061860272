#include "logp/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/graphs/task_groups.hpp"
#include "core/offsets.hpp"
#include "core/random.hpp"
#include "logp/device_queues.hpp"
#include "logp/link_times.hpp"
#include "logp/traffic.hpp"

namespace takt::logp {

namespace {

/// One operation of the schedule, prepared for repeated execution.
struct Step {
  OperationKind kind = OperationKind::compute;
  /// A task without inputs: it waits for its frame.
  bool takes_frame = false;
  std::uint32_t processor = 0;
  std::uint32_t instance = 0;
  /// Iteration i executes it for the frames of iteration i - offset.
  std::uint64_t offset = 0;
  /// Index of the transfer (send, receive).
  std::uint32_t transfer = 0;
  Time length{0};
  /// After a send or receive, to the start of the next one.
  Time gap{0};
  /// From the start of a send to the arrival, or to the first link.
  Time transit{0};
  /// Index of its first passage over a link.
  std::uint32_t first_passage = 0;
  std::uint32_t passage_count = 0;
  /// Number of links that its message holds together.
  std::uint32_t passages_together = 1;
  /// Index among the watched tasks, for a computation of one.
  std::optional<std::uint32_t> watched = {};
  /// Index among the tasks whose state travels, for a computation of one.
  std::optional<std::uint32_t> state = {};
  /// Index among the tasks of devices, for a computation of one.
  std::optional<std::uint32_t> on_device = {};
};

/// A message on one link of its route.
struct Passage {
  Time length{0};
  /// Reserved time in the first iteration.
  Time reserved{0};
  /// Sum over all iterations.
  Time busy{0};
};

/// A message of one instance, over all iterations.
struct TransferState {
  ProcessorId from;
  ProcessorId to;
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
  Time came_in{0};
  Time first_start{0};
  Time last_take{0};
  Time end{0};
  bool started = false;
};

Time first_start(const Schedule& schedule) {
  Time first = Time::max();
  for (const std::vector<Operation>& operations : schedule.processors)
    if (!operations.empty()) first = std::min(first, operations.front().start);
  return first;
}

/// Identifies a message of an instance.
std::uint64_t key_of(const Operation& operation) {
  return std::uint64_t{operation.instance} << 32 | operation.subject;
}

/// Returns the largest offset of the tasks without inputs.
std::int64_t offset_of_sources(const TaskGraph& graph, const Schedule& schedule) {
  std::int64_t largest = 0;
  if (schedule.repetition)
    for (const std::vector<Operation>& operations : schedule.processors)
      for (const Operation& operation : operations)
        if (operation.kind == OperationKind::compute && graph.in_edges(operation.task()).empty())
          largest = std::max(largest, offset_of(operation, *schedule.repetition));
  return largest;
}

/// Offsets of the sends of a pipelined schedule.
class SendOffsets {
 public:
  explicit SendOffsets(const Schedule& schedule) : repetition_(schedule.repetition) {
    if (!repetition_) return;
    for (const std::vector<Operation>& operations : schedule.processors)
      for (const Operation& operation : operations)
        if (operation.kind == OperationKind::send)
          offsets_.emplace(key_of(operation), offset_of(operation, *repetition_));
  }
  /// Returns the number of iterations by which a receive follows its send.
  [[nodiscard]] std::int64_t behind(const Operation& receive) const {
    if (!repetition_) return 0;
    const auto send = offsets_.find(key_of(receive));
    return send == offsets_.end() ? 0 : offset_of(receive, *repetition_) - send->second;
  }

 private:
  std::optional<Time> repetition_;
  std::unordered_map<std::uint64_t, std::int64_t> offsets_;
};

/// Returns the least number of iterations by which senders may be ahead of receivers without deadlock.
std::uint64_t least_buffers(const Schedule& schedule) {
  const SendOffsets sends(schedule);
  std::int64_t least = 1;
  if (schedule.repetition)
    for (const std::vector<Operation>& operations : schedule.processors)
      for (const Operation& operation : operations)
        if (operation.kind == OperationKind::receive) least = std::max(least, sends.behind(operation) + 1);
  return static_cast<std::uint64_t>(least);
}

Time slowed(Time length, double slowness) {
  constexpr double most = 1e18;
  return Time(std::llround(std::min(static_cast<double>(length.count()) * slowness, most)));
}

class Simulation {
 public:
  Simulation(const TaskGraph& graph, const Machine& machine, const Schedule& schedule,
             const SimulationOptions& options)
      : schedule_(schedule),
        options_(options),
        repetition_time_(measure(schedule).repetition),
        is_varied_(options.jitter > Time{0} || options.jitter_share > 0 || options.drift > 0),
        depth_(static_cast<std::uint64_t>(largest_offset(schedule))),
        source_depth_(static_cast<std::uint64_t>(offset_of_sources(graph, schedule))),
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
        input_starts_(options.input_places + std::min(source_depth_, options.frames) * schedule.replicas) {
    make_steps(graph, machine);
    check_times();
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
      if (!passages_.empty()) forget_links();
      repeat(i, iterations);
      if (i >= source_depth_ && i - source_depth_ < iterations) note_taken(i - source_depth_);
      if (i >= depth_ && i - depth_ < iterations) deliver(i - depth_);
    }
    summarise();
    return std::move(result_);
  }

 private:
  // ---- preparation ----

  void make_steps(const TaskGraph& graph, const Machine& machine) {
    const FlightCostTable costs(machine, schedule_);
    std::unordered_map<std::uint64_t, std::uint32_t> transfer_of;
    auto transfer = [&](const Operation& operation) {
      const auto [found, is_new] = transfer_of.emplace(key_of(operation), transfers_.size());
      if (is_new) {
        const Message& message = schedule_.message(operation.message());
        const std::vector<Time> never(buffers_, Time{0});
        transfers_.push_back({message.from, message.to, never, never, never});
      }
      return found->second;
    };

    // Operations in an order in which each follows those of its iteration that it waits for: a processor
    // continues until it meets a receive whose send of the same iteration has not come yet, or a task whose
    // state travels and comes from an instance before that has not come yet.
    const std::vector<std::vector<IterationStep>> programs = iteration_programs(schedule_);
    const SendOffsets sends(schedule_);
    std::vector<std::size_t> next(processors_.size(), 0);
    std::vector<bool> is_sent;
    std::vector<std::uint32_t> turns(state_ends_.size(), 0);
    for (bool progress = true; progress;) {
      progress = false;
      for (std::uint32_t p = 0; p < processors_.size(); ++p) {
        for (; next[p] < programs[p].size(); ++next[p]) {
          const IterationStep& place = programs[p][next[p]];
          const Operation& operation = schedule_.processors[p][place.operation];
          Step step{.kind = operation.kind,
                    .processor = p,
                    .instance = operation.instance,
                    .offset = static_cast<std::uint64_t>(place.offset),
                    .length = operation.end - operation.start};
          if (operation.kind == OperationKind::compute) {
            const auto state = std::ranges::find(schedule_.travelling, operation.task());
            if (state != schedule_.travelling.end()) {
              step.state = static_cast<std::uint32_t>(state - schedule_.travelling.begin());
              if (turns[*step.state] != operation.instance) break;
              ++turns[*step.state];
            }
            step.takes_frame = graph.in_edges(operation.task()).empty();
            step.on_device = devices_.find(operation.task());
            const auto watched = std::ranges::find(options_.watched, operation.task());
            if (watched != options_.watched.end())
              step.watched = static_cast<std::uint32_t>(watched - options_.watched.begin());
            if (!options_.slowness.empty()) step.length = slowed(step.length, options_.slowness[p]);
          } else {
            step.transfer = transfer(operation);
            is_sent.resize(transfers_.size(), false);
            const FlightCosts& cost = costs[operation.subject];
            const bool is_send = operation.kind == OperationKind::send;
            if (!is_send && !is_sent[step.transfer] && sends.behind(operation) <= 0) break;
            if (is_send) is_sent[step.transfer] = true;
            step.gap = is_send ? cost.send_gap : cost.receive_gap;
            step.transit = cost.transit();
            if (is_send) add_passages(machine.platform().network, operation.message(), step);
          }
          steps_.push_back(step);
          progress = true;
        }
      }
    }
    for (std::size_t p = 0; p < processors_.size(); ++p)
      if (next[p] < programs[p].size())
        throw ConfigError(fmt::format("processor {} waits for a message that is never sent", p));
  }

  void add_passages(const Network& network, MessageId message, Step& step) {
    const auto route = schedule_.route(message);
    if (route.empty()) return;
    step.transit = step.length;
    step.first_passage = static_cast<std::uint32_t>(passages_.size());
    step.passage_count = static_cast<std::uint32_t>(route.size());
    const Time planned_start = first_start(schedule_);
    for (const Hop& hop : route) {
      if (hop.link.index() >= network.links.size())
        throw ConfigError(fmt::format("message {} passes link {}: the machine's network has {}",
                                      message.index(), hop.link.index(), network.links.size()));
      links_passed_.push_back(hop.link);
    }
    const auto add = [&](std::span<const LinkId> together, Time length) {
      for (std::size_t i = 0; i < together.size(); ++i)
        passages_.push_back({length, route[passages_.size() - step.first_passage].start - planned_start});
      if (together.size() > 1) step.passages_together = step.passage_count;
    };
    network.for_each_leg(std::span(links_passed_).subspan(step.first_passage),
                         schedule_.message(message).size, add);
  }

  /// Throws if sums of times could overflow.
  void check_times() const {
    constexpr double limit = 1e18;
    const double most_longer = 1 + options_.jitter_share + options_.drift;
    double repetition = 0;
    for (const Step& step : steps_) {
      const auto length = static_cast<double>(step.length.count());
      repetition += step.kind == OperationKind::compute
                        ? length * most_longer + static_cast<double>(options_.jitter.count()) + 1
                        : length + static_cast<double>((step.gap + step.transit).count());
      if (step.on_device) repetition += static_cast<double>(devices_.latency(*step.on_device).count());
    }
    for (const Passage& passage : passages_)
      repetition += static_cast<double>((repetition_time_ + passage.reserved + passage.length).count());
    const auto frames = static_cast<double>(options_.frames);
    const double most = frames * (repetition + options_.frame_interval.value_or(0));
    if (!(most <= limit))
      throw ConfigError(fmt::format("{} frames can take up to {:.3g} ticks: the limit is {:.3g}",
                                    options_.frames, most, limit));
  }

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
      const Time came_in(std::llround(static_cast<double>(index) * *options_.frame_interval));
      const std::uint64_t number = admitted_;
      while (first_not_taken_ < taken_ && input_starts_[first_not_taken_ % input_starts_.size()] <= came_in)
        ++first_not_taken_;
      const std::uint64_t waiting = number - first_not_taken_;
      if (waiting >= input_starts_.size()) {
        ++result_.lost;
        continue;
      }
      result_.most_input_queue = std::max(result_.most_input_queue, waiting + 1);
      frame(iteration, present++) = {.came_in = came_in};
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
    for (const Step& step : steps_) {
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
                         std::max(static_cast<Time::rep>(repetition) * repetition_time_, frame.came_in));
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
  Time pass_links(const Step& step, Time ready, Time begin) {
    const auto passages = std::span(passages_).subspan(step.first_passage, step.passage_count);
    const auto links = std::span(links_passed_).subspan(step.first_passage, step.passage_count);
    for (std::size_t k = 0; k < passages.size(); k += step.passages_together) {
      const Time length = passages[k].length;
      ready = links_.book(links.subspan(k, step.passages_together),
                          std::max(ready, begin + passages[k].reserved), length) +
              length;
      for (Passage& passage : passages.subspan(k, step.passages_together)) passage.busy += length;
    }
    return ready;
  }

  /// Moves the start after an outage, if there is one; returns the end of the operation.
  Time work(const Step& step, Time& start, Time length, ProcessorTimes& times) const {
    if (outages_.empty()) return start + length;
    const Outages::Work work = outages_.work(step.processor, start, length);
    times.outage += work.end - start - length;
    start = work.start;
    return work.end;
  }

  template <class Wait>
  void take(FrameState& frame, Time& start, Wait wait_until, ProcessorTimes& times) {
    wait_until(frame.came_in, times.input_wait);
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
      const Time since = options_.frame_interval ? frame.came_in : frame.first_start;
      result_.latencies.push_back(frame.end - since);
      for (std::size_t task = 0; task < result_.latencies_to.size(); ++task)
        result_.latencies_to[task].push_back(watched_end(iteration, i, task) - since);
      if (options_.frame_interval) input_waited_ += frame.last_take - frame.came_in;
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
    for (const TransferState& transfer : transfers_) {
      ChannelQueue& channel = channels[{transfer.from, transfer.to}];
      channel.from = transfer.from;
      channel.to = transfer.to;
      channel.mean += static_cast<double>(transfer.waited.count()) / duration;
      channel.most = std::max(channel.most, transfer.most_waiting);
    }
    for (const auto& [ends, channel] : channels) result_.channels.push_back(channel);
    std::map<LinkId, Time> links;
    for (std::size_t k = 0; k < passages_.size(); ++k) links[links_passed_[k]] += passages_[k].busy;
    for (const auto& [link, busy] : links) result_.links.push_back({link, busy});
    result_.devices = devices_.loads(last_end_);
    name_bottleneck();
  }

  void name_bottleneck() {
    constexpr double nearly_all = 0.98;
    const auto duration = static_cast<double>(std::max(Time{1}, result_.duration).count());
    auto load = [&](const ProcessorTimes& times) {
      return static_cast<double>((times.busy() + times.gap_wait).count()) / duration;
    };
    const auto busiest = std::ranges::max_element(result_.processors, std::less{}, load);
    double largest = load(*busiest);
    std::string name = fmt::format("processor {}", busiest - result_.processors.begin());
    for (const auto& [link, busy] : result_.links)
      if (const double its = static_cast<double>(busy.count()) / duration; its > largest) {
        largest = its;
        name = fmt::format("link {}", link.index());
      }
    for (const DeviceLoad& device : result_.devices)
      if (const double its = static_cast<double>(device.busy.count()) / device.units / duration;
          its > largest) {
        largest = its;
        name = fmt::format("device '{}'", device.device);
      }
    name += fmt::format(", busy {:.1f} % of the time", 100 * largest);
    const bool keeps_up = options_.frame_interval && result_.lost == 0 &&
                          result_.sustained_period.value_or(0) <= *options_.frame_interval / nearly_all;
    if (keeps_up)
      result_.bottleneck = "the input: all processors keep up; busiest is " + name;
    else if (largest >= nearly_all)
      result_.bottleneck = name;
    else
      result_.bottleneck = "messages and back-pressure between processors; busiest is " + name;
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
  std::vector<Step> steps_;
  std::vector<Passage> passages_;
  /// The link of each passage.
  std::vector<LinkId> links_passed_;
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

Time SimulationResult::quantile(const std::vector<Time>& ascending, double share) {
  if (ascending.empty()) return Time{0};
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(ascending.size())));
  return ascending[std::clamp<std::size_t>(rank, 1, ascending.size()) - 1];
}

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
