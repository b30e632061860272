#include "schedulers/judge/figure_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/formats/json_text.hpp"

namespace takt::schedulers {

namespace {

std::int64_t count(std::size_t number) {
  return static_cast<std::int64_t>(number);
}

/// The one table of figures.
constexpr std::array table{
    FigureColumn{"processors", true, true,
                 [](const Figures& f) -> Figure { return count(f.processors_used); }},
    FigureColumn{"period", true, true, [](const Figures& f) -> Figure { return f.exact_period(); }},
    FigureColumn{"frequency", true, true, [](const Figures& f) -> Figure { return f.frequency(); }},
    FigureColumn{"makespan", true, true, [](const Figures& f) -> Figure { return f.makespan.count(); }},
    FigureColumn{"lower_bound", true, true, [](const Figures& f) -> Figure { return f.bound; }},
    FigureColumn{"lower_bound_among", false, false,
                 [](const Figures& f) -> Figure { return lower_bound_among(f); }},
    FigureColumn{"ratio", true, true, [](const Figures& f) -> Figure { return Ratio{f.ratio()}; }},
    FigureColumn{"optimal", false, true, [](const Figures& f) -> Figure { return f.optimal; }},
    FigureColumn{"optimal_among", false, false, [](const Figures& f) -> Figure { return optimal_among(f); }},
    FigureColumn{"proven", false, false, [](const Figures& f) -> Figure { return proven(f); }},
    FigureColumn{"makespan_bound", true, false,
                 [](const Figures& f) -> Figure { return f.makespan_bound.count(); }},
    FigureColumn{"makespan_ratio", true, true,
                 [](const Figures& f) -> Figure { return Ratio{f.makespan_ratio()}; }},
    FigureColumn{"nsl", true, true, [](const Figures& f) -> Figure { return f.normalised_length(); }},
    FigureColumn{"speed_up", true, true, [](const Figures& f) -> Figure { return f.speed_up(); }},
    FigureColumn{"efficiency", true, true, [](const Figures& f) -> Figure { return f.efficiency(); }},
    FigureColumn{"latency", true, false, [](const Figures& f) -> Figure { return f.latency.count(); }},
    FigureColumn{"replicas", true, false, [](const Figures& f) -> Figure { return count(f.replicas); }},
    FigureColumn{"valid", false, true, [](const Figures& f) -> Figure { return f.valid; }},
    FigureColumn{"seconds", true, true, [](const Figures& f) -> Figure { return f.seconds; }},
};

std::string number(double value, Digits digits) {
  return digits == Digits::all ? fmt::format("{}", value) : fmt::format("{:.4g}", value);
}

struct Text {
  Digits digits;
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return number(value, digits); }
  std::string operator()(const Ratio& ratio) const {
    std::string text = number(ratio.value, digits);
    for (int shown = 5; text == "1" && ratio.value != 1; ++shown)
      text = fmt::format("{:.{}g}", ratio.value, shown);
    return text;
  }
  std::string operator()(const Period& period) const { return to_decimal(period); }
  std::string operator()(const std::string& text) const { return text; }
};

struct JsonValue {
  nlohmann::ordered_json operator()(bool value) const { return value; }
  nlohmann::ordered_json operator()(std::int64_t value) const { return value; }
  nlohmann::ordered_json operator()(double value) const { return json_number(value); }
  nlohmann::ordered_json operator()(const Ratio& ratio) const { return json_number(ratio.value); }
  nlohmann::ordered_json operator()(const Period& period) const {
    const bool is_whole = period.time.count() % period.frames == 0;
    return is_whole ? nlohmann::ordered_json(period.time.count() / period.frames)
                    : json_number(period.ticks());
  }
  nlohmann::ordered_json operator()(const std::string& text) const { return text; }
};

}  // namespace

std::string to_text(const Figure& figure, Digits digits) {
  return std::visit(Text{digits}, figure);
}

nlohmann::ordered_json to_json(const Figure& figure) {
  return std::visit(JsonValue{}, figure);
}

std::span<const FigureColumn> figure_columns() {
  return table;
}

void add_figures(nlohmann::ordered_json& object, const Figures& figures) {
  object["scheduler"] = figures.scheduler;
  for (const FigureColumn& column : table) object[std::string(column.name)] = to_json(column.of(figures));
}

std::string lower_bound_among(const Figures& figures) {
  return figures.bound_among.empty() ? "all schedules" : figures.bound_among;
}

std::string optimal_among(const Figures& figures) {
  return figures.optimal ? lower_bound_among(figures) : figures.optimal_among;
}

std::string proven(const Figures& figures) {
  if (!figures.valid) return "not valid";
  if (figures.optimal && figures.bound_among.empty()) return "optimal";
  if (const std::string among = optimal_among(figures); !among.empty()) return "optimal among " + among;
  // Rounded up: the distance of a non-optimal schedule is never shown as 0.
  constexpr double inexactness = 1e-9;
  const double percent = std::ceil(1000 * (figures.ratio() - 1) - inexactness) / 10;
  return fmt::format("within {} % of the bound{}", std::max(0.1, percent), of_class(figures));
}

std::string of_class(const Figures& figures) {
  return figures.bound_among.empty() ? "" : fmt::format(" (of {})", figures.bound_among);
}

}  // namespace takt::schedulers
