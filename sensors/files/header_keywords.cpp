#include "sensors/files/header_keywords.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

/// Formats a value for an output's history: in one line, truncated to this many bytes.
std::string one_line(std::string_view value) {
  constexpr std::size_t longest = 1000;
  std::string line(value.substr(0, longest));
  for (char& each : line)
    if (static_cast<unsigned char>(each) < 0x20 || each == 0x7f) each = '?';
  return value.size() > longest ? line + "..." : line;
}

}  // namespace

std::string_view name_of(KeywordUse use) {
  switch (use) {
    case KeywordUse::obeyed:
      return "obeyed";
    case KeywordUse::carried:
      return "carried";
    case KeywordUse::refused:
      return "refused";
    case KeywordUse::unused:
      return "unused";
  }
  return "";
}

const HeaderKeyword* HeaderKeywords::find(std::string_view name) const {
  const auto found = std::ranges::find(rows, name, &HeaderKeyword::name);
  return found == rows.end() ? nullptr : &*found;
}

std::string to_markdown(const HeaderKeywords& keywords) {
  std::string text = "| keyword | use | meaning |\n|---|---|---|\n";
  for (const HeaderKeyword& each : keywords.rows)
    text += fmt::format("| `{}` | {} | {} |\n", each.name, name_of(each.use), each.meaning);
  return text;
}

const HeaderKeyword* HeaderNotes::take(std::string_view keyword, std::string_view value) {
  const HeaderKeyword* known = keywords_.find(keyword);
  if (known == nullptr && std::ranges::find(unknown_, keyword) == unknown_.end()) {
    unknown_.emplace_back(keyword);
    warn(
        fmt::format("{}: the {} header has the unknown keyword '{}' ({}): copied to the history of outputs, "
                    "otherwise ignored",
                    file_, keywords_.format, excerpt(keyword), excerpt(value)));
  }
  if (known == nullptr || known->use == KeywordUse::carried)
    description_.push_back(fmt::format("{}: {}", one_line(keyword), one_line(value)));
  return known;
}

}  // namespace takt::sensors
