#include "pipeline/service/host_watch.hpp"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "core/units.hpp"
#include "pipeline/launch/hosts/host_survey.hpp"
#include "pipeline/launch/jobs/ranks_command.hpp"
#include "pipeline/launch/jobs/slurm.hpp"

namespace takt::pipeline {

namespace {

/// Returns a command that prints the available processors. Slurm's own programs get fewer than its jobs.
std::vector<std::string> question_of_processors() {
  if (!slurm_hosts().empty()) return {"true"};
  return {"grep", "Cpus_allowed_list", "/proc/self/status"};
}

/// Parses `Cpus_allowed_list: 0-3,7`; nothing for another line.
std::optional<std::vector<std::size_t>> processors_in(const std::string& line) {
  const std::size_t colon = line.find(':');
  if (!line.starts_with("Cpus_allowed_list") || colon == std::string::npos) return std::nullopt;
  std::vector<std::size_t> processors;
  std::istringstream ranges(line.substr(colon + 1));
  for (std::string range; std::getline(ranges, range, ',');) {
    std::istringstream text(range);
    std::size_t first = 0, last = 0;
    char dash = 0;
    if (!(text >> first)) return std::nullopt;
    if (!(text >> dash >> last)) last = first;
    for (; first <= last; ++first) processors.push_back(first);
  }
  return processors;
}

}  // namespace

HostWatch::HostWatch(const ProcessorPlaces& places, const std::map<std::string, std::string>& lost)
    : places_(places), last_answer_ns_(now_ns()) {
  for (const ProcessorPlace& place : places)
    if (!place.host.empty() && !names_this_host(place.host) &&
        std::ranges::find(hosts_, place.host) == hosts_.end())
      hosts_.push_back(place.host);
  for (const auto& [host, fault] : lost) answer(host, fault);
}

bool HostWatch::is_asking() const {
  return std::ranges::any_of(questions_, [this](const Question& each) { return !lost_.contains(each.host); });
}

void HostWatch::ask() {
  for (const std::string& host : hosts_)
    if (std::ranges::find(questions_, host, &Question::host) == questions_.end()) ask(host);
}

void HostWatch::ask(const std::string& host) {
  std::vector<std::string> words = words_to_reach();
  words.push_back(host);
  const std::vector<std::string> question = question_of_processors();
  words.insert(words.end(), question.begin(), question.end());
  questions_.push_back({host, now_ns(), std::make_unique<ChildProcess>(words, Variables{})});
}

std::vector<std::string> HostWatch::step() {
  constexpr Time interval{std::chrono::seconds{10}};
  for (auto each = questions_.begin(); each != questions_.end();) {
    const std::optional<int> status = each->shell->ended();
    for (std::string& line : each->shell->read_lines()) each->said.push_back(std::move(line));
    const bool is_silent = !status && now_ns() - each->asked_ns > patience_to_reach().count();
    if (!status && !is_silent) {
      ++each;
      continue;
    }
    const std::string fault =
        is_silent ? fmt::format("it does not answer within {}", takt::to_string(patience_to_reach()))
                  : fault_of(*each, *status);
    answer(each->host, fault);
    last_answer_ns_ = now_ns();
    each = questions_.erase(each);
  }
  if (!lost_.empty() && questions_.empty() && now_ns() - last_answer_ns_ > interval.count())
    for (const std::string& host : lost_) ask(host);
  return std::exchange(news_, {});
}

/// Empty if there is no fault.
std::string HostWatch::fault_of(const Question& question, int status) const {
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return question.said.empty() ? fmt::format("'{}' does not reach it", words_to_reach().front())
                                 : question.said.back();
  std::vector<std::size_t> gone;
  for (const std::string& line : question.said)
    if (const auto there = processors_in(line))
      for (const ProcessorPlace& place : places_)
        if (place.host == question.host && std::ranges::find(*there, place.core) == there->end())
          gone.push_back(place.core);
  if (gone.empty()) return "";
  return fmt::format("it lost processor{} {}", gone.size() > 1 ? "s" : "", fmt::join(gone, ", "));
}

void HostWatch::answer(const std::string& host, const std::string& fault) {
  if (fault.empty()) {
    if (lost_.erase(host) > 0) news_.push_back(fmt::format("host '{}' answers again", host));
  } else if (lost_.insert(host).second) {
    news_.push_back(
        fmt::format("host '{}' is lost ({}): its processors are closed until it answers", host, fault));
  }
}

std::vector<pid_t> HostWatch::pids() const {
  std::vector<pid_t> pids;
  for (const Question& each : questions_) pids.push_back(each.shell->pid());
  return pids;
}

}  // namespace takt::pipeline
