#include "sensors/files/input_names.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fnmatch.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace fs = std::filesystem;

namespace {

/// More names than this are a typing error, and would only exhaust the memory.
constexpr std::uint64_t most_names = 1'000'000;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

struct NumberRange {
  std::size_t begin = 0, end = 0;
  std::uint64_t first = 0, last = 0;
  std::size_t digits = 0;
};

/// Returns the first `{m..n}` of a name.
std::optional<NumberRange> find_range(std::string_view name) {
  for (std::size_t open = name.find('{'); open != std::string_view::npos; open = name.find('{', open + 1)) {
    const std::size_t close = name.find('}', open), dots = name.find("..", open);
    if (close == std::string_view::npos) return {};
    if (dots == std::string_view::npos || dots > close) continue;
    NumberRange range{.begin = open, .end = close + 1, .digits = dots - open - 1};
    const auto read = [](std::string_view text, std::uint64_t& value) {
      const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      return error == std::errc{} && rest == text.data() + text.size();
    };
    if (read(name.substr(open + 1, range.digits), range.first) &&
        read(name.substr(dots + 2, close - dots - 2), range.last))
      return range;
  }
  return {};
}

/// Calls `use` with the name of each combination of the ranges' numbers.
template <class Use>
void for_each_name(const std::string& name, std::uint64_t& left, const Use& use) {
  const std::optional<NumberRange> range = find_range(name);
  if (!range) return use(name);
  if (range->last < range->first)
    throw ConfigError(fmt::format("'{}': the range {} runs backwards", name,
                                  name.substr(range->begin, range->end - range->begin)));
  for (std::uint64_t number = range->first;; ++number) {
    if (left == 0) throw ConfigError(fmt::format("'{}' expands to more than {} names", name, most_names));
    --left;
    for_each_name(fmt::format("{}{:0{}}{}", name.substr(0, range->begin), number,
                              name[range->begin + 1] == '0' ? range->digits : 1, name.substr(range->end)),
                  left, use);
    if (number == range->last) return;
  }
}

bool has_wildcard(std::string_view name) {
  return name.find_first_of("*?[") != std::string_view::npos;
}

/// Matches component by component, so that a literal folder name with a wildcard character is found.
void match(const fs::path& folder, fs::path::const_iterator next, const fs::path::const_iterator end,
           std::vector<fs::path>& found) {
  if (next == end) {
    found.push_back(folder);
    return;
  }
  const std::string pattern = next->string();
  ++next;
  std::error_code error;
  if (!has_wildcard(pattern) || fs::exists(folder / pattern, error))
    return match(folder / pattern, next, end, found);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
    const std::string name = entry.path().filename().string();
    if (::fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) != 0) continue;
    if (next == end ? !entry.is_directory(error) : entry.is_directory(error))
      match(folder / name, next, end, found);
  }
}

}  // namespace

bool is_pattern_of_files(const std::string& name) {
  return has_wildcard(name) || find_range(name);
}

bool is_before_naturally(const std::string& a, const std::string& b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    const auto number = [](const std::string& text, std::size_t& at) {
      while (at < text.size() && text[at] == '0') ++at;
      const std::size_t begin = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      return std::string_view(text).substr(begin, at - begin);
    };
    const std::string_view x = number(a, i), y = number(b, j);
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;
}

std::vector<fs::path> matching_files(const std::string& name) {
  std::error_code error;
  if (fs::exists(name, error)) return {name};
  std::vector<fs::path> files;
  std::uint64_t left = most_names;
  for_each_name(name, left, [&](const std::string& each) {
    if (!has_wildcard(each)) {
      files.emplace_back(each);
      return;
    }
    const fs::path pattern = each;
    std::vector<fs::path> found;
    match({}, pattern.begin(), pattern.end(), found);
    std::ranges::sort(found, [](const fs::path& a, const fs::path& b) {
      return is_before_naturally(a.string(), b.string());
    });
    files.insert(files.end(), found.begin(), found.end());
  });
  return files;
}

std::vector<fs::path> input_files(const std::vector<std::string>& names) {
  std::vector<fs::path> files;
  std::set<fs::path> seen;
  for (const std::string& name : names) {
    const std::vector<fs::path> found = matching_files(name);
    if (found.empty()) throw ConfigError(fmt::format("no file matches '{}'", name));
    for (const fs::path& file : found) {
      if (!seen.insert(file.lexically_normal()).second)
        throw ConfigError(fmt::format("the file '{}' is given twice", file.string()));
      files.push_back(file);
    }
  }
  return files;
}

}  // namespace takt::sensors
