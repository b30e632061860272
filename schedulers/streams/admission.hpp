#pragma once
/// Admission of streams to a machine, each with a rate of its own, beside what is running already.

#include <optional>
#include <string>
#include <vector>

#include "logp/machine.hpp"
#include "schedulers/streams/cyclic_timetable.hpp"
#include "schedulers/streams/stream.hpp"

namespace takt::schedulers {

struct StreamVerdict {
  std::string name;
  RequiredRate rate;
  /// How many times the rate was looked for.
  double margin = 1;
  bool is_admitted = false;
  /// Why not: what is in the way and by how much (refusal.hpp).
  std::string reason;
  /// What would do, tried out: more processors.
  std::vector<std::string> advice;
  /// Frames in a cycle: the rate given, never below the required one.
  std::uint32_t frames = 0;
  /// Where its tasks run, in ascending order.
  std::vector<ProcessorId> processors;
  /// From a frame's release, every cycle / frames, to the end of its last operation, at most.
  Time latency{0};
  /// Where it was refused: the most frames a cycle that would have been admitted; 0 for none.
  std::uint32_t possible_frames = 0;
};

struct Admission {
  CyclicTimetable timetable;
  /// In the order of the streams as given.
  std::vector<StreamVerdict> verdicts;
  /// The order in which the streams were placed, and whether it is another one than by priority and as given.
  std::vector<std::size_t> order;
  bool is_reordered = false;
  /// The streams' times are nanoseconds.
  bool is_measured = false;
};

/// Places streams one after the other, by priority, each into what the earlier ones and those that run
/// already have left free; nothing that is placed moves. Streams of one priority are placed in the order
/// given if all fit so, else in another order in which all fit: by falling load, by rising period, and of up
/// to five streams any order.
///
/// All share one cycle, a multiple of the running one's where there is one. A stream gets the fewest frames
/// a cycle that hold its rate, released evenly; the cycle is the one among multiples of the streams' periods
/// for which least is given away, so commensurable periods are met exactly. A stream is cut along several
/// topological orders into relay chains on 1, 2, ... processors, those with most free time, by dynamic
/// programming over the boundaries, so that the largest share of free time that it takes is least; a stream
/// without state may take different processors for each frame. Every operation then goes into the first free
/// place of the cycle. So a yes is certain, and judged by the checker; a no can be due to free time in pieces
/// that are too short. Where the machine has a network, a message passes its links along the shortest way,
/// each in its first free time of the cycle. Nothing is placed on processors that are `closed`: their host is
/// gone. docs/decisions/0005-streams-share-a-cycle.md says why. Throws
/// ConfigError when a cycle would have too many frames.
[[nodiscard]] Admission admit(const std::vector<Stream>& streams, const logp::Machine& machine,
                              const std::optional<CyclicTimetable>& running = {},
                              const std::vector<ProcessorId>& closed = {});

/// For people: a line a stream and a line a processor.
[[nodiscard]] std::string to_text(const Admission& admission);
/// A JSON object: `admitted`, `cycle`, `valid`, `streams`, `load` of each processor.
[[nodiscard]] std::string to_json(const Admission& admission);

}  // namespace takt::schedulers
