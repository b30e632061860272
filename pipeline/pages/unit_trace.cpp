#include "pipeline/pages/unit_trace.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text/printable.hpp"

namespace takt::pipeline {

namespace {

struct Field {
  std::string_view text;
  int column = 0;
};

std::vector<Field> fields_of(std::string_view line) {
  std::vector<Field> fields;
  constexpr std::string_view blanks = " \t\r";
  for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    fields.push_back({line.substr(at, end - at), static_cast<int>(at) + 1});
    at = line.find_first_not_of(blanks, end);
  }
  return fields;
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Builds one trace, event by event; units in the order in which they are mentioned.
class TraceReader {
 public:
  explicit TraceReader(const std::string& file) : file_(file) {}

  [[nodiscard]] bool has_run() const { return has_run_; }

  void take(int line, const std::vector<Field>& fields) {
    line_ = line;
    fields_ = &fields;
    const std::string_view kind = fields.front().text;
    if (kind.size() != 1 || kind < "0" || kind > "5") refuse(0, "expected an event, 0 to 5");
    const auto event = static_cast<UnitEventKind>(kind[0] - '0');
    std::size_t unit = 0;
    switch (event) {
      case UnitEventKind::create:
        unit = create();
        break;
      case UnitEventKind::create_child:
        unit = create_child();
        break;
      case UnitEventKind::start:
      case UnitEventKind::start_child:
        unit = start(event == UnitEventKind::start_child);
        break;
      case UnitEventKind::stop:
      case UnitEventKind::stop_child:
        unit = stop(event == UnitEventKind::stop_child);
        break;
    }
    has_run_ = has_run_ || event != UnitEventKind::create;
    std::string text;
    for (const Field& each : fields) text += (text.empty() ? "" : " ") + std::string(each.text);
    events_.push_back({event, unit, std::move(text), std::exchange(seconds_, 0)});
  }

