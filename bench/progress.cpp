#include "bench/progress.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::bench {

ProgressStyle take_progress_style(int& count, char** arguments) {
  constexpr std::string_view option = "--progress";
  std::string_view name = "auto";
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    const std::string_view word = arguments[i];
    if (word == option)
      name = i + 1 < count ? arguments[++i] : "";
    else if (word.starts_with(option) && word.substr(option.size()).starts_with('='))
      name = word.substr(option.size() + 1);
    else
      arguments[kept++] = arguments[i];
  }
  count = kept;
  try {
    return progress_style(name);
  } catch (const ConfigError& error) {
    std::cerr << option << ": " << error.what() << '\n';
    std::exit(2);
  }
}

void Steps::begin(const std::string& text) {
  const std::size_t done = std::min(begun_++, total_);
  line_.show(fmt::format("{} of {}: {}", done, total_, text),
             static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(total_, 1)));
}

}  // namespace takt::bench
