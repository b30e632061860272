#pragma once
/// Which heap of a SPEAD stream a packet is of, by the times that heaps' first packets tell.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace takt::sensors {

/// Heaps are numbered by their times, a step apart. Where their first packets alone tell a time, the others
/// are found by the heap's counter: as that heap's first packet said, or, where it has not come, as the heaps
/// before were.
///
/// All times of one sender are the same part of a step beyond whole steps, its phase. Heaps of each phase are
/// numbered on their own, far away from those of the others, so that the assembler's vote decides which of
/// them are the stream, and a phase that comes back has its former numbers. A phase is believed after some
/// heaps: one time that is damaged or forged neither places the packets of other heaps nor changes where its
/// own heap is.
class HeapTimes {
 public:
  /// A stream whose heaps have `parts` packets each.
  HeapTimes(std::uint64_t step, std::uint64_t parts) : step_(step), span_((std::uint64_t{1} << 58) / parts) {}

  /// The heap of a packet with this counter and time; nothing where the time is of no heap, or none is known.
  [[nodiscard]] std::optional<std::uint64_t> heap_of(std::uint64_t counter,
                                                     std::optional<std::uint64_t> time);

  /// Of a heap's number, in the sender's ticks.
  [[nodiscard]] std::uint64_t time_of(std::uint64_t heap) const {
    return heap % span_ * step_ + phases_[heap / span_ % phases_.size()].beyond;
  }

 private:
  /// Heaps of which packets may come mixed.
  static constexpr std::size_t heaps_in_mind = 256;

  struct Told {
    std::uint64_t counter = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t heap = 0;
  };

  struct Phase {
    std::uint64_t beyond = 0;
    /// Heaps heard, until it is believed.
    std::uint64_t heard = 0;
    /// Number of the time that was heard last.
    std::uint64_t used = 0;
  };

  /// Number of the phase's heap of time 0; nothing where the phase is not believed yet.
  [[nodiscard]] std::optional<std::uint64_t> base_of(std::uint64_t beyond);

  const std::uint64_t step_;
  /// Heaps between the numbers of one phase and those of the next.
  const std::uint64_t span_;
  std::array<Told, heaps_in_mind> told_{};
  /// From counters to numbers of heaps: as two in a row told, and as the last one did.
  std::optional<std::uint64_t> ahead_;
  std::uint64_t candidate_ = 0;
  /// The latest ones; where there is no room for another, one that is not believed gives way first.
  std::array<Phase, 32> phases_{};
  std::uint64_t times_ = 0;
};

}  // namespace takt::sensors
