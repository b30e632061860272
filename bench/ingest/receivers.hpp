#pragma once
/// Receivers of datagrams: bare loops, Boost.Asio's way, and takt's source.

#include <cstdint>

#include "core/units.hpp"
#include "sensors/lofar/format.hpp"

namespace takt::bench {

/// What one of them is to do: one port of this computer, until the sender has stopped.
struct Task {
  sensors::LofarFormat format;
  /// Packets that the sender hands to the kernel as one.
  std::size_t segments = 1;
  double seconds = 1;
  /// As large as the memory of takt's frames.
  Bytes memory;
};

struct Outcome {
  std::uint64_t sent = 0, received = 0, frames_dropped = 0;
  double seconds = 0;
  /// Of the receiver, all its threads.
  std::int64_t cpu_ns = 0;
};

/// recvmmsg into the same buffers again and again; into a ring of memory; with coalesced datagrams; and
/// async_receive_from.
Outcome receive_and_discard(const Task& task);
Outcome receive_and_keep(const Task& task);
Outcome receive_coalesced(const Task& task);
Outcome receive_with_asio(const Task& task);
/// A LofarUdpSource whose frames are taken and given back; without and with coalesced datagrams.
Outcome receive_frames(const Task& task);
Outcome receive_frames_coalesced(const Task& task);
/// The same with two threads that receive (of which one port's single sender keeps one busy) for a third one
/// that puts frames together, each on the next of the processors behind the sender's, and round again.
Outcome receive_frames_apart(const Task& task);

/// Of the frames that the source of receive_frames allocates.
[[nodiscard]] Bytes frame_memory(const sensors::LofarFormat& format);

}  // namespace takt::bench
