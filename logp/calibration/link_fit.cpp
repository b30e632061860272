#include "logp/calibration/link_fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace takt::logp {

namespace {

using Curves = std::array<Curve, quantity_count>;
using Lines = std::array<Line, quantity_count>;

constexpr std::array<const char*, quantity_count> names{"the round trip", "o_send", "o_recv", "g"};

template <class Array>
auto& of(Array& array, Quantity quantity) {
  return array[static_cast<std::size_t>(quantity)];
}

/// Returns the points for the lines, with all relevant errors.
std::array<std::vector<Measured>, quantity_count> to_fit(const Curves& curves, Estimate Point::*profile,
                                                         const FitOptions& options) {
  std::array<std::vector<Measured>, quantity_count> result;
  const Curve& round_trips = of(curves, Quantity::round_trip);
  for (std::size_t quantity = 0; quantity < quantity_count; ++quantity)
    for (std::size_t i = 0; i < curves[quantity].size(); ++i) {
      const Point& point = curves[quantity][i];
      Estimate value = point.*profile;
      const double whole = is_overhead(static_cast<Quantity>(quantity)) ? (round_trips[i].*profile).value : 0;
      const double share = std::hypot(options.relative_error * value.value, options.round_trip_error * whole);
      value.error = std::hypot(value.error, std::hypot(share, options.clock_error));
      result[quantity].push_back({point.size, value});
    }
  return result;
}

ParameterFit parameter(const Line& line) {
  auto interval = [&](const Estimate& estimate) {
    const double reach = line.reach * estimate.error;
    return Interval{estimate.value, estimate.value - reach, estimate.value + reach};
  };
  return {interval(line.constant()), interval(line.slope), line.residual};
}

/// Returns `whole` minus the parts, with independent errors.
Interval difference(const Interval& whole, const Interval& part, const Interval& other_part) {
  auto reach = [](const Interval& interval) { return (interval.high - interval.low) / 2; };
  const double value = whole.value - part.value - other_part.value;
  const double sum = std::hypot(reach(whole), std::hypot(reach(part), reach(other_part)));
  return {value, value - sum, value + sum};
}

ParameterFit latency(const ParameterFit& round_trip, const ParameterFit& send, const ParameterFit& receive,
                     double empty_round_trip) {
  Interval flight = round_trip.constant;
  for (double* bound : {&flight.value, &flight.low, &flight.high}) *bound -= empty_round_trip / 2;
  return {difference(flight, send.constant, receive.constant),
          difference(round_trip.per_byte, send.per_byte, receive.per_byte), round_trip.residual};
}

/// Rounded to the precision of files: 0.1 ns, also for 100 kB.
Cost cost(const std::vector<Regime>& regimes, ParameterFit Regime::*member) {
  auto rounded = [](double value, double steps) { return std::round(value * steps) / steps; };
  std::vector<Cost::Segment> segments;
  for (const Regime& regime : regimes)
    segments.push_back({segments.empty() ? Bytes{0} : regime.from,
                        rounded((regime.*member).constant.value, 10),
                        rounded((regime.*member).per_byte.value, 1e6)});
  return Cost(std::move(segments));
}

/// Appends objections to the lines of one range.
void object_to(const Lines& lines, const Regime& regime, const FitOptions& options,
               std::vector<std::string>& objections) {
  const auto from = static_cast<double>(regime.from.count), to = static_cast<double>(regime.to.count);
  const std::string range = fmt::format("from {} to {} bytes", regime.from.count, regime.to.count);
  for (std::size_t quantity = 0; quantity < quantity_count; ++quantity) {
    const Line& line = lines[quantity];
    const double fall = -line.free_slope.value * (to - from);
    const double most = line.free_slope.value + line.reach * line.free_slope.error;
    if (most < 0 && fall > 0.1 * std::abs(line.mean.value) && fall > options.narrow)
      objections.push_back(
          fmt::format("{} falls with the size {}: {:.3g} ns a byte, with 95 % certainty less than {:.3g}",
                      names[quantity], range, line.free_slope.value, most));
    for (const double size : {from, to}) {
      const Estimate estimate = line.at(size);
      const double reach = line.reach * estimate.error;
      const double whole = is_overhead(static_cast<Quantity>(quantity))
                               ? of(lines, Quantity::round_trip).at(size).value
                               : estimate.value;
      if (reach <= std::max(options.narrow, options.widest_interval * std::abs(whole))) continue;
      objections.push_back(fmt::format(
          "the 95 % interval of {} {} is too wide: {:.0f} +- {:.0f} ns at {:.0f} bytes, allowed {:.0f} ns",
          names[quantity], range, estimate.value, reach, size,
          std::max(options.narrow, options.widest_interval * std::abs(whole))));
      break;
    }
  }
}

/// Fits one profile on the ranges that start at these points, with the objections to each of them.
ProfileFit fit_profile(const Curves& curves, Estimate Point::*profile, const std::vector<std::size_t>& starts,
                       double empty_round_trip, const FitOptions& options,
                       std::vector<std::vector<std::string>>& objections) {
  const auto points = to_fit(curves, profile, options);
  ProfileFit fit;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t start = starts[i], end = i + 1 < starts.size() ? starts[i + 1] : points.front().size();
    Lines lines;
    Regime regime{.from = Bytes{static_cast<std::uint64_t>(points.front()[start].size)},
                  .to = Bytes{static_cast<std::uint64_t>(points.front()[end - 1].size)},
                  .points = end - start};
    for (std::size_t quantity = 0; quantity < quantity_count; ++quantity) {
      lines[quantity] = fit_line(std::span(points[quantity]).subspan(start, end - start));
      // The line through large values can fall below the small ones, and below 0; no value is negative.
      const double least = lines[quantity].at(points[quantity][start].size).value;
      lines[quantity].mean.value += std::max(0.0, -least);
      for (std::size_t point = start; point < end; ++point) regime.samples += curves[quantity][point].samples;
    }
    regime.send_overhead = parameter(of(lines, Quantity::send_overhead));
    regime.receive_overhead = parameter(of(lines, Quantity::receive_overhead));
    regime.gap = parameter(of(lines, Quantity::gap));
    regime.latency = latency(parameter(of(lines, Quantity::round_trip)), regime.send_overhead,
                             regime.receive_overhead, empty_round_trip);
    object_to(lines, regime, options, objections.emplace_back());
    fit.regimes.push_back(regime);
  }
  fit.costs = {.latency = cost(fit.regimes, &Regime::latency),
               .send_overhead = cost(fit.regimes, &Regime::send_overhead),
               .receive_overhead = cost(fit.regimes, &Regime::receive_overhead),
               .send_gap = cost(fit.regimes, &Regime::gap),
               .receive_gap = cost(fit.regimes, &Regime::gap)};
  return fit;
}

