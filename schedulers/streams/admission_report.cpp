#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/formats/json_text.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/pictures/text_table.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/streams/admission.hpp"

namespace takt::schedulers {

namespace {

double share(Time part, Time whole) {
  return static_cast<double>(part.count()) / static_cast<double>(std::max<Time::rep>(1, whole.count()));
}

std::vector<std::size_t> numbers(const std::vector<ProcessorId>& processors) {
  std::vector<std::size_t> result;
  for (ProcessorId p : processors) result.push_back(p.index());
  return result;
}

/// The smallest free share of the processors that a stream uses.
double slack(const Admission& admission, const StreamVerdict& verdict) {
  double least = 1;
  for (ProcessorId p : verdict.processors)
    least = std::min(least, 1 - share(admission.timetable.busy(p), admission.timetable.cycle()));
  return least;
}

Period given(const Admission& admission, std::uint32_t frames) {
  return {admission.timetable.cycle(), frames};
}

/// The period that would have been admitted, with its margin.
std::string possible(const Admission& admission, const StreamVerdict& verdict) {
  const Period period = given(admission, verdict.possible_frames);
  return verdict.margin == 1 ? to_decimal(period) : fmt::format("{:.6g}", period.ticks() * verdict.margin);
}

}  // namespace

std::string to_text(const Admission& admission) {
  const CyclicTimetable& timetable = admission.timetable;
  std::string text = fmt::format("cycle of {}\n\n", timetable.cycle().count());
  TextTable streams({{"stream"},
                     {"verdict"},
                     {"required", true},
                     {"period", true},
                     {"latency", true},
                     {.name = "processors", .is_prose = true},
                     {"slack", true}});
  for (const StreamVerdict& verdict : admission.verdicts) {
    const bool yes = verdict.is_admitted;
    streams.add({verdict.name, yes ? "yes" : "NO", fmt::format("{:.6g}", verdict.rate.period),
                 yes ? to_decimal(given(admission, verdict.frames)) : "-",
                 yes ? fmt::format("{}", verdict.latency.count()) : "-",
                 yes ? fmt::format("{}", fmt::join(numbers(verdict.processors), ", ")) : "-",
                 yes ? fmt::format("{:.1f} %", 100 * slack(admission, verdict)) : "-"});
  }
  text += streams.to_text();
  for (const StreamVerdict& verdict : admission.verdicts) {
    if (verdict.is_admitted) continue;
    std::string why = fmt::format("{} is not admitted: {}", verdict.name, verdict.reason);
    if (verdict.possible_frames > 0)
      why += fmt::format("; one frame every {} would fit", possible(admission, verdict));
    if (verdict.margin != 1) why += fmt::format(" (reckoned with a margin of {:.3g})", verdict.margin);
    for (const std::string& advice : verdict.advice) why += "; " + advice;
    text += '\n' + fill(why, text_columns) + '\n';
  }
  TextTable load({{"processor", true}, {"busy", true}, {"load", true}, {"slack", true}});
  for (ProcessorId p : timetable.machine().processors()) {
    const double busy = share(timetable.busy(p), timetable.cycle());
    load.add({fmt::format("{}", p.index()), fmt::format("{}", timetable.busy(p).count()),
              fmt::format("{:.1f} %", 100 * busy), fmt::format("{:.1f} %", 100 * (1 - busy))});
  }
  return text + '\n' + load.to_text();
}

std::string to_json(const Admission& admission) {
  using Json = nlohmann::ordered_json;
  const CyclicTimetable& timetable = admission.timetable;
  Json json;
  json["admitted"] = std::ranges::all_of(admission.verdicts, &StreamVerdict::is_admitted);
  json["cycle"] = timetable.cycle().count();
  json["valid"] =
      logp::diagnose(timetable.graph(), timetable.machine(), timetable.schedule(), {.limit = 1}).empty();
  json["streams"] = Json::array();
  for (const StreamVerdict& verdict : admission.verdicts) {
    Json& each = json["streams"].emplace_back();
    each["name"] = verdict.name;
    each["admitted"] = verdict.is_admitted;
    each["required_period"] = verdict.rate.period;
    each["margin"] = verdict.margin;
    if (verdict.is_admitted) {
      each["period"] = given(admission, verdict.frames).ticks();
      each["frames"] = verdict.frames;
      each["latency"] = verdict.latency.count();
      each["processors"] = numbers(verdict.processors);
      each["slack"] = slack(admission, verdict);
    } else {
      each["reason"] = verdict.reason;
      each["advice"] = verdict.advice;
      each["possible_period"] = verdict.possible_frames > 0
                                    ? Json(given(admission, verdict.possible_frames).ticks() * verdict.margin)
                                    : Json(nullptr);
    }
  }
  json["load"] = Json::array();
  for (ProcessorId p : timetable.machine().processors()) {
    const double busy = share(timetable.busy(p), timetable.cycle());
    json["load"].push_back({{"processor", p.index()}, {"load", busy}, {"slack", 1 - busy}});
  }
  return json_text(json);
}

}  // namespace takt::schedulers
