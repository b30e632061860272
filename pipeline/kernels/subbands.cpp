#include "pipeline/kernels/subbands.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/system/wide_registers.hpp"

namespace takt::pipeline {

namespace {

std::size_t least_delayed(const TrialDelays& delays, std::size_t begin, std::size_t end) {
  const std::size_t last = delays.trials() - 1;
  std::size_t best = begin;
  for (std::size_t c = begin + 1; c < end; ++c)
    if (delays.of(last, c) < delays.of(last, best)) best = c;
  return best;
}

bool holds(const TrialDelays& delays, const SubbandPlan& plan, const SubbandPlan::Group& group,
           std::size_t tolerance) {
  for (std::size_t trial = group.first; trial <= group.last; ++trial)
    for (std::size_t c = 0; c < delays.channels; ++c) {
      const std::size_t right = delays.of(trial, c), taken = plan.delay(delays, group, trial, c);
      if ((right > taken ? right - taken : taken - right) > tolerance) return false;
    }
  return true;
}

/// Finds the largest group from this trial on, by doubling and bisection.
SubbandPlan::Group largest_group(const TrialDelays& delays, const SubbandPlan& plan, std::size_t first,
                                 std::size_t tolerance) {
  const std::size_t end = delays.trials();
  std::size_t good = 1, bad = 2;
  const auto is_good = [&](std::size_t count) {
    return holds(delays, plan, {first, first + count - 1}, tolerance);
  };
  while (first + bad <= end && is_good(bad)) good = std::exchange(bad, 2 * bad);
  bad = std::min(bad, end - first + 1);
  while (bad - good > 1) {
    const std::size_t middle = (good + bad) / 2;
    (is_good(middle) ? good : bad) = middle;
  }
  return {first, first + good - 1};
}

/// Returns the largest shift of subbands among a group's trials.
std::size_t spread(const TrialDelays& delays, const SubbandPlan& plan, const SubbandPlan::Group& group) {
  std::size_t most = 0;
  for (const std::size_t reference : plan.references)
    most = std::max(most, delays.of(group.last, reference) - delays.of(group.first, reference));
  return most;
}

SubbandPlan plan_of_width(const TrialDelays& delays, std::size_t rows, std::size_t tolerance,
                          std::size_t width) {
  SubbandPlan plan{.width = width};
  for (std::size_t begin = 0; begin < delays.channels; begin += width)
    plan.references.push_back(least_delayed(delays, begin, std::min(begin + width, delays.channels)));
  for (std::size_t first = 0; first < delays.trials(); first = plan.groups.back().last + 1) {
    plan.groups.push_back(largest_group(delays, plan, first, tolerance));
    plan.additions += static_cast<double>(delays.channels) *
                      static_cast<double>(rows + spread(delays, plan, plan.groups.back()));
  }
  plan.additions += static_cast<double>(delays.trials()) * static_cast<double>(plan.references.size() * rows);
  return plan;
}

TAKT_WIDE void add_there(const float* __restrict from, float* __restrict to, float* __restrict counts,
                         std::size_t count) {
  for (std::size_t t = 0; t < count; ++t) {
    const bool is_there = !std::isnan(from[t]);
    to[t] += is_there ? from[t] : 0;
    counts[t] += is_there ? 1 : 0;
  }
}

}  // namespace

namespace {

/// Adds `rows` rows in one pass over the sums.
template <std::size_t rows>
[[gnu::always_inline]] inline void add_present(const float* const* from, float* __restrict to,
                                               float* __restrict present, std::size_t count) {
  std::array<const float*, rows> row;
  std::copy_n(from, rows, row.begin());
  for (std::size_t i = 0; i < count; ++i) {
    float sum = to[i], there = present[i];
    for (const float* const values : row) {
      const float value = values[i];
      const bool is_there = !std::isnan(value);
      sum += is_there ? value : 0.0F;
      there += is_there ? 1.0F : 0.0F;
    }
    to[i] = sum;
    present[i] = there;
  }
}

TAKT_WIDE void add_four_present(const float* const* from, float* to, float* present, std::size_t count) {
  add_present<4>(from, to, present, count);
}

}  // namespace

void add_present_rows(std::span<const float* const> rows, float* to, float* present, std::size_t count) {
  for (; rows.size() >= 4; rows = rows.subspan(4)) add_four_present(rows.data(), to, present, count);
  for (const float* const& row : rows) add_present<1>(&row, to, present, count);
}

TAKT_WIDE void add_rows(const float* __restrict from, float* __restrict to, std::size_t count) {
  for (std::size_t t = 0; t < count; ++t) to[t] += from[t];
}

std::size_t SubbandPlan::delay(const TrialDelays& delays, const Group& group, std::size_t trial,
                               std::size_t channel) const {
  const std::size_t reference = references[channel / width], middle = group.middle();
  const std::size_t own = delays.of(middle, channel), of_reference = delays.of(middle, reference);
  return delays.of(trial, reference) + (own > of_reference ? own - of_reference : 0);
}

std::optional<SubbandPlan> plan_subbands(const TrialDelays& delays, std::size_t rows, std::size_t tolerance) {
  // A smaller gain does not justify the memory for the series of subbands.
  constexpr double least_gain = 1.2;
  std::optional<SubbandPlan> best;
  double least = static_cast<double>(delays.rows.size()) * static_cast<double>(rows) / least_gain;
  for (std::size_t width = 4; width <= delays.channels / 2; width *= 2) {
    SubbandPlan plan = plan_of_width(delays, rows, tolerance, width);
    // From here on wider subbands only increase the number of groups.
    if (best && plan.additions > 2 * least) break;
    if (plan.additions >= least) continue;
    least = plan.additions;
    best = std::move(plan);
  }
  return best;
}

SubbandSums::SubbandSums(const TrialDelays& delays, SubbandPlan plan, std::size_t rows)
    : plan_(std::move(plan)), rows_(rows), sums_(rows), counts_(rows) {
  std::size_t most_spread = 0;
  for (const SubbandPlan::Group& group : plan_.groups) {
    most_spread = std::max(most_spread, spread(delays, plan_, group));
    for (std::size_t c = 0; c < delays.channels; ++c)
      most_delay_ = std::max(most_delay_, plan_.delay(delays, group, group.last, c));
  }
  series_rows_ = rows_ + most_spread;
  series_.resize(plan_.references.size() * series_rows_);
  series_counts_.resize(series_.size());
}

void SubbandSums::use_cores(std::size_t cores) {
  std::size_t most = 0;
  for (const SubbandPlan::Group& group : plan_.groups) most = std::max(most, group.last + 1 - group.first);
  sums_.resize(parts_for(cores, most) * rows_);
  counts_.resize(sums_.size());
}

void SubbandSums::add_channels(const TrialDelays& delays, const SubbandPlan::Group& group,
                               std::size_t subband, const float* window, std::size_t length, bool has_holes) {
  float* const to = series_.data() + subband * series_rows_;
  float* const counts = series_counts_.data() + subband * series_rows_;
  std::fill_n(to, series_rows_, 0.0F);
  if (has_holes) std::fill_n(counts, series_rows_, 0.0F);
  const std::size_t reference = plan_.references[subband];
  const std::size_t count = rows_ + delays.of(group.last, reference) - delays.of(group.first, reference);
  const std::size_t end = std::min(delays.channels, (subband + 1) * plan_.width);
  for (std::size_t c = subband * plan_.width; c < end; ++c) {
    const float* const from = window + c * length + plan_.delay(delays, group, group.first, c);
    if (has_holes)
      add_there(from, to, counts, count);
    else
      add_rows(from, to, count);
  }
}

void SubbandSums::add_subbands(const TrialDelays& delays, const SubbandPlan::Group& group, std::size_t trial,
                               bool has_holes, std::span<float> sums, std::span<float> counts) const {
  std::ranges::fill(sums, 0.0F);
  if (has_holes) std::ranges::fill(counts, 0.0F);
  for (std::size_t subband = 0; subband < plan_.references.size(); ++subband) {
    const std::size_t reference = plan_.references[subband];
    const std::size_t from =
        subband * series_rows_ + delays.of(trial, reference) - delays.of(group.first, reference);
    add_rows(series_.data() + from, sums.data(), rows_);
    if (has_holes) add_rows(series_counts_.data() + from, counts.data(), rows_);
  }
}

}  // namespace takt::pipeline
