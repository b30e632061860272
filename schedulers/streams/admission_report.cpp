#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/formats/json_text.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/pictures/text_table.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/streams/admission.hpp"
#include "schedulers/streams/time_text.hpp"

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

/// Returns the smallest free share of the processors that a stream uses.
double slack(const Admission& admission, const StreamVerdict& verdict) {
  double least = 1;
  for (ProcessorId p : verdict.processors)
    least = std::min(least, 1 - share(admission.timetable.busy(p), admission.timetable.cycle()));
  return least;
}

Period given(const Admission& admission, std::uint32_t frames) {
  return {admission.timetable.cycle(), frames};
}

/// Returns the period that would have been admitted, with its margin.
double possible_ticks(const Admission& admission, const StreamVerdict& verdict) {
  return given(admission, verdict.possible_frames).ticks() * verdict.margin;
}

/// Rates for measured streams, periods for abstract ones.
class Words {
 public:
  explicit Words(const Admission& admission) : admission_(admission) {}

  [[nodiscard]] std::string cycle() const {
    const Time cycle = admission_.timetable.cycle();
    return fmt::format("hyperperiod of {}", admission_.is_measured ? takt::to_string(cycle)
                                                                   : fmt::format("{} ticks", cycle.count()));
  }
  [[nodiscard]] std::string time(Time time) const { return time_text(time, admission_.is_measured); }
  [[nodiscard]] std::string required(const StreamVerdict& verdict) const {
    return admission_.is_measured ? rate(verdict.rate.period) : fmt::format("{:.6g}", verdict.rate.period);
  }
  [[nodiscard]] std::string promised(const StreamVerdict& verdict) const {
    const Period period = given(admission_, verdict.frames);
    return admission_.is_measured ? rate(period.ticks()) : to_decimal(period);
  }
  [[nodiscard]] std::string possible(const StreamVerdict& verdict) const {
    const double ticks = possible_ticks(admission_, verdict);
    if (admission_.is_measured) return rate(ticks) + " fits";
    return fmt::format("one frame every {} fits", verdict.margin == 1
                                                      ? to_decimal(given(admission_, verdict.possible_frames))
                                                      : fmt::format("{:.6g}", ticks));
  }

 private:
  static std::string rate(double period) { return takt::to_string(Frequency{1e9 / period}); }

  const Admission& admission_;
};

}  // namespace

std::string to_text(const Admission& admission) {
  const CyclicTimetable& timetable = admission.timetable;
  const Words words(admission);
  std::string text = words.cycle() + "\n\n";
  TextTable streams({{"stream"},
                     {"verdict"},
                     {"required", true},
                     {admission.is_measured ? "reserved" : "period", true},
                     {"latency", true},
                     {.name = "processors", .is_prose = true},
                     {"slack", true}});
  for (const StreamVerdict& verdict : admission.verdicts) {
    const bool yes = verdict.is_admitted;
    streams.add({verdict.name, yes ? "yes" : "NO", words.required(verdict),
                 yes ? words.promised(verdict) : "-", yes ? words.time(verdict.latency) : "-",
                 yes ? fmt::format("{}", fmt::join(numbers(verdict.processors), ", ")) : "-",
                 yes ? fmt::format("{:.1f} %", 100 * slack(admission, verdict)) : "-"});
  }
  text += streams.to_text();
  if (admission.is_reordered) {
    std::vector<std::string_view> names;
    for (const std::size_t i : admission.order) names.push_back(admission.verdicts[i].name);
    text +=
        '\n' +
        fill(fmt::format("The streams fit in this order, not in the given one: {}", fmt::join(names, ", ")),
             text_columns) +
        '\n';
  }
  for (const StreamVerdict& verdict : admission.verdicts) {
    if (verdict.is_admitted) continue;
    std::string why = fmt::format("{} is not admitted: {}", verdict.name, verdict.reason);
    if (verdict.possible_frames > 0) why += "; " + words.possible(verdict);
    if (verdict.margin != 1) why += fmt::format(" (with a margin of {:.3g})", verdict.margin);
    for (const std::string& advice : verdict.advice) why += "; " + advice;
    text += '\n' + fill(why, text_columns) + '\n';
  }
  TextTable load({{"processor", true}, {"busy", true}, {"load", true}, {"slack", true}});
  for (ProcessorId p : timetable.machine().processors()) {
    const double busy = share(timetable.busy(p), timetable.cycle());
    load.add({fmt::format("{}", p.index()), words.time(timetable.busy(p)),
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
  json["order"] = admission.order;
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
      each["possible_period"] =
          verdict.possible_frames > 0 ? Json(possible_ticks(admission, verdict)) : Json(nullptr);
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
