#pragma once
/// Admission of streams with individual rates to a machine, in addition to the running ones.

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
  /// Factor of the required rate that was placed.
  double margin = 1;
  bool is_admitted = false;
  /// Reason of the refusal: the obstacle and its amount (refusal.hpp).
  std::string reason;
  /// Successfully tested remedies: more processors.
  std::vector<std::string> advice;
  /// Frames in a hyperperiod: the granted rate, never below the required one.
  std::uint32_t frames = 0;
  /// The processors of its tasks, in ascending order.
  std::vector<ProcessorId> processors;
  /// Longest time from a frame's release, every cycle / frames, to the end of its last operation.
  Time latency{0};
  /// If refused: the most frames per hyperperiod that would have been admitted; 0 for none.
  std::uint32_t possible_frames = 0;
};

struct Admission {
  CyclicTimetable timetable;
  /// In the order of the given streams.
  std::vector<StreamVerdict> verdicts;
  /// The order of placement, and whether it differs from that by priority and in the given order.
  std::vector<std::size_t> order;
  bool is_reordered = false;
  /// The streams' times are nanoseconds.
  bool is_measured = false;
};

/// Places streams one after the other, by priority, each into the free time that earlier and running streams
/// have left; placed operations never move. Streams of equal priority are placed in the given order if all
/// fit. Otherwise other orders are tried: by falling load, by rising period, and any order of up to five
/// streams.
///
/// All share one hyperperiod, a multiple of the running one's if there is one. A stream gets the fewest
/// frames per hyperperiod that sustain its rate, released evenly. The hyperperiod is the multiple of a
/// stream's period with the least excess over the required rates, so commensurable periods are met exactly. A
/// stream is cut along several topological orders into relay chains on 1, 2, ... processors, those with the
/// most free time. Dynamic programming over the boundaries minimises the largest used share of free time; a
/// stream without state may use different processors for each frame. Every operation then goes into the first
/// free interval of the hyperperiod. So an admission is certain, and verified by the checker; a refusal can
/// be due to free intervals that are too short. On a network, a message uses its links along the shortest
/// path, each in its first free interval of the hyperperiod. Processors that are `closed`, because their host
/// has failed, get no new operations. docs/decisions/0005-streams-share-a-cycle.md has the reasons. Throws
/// ConfigError if a hyperperiod would have too many frames.
[[nodiscard]] Admission admit(const std::vector<Stream>& streams, const logp::Machine& machine,
                              const std::optional<CyclicTimetable>& running = {},
                              const std::vector<ProcessorId>& closed = {});

/// Returns text for users: a line per stream and a line per processor.
[[nodiscard]] std::string to_text(const Admission& admission);
/// Returns a JSON object: `admitted`, `cycle`, `valid`, `streams`, `load` of each processor.
[[nodiscard]] std::string to_json(const Admission& admission);

}  // namespace takt::schedulers
