#pragma once
/// Are these hosts fit to run a pipeline together?

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "pipeline/launch/hosts/host_facts.hpp"

namespace takt::pipeline {

/// What is known of one host.
struct SurveyedHost {
  /// As the user or Slurm calls it; the host's own name where nobody does.
  std::string name;
  std::optional<HostFacts> facts = {};
  /// What its clock (of the day) shows more than the launcher's, at most 0.1 s too little: that is how long
  /// an answer may have been under way.
  std::optional<Time> clock_offset = {};
  /// Whether its rank met the others over MPI; nothing where that was not tried.
  std::optional<bool> has_met_others = {};
  /// Why it has not answered, as whoever was to start it says.
  std::string silence = {};
};

enum class Grade : std::uint8_t { good, warning, bad };

/// One thing that was looked at.
struct Finding {
  Grade grade = Grade::good;
  /// Empty for what concerns all hosts.
  std::string host = {};
  /// `reach`, `version`, `clock`, `mpi`, `network`, `sockets`, ....
  std::string subject;
  std::string says;
  /// What to do about it; empty when it is good.
  std::string advice = {};
  friend bool operator==(const Finding&, const Finding&) = default;
};

/// A clock further off than this would put frames of several hosts at wrong times: such hosts are not fit.
inline constexpr Time largest_clock_offset{1'000'000'000};
/// From this on it is told of.
inline constexpr Time told_clock_offset{100'000'000};

/// Every finding, host by host; one line of `good` where a subject is in order. The first host that answered
/// is what the others are compared with. `ranks`: how many are to come up in all, where that is known.
[[nodiscard]] std::vector<Finding> judge(const std::vector<SurveyedHost>& hosts,
                                         std::optional<std::size_t> ranks);

/// Those that are bad, as one message: a line each, with what to do.
[[nodiscard]] std::string faults_of(const std::vector<Finding>& findings);

/// For people, lines of 80 columns; and for programs.
[[nodiscard]] std::string to_text(const std::vector<SurveyedHost>& hosts,
                                  const std::vector<Finding>& findings);
[[nodiscard]] std::string to_json(const std::vector<SurveyedHost>& hosts,
                                  const std::vector<Finding>& findings);

}  // namespace takt::pipeline
