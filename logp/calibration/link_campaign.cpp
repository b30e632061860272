#include "logp/calibration/link_campaign.hpp"

#include <algorithm>
#include <cmath>

namespace takt::logp {

namespace {

/// Largest time of the samples between two reads of the scheduler's counters: long enough for
/// synchronisation, short enough to be rarely disturbed.
constexpr double block_time = 40'000;
/// Largest time of one visit to one quantity.
constexpr double visit_time = 400'000;

/// Number of uncounted messages at the start of a block, if they are fast.
std::uint64_t warm_up(double each) {
  return each < 5'000 ? 4 : each < 50'000 ? 2 : 0;
}

/// Larger messages do not fit into a core's own caches.
constexpr Bytes large{1 << 20};

/// Large messages take most of an iteration's time: they are visited in every second or fourth one only.
int rounds_between_visits(Bytes size) {
  constexpr Bytes very_large{4 << 20};
  return size > very_large ? 4 : size > large ? 2 : 1;
}

/// Also for the largest messages, which are then always in memory, not in a cache.
constexpr std::uint64_t least_slots = 4;

/// Number of blocks with a round trip in each slot, which bring the slots into the same cache state as in the
/// next iteration; at least one block in either direction.
std::uint64_t lead_in(const Command& command) {
  const std::uint64_t length = command.warm_up + command.count;
  return std::max<std::uint64_t>(2, (2 * command.slots + length - 1) / length);
}

/// Returns the number of executions that fit into a time.
std::uint64_t fitting(double time, double each, std::uint64_t least, std::uint64_t most) {
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(time / each), least, most);
}

/// Small messages are received in batches, so that o_recv is that of a stream: the first one of several
/// waiting messages costs more, and the others almost nothing.
constexpr std::uint64_t batch_bytes = 64 << 10;

/// Number of counted blocks: each slot is used at least once in either direction.
std::uint64_t repeats_of(const Command& command, double each) {
  const double block = each * static_cast<double>(command.count + command.warm_up);
  const std::uint64_t all_places = (2 * command.slots + command.count - 1) / command.count;
  return std::max(fitting(visit_time, block, 2, 4), all_places);
}

/// Larger messages travel only on request of the receiver (rendezvous): only their announcement arrives.
constexpr Bytes largest_unasked{256 << 10};

}  // namespace

LinkCampaign::LinkCampaign(Coordinator& coordinator, std::vector<int> ranks, const CampaignOptions& options)
    : coordinator_(coordinator), ranks_(std::move(ranks)), options_(options), random_(options.seed) {
  observations_.at(Bytes{0});
  for (const Bytes size : powers_of_two(options.largest)) observations_.at(size);
}

std::uint64_t ring_slots(Bytes size, std::uint64_t most) {
  constexpr std::uint64_t bytes_a_slot = 1 << 20;
  const std::uint64_t fitting = most * bytes_a_slot / std::max<std::uint64_t>(size.count, 1);
  return std::clamp<std::uint64_t>(fitting, std::min(least_slots, most), most);
}

std::uint64_t burst_length(Bytes size, std::uint64_t slots, std::uint64_t longest) {
  constexpr std::uint64_t burst_bytes = 1 << 20;
  const std::uint64_t fitting = burst_bytes / std::max<std::uint64_t>(size.count, 1);
  return std::clamp<std::uint64_t>(std::max(fitting, ring_slots(size, slots)), 2, longest);
}

std::size_t LinkCampaign::memory(const CampaignOptions& options) {
  // Slots are slightly larger than their messages.
  constexpr std::size_t slot_overhead = 8192;
  return std::max<std::size_t>(options.slots << 20,
                               std::min<std::size_t>(least_slots, options.slots) * options.largest.count) +
         (options.longest_burst + options.slots) * slot_overhead;
}

