#include "schedulers/sequences/sequence_timing.hpp"

#include <algorithm>
#include <limits>

#include "logp/message_costs.hpp"
#include "schedulers/delay/timetable.hpp"

namespace takt::schedulers {

SequenceTiming::SequenceTiming(const Workload& workload)
    : workload_(workload),
      graph_(workload.items()),
      processors_(workload.machine().processor_count()),
      messages_(workload.machine().communication_is_free()         ? Messages::cost_nothing
                : messages_occupy_no_processor(workload.machine()) ? Messages::occupy_no_processor
                                                                   : Messages::occupy_processors),
      end_(graph_.task_count()),
      sent_(messages_ == Messages::occupy_processors ? graph_.task_count() * processors_ : 0),
      state_(processors_),
      release_(processors_) {}

SequenceTiming::Ticks SequenceTiming::lateness(const Arrangement& arrangement, Ticks period) {
  std::fill(release_.begin(), release_.end(), 0);
  Ticks late = 0;
  for (std::size_t round = 0; round <= processors_; ++round) {
    run(arrangement);
    late = 0;
    for (std::size_t p = 0; p < processors_; ++p) {
      const State& state = state_[p];
      const Ticks over =
          std::max({state.ready - period, state.next_send - period - state.first_send + state.start,
                    state.next_receive - period - state.first_receive + state.start}) -
          state.start;
      if (!state.has_begun || over <= 0) continue;
      late += over;
      release_[p] = state.start + over;
    }
    if (late == 0) return 0;
  }
  return late;
}

SequenceTiming::Ticks SequenceTiming::makespan() const {
  Ticks first = std::numeric_limits<Ticks>::max(), last = 0;
  for (const State& state : state_) {
    if (!state.has_begun) continue;
    first = std::min(first, state.start);
    last = std::max(last, state.ready);
  }
  return std::max<Ticks>(0, last - first);
}

void SequenceTiming::run(const Arrangement& arrangement) {
  ++pass_;
  for (std::size_t p = 0; p < processors_; ++p) state_[p] = {.start = release_[p], .ready = release_[p]};
  for (std::uint32_t task : arrangement.order()) {
    const std::uint32_t p = arrangement.processors()[task];
    State& state = state_[p];
    Ticks earliest = 0;
    if (messages_ == Messages::occupy_processors)
      receive(arrangement, task);
    else
      earliest = arrival_of_inputs(arrangement, task);
    const Ticks start = state.begin(earliest);
    end_[task] = state.ready =
        start + workload_.time(TaskId(task), workload_.class_of(ProcessorId(p))).count();
    if (messages_ == Messages::occupy_processors) send(arrangement, task);
  }
}

SequenceTiming::Ticks SequenceTiming::arrival_of_inputs(const Arrangement& arrangement,
                                                        std::uint32_t task) const {
  const std::uint32_t to = arrangement.processors()[task];
  Ticks latest = 0;
  for (EdgeId in : graph_.in_edges(TaskId(task))) {
    const Edge edge = graph_.edge(in);
    const std::uint32_t from = arrangement.processors()[edge.from.index()];
    Ticks arrival = end_[edge.from.index()];
    if (messages_ == Messages::occupy_no_processor && from != to)
      arrival += std::max<Ticks>(
          0, workload_.links(ProcessorId(from), ProcessorId(to)).latency.at(edge.size).count());
    latest = std::max(latest, arrival);
  }
  return latest;
}

/// Receives all inputs of the task that its processor lacks, in order of arrival.
void SequenceTiming::receive(const Arrangement& arrangement, std::uint32_t task) {
  const std::uint32_t p = arrangement.processors()[task];
  arrivals_.clear();
  for (EdgeId in : graph_.in_edges(TaskId(task))) {
    const auto from = static_cast<std::uint32_t>(graph_.edge(in).from.index());
    if (arrangement.processors()[from] == p) continue;
    Message& message = sent_[from * processors_ + p];
    if (message.received_in == pass_) continue;
    message.received_in = pass_;
    arrivals_.emplace_back(message.arrival, from);
  }
  std::sort(arrivals_.begin(), arrivals_.end());
  State& state = state_[p];
  for (const auto& [arrival, from] : arrivals_) {
    const Message& message = sent_[from * processors_ + p];
    const Ticks at = state.begin(state.has_received ? std::max(arrival, state.next_receive) : arrival);
    if (!state.has_received) state.first_receive = at;
    state.has_received = true;
    state.next_receive = at + message.spacing;
    state.ready = at + message.receive;
  }
}

/// Sends one message to each other processor that needs any of the task's data.
void SequenceTiming::send(const Arrangement& arrangement, std::uint32_t task) {
  const std::uint32_t p = arrangement.processors()[task];
  State& state = state_[p];
  destinations_.clear();
  for (EdgeId out : graph_.out_edges(TaskId(task))) {
    const std::uint32_t to = arrangement.processors()[graph_.edge(out).to.index()];
    if (to != p && std::find(destinations_.begin(), destinations_.end(), to) == destinations_.end())
      destinations_.push_back(to);
  }
  std::sort(destinations_.begin(), destinations_.end());
  for (std::uint32_t to : destinations_) {
    const Bytes size = size_of_message(arrangement, task, to);
    const logp::MessageCosts costs(workload_.links(ProcessorId(p), ProcessorId(to)), size);
    const Ticks at = state.begin(state.has_sent ? state.next_send : state.ready);
    if (!state.has_sent) state.first_send = at;
    state.has_sent = true;
    state.next_send = at + costs.send_gap.count();
    state.ready = at + costs.send_overhead.count();
    Message& message = sent_[task * processors_ + to];
    message.arrival = at + costs.transit().count();
    message.receive = costs.receive_overhead.count();
    message.spacing = costs.receive_gap.count();
  }
}

Bytes SequenceTiming::size_of_message(const Arrangement& arrangement, std::uint32_t task,
                                      std::uint32_t to) const {
  Bytes size;
  const auto out = graph_.out_edges(TaskId(task));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Edge edge = graph_.edge(out[i]);
    if (arrangement.processors()[edge.to.index()] != to) continue;
    bool is_first = true;
    for (std::size_t j = 0; j < i && is_first; ++j) {
      const Edge other = graph_.edge(out[j]);
      is_first = other.datum != edge.datum || arrangement.processors()[other.to.index()] != to;
    }
    if (is_first) size += edge.size;
  }
  return size;
}

}  // namespace takt::schedulers
