#pragma once
/// Measures one link: chooses sizes, visits and durations.

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/random.hpp"
#include "logp/calibration/coordinator.hpp"
#include "logp/calibration/observations.hpp"
#include "logp/calibration/refine.hpp"

namespace takt::logp {

struct CampaignOptions {
  /// Largest message size.
  Bytes largest{16 << 20};
  /// Iterations before refinement, as far as there is time; all sizes are visited in them.
  int first_rounds = 5;
  /// Largest number of sizes after refinement.
  std::size_t most_sizes = 72;
  /// Undisturbed visits that each size should have.
  std::size_t least_visits = 5;
  /// Messages of a burst of small messages; at least 2.
  std::size_t longest_burst = 32;
  /// Number of memory slots that messages cycle through.
  std::size_t slots = 8;
  RefineOptions refine;
  Samples samples = Samples::quiet;
  /// Whether to measure the machine's state before each visit.
  bool looks_at_state = false;
  std::uint64_t seed = 1;
};

/// Returns the current time of a small message and an empty one back between two ranks, in nanoseconds: a
/// reference for the next measurement. 0 if the ranks were disturbed.
[[nodiscard]] double reference_time(Coordinator& coordinator, const std::vector<int>& ranks);

/// Returns the number of memory slots, up to `most`, for messages of this size: the messages cycle through
/// them like frames through the buffers of a pipeline's channels. A round trip in a single slot meets caches
/// in a state from long before, and varies between visits by half of its time. As many as fit into 1 MiB for
/// each of `most`, at least four.
[[nodiscard]] std::uint64_t ring_slots(Bytes size, std::uint64_t most);

/// Returns the messages of a burst: one per slot, since memory that is sent twice is in both processors'
/// caches; a mebibyte of small ones, up to `longest`; at least two.
[[nodiscard]] std::uint64_t burst_length(Bytes size, std::uint64_t slots, std::uint64_t longest);

/// Returns the expected nanoseconds of a round trip of this size, for planning.
[[nodiscard]] double expected_time(const LinkObservations& observations, Bytes size, Samples samples);

/// Coordinates two ranks. Visits every size once per iteration, in random order, so that a temporary
/// disturbance spoils a few visits of every size rather than all visits of one.
class LinkCampaign {
 public:
  using Clock = std::chrono::steady_clock;

  LinkCampaign(Coordinator& coordinator, std::vector<int> ranks, const CampaignOptions& options);

  /// Visits each size once, large ones only in some iterations; skips the rest after the deadline.
  void measure_round(Clock::time_point at_the_latest, const std::function<void()>& on_progress);

  /// Runs iterations until the first deadline, at least a few; then, until the second one, visits sizes that
  /// were disturbed too often. After that, unvisited sizes are left out, except the smallest and the largest.
  /// Calls `on_progress` between visits.
  void measure(Clock::time_point until, Clock::time_point at_the_latest,
               const std::function<void()>& on_progress);

  [[nodiscard]] const LinkObservations& observations() const { return observations_; }

  /// Returns the bytes of memory that a campaign needs on each rank.
  [[nodiscard]] static std::size_t memory(const CampaignOptions& options);

 private:
  void visit_sizes(Clock::time_point until, Clock::time_point at_the_latest,
                   const std::function<void()>& on_progress);
  void visit(Bytes size);
  void look_at_state();
  void visit_exchange(Bytes size);
  void visit_overheads(Bytes size);
  void visit_burst(Bytes size);
  /// Adds a few sizes with the largest errors; each iteration locates errors better.
  void refine(Clock::time_point at_the_latest, const std::function<void()>& on_progress);
  [[nodiscard]] bool lacks_visits(const SizeObservations& entry, Quantity quantity,
                                  const MachineState& state) const;
  /// Returns the median of the last visit if that visit was quiet, otherwise the median of all visits.
  [[nodiscard]] double median_round_trip(Bytes size);
  void record(Bytes size, Quantity quantity, Visit visit);

  Coordinator& coordinator_;
  std::vector<int> ranks_;
  CampaignOptions options_;
  Random random_;
  LinkObservations observations_;
  int rounds_ = 0;
  double reference_ = 0;
};

}  // namespace takt::logp