void LinkCampaign::visit_sizes(Clock::time_point until, Clock::time_point at_the_latest,
                               const std::function<void()>& on_progress) {
  const int round = rounds_++;
  std::vector<Bytes> sizes;
  for (const SizeObservations& entry : observations_.sizes) sizes.push_back(entry.size);
  // The ends of the curves come first, in case there is time for nothing else.
  std::size_t needed = round == 0 ? std::min<std::size_t>(sizes.size(), 2) : 0;
  if (needed == 2) std::swap(sizes[1], sizes.back());
  for (std::size_t i = sizes.size(); i > needed + 1; --i)
    std::swap(sizes[i - 1], sizes[needed + random_.below(i - needed)]);
  for (const Bytes size : sizes) {
    if (needed > 0)
      --needed;
    else if (Clock::now() >= at_the_latest)
      return;
    if (round >= options_.first_rounds) {
      if (Clock::now() >= until) return;
      if (round % rounds_between_visits(size) != 0) continue;
    }
    visit(size);
    on_progress();
  }
}

void LinkCampaign::measure_round(Clock::time_point at_the_latest, const std::function<void()>& on_progress) {
  visit_sizes(at_the_latest, at_the_latest, on_progress);
}

void LinkCampaign::measure(Clock::time_point until, Clock::time_point at_the_latest,
                           const std::function<void()>& on_progress) {
  const auto needs_another_round = [&] {
    const Clock::time_point now = Clock::now();
    return rounds_ == 0 || (now < at_the_latest && (rounds_ < options_.first_rounds || now < until));
  };
  while (needs_another_round()) {
    visit_sizes(until, at_the_latest, on_progress);
    if (rounds_ >= options_.first_rounds) refine(at_the_latest, on_progress);
  }
  bool is_complete = false;
  while (!is_complete && Clock::now() < at_the_latest) {
    is_complete = true;
    const MachineState state = observations_.state();
    for (const SizeObservations& entry : observations_.sizes) {
      const Bytes size = entry.size;
      const bool lacks_round_trips = lacks_visits(entry, Quantity::round_trip, state);
      const bool lacks_overheads = lacks_visits(entry, Quantity::receive_overhead, state);
      const bool lacks_bursts = lacks_visits(entry, Quantity::gap, state);
      if (!lacks_round_trips && !lacks_overheads && !lacks_bursts) continue;
      is_complete = false;
      look_at_state();
      if (lacks_round_trips) visit_exchange(size);
      if (lacks_overheads) visit_overheads(size);
      if (lacks_bursts) visit_burst(size);
      on_progress();
    }
  }
}

void LinkCampaign::refine(Clock::time_point at_the_latest, const std::function<void()>& on_progress) {
  if (Clock::now() >= at_the_latest || observations_.sizes.size() >= options_.most_sizes) return;
  const std::vector<Bytes> added = sizes_to_add(summarise(observations_, options_.samples), options_.refine);
  for (int round = 0; round < options_.first_rounds; ++round)
    for (const Bytes size : added) {
      visit(size);
      on_progress();
    }
}

bool LinkCampaign::lacks_visits(const SizeObservations& entry, Quantity quantity,
                                const MachineState& state) const {
  return summarise(entry.size, entry.of(quantity), options_.samples, state).visits < options_.least_visits;
}

double reference_time(Coordinator& coordinator, const std::vector<int>& ranks) {
  constexpr Bytes size{1024};
  const Command command{
      .action = Action::exchange, .ranks = ranks, .size = size, .count = 8, .warm_up = 4, .repeats = 2};
  return quantile(coordinator.coordinate(command).times.quiet, 0.5);
}

