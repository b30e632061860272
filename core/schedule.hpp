#pragma once
/// A schedule as plain data: for each processor an ordered list of operations with start and end.
///
/// A schedule describes `replicas` successive instances (frames) and repeats: it is one iteration of an
/// infinite timetable. With replicas == 1 (the usual case) every operation belongs to instance 0. With
/// replication over R groups of processors, instance r of the R runs on group r, and the whole repeats every
/// R frames.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/period.hpp"
#include "core/units.hpp"

namespace takt {

enum class OperationKind : std::uint8_t { compute, send, receive };

/// Largest number of instances in a schedule.
inline constexpr std::uint32_t largest_replicas = std::uint32_t{1} << 30;

/// The occupation of a processor from `start` to `end`. In 24 bytes: a schedule may have millions.
struct Operation {
  Operation() = default;
  /// `of_instance` is below `largest_replicas`.
  Operation(OperationKind what, std::uint32_t of_instance, std::uint32_t of, Time from, Time to)
      : kind(what), instance(of_instance & (largest_replicas - 1)), subject(of), start(from), end(to) {}
  void set_instance(std::uint32_t number) { instance = number & (largest_replicas - 1); }

  OperationKind kind : 2 = OperationKind::compute;
  /// The instance within the schedule, 0 .. replicas - 1.
  std::uint32_t instance : 30 = 0;
  /// Index of the task (compute) or of the message (send, receive).
  std::uint32_t subject = 0;
  Time start{0};
  Time end{0};

  [[nodiscard]] TaskId task() const { return TaskId(subject); }
  [[nodiscard]] MessageId message() const { return MessageId(subject); }
  friend bool operator==(const Operation&, const Operation&) = default;
};

/// A transfer over one link of a network with a topology.
struct Hop {
  LinkId link;
  Time start{0};
  Time end{0};
  friend bool operator==(const Hop&, const Hop&) = default;
};

/// A message from one processor to another. It carries the data of `payload(message)`.
struct Message {
  ProcessorId from;
  ProcessorId to;
  /// Sum of the sizes of its distinct data; one unit if it carries none.
  Bytes size;
  std::uint32_t first_datum = 0;
  std::uint32_t datum_count = 0;
  std::uint32_t first_hop = 0;
  std::uint32_t hop_count = 0;
  friend bool operator==(const Message&, const Message&) = default;
};

/// What a task does on a device for each of its instances, while its processor goes on.
struct DeviceUse {
  TaskId task;
  /// Time in which it occupies one unit of the device.
  Time work{0};
  /// Time before its work, in which the unit is free for others.
  Time transfer{0};
  /// Instances that may be under way at once; positive.
  std::uint32_t depth = 1;
  friend bool operator==(const DeviceUse&, const DeviceUse&) = default;
};

/// A device on which tasks work without their processors, or a link to or from one (core/devices.hpp).
struct Device {
  std::string name;
  /// Instances on which it works at once; positive.
  std::uint32_t units = 1;
  /// One for each of its tasks.
  std::vector<DeviceUse> uses = {};
  /// Computations, in order of start. They may end after the iteration, and as many as there are units
  /// overlap.
  std::vector<Operation> operations = {};
  friend bool operator==(const Device&, const Device&) = default;
};

struct Schedule {
  /// Name of the scheduler.
  std::string scheduler;
  /// Number of successive instances in one iteration of this schedule.
  std::uint32_t replicas = 1;
  /// Operations of each processor of the machine in order of start; idle processors have none.
  std::vector<std::vector<Operation>> processors;
  std::vector<Message> messages;
  /// Data and link transfers of all messages, one message's after the other's.
  std::vector<DatumId> data;
  std::vector<Hop> hops;

  /// Tasks that the runtime must execute on whole frames although it could process these in parts; ascending.
  /// The schedule itself does not depend on it.
  std::vector<TaskId> whole_frames;

  /// Tasks whose state travels from the processor of one instance to that of the next one; ascending. Each
  /// instance begins after the one before has ended, also across iterations. The work of such a task includes
  /// the transfer of its state, for which there is no message.
  std::vector<TaskId> travelling;

  /// Devices and their links. An instance of a task passes those that it uses in this order. The time of such
  /// a task on its processor is that in which it starts work and collects results.
  std::vector<Device> devices;

  /// Least time between iterations, even if every processor is free: required by the gap between a
  /// processor's last send and its first one of the next iteration, or by the network's capacity. 0 if only
  /// the occupancy counts.
  Time least_repetition{0};

  /// The time between iterations of a pipelined schedule: only such a schedule has it. Its times are those of
  /// the first iteration's frames, and may go beyond that iteration: processors work on frames of several
  /// iterations in turn (core/offsets.hpp). Positive.
  std::optional<Time> repetition;