/// Removes points from the fit: the empty message, and those that were disturbed too often.
void select_points(Curves& curves, LinkFit& fit, const FitOptions& options) {
  Curves kept;
  for (std::size_t i = 0; i < curves.front().size(); ++i) {
    const Bytes size{static_cast<std::uint64_t>(curves.front()[i].size)};
    if (size == Bytes{0}) continue;
    const bool is_known = std::all_of(curves.begin(), curves.end(), [&](const Curve& curve) {
      return curve[i].visits >= options.least_visits;
    });
    (is_known ? fit.sizes : fit.left_out).push_back(size);
    for (std::size_t quantity = 0; is_known && quantity < quantity_count; ++quantity)
      kept[quantity].push_back(curves[quantity][i]);
  }
  curves = std::move(kept);
}

double disturbed_share(const Curves& curves) {
  std::size_t samples = 0, discarded = 0;
  for (const Curve& curve : curves)
    for (const Point& point : curve) {
      samples += point.samples;
      discarded += point.discarded;
    }
  return samples + discarded == 0 ? 0
                                  : static_cast<double>(discarded) / static_cast<double>(samples + discarded);
}

void note_states(const LinkObservations& observations, LinkFit& fit) {
  const MachineState state = observations.state();
  const std::vector<double> all = observations.references();
  std::vector<double> inside, outside;
  for (const double reference : all)
    (state.contains(Visit{.reference = reference}) ? inside : outside).push_back(reference);
  if (outside.empty()) return;
  fit.elsewhere = static_cast<double>(outside.size()) / static_cast<double>(all.size());
  fit.reference = quantile(inside, 0.5);
  fit.reference_elsewhere = quantile(outside, 0.5);
}

std::vector<MeasuredSize> measured_sizes(const Curves& curves) {
  std::vector<MeasuredSize> all;
  for (std::size_t i = 0; i < curves.front().size(); ++i) {
    MeasuredSize& each =
        all.emplace_back(MeasuredSize{.size = Bytes{static_cast<std::uint64_t>(curves.front()[i].size)}});
    for (std::size_t quantity = 0; quantity < quantity_count; ++quantity) {
      each.median[quantity] = curves[quantity][i].median.value;
      each.high[quantity] = curves[quantity][i].high.value;
    }
  }
  return all;
}

}  // namespace

bool is_at_step(const ProfileFit& fit, Bytes size) {
  constexpr std::uint64_t parts = 64;
  const auto above =
      std::ranges::find_if(fit.regimes, [&](const Regime& regime) { return regime.from > size; });
  if (above == fit.regimes.begin() || above == fit.regimes.end()) return false;
  const Bytes below = std::prev(above)->to;
  return below < size && parts * (above->from.count - below.count) <= size.count;
}

LinkFit fit_link(const LinkObservations& observations, const FitOptions& options) {
  Curves curves = summarise(observations, options.samples);
  LinkFit fit;
  fit.empty_round_trip = of(curves, Quantity::round_trip).front().median.value;
  fit.disturbed = disturbed_share(curves);
  note_states(observations, fit);
  fit.measured = measured_sizes(curves);
  const Bytes largest = observations.sizes.back().size;
  select_points(curves, fit, options);
  if (fit.sizes.empty() || fit.sizes.back() < std::min(largest, options.least_range))
    fit.objections.push_back(fmt::format(
        "other processes use the cores: no message above {} bytes has {} undisturbed measurements",
        fit.sizes.empty() ? 0 : fit.sizes.back().count, options.least_visits));
  if (fit.sizes.empty()) return fit;

  std::vector<std::size_t> starts = find_regimes(to_fit(curves, &Point::median, options), options.regimes);
  while (true) {
    std::vector<std::vector<std::string>> objections, not_used;
    fit.predict = fit_profile(curves, &Point::median, starts, fit.empty_round_trip, options, objections);
    fit.verify = fit_profile(curves, &Point::high, starts, fit.empty_round_trip, options, not_used);
    // Memory traffic of other processes disturbs large messages; smaller sizes remain valid.
    const bool is_needed = starts.size() < 2 || fit.sizes[starts.back() - 1] < options.least_range;
    if (objections.back().empty() || is_needed) {
      for (const std::vector<std::string>& of_range : objections)
        fit.objections.insert(fit.objections.end(), of_range.begin(), of_range.end());
      return fit;
    }
    const auto first = fit.sizes.begin() + static_cast<std::ptrdiff_t>(starts.back());
    fit.left_out.insert(fit.left_out.begin(), first, fit.sizes.end());
    fit.sizes.erase(first, fit.sizes.end());
    for (Curve& curve : curves) curve.resize(starts.back());
    starts.pop_back();
  }
}

}  // namespace takt::logp
