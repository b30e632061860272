#pragma once
/// Emulates senders to the live sources of a trial.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/launch/jobs/child_process.hpp"
#include "pipeline/planning/run_plan.hpp"
#include "pipeline/protocol/run_folder.hpp"

namespace takt::pipeline {

/// Runs `takt send` for each live source, on this computer or another host.
class EmulatedSenders {
 public:
  /// `host` is the host of the senders, reached like hosts of ranks; nothing: this computer. The plan
  /// determines the rank, and thus the host, of each source. Throws ConfigError if that host is unknown, or
  /// if `host` is set and no source has an emulated sender.
  EmulatedSenders(const Pipeline& pipeline, const RunPlan& plan, const std::optional<std::string>& host);

  /// Returns true if a source receives from other programs.
  [[nodiscard]] static bool can_serve(const Stage& source, const SourceKind& kind);
  /// Returns true if a slow pipeline slows any of the senders down.
  [[nodiscard]] bool are_held_up() const;
  [[nodiscard]] bool empty() const { return senders_.empty(); }
  /// Returns the settings with which the source receives from its sender.
  [[nodiscard]] ParameterValues settings_of(std::size_t source) const;

  /// The running senders; they stop with this object.
  class Work {
   public:
    Work() = default;
    Work(Work&&) noexcept = default;
    ~Work();
    /// Returns true if one has stopped early: they should outlast a trial.
    [[nodiscard]] bool has_given_up();
    /// Throws WorkError, with its message, if one has stopped early.
    void expect_to_last();

   private:
    friend class EmulatedSenders;
    /// For senders on another host.
    std::unique_ptr<RunFolder> folder_;
    std::vector<std::unique_ptr<ChildProcess>> processes_;
  };
  /// Starts all senders together, with `hertz` frames/s of the pipeline, and returns when they are sending.
  /// Throws WorkError if one fails to start, ConfigError if the rate is out of range compared with the
  /// source's own rate.
  [[nodiscard]] Work start(double hertz) const;

 private:
  struct Sender {
    std::size_t source = 0;
    std::string name;
    SourceLocation where;
    EmulatedSender how;
    /// Frames/s at speed 1.
    double rate_hz = 0;
  };
  std::vector<Sender> senders_;
  /// The host of the senders; without hosts this computer.
  Site site_;
};

}  // namespace takt::pipeline
