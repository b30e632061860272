#include "core/system/progress_line.hpp"

#include <cmath>
#include <iostream>
#include <sstream>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/error.hpp"

namespace takt {

namespace {

winsize terminal_size() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) size.ws_col = 80;
  if (size.ws_row == 0) size.ws_row = 24;
  return size;
}

/// Moves to the first of this many lines, and clears everything from there on.
std::string take_away(std::size_t lines) {
  return lines > 1 ? fmt::format("\r\x1b[{}A\x1b[J", lines - 1) : "\r\x1b[J";
}

/// Returns the first characters of a line that fit the terminal; multi-byte characters stay whole.
std::string cut(const std::string& line, std::size_t width) {
  std::size_t letters = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if ((static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U) continue;
    if (++letters > width) return line.substr(0, at);
  }
  return line;
}

}  // namespace

ProgressStyle progress_style(std::string_view name) {
  if (name == "auto") return ProgressStyle::automatic;
  if (name == "plain") return ProgressStyle::plain;
  if (name == "none") return ProgressStyle::none;
  throw ConfigError(unknown_name("style of progress", name, {"auto", "plain", "none"}));
}

std::string time_left(std::chrono::duration<double> passed, double share) {
  constexpr double least_share = 0.02, least_seconds = 2;
  if (!(share >= least_share) || share >= 1 || passed.count() < least_seconds) return "";
  const double seconds = passed.count() * (1 - share) / share;
  constexpr double minute = 60, hour = 3600;
  if (seconds < minute) return fmt::format("{:.0f} s", seconds);
  if (seconds < hour)
    return fmt::format("{:.0f} min {:.0f} s", std::floor(seconds / minute), std::fmod(seconds, minute));
  return fmt::format("{:.0f} h {:.0f} min", std::floor(seconds / hour), std::fmod(seconds, hour) / minute);
}

ProgressLine::ProgressLine(ProgressStyle style) : place_(Place::lines) {
  if (style == ProgressStyle::none) place_ = Place::nowhere;
  if (style == ProgressStyle::automatic && ::isatty(STDERR_FILENO) == 1) place_ = Place::terminal;
}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::clear() {
  if (lines_ > 0) std::cerr << take_away(lines_) << std::flush;
  lines_ = 0;
}

bool ProgressLine::is_due() const {
  constexpr std::chrono::milliseconds on_terminals{100};
  constexpr std::chrono::seconds between_lines{10};
  const auto now = std::chrono::steady_clock::now();
  if (place_ == Place::terminal) return !last_ || lines_ == 0 || now - *last_ >= on_terminals;
  return place_ == Place::lines && now - last_.value_or(start_) >= between_lines;
}

bool ProgressLine::wants_table() const {
  return place_ == Place::terminal && is_due();
}

std::size_t ProgressLine::width() {
  return terminal_size().ws_col - 1U;
}

void ProgressLine::show(const std::string& text, std::optional<double> share, const std::string& table) {
  if (!is_due()) return;
  last_ = std::chrono::steady_clock::now();
  const std::string left = share ? time_left(*last_ - start_, *share) : "";
  const std::string first = left.empty() ? text : fmt::format("{} left; {}", left, text);
  if (place_ == Place::lines) {
    std::cerr << "takt: " << first << std::endl;
    return;
  }
  const winsize size = terminal_size();
  // Lines that wrap, or scroll off the top, could not be cleared.
  std::string shown = lines_ > 0 ? take_away(lines_) : "";
  shown += cut(first, size.ws_col - 1U);
  lines_ = 1;
  std::istringstream rows(table);
  for (std::string row; std::getline(rows, row) && lines_ + 1U < size.ws_row; ++lines_)
    shown += '\n' + cut(row, size.ws_col - 1U);
  std::cerr << shown << std::flush;
}

}  // namespace takt
