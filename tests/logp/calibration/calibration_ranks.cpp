/// A program for three ranks that performs every kind of command and checks the form of the replies: the
/// number of blocks, and of times in each, all positive. It also checks the visits of a campaign without
/// time, and the trials of a fit. Exit code 0 on success.

#include <cstdio>

#include "logp/calibration/coordinator.hpp"
#include "logp/calibration/endpoint.hpp"
#include "logp/calibration/link_campaign.hpp"
#include "logp/calibration/refine.hpp"
#include "logp/calibration/trials.hpp"

namespace {

using namespace takt::logp;
using takt::Bytes;

int failures = 0;

/// Expects this many times, all positive, from the command.
void expect(Coordinator& coordinator, const char* what, const Command& order, std::size_t times,
            std::size_t other_times) {
  const Observed observed = coordinator.coordinate(order);
  auto count = [](const Visit& visit) { return visit.quiet.size() + visit.disturbed.size(); };
  bool positive = true;
  for (const Visit* visit : {&observed.times, &observed.other_times})
    for (const std::vector<double>* samples : {&visit->quiet, &visit->disturbed})
      for (const double sample : *samples) positive = positive && sample > 0;
  if (count(observed.times) == times && count(observed.other_times) == other_times && positive) return;
  ++failures;
  std::fprintf(stderr, "%s: %zu and %zu times where %zu and %zu were expected\n", what, count(observed.times),
               count(observed.other_times), times, other_times);
}

void measure_all(Coordinator& coordinator, Bytes size) {
  const std::vector<int> pair{2, 1}, all{1, 0, 2};
  expect(coordinator, "exchange",
         {.action = Action::exchange, .ranks = pair, .size = size, .count = 5, .warm_up = 2, .repeats = 3},
         15, 0);
  expect(coordinator, "ping-pong",
         {.action = Action::ping_pong, .ranks = {0, 1}, .size = size, .count = 4, .repeats = 2}, 8, 0);
  expect(coordinator, "overheads",
         {.action = Action::overheads, .ranks = pair, .size = size, .count = 6, .batch = 3, .settle = 1000},
         12, 12);
  expect(coordinator, "burst",
         {.action = Action::burst, .ranks = pair, .size = size, .count = 7, .repeats = 4}, 4, 0);
  expect(coordinator, "bursts one way",
         {.action = Action::burst,
          .ranks = pair,
          .size = size,
          .count = 2,
          .slots = 7,
          .lead_in = 6,
          .repeats = 6},
         6, 0);
  expect(coordinator, "fan-in",
         {.action = Action::fan_in, .ranks = all, .size = size, .count = 5, .repeats = 3}, 3, 0);
  const Replay replay = random_replay({}, {.processors = 3, .largest = size});
  expect(coordinator, "replay",
         {.action = Action::replay, .ranks = all, .size = size, .repeats = 2, .programs = replay.programs}, 2,
         0);
}

/// After the deadline, the smallest and the largest size are visited all the same.
void measure_hastily(Coordinator& coordinator) {
  LinkCampaign campaign(coordinator, {0, 1}, {.largest = Bytes{5000}, .first_rounds = 1, .slots = 1});
  campaign.measure({}, {}, [] {});
  for (const SizeObservations& entry : campaign.observations().sizes) {
    const bool is_end = entry.size == Bytes{0} || entry.size == Bytes{5000};
    for (const std::vector<Visit>& visits : entry.visits) {
      if (visits.size() == (is_end ? 1 : 0)) continue;
      ++failures;
      std::fprintf(stderr, "%zu hasty visits to messages of %llu bytes\n", visits.size(),
                   static_cast<unsigned long long>(entry.size.count));
    }
  }
}

void check(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "%s\n", what);
}

/// Trials of a fit, of one with a smaller range, and of an empty one.
void try_out(Coordinator& coordinator) {
  LinkFit fit{.empty_round_trip = 1000, .sizes = powers_of_two(Bytes{4096})};
  fit.predict.costs = {.latency = {300, 0},
                       .send_overhead = {100, 0},
                       .receive_overhead = {200, 0.1},
                       .send_gap = {150, 0.2},
                       .receive_gap = {150, 0.2}};
  const auto progress = [] {};
  TrialCampaign trials(coordinator, {0, 1, 2}, fit,
                       {.sizes = 3, .replays = 2, .slots = 2, .longest_burst = 4, .samples = Samples::all});
  check(trials.reach() == Bytes{4096}, "trials reach as far as the fit");
  for (const Trial& trial : trials.judged(fit, {}))
    check(trial.visits == 0 && trial.measured == 0 && trial.predicted > 0,
          "a trial without visits has no time");
  for (int i = 0; i < 2; ++i) trials.visit(progress);
  const std::vector<Trial> judged = trials.judged(fit, {});
  check(trials.visits() == 2 && judged.size() == 3 * 3 + 2, "each of three sizes in three ways, and replays");
  for (const Trial& trial : judged) check(trial.visits == 2, "each trial is visited");
  LinkFit shorter = fit;
  shorter.sizes = powers_of_two(Bytes{32});
  check(trials.judged(shorter, {}).size() < judged.size(), "what a fit does not reach is not judged by it");
  const TrialCampaign none(coordinator, {0, 1}, {}, {});
  check(none.reach() == Bytes{0} && none.judged(fit, {}).empty(), "without a fit there is nothing to try");
}

}  // namespace

int main() {
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (const Data data : {Data::fresh, Data::reused}) {
    const Arena arena(4 << 20, data);
    Performer performer(MPI_COMM_WORLD, plain_endpoints(MPI_COMM_WORLD, arena), data == Data::fresh);
    if (rank != 0) {
      follow(MPI_COMM_WORLD, performer);
    } else {
      Coordinator coordinator(MPI_COMM_WORLD, performer, false);
      for (const Bytes size : {Bytes{1}, Bytes{100}, Bytes{65536}}) measure_all(coordinator, size);
      measure_hastily(coordinator);
      try_out(coordinator);
    }
  }
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
