#include "logp/calibration/calibration_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/yaml_text.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/pictures/text_table.hpp"
#include "logp/machine_yaml.hpp"

namespace takt::logp {

namespace {

std::string list_of(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) all.push_back(yaml_scalar(text));
  return fmt::format("[{}]", fmt::join(all, ", "));
}

std::string counts_of(const std::vector<Bytes>& sizes) {
  std::vector<std::uint64_t> counts;
  for (const Bytes size : sizes) counts.push_back(size.count);
  return fmt::format("[{}]", fmt::join(counts, ", "));
}

void write(std::string& out, const char* name, const ParameterFit& fit) {
  out += fmt::format(
      "          {}: {{constant: [{:.1f}, {:.1f}, {:.1f}], per_byte: [{:.3g}, {:.3g}, {:.3g}], residual: "
      "{:.3f}}}\n",
      name, fit.constant.value, fit.constant.low, fit.constant.high, fit.per_byte.value, fit.per_byte.low,
      fit.per_byte.high, fit.residual);
}

void write(std::string& out, const char* name, const ProfileFit& profile) {
  out += fmt::format("      {}:\n", name);
  for (const Regime& regime : profile.regimes) {
    out += fmt::format("        - range: [{}, {}]\n          points: {}\n          samples: {}\n",
                       regime.from.count, regime.to.count, regime.points, regime.samples);
    write(out, "latency", regime.latency);
    write(out, "send_overhead", regime.send_overhead);
    write(out, "receive_overhead", regime.receive_overhead);
    write(out, "gap", regime.gap);
  }
}

/// Writes RTT(s, 0), o_send, o_recv and g of each size, as medians and as 95th percentiles.
void write_measured(std::string& out, const std::vector<MeasuredSize>& sizes) {
  out += "      measured:\n";
  for (const MeasuredSize& each : sizes)
    out += fmt::format("        - [{}, {:.1f}, {:.1f}]\n", each.size.count, fmt::join(each.median, ", "),
                       fmt::join(each.high, ", "));
}

void write(std::string& out, const LinkCalibration& link) {
  out += fmt::format("    - level: {}\n", name_of(link.kind.level));
  if (!link.kind.shares.empty()) out += fmt::format("      shares: {}\n", link.kind.shares);
  out += fmt::format("      ranks: [{}]\n", fmt::join(link.kind.ranks, ", "));
  if (link.kind.on_one_core) out += "      on_one_core: true\n";
  out += fmt::format("      empty_round_trip: {:.1f}\n", link.fit.empty_round_trip);
  out += fmt::format("      disturbed: {:.4f}\n", link.fit.disturbed);
  if (link.fit.elsewhere > 0)
    out += fmt::format("      other_state: {{share: {:.4f}, reference: {:.1f}, counted: {:.1f}}}\n",
                       link.fit.elsewhere, link.fit.reference_elsewhere, link.fit.reference);
  out += fmt::format("      left_out: {}\n", counts_of(link.fit.left_out));
  write(out, "predict", link.fit.predict);
  write(out, "verify", link.fit.verify);
  write_measured(out, link.fit.measured);
  out += "      trials:\n";
  for (const Trial& trial : link.trials)
    out += fmt::format(
        "        - {{kind: {}, what: {}, predicted: {:.0f}{}, measured: {:.0f}, error: {:.3f}, visits: "
        "{}}}\n",
        trial.kind, yaml_scalar(trial.what), trial.predicted,
        trial.by_gap ? fmt::format(", by_gap: {:.0f}", *trial.by_gap) : "", trial.measured, trial.error(),
        trial.visits);
}

/// `12.3 ns`, `4.56 us`: three digits, also for negative values.
std::string time_text(double nanoseconds) {
  const double size = std::abs(nanoseconds);
  const auto [unit, scale] = size < 1e3   ? std::pair{"ns", 1.0}
                             : size < 1e6 ? std::pair{"us", 1e3}
                                          : std::pair{"ms", 1e6};
  const double value = nanoseconds / scale;
  const int digits = unit == std::string("ns") || std::abs(value) >= 100 ? 0 : std::abs(value) >= 10 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, digits, unit);
}

void write_table(std::string& out, const LinkCalibration& link) {
  const LinkCosts &costs = link.fit.predict.costs, &high = link.fit.verify.costs;
  TextTable table({{"size", true},
                   {"o_send", true},
                   {"L", true},
                   {"o_recv", true},
                   {"g", true},
                   {"lone message", true},
                   {"q95", true}});
  std::vector<Bytes> sizes;
  for (const std::uint64_t size : {1ULL, 64ULL, 1ULL << 10, 4ULL << 10, 64ULL << 10, 1ULL << 20})
    if (Bytes{size} < link.fit.sizes.back()) sizes.push_back(Bytes{size});
  sizes.push_back(link.fit.sizes.back());
  for (const Bytes size : sizes) {
    auto at = [&](const Cost& cost) { return time_text(static_cast<double>(cost.at(size).count())); };
    table.add({to_string(size), at(costs.send_overhead), at(costs.latency), at(costs.receive_overhead),
               at(costs.receive_gap), time_text(lone_message_time(costs, size)),
               time_text(lone_message_time(high, size))});
  }
  out += table.to_text(2);
  if (std::ranges::any_of(sizes, [&](Bytes size) { return costs.latency.at(size) < Time{0}; }))
    out += "  " +
           fill(
               "a negative L is correct: o_recv is measured on arrived messages, but a waiting receiver "
               "processes a large message during its transfer; o_send + L + o_recv is the time of a single "
               "message",
               text_columns - 2, 2) +
           '\n';
}

