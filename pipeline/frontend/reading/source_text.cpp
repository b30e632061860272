#include "pipeline/frontend/reading/source_text.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace takt::frontend {

namespace {

std::string as_text(const SourceText& source, const std::vector<Violation>& violations) {
  std::string text;
  const auto with_place = [&](Place place, std::string_view kind, const std::string& message) {
    text += fmt::format("{}{}: {}: {}\n{}", text.empty() ? "" : "\n", source.locate(place).to_string(), kind,
                        message, source.excerpt(place));
  };
  for (const Violation& each : violations) {
    with_place(each.place, "error", each.message);
    if (!each.note.empty()) with_place(each.other, "note", each.note);
    if (!each.rewrite.empty()) text += fmt::format("\n  rewrite: {}", each.rewrite);
  }
  return text;
}

std::string as_json(const SourceText& source, const std::vector<Violation>& violations) {
  auto list = nlohmann::ordered_json::array();
  for (const Violation& each : violations) {
    const SourceLocation where = source.locate(each.place);
    nlohmann::ordered_json entry{{"file", where.file},
                                 {"line", where.line},
                                 {"column", where.column},
                                 {"rule", each.rule},
                                 {"message", each.message}};
    if (!each.note.empty()) {
      const SourceLocation other = source.locate(each.other);
      entry["note"] = {{"line", other.line}, {"column", other.column}, {"message", each.note}};
    }
    if (!each.rewrite.empty()) entry["rewrite"] = each.rewrite;
    list.push_back(std::move(entry));
  }
  return list.dump(2) + "\n";
}

}  // namespace

SourceText::SourceText(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (std::uint32_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
}

std::size_t SourceText::line_of(std::uint32_t offset) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(line_starts_, offset) - line_starts_.begin()) - 1;
}

std::string_view SourceText::at(Place place) const {
  if (place.offset >= text_.size()) return {};
  return std::string_view(text_).substr(place.offset, place.length);
}

SourceLocation SourceText::locate(Place place) const {
  if (place.length == 0 || place.offset > text_.size()) return {name_};
  const std::size_t line = line_of(place.offset);
  return {name_, static_cast<int>(line) + 1, static_cast<int>(place.offset - line_starts_[line]) + 1};
}

std::string SourceText::excerpt(Place place) const {
  if (place.length == 0 || place.offset > text_.size()) return {};
  const std::size_t start = line_starts_[line_of(place.offset)];
  const std::size_t end = std::min(text_.find('\n', start), text_.size());
  const std::string line = text_.substr(start, end - start);
  std::string marks;
  // Tabs stay, so that the caret is below its place with any width of tabs.
  for (std::size_t i = start; i < place.offset; ++i) marks += text_[i] == '\t' ? '\t' : ' ';
  marks += '^';
  const std::size_t last = std::min<std::size_t>(place.offset + place.length, end);
  if (last > place.offset + 1) marks.append(last - place.offset - 1, '~');
  return fmt::format("{}\n{}", line, marks);
}

ProgramError::ProgramError(const SourceText& source, std::vector<Violation> violations)
    : ConfigError(as_text(source, violations)),
      violations_(std::move(violations)),
      json_(as_json(source, violations_)) {}

std::string without_comments(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i).starts_with("/*")) {
      i = std::min(text.find("*/", i + 2), text.size() - 2) + 2;
      result += ' ';
    } else if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else {
      result += text[i++];
    }
  }
  return result;
}

}  // namespace takt::frontend
