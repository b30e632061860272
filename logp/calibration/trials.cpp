#include "logp/calibration/trials.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/random.hpp"
#include "logp/calibration/link_campaign.hpp"
#include "logp/calibration/replay.hpp"

namespace takt::logp {

namespace {

/// A fit that ends at smaller sizes allows no trials.
constexpr Bytes least_range{1024};

/// Repetitions that together take about half a millisecond; at least two, one in either direction.
std::uint64_t repeats_of(double nanoseconds) {
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(500'000 / std::max(nanoseconds, 1.0)), 2, 8);
}

/// Time of an empty message.
double one_way(const LinkFit& fit) {
  return fit.empty_round_trip / 2;
}

}  // namespace

TrialCampaign::Running TrialCampaign::ping_pong(const LinkFit& fit, Bytes size) const {
  Running running{.trial = {"ping-pong", fmt::format("{} bytes", size.count)}};
  running.predict = [=](const LinkFit& of) { return lone_message_time(of.predict.costs, size); };
  running.extract = [](double there_and_back, const LinkFit&) { return there_and_back / 2; };
  const double expected = running.predict(fit);
  running.command = {.action = Action::ping_pong, .ranks = pair_, .size = size};
  running.command.count = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(25'000 / expected), 1, 16);
  running.command.warm_up = 2;
  running.command.slots = ring_slots(size, options_.slots);
  running.command.lead_in = std::max<std::uint64_t>(2, running.command.slots / 2);
  running.command.repeats = repeats_of(2 * expected * static_cast<double>(running.command.count + 1));
  return running;
}

/// Uses as many slots as the bursts of the fit of g, all of them in one direction before they come back. Two
/// messages of 5 MiB in two slots, or twice four of 240 KiB with round trips in four, stay in a cache that
/// the others exceed, and take two thirds of the predicted time.
TrialCampaign::Running TrialCampaign::burst(const LinkFit& fit, Bytes size, std::uint64_t count) const {
  Running running{.trial = {"burst", fmt::format("{} messages of {} bytes", count, size.count)}};
  running.trial.messages = count;
  running.predict = [=](const LinkFit& of) { return burst_time(of.predict.costs, size, count); };
  running.by_gap = [=](const LinkFit& of) { return burst_time_by_gap(of.predict.costs, size, count); };
  // The sender's clock stops at the arrival of the answer.
  running.extract = [](double time, const LinkFit& of) { return time - one_way(of); };
  running.command = {.action = Action::burst, .ranks = pair_, .size = size, .count = count};
  running.command.slots = burst_length(size, options_.slots, options_.longest_burst);
  const std::uint64_t both_ways = 2 * bursts_one_way(running.command);
  running.command.lead_in = both_ways;
  running.command.repeats = std::max(both_ways, repeats_of(2 * running.predict(fit)));
  return running;
}

TrialCampaign::Running TrialCampaign::fan_in(const LinkFit& fit, Bytes size, std::uint64_t count) const {
  const std::size_t senders = ranks_.size() - 1;
  Running running{.trial = {"fan-in", fmt::format("{} messages of {} bytes from each of {} ranks", count,
                                                  size.count, senders)}};
  running.trial.messages = senders * count;
  running.predict = [=](const LinkFit& of) { return fan_in_time(of.predict.costs, size, senders * count); };
  // The receiver's clock starts with an empty message to each sender.
  running.extract = [](double time, const LinkFit& of) { return time - one_way(of); };
  running.command = {.action = Action::fan_in, .ranks = ranks_, .size = size, .count = count};
  running.command.repeats = repeats_of(running.predict(fit));
  return running;
}

TrialCampaign::Running TrialCampaign::replay(const LinkFit& fit, std::uint64_t seed) const {
  ReplayOptions options{.processors = ranks_.size(), .seed = seed};
  options.largest = std::min(options.largest, fit.sizes.back());
  const Replay replay = random_replay(fit.predict.costs, options);
  Running running{.trial = {"replay", fmt::format("{} tasks, {} messages on {} ranks, seed {}", options.tasks,
                                                  replay.messages, ranks_.size(), seed)}};
  running.trial.messages = replay.messages;
  // With other costs than the program's, consecutive receives may have another order.
  running.predict = [=](const LinkFit& of) {
    return static_cast<double>(random_replay(of.predict.costs, options).predicted.count());
  };
  running.extract = [](double time, const LinkFit&) { return time; };
  running.command = {
      .action = Action::replay, .ranks = ranks_, .size = options.largest, .programs = replay.programs};
  running.command.repeats = repeats_of(static_cast<double>(replay.predicted.count()));
  return running;
}

TrialCampaign::TrialCampaign(Coordinator& coordinator, std::vector<int> ranks, const LinkFit& fit,
                             const TrialOptions& options)
    : coordinator_(coordinator),
      ranks_(std::move(ranks)),
      pair_(ranks_.begin(), ranks_.begin() + 2),
      options_(options) {
  const std::vector<Bytes>& measured = fit.sizes;
  if (measured.empty() || measured.back() < least_range) return;
  reach_ = measured.back();
  Random random(options.seed);
  for (const Bytes size : hold_out_sizes(measured, options.sizes, options.seed))
    trials_.push_back(ping_pong(fit, size));
  for (const Bytes size : hold_out_sizes(measured, options.sizes, options.seed + 1)) {
    // Bursts of another length than those of the fit of g, in no more memory:
    // more would use another cache.
    constexpr std::uint64_t shortest = 10, longest = 70;
    const std::uint64_t fitted = burst_length(size, options.slots, longest);
    const std::uint64_t count = fitted > shortest
                                    ? shortest + random.below(fitted - shortest)
                                    : 2 + random.below(std::max<std::uint64_t>(fitted / 2, 2) - 1);
    trials_.push_back(burst(fit, size, count));
    if (ranks_.size() > 2)
      trials_.push_back(fan_in(fit, size, std::max<std::uint64_t>(count / (ranks_.size() - 1), 1)));
  }
  for (std::size_t i = 0; i < options.replays; ++i) trials_.push_back(replay(fit, options.seed + i));
}

void TrialCampaign::visit(const std::function<void()>& on_progress) {
  ++visits_;
  for (Running& running : trials_) {
    const double reference = options_.looks_at_state ? reference_time(coordinator_, pair_) : 0;
    running.visits.push_back(coordinator_.coordinate(running.command).times);
    running.visits.back().reference = reference;
    on_progress();
  }
}

std::vector<Trial> TrialCampaign::judged(const LinkFit& fit, const MachineState& state) const {
  std::vector<Trial> results;
  for (const Running& running : trials_) {
    const Bytes size = running.command.size;
    if (fit.sizes.empty() || size > fit.sizes.back() || is_at_step(fit.predict, size)) continue;
    const Point point = summarise(size, running.visits, options_.samples, state);
    Trial trial = running.trial;
    trial.predicted = running.predict(fit);
    if (running.by_gap) trial.by_gap = running.by_gap(fit);
    trial.visits = point.visits;
    if (point.visits > 0) trial.measured = running.extract(point.median.value, fit);
    results.push_back(std::move(trial));
  }
  return results;
}

}  // namespace takt::logp
