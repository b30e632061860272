#include "cli/progress.hpp"

#include <cstddef>
#include <iostream>

#include <sys/ioctl.h>
#include <unistd.h>

namespace takt::cli {

namespace {

std::size_t terminal_width() {
  winsize size{};
  constexpr std::size_t usual = 80;
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual;
}

constexpr const char* clear_line = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine(bool wanted) : is_wanted_(wanted && ::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::clear() {
  if (shown_) std::cerr << clear_line << std::flush;
  shown_ = false;
}

void ProgressLine::show(const std::string& text) {
  constexpr std::chrono::milliseconds least_distance{100};
  const auto now = std::chrono::steady_clock::now();
  if (!is_wanted_ || (shown_ && now - last_ < least_distance)) return;
  shown_ = true;
  last_ = now;
  // A line that wraps could not be taken away.
  std::cerr << clear_line << text.substr(0, terminal_width() - 1) << std::flush;
}

}  // namespace takt::cli
