#pragma once
/// Timing of arrangements in which no processor may be occupied longer than a period.

#include <cstdint>
#include <utility>
#include <vector>

#include "schedulers/search/workload.hpp"
#include "schedulers/sequences/arrangement.hpp"

namespace takt::schedulers {

/// Times arrangements of a workload of one instance, fast enough for searches.
///
/// Messages are those of logp::time_task_messages: one per task and destination or, if messages occupy no
/// processor, one per datum and destination. The network's capacity is ignored. Borrows the workload.
class SequenceTiming {
 public:
  using Ticks = Time::rep;

  explicit SequenceTiming(const Workload& workload);

  /// Returns the sum of the excesses of the processors' occupancies over the period; 0 if they fit. Every
  /// operation starts as early as possible, then each processor's start is delayed until it ends in time, for
  /// as many passes as may be needed. A pass takes O(n + m log m).
  Ticks lateness(const Arrangement& arrangement, Ticks period);
  /// Returns the time from the first start to the last end in the timetable of the last lateness() call.
  [[nodiscard]] Ticks makespan() const;

 private:
  struct State {
    bool has_begun = false;
    Ticks start = 0, ready = 0;
    Ticks next_send = 0, next_receive = 0, first_send = 0, first_receive = 0;
    bool has_sent = false, has_received = false;

    Ticks begin(Ticks earliest) {
      const Ticks at = std::max(ready, earliest);
      if (!has_begun) start = at;
      has_begun = true;
      return at;
    }
  };

  /// The message from a task to a processor, and the pass in which it was received last.
  struct Message {
    Ticks arrival = 0, receive = 0, spacing = 0;
    std::uint64_t received_in = 0;
  };
  /// The kind of costs of messages.
  enum class Messages : std::uint8_t { cost_nothing, occupy_no_processor, occupy_processors };

  void run(const Arrangement& arrangement);
  [[nodiscard]] Ticks arrival_of_inputs(const Arrangement& arrangement, std::uint32_t task) const;
  void receive(const Arrangement& arrangement, std::uint32_t task);
  void send(const Arrangement& arrangement, std::uint32_t task);
  [[nodiscard]] Bytes size_of_message(const Arrangement& arrangement, std::uint32_t task,
                                      std::uint32_t to) const;

  const Workload& workload_;
  const TaskGraph& graph_;
  std::size_t processors_;
  Messages messages_;
  std::vector<Ticks> end_;
  /// By task and destination.
  std::vector<Message> sent_;
  std::uint64_t pass_ = 0;
  std::vector<State> state_;
  std::vector<Ticks> release_;
  std::vector<std::pair<Ticks, std::uint32_t>> arrivals_;
  std::vector<std::uint32_t> destinations_;
};

}  // namespace takt::schedulers
