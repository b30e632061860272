#include "pipeline/launch/parameter_updates.hpp"

#include <chrono>

#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "pipeline/exception_text.hpp"

namespace takt::pipeline {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MadeChange, parameter, value, old_value, frame, epoch, utc_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ChangeAnswer, error, has_begun, made)

namespace {

constexpr std::string_view set_word = "set ";
/// Messages to ranks without a subscription are lost, so they are repeated.
constexpr std::int64_t remind_ns = 500'000'000;
/// Longest wait of the user for a frame with which the change begins.
constexpr std::int64_t patience_ns = 5'000'000'000;
constexpr std::chrono::seconds answer_within{20};

MadeChange made_of(const Change& change) {
  return {.parameter = change.task + "." + change.key, .value = change.value, .old_value = change.old_value};
}

}  // namespace

std::string to_text(const MadeChange& change) {
  return json_line(change);
}
MadeChange made_change_from_text(std::string_view text) {
  return value_from_json<MadeChange>(text);
}
std::string to_text(const ChangeAnswer& answer) {
  return json_line(answer);
}
ChangeAnswer answer_from_text(std::string_view text) {
  return value_from_json<ChangeAnswer>(text);
}

ChangeAnswer set_parameter(const std::filesystem::path& run_folder, const std::string& change) {
  const auto text = ask_run(run_folder, std::string(set_word) + change, answer_within);
  if (!text) throw WorkError("the run has not answered for 20 s");
  ChangeAnswer answer = answer_from_text(*text);
  if (!answer.error.empty()) throw ConfigError(answer.error);
  return answer;
}

void ParameterUpdates::look(LauncherLink& link, std::int64_t now) {
  if (!pending_ || pending_->is_answered)
    if (const auto request = link.request()) begin(link, *request, now);
  if (!pending_) return;
  if (now - pending_->asked_ns > remind_ns) {
    pending_->asked_ns = now;
    if (all_are_prepared())
      link.ask_to_begin(pending_->change.number);
    else
      link.ask_to_prepare(to_text(pending_->change));
  }
  if (pending_->is_answered || now - pending_->since_ns < patience_ns) return;
  pending_->is_answered = true;
  link.answer(to_text(ChangeAnswer{.made = made_of(pending_->change)}));
}

void ParameterUpdates::begin(LauncherLink& link, const std::string& text, std::int64_t now) {
  const auto refuse = [&](const std::string& why) { link.answer(to_text(ChangeAnswer{.error = why})); };
  if (!text.starts_with(set_word)) return refuse("unknown request: expected 'set task.parameter=value'");
  if (!check_) return refuse("the parameters of this run cannot be changed");
  if (pending_) return refuse("an earlier change is pending: it begins with the next frame");
  try {
    pending_ = Pending{.change = check_(text.substr(set_word.size())), .since_ns = now, .asked_ns = now};
  } catch (const std::exception& error) {
    return refuse(exception_text(error));
  }
  link.ask_to_prepare(to_text(pending_->change));
}

void ParameterUpdates::take_prepared(LauncherLink& link, const UpdateReport& report) {
  if (!pending_ || report.number != pending_->change.number || report.rank >= ranks_) return;
  const bool were_prepared = all_are_prepared();
  pending_->prepared.insert(report.rank);
  if (!were_prepared && all_are_prepared()) link.ask_to_begin(report.number);
}

void ParameterUpdates::take_begun(LauncherLink& link, const UpdateReport& report, RunRecord& record) {
  // For several sources the first one counts.
  if (!pending_ || report.number != pending_->change.number) return;
  MadeChange made = made_of(pending_->change);
  made.frame = report.frame;
  made.epoch = report.epoch;
  made.utc_ns = report.utc_ns;
  record.changes.push_back(made);
  if (!pending_->is_answered) link.answer(to_text(ChangeAnswer{.has_begun = true, .made = std::move(made)}));
  pending_.reset();
}

void ParameterUpdates::end(LauncherLink& link) {
  if (!pending_ || pending_->is_answered) return;
  link.answer(to_text(ChangeAnswer{.error = "the run ended before the change began"}));
  pending_.reset();
}

}  // namespace takt::pipeline
