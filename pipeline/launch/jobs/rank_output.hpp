#pragma once
/// Classifies the output of mpirun: output of the ranks, crash reports of ranks, and mpirun's own
/// notices.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace takt::pipeline {

/// Why a rank ended, from its crash report (crash_report.hpp) or from mpirun.
struct Death {
  /// Nothing if the rank is unknown.
  std::optional<std::size_t> rank;
  /// `died of signal 9 (Killed)`.
  std::string cause;

  /// Returns true if the rank could not report anything before it died.
  [[nodiscard]] bool is_a_kill() const;
  /// Returns true if damaged memory may be the cause: a fault, or a check of the C library.
  [[nodiscard]] bool may_be_of_damaged_memory() const;
};

/// Returns `rank 1 died of signal 9 (Killed)`, `rank 1 failed: MPI_ERR_OTHER`; `who` is the rank.
[[nodiscard]] std::string to_text(const Death& death, const std::string& who);

/// Separates lines printed by kernels from mpirun's boxed notices and lines that begin with [host:pid]. It
/// keeps the notices for failures that have no other explanation.
class RankOutput {
 public:
  /// Returns true if the line is the ranks' own output, for the user to see.
  [[nodiscard]] bool take(std::string_view line);

  /// Returns the first reported death; later ones are its consequences.
  [[nodiscard]] std::optional<Death> death() const;
  /// Returns the same, using mpirun's status (from waitpid), which may be that of a rank: mpirun does not
  /// report ranks that die late.
  [[nodiscard]] std::optional<Death> death(int status) const;
  /// Describes how mpirun ended, in a sentence, if no death explains it.
  [[nodiscard]] std::string end_of_starter(int status) const;
  /// Returns the notices kept by `take` as a sentence: `it has lost the connection to host b`; may be empty.
  [[nodiscard]] std::string notice() const;

 private:
  bool inside_box_ = false;
  std::optional<Death> crash_report_;
  std::string notices_;
};

}  // namespace takt::pipeline
