#include "core/pictures/document_page.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "core/formats/json.hpp"
#include "core/pictures/figure_text.hpp"

namespace takt {

namespace {

using DocumentJson = nlohmann::ordered_json;

std::string view_text(const DocumentJson& view) {
  return view.dump(-1, ' ', false, DocumentJson::error_handler_t::replace);
}

bool is_flat(const DocumentJson& value) {
  return !value.is_object() && !value.is_array();
}

bool is_list_of(const DocumentJson& value, bool (*is_so)(const DocumentJson&)) {
  return value.is_array() && !value.empty() &&
         std::ranges::all_of(value, [&](const DocumentJson& each) { return is_so(each); });
}

bool is_object(const DocumentJson& value) {
  return value.is_object();
}
bool is_number(const DocumentJson& value) {
  return value.is_number();
}
/// Sentences, unlike words, contain blanks.
bool is_sentence(const DocumentJson& value) {
  return value.is_string() && value.get_ref<const std::string&>().find(' ') != std::string::npos;
}

PageFact fact_of(std::string name, const DocumentJson& value);

/// Formats a value, or the contents of a list or an object, for a cell: numbers with all their digits.
std::string cell_of(const DocumentJson& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (is_flat(value)) return view_text(value);
  std::string text;
  for (const auto& [key, each] : value.items()) {
    const bool is_word = value.is_array() && is_flat(each) && !is_sentence(each);
    text += text.empty() ? "" : is_word ? " " : value.is_array() ? "; " : ", ";
    // Values within text have the usual number of digits.
    if (value.is_object()) {
      const PageFact fact = fact_of(key, each);
      text += fact.name + ' ' + fact.value;
    } else {
      text += cell_of(each);
    }
  }
  return text;
}

/// Removes the unit from a name in files: `latency_ns p50` becomes `latency p50`, a time.
ColumnKind take_unit(std::string& name) {
  const auto ends_a_word = [&](std::string_view unit) {
    for (std::size_t at = name.find(unit); at != std::string::npos; at = name.find(unit, at + 1))
      if (at + unit.size() == name.size() || name[at + unit.size()] == ' ') {
        name.erase(at, unit.size());
        return true;
      }
    return false;
  };
  if (ends_a_word("_ns")) return ColumnKind::ns;
  if (ends_a_word("_hz")) return ColumnKind::hz;
  if (ends_a_word("_share")) return ColumnKind::share;
  // `mean_seconds` is a mean time.
  constexpr std::string_view seconds = "seconds";
  if (name == seconds || name.ends_with(" seconds") || name.ends_with("_seconds")) {
    name.replace(name.size() - seconds.size(), seconds.size(), "time");
    return ColumnKind::seconds;
  }
  // Both `bytes` and `output_bytes` are descriptive.
  const std::size_t word = name.rfind(' ') + 1;
  return name.substr(word) == "bytes" || name.ends_with("_bytes") ? ColumnKind::bytes : ColumnKind::number;
}

/// Replaces underscores by blanks, so that long names can be broken.
std::string in_words(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

PageFact fact_of(std::string name, const DocumentJson& value) {
  if (!value.is_number()) return {in_words(name), cell_of(value), ""};
  const ColumnKind kind = take_unit(name);
  const double number = value.get<double>();
  return {in_words(name),
          kind == ColumnKind::ns        ? time_text(number)
          : kind == ColumnKind::seconds ? time_text(number * ns_per_second)
          : kind == ColumnKind::hz      ? frequency_text(number)
          : kind == ColumnKind::bytes   ? bytes_text(number)
          : kind == ColumnKind::share   ? share_text(number)
                                        : number_text(number),
          ""};
}

/// Collects the values of an object by path; lists of objects, sentences and long lists go to `lists`.
void flatten(const DocumentJson& object, const std::string& way,
             std::vector<std::pair<std::string, const DocumentJson*>>& values,
             std::vector<std::pair<std::string, const DocumentJson*>>& lists) {
  constexpr std::size_t long_list = 8;
  for (const auto& [key, value] : object.items()) {
    const std::string name = way.empty() ? key : way + ' ' + key;
    if (value.is_object())
      flatten(value, name, values, lists);
    else if (is_list_of(value, is_object) || is_list_of(value, is_sentence) ||
             (value.size() >= long_list && is_list_of(value, is_number)))
      lists.emplace_back(name, &value);
    else if (!value.is_array() || !value.empty())
      values.emplace_back(name, &value);
  }
}

/// Formats `source_waits` as the title `Source waits`.
std::string title_of(std::string name) {
  name = in_words(std::move(name));
  if (!name.empty()) name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return name;
}

/// Columns that identify a row come first; the others keep their order.
bool identifies(std::string_view column) {
  constexpr std::string_view names[]{"name", "rank", "sink", "task", "processor"};
  return std::ranges::find(names, column) != std::end(names);
}

DocumentJson table_of(const std::string& name, const DocumentJson& list) {
  std::vector<std::string> columns;
  std::vector<bool> are_numbers;
  std::vector<std::vector<std::pair<std::size_t, std::string>>> rows;
  for (const DocumentJson& each : list) {
    std::vector<std::pair<std::string, const DocumentJson*>> values, lists;
    if (each.is_object())
      flatten(each, "", values, lists);
    else
      values.emplace_back(is_sentence(each) ? name : "value", &each);
    values.insert(values.end(), lists.begin(), lists.end());
    std::ranges::stable_partition(values, [](const auto& entry) { return identifies(entry.first); });
    auto& row = rows.emplace_back();
    for (const auto& [way, value] : values) {
      const auto column = static_cast<std::size_t>(std::ranges::find(columns, way) - columns.begin());
      if (column == columns.size()) {
        columns.push_back(way);
        are_numbers.push_back(true);
      }
      are_numbers[column] = are_numbers[column] && (value->is_number() || value->is_null());
      row.emplace_back(column, cell_of(*value));
    }
  }
  DocumentJson table{
      {"kind", "table"},
      {"name", title_of(name)},
      {"says", rows.size() == 1 ? "One row." : fmt::format("{} rows. Column headings sort.", rows.size())},
      {"columns", columns},
      {"numbers", DocumentJson::array()},
      {"rows", DocumentJson::array()}};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::string name_of_column = columns[i];
    const ColumnKind kind = are_numbers[i] ? take_unit(name_of_column) : ColumnKind::text;
    table["columns"][i] = in_words(name_of_column);
    table["numbers"].push_back(static_cast<int>(kind));
  }
  for (const auto& row : rows) {
    std::vector<std::string> cells(columns.size(), "-");
    for (const auto& [column, text] : row) cells[column] = text;
    table["rows"].push_back(cells);
  }
  return table;
}

DocumentJson curve_of(const std::string& name, const DocumentJson& list) {
  DocumentJson x = DocumentJson::array();
  for (std::size_t i = 0; i < list.size(); ++i) x.push_back(i);
  return {{"kind", "chart"}, {"name", title_of(name)},
          {"says", ""},      {"x", "number"},
          {"y", name},       {"series", {{{"name", name}, {"style", "line"}, {"x", x}, {"y", list}}}}};
}

DocumentJson number_of(std::string_view text) {
  std::int64_t whole = 0;
  if (const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
      error == std::errc{} && end == text.data() + text.size())
    return whole;
  double real = 0;
  if (const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), real);
      error == std::errc{} && end == text.data() + text.size())
    return real;
  return std::string(text);
}

}  // namespace

