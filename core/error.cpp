#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text/one_line.hpp"
#include "core/text/printable.hpp"

namespace takt {

namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Returns the Damerau-Levenshtein distance (adjacent transpositions count one, case nothing) of the first 64
/// characters of both names. O(|a| |b|). Allocates nothing: names are compared with all tasks of a graph.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  constexpr std::size_t longest = 64;
  a = a.substr(0, longest);
  b = b.substr(0, longest);
  // The last three rows of the matrix of distances between prefixes.
  using Row = std::array<std::uint8_t, longest + 1>;
  std::array<Row, 3> rows{};
  Row *before = &rows[0], *above = &rows[1], *row = &rows[2];
  for (std::size_t j = 0; j <= b.size(); ++j) (*row)[j] = static_cast<std::uint8_t>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    (*row)[0] = static_cast<std::uint8_t>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      int least = std::min(
          {(*above)[j] + 1, (*row)[j - 1] + 1, (*above)[j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1)});
      if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
        least = std::min(least, (*before)[j - 2] + 1);
      (*row)[j] = static_cast<std::uint8_t>(least);
    }
  }
  return (*row)[b.size()];
}

}  // namespace

std::string SourceLocation::to_string() const {
  std::string text = file;
  if (line > 0) text += fmt::format(":{}", line);
  if (line > 0 && column > 0) text += fmt::format(":{}", column);
  return text;
}

void ErrorList::add(const SourceLocation& where, const std::string& message) {
  constexpr std::size_t most = 100;
  if (messages_.size() == most) {
    ++more_;
    return;
  }
  const auto is_before = [](const SourceLocation& a, const SourceLocation& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  };
  const auto next = std::upper_bound(places_.begin(), places_.end(), where, is_before);
  const std::string place = where.to_string();
  // Texts of user kernels and files may contain arbitrary characters.
  messages_.insert(messages_.begin() + (next - places_.begin()),
                   one_line(place.empty() ? message : place + ": " + message));
  places_.insert(next, where);
}

void ErrorList::throw_if_any() const {
  if (empty()) return;
  std::string text = fmt::format("{}", fmt::join(messages_, "\n"));
  if (more_ > 0) text += fmt::format("\nand {} more errors", more_);
  throw ConfigError(text);
}

std::string unknown_name(std::string_view what, std::string_view name, std::vector<std::string_view> known) {
  std::string text = fmt::format("unknown {} '{}'", what, excerpt(name));
  if (known.empty()) return text;
  const auto distance = [&](std::string_view each) { return edit_distance(name, each); };
  const std::string_view nearest = *std::ranges::min_element(known, {}, distance);
  if (distance(nearest) <= std::max<std::size_t>(2, name.size() / 3))
    text += fmt::format("; did you mean '{}'?", nearest);
  constexpr std::size_t shown = 50;
  const auto first = std::span(known).first(std::min(shown, known.size()));
  text += fmt::format(" (known: {}", fmt::join(first, " "));
  if (known.size() > shown) text += fmt::format(" and {} more", known.size() - shown);
  return text + ")";
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t most_characters = 60;
  std::string shown;
  std::size_t characters = 0;
  while (!text.empty()) {
    if (++characters > most_characters) return shown + "...";
    const std::string_view character = text.substr(0, utf8_length(text));
    shown += is_plain(character) ? character : "?";
    text.remove_prefix(character.size());
  }
  return shown;
}

}  // namespace takt
