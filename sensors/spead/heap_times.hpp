#pragma once
/// The assignment of SPEAD packets to heaps by the times in heaps' first packets.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace takt::sensors {

/// Heaps are numbered by their times, a step apart. If only their first packets contain a time,
/// the other packets are assigned by the heap counter: as that heap's first packet defined it or,
/// if it has not arrived, by extrapolation from the previous heaps.
///
/// All times of one sender have the same remainder modulo a step, its phase. The heaps of each
/// phase are numbered separately, far apart, so that the assembler's vote selects the stream's
/// phase, and a returning phase keeps its former numbers. A phase is accepted after several
/// heaps: one damaged or forged time neither places the packets of other heaps nor moves its own
/// heap.
class HeapTimes {
 public:
  /// A stream whose heaps have `parts` packets each.
  HeapTimes(std::uint64_t step, std::uint64_t parts) : step_(step), span_((std::uint64_t{1} << 58) / parts) {}

  /// Returns the heap of a packet with this counter and time; empty if invalid or unknown.
  [[nodiscard]] std::optional<std::uint64_t> heap_of(std::uint64_t counter,
                                                     std::optional<std::uint64_t> time);

  /// Returns the time of a heap's number, in the sender's ticks.
  [[nodiscard]] std::uint64_t time_of(std::uint64_t heap) const {
    return heap % span_ * step_ + phases_[heap / span_ % phases_.size()].beyond;
  }

 private:
  /// Largest number of heaps whose packets may be interleaved.
  static constexpr std::size_t heaps_in_mind = 256;

  struct Told {
    std::uint64_t counter = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t heap = 0;
  };

  struct Phase {
    std::uint64_t beyond = 0;
    /// Heaps received until it is accepted.
    std::uint64_t heard = 0;
    /// Number of the last time received.
    std::uint64_t used = 0;
  };

  /// Returns the number of the phase's heap of time 0; nothing if the phase is not accepted yet.
  [[nodiscard]] std::optional<std::uint64_t> base_of(std::uint64_t beyond);

  const std::uint64_t step_;
  /// Distance of the heap numbers of successive phases.
  const std::uint64_t span_;
  std::array<Told, heaps_in_mind> recent_{};
  /// Offset from counters to heap numbers: as confirmed by two in a row, and of the last one.
  std::optional<std::uint64_t> ahead_;
  std::uint64_t candidate_ = 0;
  /// The latest phases; if all are in use, an unaccepted one is replaced first.
  std::array<Phase, 32> phases_{};
  std::uint64_t times_ = 0;
};

}  // namespace takt::sensors
