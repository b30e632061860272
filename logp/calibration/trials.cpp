#include "logp/calibration/trials.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/random.hpp"
#include "logp/calibration/link_campaign.hpp"
#include "logp/calibration/replay.hpp"

namespace takt::logp {

namespace {

/// A fit that does not reach so far leaves nothing to try.
constexpr Bytes least_range{1024};

/// A trial under way.
struct Running {
  Trial trial;
  Command command;
  /// From one visit to what the trial is about.
  std::function<Visit(Observed)> extract;
  std::vector<Visit> visits;
};

Visit transform(Visit visit, const std::function<double(double)>& change) {
  for (std::vector<double>* samples : {&visit.quiet, &visit.disturbed})
    for (double& sample : *samples) sample = change(sample);
  return visit;
}

/// Repetitions that together take about half a millisecond; two at least, one in either direction.
std::uint64_t repeats_of(double nanoseconds) {
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(500'000 / std::max(nanoseconds, 1.0)), 2, 8);
}

Running ping_pong(const std::vector<int>& pair, const LinkCosts& costs, Bytes size, std::uint64_t slots) {
  const double predicted = lone_message_time(costs, size);
  Running running{.trial = {"ping-pong", fmt::format("{} bytes", size.count), predicted}};
  running.command = {.action = Action::ping_pong, .ranks = pair, .size = size};
  running.command.count = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(25'000 / predicted), 1, 16);
  running.command.warm_up = 2;
  running.command.slots = ring_slots(size, slots);
  running.command.lead_in = std::max<std::uint64_t>(2, running.command.slots / 2);
  running.command.repeats = repeats_of(2 * predicted * static_cast<double>(running.command.count + 1));
  running.extract = [](Observed observed) {
    return transform(std::move(observed.times), [](double time) { return time / 2; });
  };
  return running;
}

/// In as many places as the bursts that g was fitted to: two messages of 5 MiB in two places stay in a cache
/// that four do not fit into, and took two thirds of what was predicted.
Running burst(const std::vector<int>& pair, const LinkFit& fit, Bytes size, std::uint64_t count,
              std::uint64_t slots) {
  const double predicted = burst_time(fit.predict.costs, size, count);
  Running running{.trial = {"burst", fmt::format("{} messages of {} bytes", count, size.count), predicted}};
  running.trial.messages = count;
  running.command = {.action = Action::burst, .ranks = pair, .size = size, .count = count};
  running.command.slots = ring_slots(size, slots);
  running.command.lead_in = 2 * ((running.command.slots + count - 1) / count);
  running.command.repeats = repeats_of(2 * predicted);
  // The sender's clock stops when the answer is there.
  running.extract = [answer = fit.empty_round_trip / 2](Observed observed) {
    return transform(std::move(observed.times), [=](double time) { return time - answer; });
  };
  return running;
}

Running fan_in(const std::vector<int>& ranks, const LinkFit& fit, Bytes size, std::uint64_t count) {
  const std::size_t senders = ranks.size() - 1;
  const double predicted = fan_in_time(fit.predict.costs, size, senders * count);
  Running running{
      .trial = {"fan-in",
                fmt::format("{} messages of {} bytes from each of {} ranks", count, size.count, senders),
                predicted}};
  running.trial.messages = senders * count;
  running.command = {.action = Action::fan_in, .ranks = ranks, .size = size, .count = count};
  running.command.repeats = repeats_of(predicted);
  // The receiver's clock starts with an empty message to each sender.
  running.extract = [sign = fit.empty_round_trip / 2](Observed observed) {
    return transform(std::move(observed.times), [=](double time) { return time - sign; });
  };
  return running;
}

Running replay(const std::vector<int>& ranks, const LinkCosts& costs, const ReplayOptions& options) {
  const Replay replay = random_replay(costs, options);
  Running running{.trial = {"replay",
                            fmt::format("{} tasks, {} messages on {} ranks, seed {}", options.tasks,
                                        replay.messages, ranks.size(), options.seed),
                            static_cast<double>(replay.predicted.count())}};
  running.trial.messages = replay.messages;
  running.command = {
      .action = Action::replay, .ranks = ranks, .size = options.largest, .programs = replay.programs};
  running.command.repeats = repeats_of(running.trial.predicted);
  running.extract = [](Observed observed) { return std::move(observed.times); };
  return running;
}

std::vector<Running> prepare(const std::vector<int>& ranks, const LinkFit& fit, const TrialOptions& options) {
  const LinkCosts& costs = fit.predict.costs;
  const std::vector<int> pair(ranks.begin(), ranks.begin() + 2);
  const std::vector<Bytes>& measured = fit.sizes;
  if (measured.empty() || measured.back() < least_range) return {};
  Random random(options.seed);
  std::vector<Running> trials;
  for (const Bytes size : hold_out_sizes(measured, options.sizes, options.seed))
    trials.push_back(ping_pong(pair, costs, size, options.slots));
  for (const Bytes size : hold_out_sizes(measured, options.sizes, options.seed + 1)) {
    // Bursts of another length than those that g was fitted to, in no more memory than those: more of it is
    // another cache.
    constexpr std::uint64_t shortest = 10, longest = 70;
    const std::uint64_t fitted = burst_length(size, options.slots, longest);
    const std::uint64_t count = fitted > shortest ? shortest + random.below(fitted - shortest)
                                                  : 2 + random.below(std::max<std::uint64_t>(fitted - 2, 1));
    trials.push_back(burst(pair, fit, size, count, options.slots));
    if (ranks.size() > 2)
      trials.push_back(fan_in(ranks, fit, size, std::max<std::uint64_t>(count / (ranks.size() - 1), 1)));
  }
  for (std::size_t i = 0; i < options.replays; ++i) {
    ReplayOptions replay_options{.processors = ranks.size(), .seed = options.seed + i};
    replay_options.largest = std::min(replay_options.largest, measured.back());
    trials.push_back(replay(ranks, costs, replay_options));
  }
  return trials;
}

}  // namespace

std::vector<Trial> run_trials(Coordinator& coordinator, const std::vector<int>& ranks, const LinkFit& fit,
                              const TrialOptions& options,
                              std::chrono::steady_clock::time_point at_the_latest,
                              const std::function<void()>& on_progress) {
  std::vector<Running> trials = prepare(ranks, fit, options);
  const auto judged = [&](const Running& running) {
    const Point point = summarise(running.command.size, running.visits, options.samples, options.state);
    Trial trial = running.trial;
    trial.measured = point.median.value;
    trial.visits = point.visits;
    return trial;
  };
  const auto is_done = [&](const Running& running) {
    const Trial trial = judged(running);
    return trial.visits >= (trial.passes(options.tolerance) ? options.visits : options.most_visits);
  };
  do {
    for (Running& running : trials) {
      if (is_done(running)) continue;
      const double reference = options.looks_at_state ? reference_time(coordinator, {ranks[0], ranks[1]}) : 0;
      running.visits.push_back(running.extract(coordinator.coordinate(running.command)));
      running.visits.back().reference = reference;
      on_progress();
    }
  } while (!std::all_of(trials.begin(), trials.end(), is_done) &&
           std::chrono::steady_clock::now() < at_the_latest);

  std::vector<Trial> results;
  std::ranges::transform(trials, std::back_inserter(results), judged);
  return results;
}

}  // namespace takt::logp
