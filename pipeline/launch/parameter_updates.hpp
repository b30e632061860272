#pragma once
/// Parameter updates: passes changes from a user to the ranks of a run.

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "pipeline/config/change.hpp"
#include "pipeline/protocol/rank_link.hpp"
#include "pipeline/protocol/run_record.hpp"
#include "pipeline/protocol/update_report.hpp"

namespace takt::pipeline {

/// Converts a change to JSON and back.
[[nodiscard]] std::string to_text(const MadeChange& change);
[[nodiscard]] MadeChange made_change_from_text(std::string_view text);

/// Answer to `takt set`.
struct ChangeAnswer {
  /// The fault of the change; empty if it was made.
  std::string error;
  /// True if it is in effect from a known frame on; otherwise it starts with the next frame.
  bool has_begun = false;
  MadeChange made;
};
[[nodiscard]] std::string to_text(const ChangeAnswer& answer);
[[nodiscard]] ChangeAnswer answer_from_text(std::string_view text);

/// Changes a parameter of a task, `clean.sigma=5`, of the run with this directory. Waits some seconds at most
/// until the change is in effect. Throws ConfigError for an invalid change, WorkError if the run does not
/// answer. May also be called by other threads of the launcher.
[[nodiscard]] ChangeAnswer set_parameter(const std::filesystem::path& run_folder, const std::string& change);

/// The launcher's update queue, one change at a time: checks a change, sends it to all ranks, and when all
/// have it, starts it with the next frame of the sources (runtime/parameter_tracker.hpp).
class ParameterUpdates {
 public:
  /// Throws ConfigError for an invalid change.
  using Check = std::function<Change(const std::string& text)>;

  /// Without `check` no changes are permitted.
  ParameterUpdates(Check check, std::size_t ranks) : check_(std::move(check)), ranks_(ranks) {}

  /// Accepts requests and reminds ranks; call several times a second. `now` is now_ns().
  void look(LauncherLink& link, std::int64_t now);
  /// Handle the ranks' messages `prepared` and `begun`.
  void take_prepared(LauncherLink& link, const UpdateReport& report);
  void take_begun(LauncherLink& link, const UpdateReport& report, RunRecord& record);
  /// Answers waiting users at the end of the run.
  void end(LauncherLink& link);

 private:
  struct Pending {
    Change change;
    std::int64_t since_ns = 0, asked_ns = 0;
    std::set<std::size_t> prepared;
    bool is_answered = false;
  };
  void begin(LauncherLink& link, const std::string& text, std::int64_t now);
  [[nodiscard]] bool all_are_prepared() const { return pending_->prepared.size() == ranks_; }

  Check check_;
  std::size_t ranks_;
  std::optional<Pending> pending_;
};

}  // namespace takt::pipeline
