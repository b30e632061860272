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
/// All times of a stream are the same part of a step beyond whole steps: one that is not is of no heap. When
/// so many in a row agree on another part the sender has begun anew, and numbers go on far away: nothing of
/// what was before can be confused with it. One time that is damaged or forged neither places the packets of
/// other heaps nor changes where its own heap is.
class HeapTimes {
 public:
  /// A stream whose heaps have `parts` packets each.
  HeapTimes(std::uint64_t step, std::uint64_t parts) : step_(step), span_((std::uint64_t{1} << 58) / parts) {}

  /// The heap of a packet with this counter and time; nothing where the time is of no heap, or none is known.
  [[nodiscard]] std::optional<std::uint64_t> heap_of(std::uint64_t counter,
                                                     std::optional<std::uint64_t> time);

  /// Of a heap's number, in the sender's ticks.
  [[nodiscard]] std::uint64_t time_of(std::uint64_t heap) const {
    return heap % span_ * step_ + beyond_[heap / span_ % beyond_.size()];
  }

 private:
  /// Heaps of which packets may come mixed.
  static constexpr std::size_t heaps_in_mind = 256;

  struct Told {
    std::uint64_t counter = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t heap = 0;
  };

  /// Of the present beginning's heap 0.
  [[nodiscard]] std::uint64_t base() const { return (beginnings_ - 1) % beyond_.size() * span_; }
  /// Whether times so far beyond whole steps are the stream's.
  [[nodiscard]] bool is_of_stream(std::uint64_t beyond);

  const std::uint64_t step_;
  /// Heaps between the numbers of one beginning and those of the next.
  const std::uint64_t span_;
  std::array<Told, heaps_in_mind> told_{};
  /// From counters to numbers of heaps: as two in a row told, and as the last one did.
  std::optional<std::uint64_t> ahead_;
  std::uint64_t candidate_ = 0;
  /// Of each beginning, the latest ones.
  std::array<std::uint64_t, 32> beyond_{};
  std::size_t beginnings_ = 0;
  std::uint64_t other_ = 0;
  std::size_t in_a_row_ = 0;
};

}  // namespace takt::sensors