Page document_page(const std::string& title, std::string says, const DocumentJson& document) {
  Page page{.title = title, .says = std::move(says)};
  if (!document.is_object()) {
    page.facts.push_back({"entries", fmt::format("{}", document.size()), ""});
    page.views.push_back(view_text(table_of("All", document.is_array() ? document : DocumentJson{document})));
    return page;
  }
  std::vector<std::pair<std::string, const DocumentJson*>> values, lists;
  flatten(document, "", values, lists);
  // Unknown values are omitted.
  for (const auto& [name, value] : values)
    if (!value->is_null()) page.facts.push_back(fact_of(name, *value));
  for (const auto& [name, list] : lists)
    page.views.push_back(
        view_text(list->front().is_number() ? curve_of(name, *list) : table_of(name, *list)));
  return page;
}

DocumentJson json_of(const YamlNode& node) {
  switch (node.kind()) {
    case YamlKind::text:
      return number_of(node.text());
    case YamlKind::list: {
      DocumentJson list = DocumentJson::array();
      for (const YamlNode& each : node) list.push_back(json_of(each));
      return list;
    }
    case YamlKind::mapping: {
      DocumentJson object = DocumentJson::object();
      for (const YamlNode::Pair& pair : node.pairs())
        object[std::string(pair.key.text())] = json_of(pair.value);
      return object;
    }
    case YamlKind::nothing:
      break;
  }
  return nullptr;
}

View bar_view(const std::string& name, const std::string& says, const std::string& x, const std::string& y,
              const std::vector<std::string>& names, const std::vector<BarSeries>& series, bool is_stacked) {
  DocumentJson view{{"kind", "chart"}, {"name", name}, {"says", says},
                    {"x", x},          {"y", y},       {"series", DocumentJson::array()}};
  for (const BarSeries& each : series) {
    DocumentJson at = DocumentJson::array();
    for (std::size_t i = 0; i < each.values.size(); ++i) at.push_back(i);
    view["series"].push_back({{"name", each.name}, {"style", "bars"}, {"x", at}, {"y", each.values}});
  }
  view["names"] = names;
  if (is_stacked) view["stacked"] = true;
  return view_text(view);
}

}  // namespace takt