double expected_time(const LinkObservations& observations, Bytes size, Samples samples) {
  // Scales up the nearest measured size; without any, a microsecond plus a nanosecond per byte.
  const auto nearest = std::ranges::find_if(
      observations.sizes.rbegin(), observations.sizes.rend(), [&](const SizeObservations& entry) {
        return entry.size <= size && !entry.of(Quantity::round_trip).empty();
      });
  if (nearest == observations.sizes.rend()) return 1000 + static_cast<double>(size.count);
  // The last quiet visit suffices: this value is computed before every visit.
  const std::vector<Visit>& visits = nearest->of(Quantity::round_trip);
  const std::vector<Visit> last{visits.back()};
  const double time = summarise(nearest->size, last, samples).visits > 0
                          ? summarise(nearest->size, last, samples).median.value
                          : summarise(nearest->size, visits, samples).median.value;
  constexpr std::uint64_t flat_up_to = 4096;
  return time * std::max(1.0, static_cast<double>(size.count) /
                                  static_cast<double>(std::max(nearest->size.count, flat_up_to)));
}

void LinkCampaign::look_at_state() {
  if (options_.looks_at_state) reference_ = reference_time(coordinator_, {ranks_[0], ranks_[1]});
}

void LinkCampaign::visit(Bytes size) {
  look_at_state();
  visit_exchange(size);
  visit_overheads(size);
  visit_burst(size);
}

void LinkCampaign::visit_exchange(Bytes size) {
  const double each = expected_time(observations_, size, options_.samples);
  Command command{.action = Action::exchange, .ranks = ranks_, .size = size, .warm_up = warm_up(each)};
  command.count = fitting(block_time, each, 1, 32);
  command.slots = ring_slots(size, options_.slots);
  command.lead_in = lead_in(command);
  command.repeats = repeats_of(command, each);
  record(size, Quantity::round_trip, coordinator_.coordinate(command).times);
}

void LinkCampaign::visit_overheads(Bytes size) {
  const double settle =
      3000 + 2 * expected_time(observations_, std::min(size, largest_unasked), options_.samples);
  const double each = settle + expected_time(observations_, size, options_.samples);
  Command command{.action = Action::overheads, .ranks = ranks_, .size = size, .warm_up = warm_up(each)};
  command.batch = std::clamp<std::uint64_t>(batch_bytes / std::max<std::uint64_t>(size.count, 1), 1, 8);
  command.count = fitting(2 * block_time, each, 1, 16);
  command.slots = command.batch > 1 ? 1 : ring_slots(size, options_.slots);
  command.lead_in = lead_in(command);
  command.repeats = repeats_of(command, each);
  command.settle = static_cast<std::uint64_t>(settle);
  Observed observed = coordinator_.coordinate(command);
  record(size, Quantity::send_overhead, std::move(observed.times));
  record(size, Quantity::receive_overhead, std::move(observed.other_times));
}

void LinkCampaign::visit_burst(Bytes size) {
  Command command{.action = Action::burst,
                  .ranks = ranks_,
                  .size = size,
                  .count = burst_length(size, options_.slots, options_.longest_burst)};
  const double each = expected_time(observations_, size, options_.samples);
  command.repeats = fitting(visit_time, each * static_cast<double>(command.count), 2, 8);
  // The sender's clock runs from its first message to the empty answer: for one message, a round trip. A
  // receiver's clock would miss the arrival, and the first message would delay its start.
  const double alone = median_round_trip(size);
  Visit visit = coordinator_.coordinate(command).times;
  for (std::vector<double>* samples : {&visit.quiet, &visit.disturbed})
    for (double& sample : *samples) sample = (sample - alone) / static_cast<double>(command.count - 1);
  record(size, Quantity::gap, std::move(visit));
}

double LinkCampaign::median_round_trip(Bytes size) {
  const std::vector<Visit>& visits = observations_.at(size).of(Quantity::round_trip);
  return summarise(size, {visits.back()}, options_.samples).visits > 0
             ? summarise(size, {visits.back()}, options_.samples).median.value
             : summarise(size, visits, options_.samples).median.value;
}

void LinkCampaign::record(Bytes size, Quantity quantity, Visit visit) {
  visit.reference = reference_;
  observations_.at(size).of(quantity).push_back(std::move(visit));
}

}  // namespace takt::logp
