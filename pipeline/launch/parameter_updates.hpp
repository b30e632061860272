#pragma once
/// Changes of parameters on their way from a user to the ranks of a run.

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

/// As JSON.
[[nodiscard]] std::string to_text(const MadeChange& change);
[[nodiscard]] MadeChange made_change_from_text(std::string_view text);

/// What was answered to `takt set`.
struct ChangeAnswer {
  /// What is wrong with the change; empty where it was made.
  std::string error;
  /// Whether it holds from a frame on already; otherwise from the next one.
  bool has_begun = false;
  MadeChange made;
};
[[nodiscard]] std::string to_text(const ChangeAnswer& answer);
[[nodiscard]] ChangeAnswer answer_from_text(std::string_view text);

/// Changes the parameter of a run's task, by the run's folder: `clean.sigma=5`. Waits until the change holds,
/// at most some seconds. Throws ConfigError with what is wrong with the change, WorkError where the run does
/// not answer. Also for other threads of the launcher itself.
[[nodiscard]] ChangeAnswer set_parameter(const std::filesystem::path& run_folder, const std::string& change);

/// The launcher's part, one change after the other: it checks what is asked for, tells all ranks, and when
/// all know of it lets it begin, with the next frame of the sources (runtime/parameter_tracker.hpp).
class ParameterUpdates {
 public:
  /// Throws ConfigError with what is wrong with a change.
  using Check = std::function<Change(const std::string& text)>;

  /// Without `check` nothing may be changed.
  ParameterUpdates(Check check, std::size_t ranks) : check_(std::move(check)), ranks_(ranks) {}

  /// Takes what is asked and reminds ranks, several times a second. `now` is now_ns().
  void look(LauncherLink& link, std::int64_t now);
  /// `prepared` and `begun`, as ranks say them.
  void take_prepared(LauncherLink& link, const UpdateReport& news);
  void take_begun(LauncherLink& link, const UpdateReport& news, RunRecord& record);
  /// The run has ended: whoever waits hears of it.
  void end(LauncherLink& link);

 private:
  struct Pending {
    Change change;
    std::int64_t since_ns = 0, told_ns = 0;
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
