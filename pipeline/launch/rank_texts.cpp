#include "pipeline/launch/rank_texts.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

std::string describe_rank(const RunRecord& record, std::size_t rank) {
  std::string text = fmt::format("rank {}", rank);
  std::vector<std::string> details;
  if (rank < record.ranks.size() && record.ranks[rank])
    details.push_back(fmt::format("host {}, pid {}", record.ranks[rank]->host, record.ranks[rank]->pid));
  if (record.plan) {
    std::vector<std::string> tasks;
    for (const PlannedStage& stage : record.plan->stages)
      if (std::find(stage.ranks.begin(), stage.ranks.end(), rank) != stage.ranks.end())
        tasks.push_back(stage.name);
    if (!tasks.empty())
      details.push_back(fmt::format("{} {}", tasks.size() == 1 ? "task" : "tasks", fmt::join(tasks, " ")));
  }
  if (!details.empty()) text += fmt::format(" ({})", fmt::join(details, "; "));
  return text;
}

std::string last_seen(const RunRecord& record, std::size_t rank) {
  if (!record.ranks[rank]) return " before it started";
  const std::string activity = record.ranks[rank]->activity();
  return activity.empty() ? "" : fmt::format("; last seen {}", activity);
}

std::vector<std::string> silent_ranks(const RunRecord& record) {
  constexpr Time noticed{std::chrono::seconds{1}};
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < record.silence.size(); ++rank)
    if (record.silence[rank] > noticed)
      texts.push_back(fmt::format("{} silent since {}{}", describe_rank(record, rank),
                                  takt::to_string(record.silence[rank]), last_seen(record, rank)));
  return texts;
}

namespace {

/// Returns the failure that a rank reported itself.
std::optional<std::string> reported_failure(const RunRecord& record) {
  for (std::size_t rank = 0; rank < record.ranks.size(); ++rank) {
    if (!record.ranks[rank] || record.ranks[rank]->failure.empty()) continue;
    const RankStatus& status = *record.ranks[rank];
    std::string where = describe_rank(record, rank);
    if (status.failed_stage && record.plan)
      where = fmt::format("task '{}' on {}", record.plan->stages[*status.failed_stage].name, where);
    return fmt::format("{}: {}", where, status.failure);
  }
  return std::nullopt;
}

/// Returns the only rank without a final status, if there is one: it is the one that died unnamed.
std::optional<std::size_t> only_silent_rank(const RunRecord& record) {
  std::optional<std::size_t> silent;
  for (std::size_t rank = 0; rank < record.ranks.size(); ++rank) {
    if (record.ranks[rank] && record.ranks[rank]->final) continue;
    if (silent) return std::nullopt;
    silent = rank;
  }
  return silent;
}

/// Returns possible causes of a death other than the running task; empty if its rank has no other task.
std::string other_causes(const RunRecord& record, const Death& death) {
  if (!record.plan) return "";
  const auto kernels = std::ranges::count_if(record.plan->stages, [&](const PlannedStage& stage) {
    return stage.kind == name_of(StageKind::kernel) && std::ranges::count(stage.ranks, *death.rank) > 0;
  });
  if (kernels == 0) return "";
  if (death.may_be_of_damaged_memory())
    return "; a task of the rank may have damaged its memory earlier: --check-memory finds that";
  const auto& status = record.ranks[*death.rank];
  if (!death.is_a_kill() || !status || status->counts["resident"] == 0) return "";
  return fmt::format("; it used {} of memory, {} at its start",
                     takt::to_string(Bytes{status->counts["resident"]}),
                     takt::to_string(Bytes{status->counts["resident_at_first"]}));
}

}  // namespace

std::string explain_end(const RunRecord& record, const RankOutput& output, int status) {
  const auto failure = reported_failure(record);
  std::optional<Death> death = output.death(status);
  if (death && !death->rank && death->is_a_kill()) death->rank = only_silent_rank(record);
  if (death && death->rank.value_or(0) >= record.ranks.size()) death->rank.reset();
  // Later messages of other ranks are consequences if a rank was killed before its final status.
  const bool has_final_word =
      death && death->rank && record.ranks[*death->rank] && record.ranks[*death->rank]->final;
  if (failure && !(death && death->rank && death->is_a_kill() && !has_final_word)) return *failure;
  if (death && !death->rank) return to_text(*death, "a rank");
  if (death) {
    const bool is_reported = death->cause.find(" while ") != std::string::npos;
    return to_text(*death, describe_rank(record, *death->rank)) +
           (is_reported ? "" : last_seen(record, *death->rank)) + other_causes(record, *death);
  }
  if (WIFSIGNALED(status)) return output.end_of_starter(status);
  const std::string notice = output.notice();
  const std::string says = notice.empty() ? "" : "; mpirun says: " + notice;
  for (std::size_t rank = 0; rank < record.ranks.size(); ++rank)
    if (record.ranks[rank] && !record.ranks[rank]->final)
      return fmt::format("{} ended without a message{}{}", describe_rank(record, rank),
                         last_seen(record, rank), says);
  return "the ranks did not run to the end: " + output.end_of_starter(status);
}

}  // namespace takt::pipeline
