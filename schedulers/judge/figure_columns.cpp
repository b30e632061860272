#include "schedulers/judge/figure_columns.hpp"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace takt::schedulers {

namespace {

std::string whole(std::int64_t value) {
  return fmt::format("{}", value);
}
std::string truth(bool value) {
  return value ? "true" : "false";
}

/// The one table of figures.
constexpr std::array table{
    FigureColumn{"processors", true, true,
                 [](const Figures& f, Digits) { return fmt::format("{}", f.processors_used); }},
    FigureColumn{"period", true, true, [](const Figures& f, Digits) { return to_decimal(f.exact_period()); }},
    FigureColumn{"frequency", true, true,
                 [](const Figures& f, Digits d) { return number(f.frequency(), d); }},
    FigureColumn{"makespan", true, true, [](const Figures& f, Digits) { return whole(f.makespan.count()); }},
    FigureColumn{"lower_bound", true, true, [](const Figures& f, Digits) { return to_decimal(f.bound); }},
    FigureColumn{"ratio", true, true, [](const Figures& f, Digits d) { return ratio(f.ratio(), d); }},
    FigureColumn{"optimal", false, true, [](const Figures& f, Digits) { return truth(f.optimal); }},
    FigureColumn{"makespan_bound", true, false,
                 [](const Figures& f, Digits) { return whole(f.makespan_bound.count()); }},
    FigureColumn{"makespan_ratio", true, true,
                 [](const Figures& f, Digits d) { return ratio(f.makespan_ratio(), d); }},
    FigureColumn{"nsl", true, true,
                 [](const Figures& f, Digits d) { return number(f.normalised_length(), d); }},
    FigureColumn{"speed_up", true, true, [](const Figures& f, Digits d) { return number(f.speed_up(), d); }},
    FigureColumn{"efficiency", true, true,
                 [](const Figures& f, Digits d) { return number(f.efficiency(), d); }},
    FigureColumn{"latency", true, false, [](const Figures& f, Digits) { return whole(f.latency.count()); }},
    FigureColumn{"replicas", true, false,
                 [](const Figures& f, Digits) { return fmt::format("{}", f.replicas); }},
    FigureColumn{"valid", false, true, [](const Figures& f, Digits) { return truth(f.valid); }},
    FigureColumn{"seconds", true, true, [](const Figures& f, Digits d) { return number(f.seconds, d); }},
};

}  // namespace

std::span<const FigureColumn> figure_columns() {
  return table;
}

std::string figures_to_json(const Figures& figures, std::string_view separator) {
  std::string text = fmt::format("\"scheduler\": {}", quoted(figures.scheduler));
  for (const FigureColumn& column : table)
    text += fmt::format("{}\"{}\": {}", separator, column.name, column.cell(figures, Digits::all));
  return text;
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string number(double value, Digits digits) {
  return digits == Digits::all ? fmt::format("{}", value) : fmt::format("{:.4g}", value);
}

std::string ratio(double value, Digits digits) {
  std::string text = number(value, digits);
  for (int shown = 5; text == "1" && value != 1; ++shown) text = fmt::format("{:.{}g}", value, shown);
  return text;
}

}  // namespace takt::schedulers
