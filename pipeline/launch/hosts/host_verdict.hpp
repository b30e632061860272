#pragma once
/// Judges whether hosts are fit to run a pipeline together.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "pipeline/launch/hosts/host_facts.hpp"

namespace takt::pipeline {

/// Survey result of one host.
struct SurveyedHost {
  /// The name used by the user or Slurm; otherwise the host's own name.
  std::string name;
  std::optional<HostFacts> facts = {};
  /// Offset of its time of day from the launcher's; up to 0.1 s too small, the possible delay of an
  /// answer.
  std::optional<Time> clock_offset = {};
  /// True if its rank communicated with the others over MPI; nothing if not tried.
  std::optional<bool> has_met_others = {};
  /// Why it has not answered, according to the program that was to start its rank.
  std::string silence = {};
};

enum class Grade : std::uint8_t { good, warning, bad };

/// Result of one check.
struct Finding {
  Grade grade = Grade::good;
  /// Empty for all hosts.
  std::string host = {};
  /// `reach`, `version`, `clock`, `mpi`, `network`, `sockets`, ....
  std::string subject;
  std::string says;
  /// Remedy; empty if the check passed.
  std::string advice = {};
  friend bool operator==(const Finding&, const Finding&) = default;
};

/// Largest accepted offset: beyond it frames of several hosts have wrong times, and the host is not fit.
inline constexpr Time largest_clock_offset{1'000'000'000};
/// Offset from which a warning is given.
inline constexpr Time reported_clock_offset{100'000'000};

/// Returns all findings, host by host, with one `good` line for each subject in order. The first host with an
/// answer is the reference. `ranks`: total number of ranks, if known.
[[nodiscard]] std::vector<Finding> judge(const std::vector<SurveyedHost>& hosts,
                                         std::optional<std::size_t> ranks);

/// Returns the bad findings as one message: one line each, with the remedy.
[[nodiscard]] std::string faults_of(const std::vector<Finding>& findings);

/// Formats the findings as lines of 80 columns for users, and as JSON for programs.
[[nodiscard]] std::string to_text(const std::vector<SurveyedHost>& hosts,
                                  const std::vector<Finding>& findings);
[[nodiscard]] std::string to_json(const std::vector<SurveyedHost>& hosts,
                                  const std::vector<Finding>& findings);

}  // namespace takt::pipeline