  [[nodiscard]] UnitTrace finish() {
    // Static units by tag, then spawned ones by tag.
    std::vector<std::size_t> order(units_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(
        order, {}, [&](std::size_t unit) { return std::pair(!units_[unit].is_static(), units_[unit].tag); });
    std::vector<std::size_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    UnitTrace trace;
    for (const std::size_t old : order) {
      TracedUnit& unit = units_[old];
      if (!unit.is_static()) unit.parent = place[unit.parent];
      for (auto* const list : {&unit.dependents, &unit.dependencies, &unit.children})
        for (std::size_t& each : *list) each = place[each];
      trace.units.push_back(std::move(unit));
    }
    for (UnitEvent& each : events_) each.unit = place[each.unit];
    trace.events = std::move(events_);
    return trace;
  }

 private:
  [[noreturn]] void refuse(std::size_t field, const std::string& expected) const {
    const std::vector<Field>& fields = *fields_;
    const bool is_there = field < fields.size();
    const int column =
        is_there ? fields[field].column : fields.back().column + static_cast<int>(fields.back().text.size());
    throw ConfigError(
        {file_, line_, column},
        (is_there ? printable(fields[field].text) : std::string("end of line")) + ": " + expected);
  }

  std::int64_t integer(std::size_t field, std::int64_t least, const char* what) const {
    const auto value =
        field < fields_->size() ? number_in<std::int64_t>((*fields_)[field].text) : std::nullopt;
    if (!value || *value < least) refuse(field, fmt::format("expected {}, {} or more", what, least));
    return *value;
  }
  void require_end(std::size_t fields) const {
    if (fields_->size() > fields) refuse(fields, "expected the end of the line");
  }

  std::size_t unit_of(std::int64_t tag) {
    const auto [found, is_new] = by_tag_.try_emplace(tag, units_.size());
    if (is_new) {
      units_.push_back({.tag = tag, .is_only_named = true});
      is_executing_.push_back(false);
    }
    return found->second;
  }
  /// A unit that was created before.
  std::size_t known_unit(std::size_t field) const {
    const auto found = by_tag_.find(integer(field, 1, "a tag"));
    if (found == by_tag_.end() || units_[found->second].is_only_named)
      refuse(field, "expected the tag of a unit that an earlier event creates");
    return found->second;
  }

  // Each event is read as a whole before it changes anything.

  std::size_t create() {
    const std::int64_t tag = integer(1, 1, "a tag"), icango = integer(2, 0, "icango");
    const std::int64_t count = integer(3, 0, "the length of the list");
    constexpr std::size_t first = 4;
    std::vector<std::int64_t> list;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      list.push_back(integer(first + i, 1, "the tag of a dependent"));
    require_end(first + list.size());
    const std::size_t unit = unit_of(tag);
    if (!units_[unit].is_only_named) refuse(1, "this unit exists already: expected another tag");
    units_[unit].is_only_named = false;
    units_[unit].icango = icango;
    for (const std::int64_t each : list) {
      const std::size_t dependent = unit_of(each);
      units_[unit].dependents.push_back(dependent);
      units_[dependent].dependencies.push_back(unit);
    }
    return unit;
  }

  std::size_t create_child() {
    const std::size_t parent = known_unit(1);
    const std::int64_t tag = integer(2, 1, "a tag");
    require_end(3);
    const std::size_t unit = unit_of(tag);
    if (!units_[unit].is_only_named || !units_[unit].dependencies.empty())
      refuse(2, "this unit exists already: expected another tag");
    units_[unit].is_only_named = false;
    units_[unit].parent = parent;
    units_[parent].children.push_back(unit);
    return unit;
  }

  /// The unit of an event 1, 2, 4 or 5.
  std::size_t subject(bool is_child) const {
    const std::size_t field = is_child ? 2 : 1;
    const std::size_t unit = known_unit(field);
    if (units_[unit].is_static() == is_child)
      refuse(0, is_child ? "the unit is static: expected event 1 or 2"
                         : "the unit was spawned: expected event 4 or 5");
    if (is_child && units_[units_[unit].parent].tag != integer(1, 1, "the owner's tag"))
      refuse(1, fmt::format("expected the owner {}", units_[units_[unit].parent].tag));
    return unit;
  }

  std::size_t start(bool is_child) {
    const std::size_t unit = subject(is_child);
    require_end(is_child ? 3 : 2);
    if (is_executing_[unit])
      refuse(is_child ? 2 : 1, "this unit executes already: expected the event of its end");
    is_executing_[unit] = true;
    return unit;
  }

  std::size_t stop(bool is_child) {
    const std::size_t unit = subject(is_child);
    const std::size_t field = is_child ? 3 : 2;
    const auto seconds = field < fields_->size() ? number_in<double>((*fields_)[field].text) : std::nullopt;
    if (!seconds || !std::isfinite(*seconds) || *seconds < 0) refuse(field, "expected seconds, 0 or more");
    require_end(field + 1);
    if (!is_executing_[unit]) refuse(field - 1, "this unit does not execute: expected its start");
    is_executing_[unit] = false;
    units_[unit].seconds += *seconds;
    seconds_ = *seconds;
    return unit;
  }

  const std::string& file_;
  int line_ = 0;
  const std::vector<Field>* fields_ = nullptr;
  std::vector<TracedUnit> units_;
  std::vector<bool> is_executing_;
  std::unordered_map<std::int64_t, std::size_t> by_tag_;
  std::vector<UnitEvent> events_;
  /// Of the present stop.
  double seconds_ = 0;
  bool has_run_ = false;
};

}  // namespace

bool begins_as_unit_trace(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::vector<Field> fields = fields_of(line);
  constexpr std::size_t fixed = 4;
  if (fields.size() < fixed || fields.front().text != "0") return false;
  for (std::size_t i = 1; i < fields.size(); ++i) {
    const auto value = number_in<std::int64_t>(fields[i].text);
    if (!value || *value < (i == 1 ? 1 : 0)) return false;
  }
  const auto count = number_in<std::size_t>(fields[3].text);
  return count && fields.size() == fixed + *count;
}

std::vector<UnitTrace> read_unit_traces(std::string_view text, const std::string& file, bool is_growing) {
  std::vector<UnitTrace> traces;
  std::optional<TraceReader> reader;
  int line = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const bool is_whole = end != std::string_view::npos;
    if (!is_whole && is_growing) break;
    const std::vector<Field> fields = fields_of(text.substr(at, is_whole ? end - at : end));
    at = is_whole ? end + 1 : text.size();
    ++line;
    if (fields.empty()) continue;
    if (fields.front().text == "0" && reader && reader->has_run()) {
      traces.push_back(reader->finish());
      reader.reset();
    }
    if (!reader) reader.emplace(file);
    try {
      reader->take(line, fields);
    } catch (const ConfigError&) {
      // A program that was killed leaves the beginning of a line.
      if (is_whole || line == 1) throw;
    }
  }
  if (reader) traces.push_back(reader->finish());
  return traces;
}

}  // namespace takt::pipeline