  /// A lower bound of the period of any schedule, with any number of replicas, if the scheduler knows one;
  /// `optimal` if it has proven that this schedule's period is minimal.
  std::optional<Period> period_bound;
  /// The class of schedules to which the bound and the optimality apply, such as `schedules of one frame at a
  /// time`, if they are proven for a class only.
  std::string period_bound_among;
  bool optimal = false;
  /// The class of schedules, such as `relay chains`, within which the period is minimal, if that is proven
  /// for a class only.
  std::string optimal_among;
  /// A lower bound of the makespan of any schedule, if the scheduler knows one: a schedule with this makespan
  /// is optimal.
  std::optional<Time> makespan_bound;
  /// The scheduler's approximation guarantee: the makespan is at most this many times the least possible one,
  /// if communication were free.
  std::optional<double> guarantee;

  explicit Schedule(std::string name = {}, std::size_t processor_count = 0)
      : scheduler(std::move(name)), processors(processor_count) {}

  [[nodiscard]] const Message& message(MessageId id) const { return messages[id.index()]; }
  [[nodiscard]] std::span<const DatumId> payload(MessageId id) const {
    return std::span(data).subspan(message(id).first_datum, message(id).datum_count);
  }
  [[nodiscard]] std::span<const Hop> route(MessageId id) const {
    return std::span(hops).subspan(message(id).first_hop, message(id).hop_count);
  }

  MessageId add_message(ProcessorId from, ProcessorId to, Bytes size, std::span<const DatumId> payload);
  /// Sets a message's transfers, link by link; once for each message.
  void set_route(MessageId message, std::span<const Hop> route);
  void add(ProcessorId processor, Operation operation) { processors[processor.index()].push_back(operation); }
  void add_compute(ProcessorId processor, TaskId task, Time start, Time end, std::uint32_t instance = 0);
  void add_send(ProcessorId processor, MessageId message, Time start, Time end, std::uint32_t instance = 0);
  void add_receive(ProcessorId processor, MessageId message, Time start, Time end,
                   std::uint32_t instance = 0);

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// What a task does on all of its devices.
struct TaskOnDevices {
  TaskId task;
  /// Transfers and work on all of them, without waits.
  Time latency{0};
  /// Instances that may be under way at once; positive.
  std::uint32_t depth = 1;
  /// Returns the least period that the depth allows.
  [[nodiscard]] Period period() const { return {latency, depth}; }
};

/// Returns the tasks of devices, in the order of their first devices. O(uses log uses).
[[nodiscard]] std::vector<TaskOnDevices> tasks_on_devices(const Schedule& schedule);
/// Returns the least period that the units of a device allow: the sum of the work of its tasks over its units
/// (core/devices.hpp).
[[nodiscard]] Period period_of(const Device& device);
/// Returns the least time between iterations that the units of the devices and the depths of their tasks
/// allow; 0 without devices.
[[nodiscard]] Time repetition_of_devices(const Schedule& schedule);

/// The activity of one processor during one iteration of the schedule: from its first operation to its last
/// one. In a pipelined schedule the times are within an iteration, and the longest idle time lies outside.
struct Occupancy {
  Time start{0};
  Time end{0};
  Time compute{0};
  /// Time spent in sends and receives.
  Time overhead{0};

  [[nodiscard]] Time occupied() const { return end - start; }
  [[nodiscard]] Time blank() const { return occupied() - compute - overhead; }
  friend bool operator==(const Occupancy&, const Occupancy&) = default;
};

/// Figures that follow from the operations alone.
struct ScheduleMetrics {
  std::vector<Occupancy> occupancy;
  std::size_t processors_used = 0;
  /// Last end minus first start.
  Time makespan{0};
  /// The longest time from a frame's first operation to its last one: the makespan, if an iteration holds one
  /// frame.
  Time latency{0};
  /// The time between successive iterations, that is between `replicas` frames: that of the schedule if it is
  /// pipelined, otherwise the largest occupancy, or the schedule's least_repetition or that of its devices if
  /// that is longer.
  Time repetition{0};
  std::uint32_t replicas = 1;

  /// Return the time between successive frames, exactly and in ticks: repetition / replicas, a fraction only
  /// with replication.
  [[nodiscard]] Period exact_period() const { return {repetition, replicas}; }
  [[nodiscard]] double period() const { return exact_period().ticks(); }
  /// Returns the frames per tick; 0 for an empty schedule. Frames per second are 1e9 times this.
  [[nodiscard]] double frequency() const { return repetition.count() > 0 ? 1.0 / period() : 0.0; }
};

/// O(operations), for a pipelined schedule O(n log n). Source: definitions of the LOIS thesis on
/// frequency-oriented scheduling, chapter 2.
[[nodiscard]] ScheduleMetrics measure(const Schedule& schedule);

}  // namespace takt
