#include "pipeline/engine/processor_share.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "core/clock.hpp"
#include "logp/mpi/blocking.hpp"
#include "pipeline/engine/rehearsal_turns.hpp"

namespace takt::pipeline {

namespace {

/// The mean of the ranks.
double share_in(Time duration, MPI_Comm communicator) {
  mpi::barrier(communicator);
  const std::int64_t begin = now_ns(), had = thread_processor_ns();
  std::int64_t end = begin;
  while (end - begin < duration.count()) end = now_ns();
  // In millionths: ranks share whole numbers.
  constexpr double millionths = 1e6;
  const double share = static_cast<double>(thread_processor_ns() - had) / static_cast<double>(end - begin);
  double sum = 0;
  const std::vector<int> shares =
      mpi::gather(static_cast<int>(std::lround(millionths * std::clamp(share, 0.0, 1.0))), communicator);
  for (const int each : shares) sum += each;
  return sum / millionths / static_cast<double>(shares.size());
}

}  // namespace

double calm_share(const std::vector<double>& looks) {
  RehearsalTurns turns(1, Turns::alone);
  for (const double share : looks) turns.add(share);
  return turns.settled();
}

double processor_share(Time duration, MPI_Comm communicator) {
  constexpr int looks = 4;
  std::vector<double> shares;
  for (int look = 0; look < looks; ++look) shares.push_back(share_in(duration / looks, communicator));
  return calm_share(shares);
}

void apply_processor_share(RunPlan& plan, double share) {
  constexpr double nearly_all = 0.98;
  if (share >= nearly_all) return;
  plan.notes.push_back(fmt::format(
      "ranks had their processors for {:.1f} % of the time while that was looked at: the prediction is "
      "that part of the {} that the costs promise",
      100 * share, takt::to_string(Frequency{plan.predicted_hz})));
  plan.predicted_hz *= share;
}

}  // namespace takt::pipeline
