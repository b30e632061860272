#pragma once
/// Reservations modulo a repetition: the time of a processor or link, and the messages in flight.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/units.hpp"

namespace takt::schedulers {

/// Returns `time` modulo the repetition, from 0 on.
[[nodiscard]] constexpr Time modulo(Time time, Time repetition) {
  return (time % repetition + repetition) % repetition;
}

/// The operations of a processor, or the transfers of a link, none of which may overlap modulo the
/// repetition.
class Circle {
 public:
  /// `lengths`: of all that will be reserved.
  Circle(Time repetition, std::vector<Time> lengths);

  /// Decides whether a start is possible, besides overlaps.
  using Accept = std::function<bool(Time)>;

  /// Returns the earliest start from `ready` on, within one repetition, at which an operation of this length
  /// is accepted and the rest of the lengths still fits, first fit; nothing if there is none. Starts that
  /// touch another reservation, `ready`, and the `others` modulo the repetition are tried. O(n) starts,
  /// O(log n) each, and O(n log n) where the operation would overlap nothing.
  [[nodiscard]] std::optional<Time> find(Time ready, Time length, std::vector<Time> others,
                                         const Accept& accept) const;
  void reserve(Time start, Time length);
  /// Returns whether a start is possible: it overlaps nothing, and the rest of the lengths still fits.
  [[nodiscard]] bool has_room(Time start, Time length) const {
    return is_free(start, length) && rest_fits(start, length);
  }
  /// Adds the starts that touch another reservation.
  void propose(Time length, std::vector<Time>& starts) const;

 private:
  struct Busy {
    Time start{0};
    Time length{0};
  };
  static void insert(Busy busy, std::vector<Busy>& all);
  [[nodiscard]] bool is_free(Time start, Time length) const;
  [[nodiscard]] bool rest_fits(Time start, Time length) const;

  Time repetition_;
  /// By start, from 0 to the repetition, then by length. Those without a length may stand between others, not
  /// within.
  std::vector<Busy> busy_;
  /// Longest first.
  std::vector<Time> rest_;
};

/// Starts of sends, or of receives, of a processor, with their gaps.
class GapCircle {
 public:
  explicit GapCircle(Time repetition) : repetition_(repetition) {}
  [[nodiscard]] bool accepts(Time start, Time gap) const;
  /// Adds the starts that are just possible next to the others.
  void propose(Time gap, std::vector<Time>& starts) const;
  void reserve(Time start, Time gap) { starts_.push_back({modulo(start, repetition_), gap}); }

 private:
  struct Start {
    Time at{0};
    Time gap{0};
  };
  Time repetition_;
  std::vector<Start> starts_;
};

/// Messages in flight from, or to, a processor, in all iterations together: at any instant at most the least
/// capacity of those in flight.
class FlightCircle {
 public:
  explicit FlightCircle(Time repetition) : repetition_(repetition) {}
  [[nodiscard]] bool accepts(Time enter, Time length, std::int64_t capacity) const;
  /// Adds the times to enter at which another flight ends, and those to end when another one begins.
  void propose(Time length, std::vector<Time>& enters) const;
  void reserve(Time enter, Time length, std::int64_t capacity);

 private:
  struct Arc {
    Time enter{0};
    Time length{0};
    std::int64_t capacity = 0;
  };
  [[nodiscard]] bool is_within(Time instant, const std::vector<Arc>& arcs) const;

  Time repetition_;
  std::vector<Arc> arcs_;
};

}  // namespace takt::schedulers
