#include "pipeline/pages/calibration_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/formats/json.hpp"
#include "core/pictures/figure_text.hpp"

namespace takt::pipeline {

namespace {

using CalibrationJson = nlohmann::ordered_json;

/// Unknown content, from other writers or versions, is treated as missing: this part is informative.
const CalibrationJson& part(const CalibrationJson& object, std::string_view key) {
  static const CalibrationJson nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

const CalibrationJson& entry(const CalibrationJson& list, std::size_t at) {
  static const CalibrationJson nothing;
  return list.is_array() && at < list.size() ? list[at] : nothing;
}

double number_in(const CalibrationJson& value) {
  return value.is_number() ? value.get<double>() : std::nan("");
}

std::string text_in(const CalibrationJson& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? number_text(value.get<double>()) : "";
}

std::string view_text(const CalibrationJson& view) {
  return view.dump(-1, ' ', false, CalibrationJson::error_handler_t::replace);
}

CalibrationJson calibration_table(std::string_view name, std::string_view says,
                                  std::vector<std::string> columns, const std::vector<ColumnKind>& kinds) {
  CalibrationJson numbers = CalibrationJson::array();
  for (const ColumnKind kind : kinds) numbers.push_back(static_cast<int>(kind));
  return {{"kind", "table"},    {"name", name},
          {"says", says},       {"columns", std::move(columns)},
          {"numbers", numbers}, {"rows", CalibrationJson::array()}};
}

/// `node (L3), ranks 0 and 1`.
std::string name_of_link(const CalibrationJson& link) {
  std::string name = text_in(part(link, "level"));
  if (const std::string shares = text_in(part(link, "shares")); !shares.empty()) name += " (" + shares + ")";
  const CalibrationJson& ranks = part(link, "ranks");
  return ranks.is_array() && ranks.size() >= 2
             ? fmt::format("{}, ranks {} and {}", name, text_in(ranks[0]), text_in(ranks[1]))
             : name;
}

struct NamedKey {
  const char *key, *name;
};
constexpr std::array link_parameters{NamedKey{"send_overhead", "o_send"}, NamedKey{"latency", "L"},
                                     NamedKey{"receive_overhead", "o_recv"}, NamedKey{"gap", "g"}};

/// Lines over sizes: logarithmic axes exclude values of 0 and below.
class LinkCurves {
 public:
  /// `places` are the columns of RTT, o_send, o_recv and g in a row of points.
  LinkCurves(const CalibrationJson& link, const char* profile, std::size_t places) : places_(places) {
    add_series("lone message");
    for (const NamedKey& each : link_parameters) add_series(each.name);
    for (const CalibrationJson& range : part(link, profile)) add_range(range);
    add_points(link);
  }

  [[nodiscard]] bool is_empty() const { return lines_[0]["x"].empty() && points_.empty(); }
  [[nodiscard]] bool has_points() const { return !points_.empty(); }
  /// Returns the least size from which L is negative; NaN if it is not.
  [[nodiscard]] double negative_from() const { return negative_from_; }

  [[nodiscard]] CalibrationJson series() const {
    CalibrationJson all = CalibrationJson::array();
    for (const CalibrationJson& line : lines_) all.push_back(line);
    for (const CalibrationJson& points : points_) all.push_back(points);
    return all;
  }

 private:
  void add_series(const char* name) {
    lines_.push_back({{"name", name},
                      {"style", "line"},
                      {"x", CalibrationJson::array()},
                      {"y", CalibrationJson::array()}});
  }
  static void add(CalibrationJson& series, double size, double time) {
    series["x"].push_back(size);
    // Hides values below a nanosecond:
    // a line that falls below 0 would fill half of the picture.
    series["y"].push_back(time >= 1 ? CalibrationJson(time) : CalibrationJson());
  }

  void add_range(const CalibrationJson& range) {
    const CalibrationJson& ends = part(range, "range");
    const double from = number_in(entry(ends, 0)), to = number_in(entry(ends, 1));
    if (!(from > 0) || !(to >= from)) return;
    // Straight lines are curves on these axes: four pieces per doubling look smooth.
    const double pieces = std::max(1.0, std::ceil(4 * std::log2(to / from)));
    for (double i = 0; i <= pieces; ++i) {
      const double size = i == pieces ? to : from * std::pow(to / from, i / pieces);
      double lone = 0;
      for (std::size_t k = 0; k < link_parameters.size(); ++k) {
        const CalibrationJson& fit = part(range, link_parameters[k].key);
        const double time =
            number_in(entry(part(fit, "constant"), 0)) + number_in(entry(part(fit, "per_byte"), 0)) * size;
        if (std::string_view(link_parameters[k].name) == "L" && time < 0) note_negative(size);
        if (std::string_view(link_parameters[k].name) != "g") lone += time;
        add(lines_[k + 1], size, time);
      }
      add(lines_[0], size, lone);
    }
    // Between two ranges there is a step, or a gap.
    for (CalibrationJson& line : lines_) add(line, to, 0);
  }

  void add_points(const CalibrationJson& link) {
    const CalibrationJson& sizes = part(link, "measured");
    if (!sizes.is_array() || sizes.empty()) return;
    const double empty = number_in(part(link, "empty_round_trip"));
    points_.assign(lines_.size(), {});
    for (std::size_t k = 0; k < lines_.size(); ++k)
      points_[k] = {{"name", lines_[k]["name"].get<std::string>() + ", measured"},
                    {"style", "dots"},
                    {"of", k},
                    {"x", CalibrationJson::array()},
                    {"y", CalibrationJson::array()}};
    for (const CalibrationJson& each : sizes) {
      const double size = number_in(entry(each, 0));
      if (!(size > 0)) continue;
      const auto at = [&](std::size_t i) { return number_in(entry(each, places_ + i)); };
      const double lone = at(0) - empty / 2, flight = lone - at(1) - at(2);
      const std::array times{lone, at(1), flight, at(2), at(3)};
      for (std::size_t k = 0; k < times.size(); ++k) add(points_[k], size, times[k]);
      if (flight < 0) note_negative(size);
    }
  }

  void note_negative(double size) {
    if (!(negative_from_ <= size)) negative_from_ = size;
  }

  std::size_t places_;
  std::vector<CalibrationJson> lines_, points_;
  double negative_from_ = std::nan("");
};

void add_costs(const CalibrationJson& link, std::vector<View>& views) {
  struct Profile {
    const char *key, *says;
    std::size_t places;
  };
  constexpr std::array profiles{Profile{"predict", "medians", 1}, Profile{"verify", "95th percentiles", 5}};
  for (const Profile& profile : profiles) {
    const LinkCurves curves(link, profile.key, profile.places);
    if (curves.is_empty()) continue;
    std::string says = fmt::format("Cost of a message by its size, {}: lines show the model of takt{}",
                                   profile.says, curves.has_points() ? ", dots the measurements." : ".");
    if (!std::isnan(curves.negative_from()))
      says += fmt::format(" L below 0, from about {} on, is not drawn: sending and receiving overlap.",
                          bytes_text(std::exp2(std::round(std::log2(curves.negative_from())))));
    views.push_back(view_text({{"kind", "chart"},
                               {"name", fmt::format("{}: {}", name_of_link(link), profile.says)},
                               {"says", says},
                               {"x", "size (B)"},
                               {"y", "time (ns)"},
                               {"log", true},
                               {"series", curves.series()}}));
  }
}

void add_trials(const CalibrationJson& links, std::vector<View>& views) {
  CalibrationJson rows =
      calibration_table("Trials", "Messages independent of the fit, and the error of the prediction.",
                        {"link", "kind", "what", "predicted", "by g", "measured", "off by %", "visits"},
                        {ColumnKind::text, ColumnKind::text, ColumnKind::text, ColumnKind::ns, ColumnKind::ns,
                         ColumnKind::ns, ColumnKind::number, ColumnKind::number});
  CalibrationJson series = CalibrationJson::array();
  double least = std::nan(""), most = std::nan("");
  for (const CalibrationJson& link : links)
    for (const CalibrationJson& trial : part(link, "trials")) {
      const std::string kind = text_in(part(trial, "kind"));
      const double predicted = number_in(part(trial, "predicted")), by_gap = number_in(part(trial, "by_gap")),
                   measured = number_in(part(trial, "measured"));
      rows["rows"].push_back(
          {name_of_link(link), kind, text_in(part(trial, "what")), fmt::format("{}", predicted),
           by_gap > 0 ? fmt::format("{}", by_gap) : "", fmt::format("{}", measured),
           fmt::format("{:.1f}", 100 * number_in(part(trial, "error"))), text_in(part(trial, "visits"))});
      // Trials without an undisturbed measurement have no time.
      if (!(predicted > 0) || !(measured > 0)) continue;
      auto found = series.begin();
      while (found != series.end() && (*found)["name"] != kind) ++found;
      if (found == series.end()) {
        series.push_back({{"name", kind}, {"style", "dots"}, {"x", {}}, {"y", {}}, {"says", {}}});
        found = series.end() - 1;
      }
      (*found)["x"].push_back(measured);
      // Every value between the two counts as predicted.
      (*found)["y"].push_back(by_gap > 0 && by_gap < predicted ? std::clamp(measured, by_gap, predicted)
                                                               : predicted);
      (*found)["says"].push_back(text_in(part(trial, "what")));
      least = std::fmin(least, std::fmin(measured, predicted));
      most = std::fmax(most, std::fmax(measured, predicted));
    }
  if (!series.empty()) {
    series.push_back(
        {{"name", "as predicted"}, {"style", "line"}, {"x", {least, most}}, {"y", {least, most}}});
    views.push_back(view_text({{"kind", "chart"},
                               {"name", "Predicted and measured"},
                               {"says", "Trials: above the line, faster than predicted."},
                               {"x", "measured (ns)"},
                               {"y", "predicted (ns)"},
                               {"log", true},
                               {"series", series}}));
  }
  if (!rows["rows"].empty()) views.push_back(view_text(rows));
}

/// `88.7 ± 4.5 ns + 0.188 ± 0.02 ns/B`: half of the interval after the value.
std::string fit_text(const CalibrationJson& fit) {
  const auto interval = [](const CalibrationJson& values, const char* unit) {
    // More than two digits of an uncertainty are meaningless.
    const double reach =
        std::stod(fmt::format("{:.1e}", (number_in(entry(values, 2)) - number_in(entry(values, 1))) / 2));
    return fmt::format("{} ± {} {}", number_text(number_in(entry(values, 0))), number_text(reach), unit);
  };
  return fit.is_object()
             ? interval(part(fit, "constant"), "ns") + " + " + interval(part(fit, "per_byte"), "ns/B")
             : "-";
}

void add_fits(const CalibrationJson& links, std::vector<View>& views) {
  CalibrationJson rows = calibration_table(
      "Fits", "By range of sizes: the lines, and the half widths of their 95 % intervals.",
      {"link", "profile", "from", "to", "points", "samples", "o_send", "L", "o_recv", "g", "residual %"},
      {ColumnKind::text, ColumnKind::text, ColumnKind::bytes, ColumnKind::bytes, ColumnKind::number,
       ColumnKind::number, ColumnKind::text, ColumnKind::text, ColumnKind::text, ColumnKind::text,
       ColumnKind::number});
  for (const CalibrationJson& link : links)
    for (const char* const profile : {"predict", "verify"})
      for (const CalibrationJson& range : part(link, profile)) {
        CalibrationJson row{name_of_link(link), profile};
        for (const std::size_t end : {0, 1})
          row.push_back(fmt::format("{}", number_in(entry(part(range, "range"), end))));
        for (const char* const key : {"points", "samples"}) row.push_back(text_in(part(range, key)));
        double residual = 0;
        for (const NamedKey& each : link_parameters) {
          const CalibrationJson& fit = part(range, each.key);
          row.push_back(fit_text(fit));
          residual = std::fmax(residual, number_in(part(fit, "residual")));
        }
        row.push_back(fmt::format("{:.1f}", 100 * residual));
        rows["rows"].push_back(row);
      }
  if (!rows["rows"].empty()) views.push_back(view_text(rows));
}

void add_ranks(const CalibrationJson& ranks, std::vector<View>& views) {
  CalibrationJson rows = calibration_table("Ranks", "Placement of the ranks.",
                                           {"rank", "host", "place", "bound by", "processor", "system"},
                                           {ColumnKind::number, ColumnKind::text, ColumnKind::text,
                                            ColumnKind::text, ColumnKind::text, ColumnKind::text});
  for (const CalibrationJson& rank : ranks) {
    CalibrationJson row{fmt::format("{}", rows["rows"].size())};
    for (const char* const key : {"host", "place", "bound_by", "processor", "system"})
      row.push_back(text_in(part(rank, key)));
    rows["rows"].push_back(row);
  }
  if (!rows["rows"].empty()) views.push_back(view_text(rows));
}

}  // namespace

CalibrationPage calibration_page(const CalibrationJson& calibration) {
  CalibrationPage page{.says = "A machine as takt calibrate measured it.", .facts = {}, .views = {}};
  constexpr std::array told{NamedKey{"verdict", "verdict"}, NamedKey{"date", "date"},
                            NamedKey{"mpi", "MPI"},         NamedKey{"progress", "a waiting rank"},
                            NamedKey{"data", "data"},       NamedKey{"priority", "priority"}};
  for (const NamedKey& each : told)
    if (const std::string value = text_in(part(calibration, each.key)); !value.empty())
      page.facts.push_back({each.name, value, ""});
  for (const CalibrationJson& objection : part(calibration, "objections"))
    page.facts.push_back({"objection", text_in(objection), ""});
  const CalibrationJson& links = part(calibration, "links");
  if (links.is_array())
    for (const CalibrationJson& link : links) add_costs(link, page.views);
  if (links.is_array()) {
    add_trials(links, page.views);
    add_fits(links, page.views);
  }
  if (part(calibration, "ranks").is_array()) add_ranks(part(calibration, "ranks"), page.views);
  return page;
}

}  // namespace takt::pipeline
