#include "pipeline/launch/jobs/rank_output.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <regex>

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include "pipeline/launch/jobs/child_process.hpp"

namespace takt::pipeline {

namespace {

/// Recognises lines such as `[host:123] ...` of mpirun, or `srun: error: ...`.
bool is_starter_line(std::string_view line) {
  if (line.starts_with("srun: ") || line.starts_with("slurmstepd: ")) return true;
  const std::size_t colon = line.find(':'), end = line.find(']');
  return line.starts_with('[') && colon < end && end != std::string_view::npos &&
         line.find_first_not_of("0123456789", colon + 1) == end;
}

bool is_border(std::string_view line) {
  return line.size() > 20 && line.find_first_not_of('-') == std::string_view::npos;
}

/// Parses `takt: rank 1: REASON`, or `takt: REASON` from a process without a known rank.
Death read_crash_report(std::string_view line) {
  constexpr std::string_view rank_mark = "rank ";
  if (line.starts_with(rank_mark)) {
    const std::size_t digits = rank_mark.size(), colon = line.find_first_not_of("0123456789", digits);
    if (colon > digits && line.substr(std::min(colon, line.size())).starts_with(": "))
      return {std::strtoul(line.data() + digits, nullptr, 10), std::string(line.substr(colon + 2))};
  }
  return {std::nullopt, std::string(line)};
}

/// Removes line breaks and the marks `[host:pid]` at the beginning of lines.
std::string in_one_line(const std::string& text) {
  std::string line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view words = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (words.starts_with('[') && is_starter_line(words)) words.remove_prefix(words.find(']') + 1);
    words.remove_prefix(std::min(words.find_first_not_of(' '), words.size()));
    if (!words.empty()) line.append(line.empty() ? "" : " ").append(words);
  }
  return line;
}

/// Returns the text up to its full stop, limited to a readable length.
std::string first_sentence(const std::string& text) {
  constexpr std::size_t longest = 160;
  const std::size_t stop = text.find(". ");
  if (std::min(stop, text.size()) <= longest) return text.substr(0, stop);
  return text.substr(0, text.rfind(' ', longest)) + " ...";
}

/// Parses mpirun's notice about the first failed rank, in all of its forms and with any line breaks.
std::optional<Death> read_notices(std::string notices) {
  std::replace(notices.begin(), notices.end(), '\n', ' ');
  const auto number = [](const std::ssub_match& digits) { return std::stoul(digits.str()); };
  static const std::regex by_signal(R"(process rank (\d+) .{0,200}?exited on (signal \d+ \([^)]*\)))");
  static const std::regex with_code(R"(Process name: \[\[\d+,\d+\],(\d+)\]\s+Exit code:\s+(\d+))");
  static const std::regex in_silence(R"(process rank (\d+) .{0,200}?exiting improperly)");
  std::smatch found;
  if (std::regex_search(notices, found, by_signal)) return Death{number(found[1]), "died of " + found.str(2)};
  if (std::regex_search(notices, found, with_code))
    return Death{number(found[1]), "exited with code " + found.str(2)};
  if (std::regex_search(notices, found, in_silence)) return Death{number(found[1]), "exited unexpectedly"};
  static const std::regex by_srun(
      R"(srun: error: \S+: task (\d+): (Exited with exit code \d+|[A-Z][A-Za-z ]*?) *(?:srun|slurmstepd|$))");
  if (std::regex_search(notices, found, by_srun)) return Death{number(found[1]), "ended: " + found.str(2)};
  return std::nullopt;
}

}  // namespace

bool RankOutput::take(std::string_view line) {
  constexpr std::string_view own_mark = "takt: ";
  if (line.starts_with(own_mark)) {
    if (!crash_report_) crash_report_ = read_crash_report(line.substr(own_mark.size()));
    return false;
  }
  const bool border = is_border(line);
  if (border) inside_box_ = !inside_box_;
  if (!border && !inside_box_ && !is_starter_line(line)) return true;
  if (!border) notices_.append(line) += '\n';
  return false;
}

std::string RankOutput::notice() const {
  const std::string text = in_one_line(notices_);
  std::smatch found;
  const auto says = [&](const char* pattern) { return std::regex_search(text, found, std::regex(pattern)); };
  if (says(R"(lost communication with a remote daemon.{0,200}?Remote daemon: \S+ on node (\S+))"))
    return "it lost the connection to host " + found.str(1);
  if (says(R"(unable to reliably start one or more daemons)"))
    return "its daemon does not start on every host: takt doctor shows where and why";
  if (says(R"(daemon has unexpectedly failed after launch)"))
    return "its daemon on a host ended during start-up: takt doctor shows where and why";
  if (says(R"(not enough slots available .{0,200}?satisfy the (\d+))"))
    return "the hosts have too few slots for " + found.str(1) + " ranks";
  if (says(R"(could not access or execute an executable: +Executable: (\S+) +Node: (\S+))"))
    return found.str(1) + " cannot be started on host " + found.str(2);
  return first_sentence(text);
}

bool Death::is_a_kill() const {
  return cause.starts_with(fmt::format("died of signal {} ", SIGKILL));
}

bool Death::may_be_of_damaged_memory() const {
  return std::ranges::any_of(std::array{SIGSEGV, SIGBUS, SIGABRT}, [&](int number) {
    return cause.starts_with(fmt::format("died of signal {} ", number));
  });
}

std::string to_text(const Death& death, const std::string& who) {
  const bool is_verb = death.cause.starts_with("died ") || death.cause.starts_with("exited ") ||
                       death.cause.starts_with("ended");
  return fmt::format("{} {}{}", who, is_verb ? "" : "failed: ", death.cause);
}

std::optional<Death> RankOutput::death() const {
  return crash_report_ ? crash_report_ : read_notices(notices_);
}

std::optional<Death> RankOutput::death(int status) const {
  if (auto told = death()) return told;
  // The convention of shells.
  constexpr int of_signal = 128;
  if (!WIFEXITED(status) || WEXITSTATUS(status) <= of_signal) return std::nullopt;
  const int number = WEXITSTATUS(status) - of_signal;
  const char* const name = ::sigdescr_np(number);
  if (name == nullptr) return std::nullopt;
  return Death{std::nullopt, fmt::format("died of signal {} ({})", number, name)};
}

std::string RankOutput::end_of_starter(int status) const {
  std::string text = "mpirun " + end_text(status);
  if (const std::string says = notice(); !says.empty() && !WIFSIGNALED(status))
    text += "; mpirun says: " + says;
  return text;
}

}  // namespace takt::pipeline