void write_trials(std::string& out, const std::vector<Trial>& trials, double tolerance) {
  for (const char* kind : {"ping-pong", "burst", "fan-in", "replay"}) {
    std::vector<double> errors;
    std::size_t made = 0, passed = 0;
    for (const Trial& trial : trials) {
      if (trial.kind != kind || trial.visits == 0) continue;
      ++made;
      if (trial.passes(tolerance)) ++passed;
      errors.push_back(std::abs(trial.error()));
    }
    if (made > 0)
      out += fmt::format("  {:<10} {} of {} within tolerance; error {:.1f} % (median), at most {:.1f} %\n",
                         kind, passed, made, 100 * quantile(errors, 0.5), 100 * quantile(errors, 1));
    else if (kind == std::string_view("fan-in") &&
             std::ranges::any_of(trials, [](const Trial& trial) { return trial.visits > 0; }))
      out += fmt::format("  {:<10} not tried: it needs three ranks with a core each\n", kind);
  }
}

}  // namespace

std::string to_yaml(const Calibration& calibration) {
  const std::vector<CostProfile> profiles{
      {"predict", calibration.costs(&LinkFit::predict), calibration.pair_costs(&LinkFit::predict)},
      {"verify", calibration.costs(&LinkFit::verify), calibration.pair_costs(&LinkFit::verify)}};
  const std::vector<std::string> objections = calibration.objections();
  std::string out =
      "# A machine as `takt calibrate` measured it; usable wherever takt takes a MACHINE: this file for the\n"
      "# medians (profile predict), this file and `:verify` for the 95th percentiles. Times in "
      "nanoseconds.\n";
  out += to_yaml(calibration.platform, profiles);
  out += fmt::format(
      "calibration:\n"
      "  date: {:%Y-%m-%dT%H:%M:%SZ}\n"
      "  seconds: {:.1f}\n"
      "  verdict: {}\n"
      "  objections: {}\n"
      "  tolerance: {}\n"
      "  data: {}\n"
      "  priority: {}\n"
      "  mpi: {}\n"
      "  thread_level: {}\n"
      "  progress: {}\n"
      "  settings: {}\n"
      "  ranks:\n",
      fmt::gmtime(std::chrono::system_clock::to_time_t(calibration.date)),
      std::chrono::duration<double>(calibration.duration).count(),
      objections.empty() ? "accepted" : "refused", list_of(objections), calibration.tolerance,
      calibration.data == Data::fresh ? "fresh" : "reused", calibration.real_time ? "real-time" : "normal",
      yaml_scalar(calibration.mpi.version), calibration.mpi.thread_level, calibration.mpi.progress,
      list_of(calibration.mpi.settings));
  for (const RankLocation& place : calibration.ranks)
    out += fmt::format(
        "    - {{host: {}, place: {}, bound_by: {}, cores: {}, processor: {}, system: {}, fingerprint: "
        "{:#018x}}}\n",
        yaml_scalar(place.host), yaml_scalar(place.path), place.bound_by, place.cores,
        yaml_scalar(place.processor), yaml_scalar(place.system), place.fingerprint);
  out +=
      "  # constant and per_byte: value, and lower and upper end of its interval of 95 %\n"
      "  # measured: size, RTT(s, 0), o_send, o_recv and g as medians, and the four as 95th percentiles\n"
      "  links:\n";
  for (const LinkCalibration& link : calibration.links) write(out, link);
  return out;
}

std::string to_text(const Calibration& calibration) {
  std::string out =
      fill(fmt::format("{} ranks calibrated in {}: {}, threads {}, a waiting rank {}, {} data, {} priority\n",
                       calibration.ranks.size(), to_string(calibration.duration), calibration.mpi.version,
                       calibration.mpi.thread_level, calibration.mpi.progress,
                       calibration.data == Data::fresh ? "fresh" : "reused",
                       calibration.real_time ? "real-time" : "normal"),
           text_columns);
  for (const LinkCalibration& link : calibration.links) {
    out +=
        fill(fmt::format(
                 "\n{}, measured between ranks {} and {}; RTT(0, 0) {}; {:.1f} % of the samples disturbed\n",
                 name_of(link.kind), link.kind.ranks[0], link.kind.ranks[1],
                 time_text(link.fit.empty_round_trip), 100 * link.fit.disturbed),
             text_columns);
    constexpr double worth_telling = 0.05;
    if (link.fit.elsewhere > worth_telling)
      out += fill(fmt::format("{:.0f} % of the time the machine was in a slow state, which is ignored: 1 KiB "
                              "and an empty message back took {} then, {} otherwise\n",
                              100 * link.fit.elsewhere, time_text(link.fit.reference_elsewhere),
                              time_text(link.fit.reference)),
                  text_columns);
    if (link.fit.sizes.empty()) continue;
    write_table(out, link);
    std::vector<std::string> starts;
    for (const Regime& regime : link.fit.predict.regimes) starts.push_back(to_string(regime.from));
    out += fill(fmt::format("ranges of sizes from {}; valid from {} to {}\n", fmt::join(starts, ", "),
                            to_string(link.fit.sizes.front()), to_string(link.fit.sizes.back())),
                text_columns);
    out += fill(
        fmt::format("trials independent of the fit (tolerance {:.0f} %, or 100 ns and 50 ns a message):\n",
                    100 * calibration.tolerance),
        text_columns);
    write_trials(out, link.trials, calibration.tolerance);
  }
  return out;
}

}  // namespace takt::logp
