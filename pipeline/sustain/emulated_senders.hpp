#pragma once
/// Who sends to the live sources of a trial.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/launch/jobs/child_process.hpp"
#include "pipeline/planning/run_plan.hpp"
#include "pipeline/protocol/run_folder.hpp"

namespace takt::pipeline {

/// For each source that receives what others send `takt send`, here or on another host.
class EmulatedSenders {
 public:
  /// `host` is where they come up, reached as hosts of ranks are; nothing: on this computer. The plan says on
  /// which rank, and so on which host, each source is. Throws ConfigError where the host of such a rank is
  /// not known, or `host` names one and no source hears a sender.
  EmulatedSenders(const Pipeline& pipeline, const RunPlan& plan, const std::optional<std::string>& host);

  /// Whether a source receives what others send.
  [[nodiscard]] static bool can_serve(const Stage& source, const SourceKind& kind);
  /// Whether any is held up where the pipeline does not keep up.
  [[nodiscard]] bool are_held_up() const;
  [[nodiscard]] bool empty() const { return senders_.empty(); }
  /// What the source must be told to hear it.
  [[nodiscard]] ParameterValues settings_of(std::size_t source) const;

  /// While it lives they send.
  class Work {
   public:
    Work() = default;
    Work(Work&&) noexcept = default;
    ~Work();
    /// Whether one has given up: they outlast a trial.
    [[nodiscard]] bool has_given_up();
    /// Throws WorkError where one has, with what it says.
    void expect_to_last();

   private:
    friend class EmulatedSenders;
    /// Of those on another host.
    std::unique_ptr<RunFolder> folder_;
    std::vector<std::unique_ptr<ChildProcess>> processes_;
  };
  /// They begin at the same time, with so many of the pipeline's frames a second, and are at work when this
  /// returns. Throws WorkError where one does not come up, ConfigError where it would have to be too fast or
  /// too slow beside its source's own rate.
  [[nodiscard]] Work start(double hertz) const;

 private:
  struct Sender {
    std::size_t source = 0;
    std::string name;
    SourceLocation where;
    EmulatedSender how;
    /// Frames a second at its own speed.
    double rate_hz = 0;
  };
  std::vector<Sender> senders_;
  /// Where they come up; without hosts this computer.
  Site site_;
};

}  // namespace takt::pipeline
