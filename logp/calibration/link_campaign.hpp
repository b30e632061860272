#pragma once
/// Measures one link: which sizes, how often, and how long.

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
  /// Messages up to this size.
  Bytes largest{16 << 20};
  /// Rounds before sizes are added, as far as there is time for them; all sizes take part in them.
  int first_rounds = 5;
  /// Sizes that refinement may reach.
  std::size_t most_sizes = 72;
  /// Undisturbed visits that each size should have.
  std::size_t least_visits = 5;
  /// Messages of a burst, where they are small; 2 at least.
  std::size_t longest_burst = 32;
  /// Places in memory that messages go round.
  std::size_t slots = 8;
  RefineOptions refine;
  Samples samples = Samples::quiet;
  /// Whether to look at the machine's state before each visit.
  bool looks_at_state = false;
  std::uint64_t seed = 1;
};

/// What a small message and an empty one back take these two ranks at the moment, in nanoseconds: a reference
/// for what is measured next. 0 where the ranks were disturbed.
[[nodiscard]] double reference_time(Coordinator& coordinator, const std::vector<int>& ranks);

/// Places in memory that messages of this size go round, of `most`: as the frames of a pipeline do, whose
/// channels have several. One that goes to and fro in a single place meets caches in a state that is left
/// from long before, and that differs from visit to visit by half of its time. As many as fit into 1 MiB for
/// each of `most`, four at least.
[[nodiscard]] std::uint64_t ring_slots(Bytes size, std::uint64_t most);

/// Messages of a burst: one for each of these slots, since what is sent twice from the same memory lies in
/// both processors' caches; as many as make a mebibyte where they are small, up to `longest`; two at least.
[[nodiscard]] std::uint64_t burst_length(Bytes size, std::uint64_t slots, std::uint64_t longest);

/// Nanoseconds that a round trip of this size probably takes, for planning.
[[nodiscard]] double expected_time(const LinkObservations& observations, Bytes size, Samples samples);

/// Coordinates two ranks. Every size is visited once a round, in random order, so that a neighbour that is
/// busy for a while spoils a few visits of every size rather than all visits of one.
class LinkCampaign {
 public:
  using Clock = std::chrono::steady_clock;

  LinkCampaign(Coordinator& coordinator, std::vector<int> ranks, const CampaignOptions& options);

  /// Visits each size once, large ones in some rounds only; what is left at this moment is left out.
  void measure_round(Clock::time_point at_the_latest, const std::function<void()>& on_progress);

  /// Rounds until the first moment, a few at least; then, up to the second one, more visits to sizes that
  /// were disturbed too often. Behind the second one, sizes that were not visited yet are left out, but for
  /// the least and the largest. `on_progress` is called between visits.
  void measure(Clock::time_point until, Clock::time_point at_the_latest,
               const std::function<void()>& on_progress);

  [[nodiscard]] const LinkObservations& observations() const { return observations_; }

  /// Bytes of memory that a campaign needs on each rank.
  [[nodiscard]] static std::size_t memory(const CampaignOptions& options);

 private:
  void visit_sizes(Clock::time_point until, Clock::time_point at_the_latest,
                   const std::function<void()>& on_progress);
  void visit(Bytes size);
  void look_at_state();
  void visit_exchange(Bytes size);
  void visit_overheads(Bytes size);
  void visit_burst(Bytes size);
  /// A few sizes more, where most is wrong: with each round more is known of what is.
  void refine(Clock::time_point at_the_latest, const std::function<void()>& on_progress);
  [[nodiscard]] bool lacks_visits(const SizeObservations& entry, Quantity quantity,
                                  const MachineState& state) const;
  /// Of the last visit where that was quiet, otherwise of all.
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
