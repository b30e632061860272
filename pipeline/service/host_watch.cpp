#include "pipeline/service/host_watch.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <sys/wait.h>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/units.hpp"
#include "pipeline/launch/host_survey.hpp"
#include "pipeline/launch/ranks_command.hpp"

namespace takt::pipeline {

HostWatch::HostWatch(const ProcessorPlaces& places, const std::map<std::string, std::string>& lost)
    : last_answer_ns_(now_ns()) {
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
  words.insert(words.end(), {host, "true"});
  questions_.push_back({host, now_ns(), std::make_unique<ChildProcess>(words, Variables{})});
}

std::vector<std::string> HostWatch::step() {
  constexpr Time interval{std::chrono::seconds{10}};
  for (auto each = questions_.begin(); each != questions_.end();) {
    const std::optional<int> status = each->shell->ended();
    for (const std::string& line : each->shell->read_lines()) each->said = line;
    const bool is_silent = !status && now_ns() - each->asked_ns > patience_to_reach().count();
    if (!status && !is_silent) {
      ++each;
      continue;
    }
    std::string fault;
    if (is_silent)
      fault = fmt::format("it does not answer within {}", takt::to_string(patience_to_reach()));
    else if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0)
      fault =
          each->said.empty() ? fmt::format("'{}' does not reach it", words_to_reach().front()) : each->said;
    answer(each->host, fault);
    last_answer_ns_ = now_ns();
    each = questions_.erase(each);
  }
  if (!lost_.empty() && questions_.empty() && now_ns() - last_answer_ns_ > interval.count())
    for (const std::string& host : lost_) ask(host);
  return std::exchange(news_, {});
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
