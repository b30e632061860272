#pragma once
/// Receivers of datagrams: bare loops, Boost.Asio, and takt's source.

#include <cstdint>

#include "core/units.hpp"
#include "sensors/lofar/format.hpp"

namespace takt::bench {

/// One measurement: a single port of this computer, received until the sender has stopped.
struct Task {
  sensors::LofarFormat format;
  /// Packets that the sender passes to the kernel as one.
  std::size_t segments = 1;
  double seconds = 1;
  /// Size of the memory of takt's frames.
  Bytes memory;
};

struct Outcome {
  std::uint64_t sent = 0, received = 0, frames_dropped = 0;
  double seconds = 0;
  /// Processor time of all threads of the receiver.
  std::int64_t cpu_ns = 0;
};

/// Receive by recvmmsg into the same buffers; into a ring of memory; with coalesced datagrams; and by
/// async_receive_from.
Outcome receive_and_discard(const Task& task);
Outcome receive_and_keep(const Task& task);
Outcome receive_coalesced(const Task& task);
Outcome receive_with_asio(const Task& task);
/// Receive by a LofarUdpSource whose frames are taken and released; without and with coalesced datagrams.
Outcome receive_frames(const Task& task);
Outcome receive_frames_coalesced(const Task& task);
/// The same with two receiving threads (the single sender of a port keeps one of them busy) and a third
/// thread that assembles frames. The threads run on the cores after the sender's, in cyclic order.
Outcome receive_frames_apart(const Task& task);

/// Returns the size of the frames that the source of receive_frames allocates.
[[nodiscard]] Bytes frame_memory(const sensors::LofarFormat& format);

}  // namespace takt::bench
