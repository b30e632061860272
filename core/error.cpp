#include "core/error.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace takt {

namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Damerau-Levenshtein distance (adjacent transpositions count one, case nothing), O(|a| |b|).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1)});
      if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}  // namespace

std::string SourceLocation::to_string() const {
  std::string text = file;
  if (line > 0) text += fmt::format(":{}", line);
  if (line > 0 && column > 0) text += fmt::format(":{}", column);
  return text;
}

void ErrorList::add(const SourceLocation& where, const std::string& message) {
  const auto is_before = [](const SourceLocation& a, const SourceLocation& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  };
  const auto next = std::upper_bound(places_.begin(), places_.end(), where, is_before);
  messages_.insert(messages_.begin() + (next - places_.begin()), where.to_string() + ": " + message);
  places_.insert(next, where);
}

void ErrorList::throw_if_any() const {
  if (!empty()) throw ConfigError(fmt::format("{}", fmt::join(messages_, "\n")));
}

std::string unknown_name(std::string_view what, std::string_view name, std::vector<std::string_view> known) {
  std::stable_sort(known.begin(), known.end(), [&](std::string_view a, std::string_view b) {
    return edit_distance(name, a) < edit_distance(name, b);
  });
  std::string text = fmt::format("unknown {} '{}'", what, name);
  if (known.empty()) return text;
  const std::size_t distance = edit_distance(name, known.front());
  if (distance <= std::max<std::size_t>(2, name.size() / 3))
    text += fmt::format("; did you mean '{}'?", known.front());
  return text + fmt::format(" (known: {})", fmt::join(known, " "));
}

std::string read_text_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || std::filesystem::is_directory(path))
    throw ConfigError(
        fmt::format("{}: cannot read the file: {}", path.string(),
                    std::filesystem::is_directory(path) ? "it is a directory" : std::strerror(errno)));
  text << file.rdbuf();
  return std::move(text).str();
}

void write_text_file(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path partial = path.string() + fmt::format(".part{}", ::getpid());
  {
    std::ofstream file(partial, std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) {
      const std::string reason = std::strerror(errno);
      std::error_code ignored;
      std::filesystem::remove(partial, ignored);
      throw WorkError(fmt::format("{}: cannot write the file: {}", path.string(), reason));
    }
  }
  std::filesystem::rename(partial, path);
}

}  // namespace takt
