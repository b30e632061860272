#include "pipeline/launch/rank_output.hpp"

#include <algorithm>
#include <cstdlib>
#include <regex>

namespace takt::pipeline {

namespace {

/// A line such as `[host:123] ...` of mpirun's, or `srun: error: ...`.
bool is_starter_line(std::string_view line) {
  if (line.starts_with("srun: ") || line.starts_with("slurmstepd: ")) return true;
  const std::size_t colon = line.find(':'), end = line.find(']');
  return line.starts_with('[') && colon < end && end != std::string_view::npos &&
         line.find_first_not_of("0123456789", colon + 1) == end;
}

bool is_border(std::string_view line) {
  return line.size() > 20 && line.find_first_not_of('-') == std::string_view::npos;
}

/// `takt: rank 1: REASON`, or from somebody who did not know its rank `takt: REASON`.
Death read_last_words(std::string_view line) {
  constexpr std::string_view rank_mark = "rank ";
  if (line.starts_with(rank_mark)) {
    const std::size_t digits = rank_mark.size(), colon = line.find_first_not_of("0123456789", digits);
    if (colon > digits && line.substr(std::min(colon, line.size())).starts_with(": "))
      return {std::strtoul(line.data() + digits, nullptr, 10), std::string(line.substr(colon + 2))};
  }
  return {std::nullopt, std::string(line)};
}

/// What mpirun tells of the first rank that failed, in whichever of its ways, however its lines are broken.
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
  if (std::regex_search(notices, found, in_silence)) return Death{number(found[1]), "exited out of turn"};
  static const std::regex by_srun(
      R"(srun: error: \S+: task (\d+): (Exited with exit code \d+|[A-Z][A-Za-z ]*?) *(?:srun|slurmstepd|$))");
  if (std::regex_search(notices, found, by_srun)) return Death{number(found[1]), "ended: " + found.str(2)};
  return std::nullopt;
}

}  // namespace

bool RankOutput::take(std::string_view line) {
  constexpr std::string_view own_mark = "takt: ";
  if (line.starts_with(own_mark)) {
    if (!last_words_) last_words_ = read_last_words(line.substr(own_mark.size()));
    return false;
  }
  const bool border = is_border(line);
  if (border) inside_box_ = !inside_box_;
  if (!border && !inside_box_ && !is_starter_line(line)) return true;
  if (!border) notices_.append(line) += '\n';
  return false;
}

std::optional<Death> RankOutput::death() const {
  return last_words_ ? last_words_ : read_notices(notices_);
}

}  // namespace takt::pipeline
