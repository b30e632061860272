#pragma once
/// What comes out of mpirun, told apart: what the ranks print, the last words of a rank, mpirun's own
/// notices.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace takt::pipeline {

/// Why a rank ended, as it said itself (see crash_report.hpp) or as mpirun tells it.
struct Death {
  /// Nothing when it was not said which one.
  std::optional<std::size_t> rank;
  /// `died of signal 9 (Killed)`.
  std::string cause;

  /// Nobody could say a word before it.
  [[nodiscard]] bool is_a_kill() const;
  /// Memory that other code had damaged before may be why: a fault, or the C library's own check.
  [[nodiscard]] bool may_be_of_damaged_memory() const;
};

/// `rank 1 died of signal 9 (Killed)`, `rank 1 failed: MPI_ERR_OTHER`; `who` is the rank.
[[nodiscard]] std::string to_text(const Death& death, const std::string& who);

/// Ranks print what the user's kernels print. The boxes that mpirun draws around its notices, and lines that
/// begin with [host:pid], are kept for the case that nobody else explains a failure.
class RankOutput {
 public:
  /// Whether the line is the ranks' own output, for the user to see.
  [[nodiscard]] bool take(std::string_view line);

  /// The first death that was told; those after it are its consequences.
  [[nodiscard]] std::optional<Death> death() const;
  /// The same where mpirun has ended with this status (as waitpid gives it), which may be that of a rank,
  /// too: of one that dies late mpirun says nothing more.
  [[nodiscard]] std::optional<Death> death(int status) const;
  /// How mpirun has ended, in a sentence, where no death explains that.
  [[nodiscard]] std::string end_of_starter(int status) const;
  /// What `take` kept back, in a sentence: `it has lost the connection to host b`; empty where it is nothing.
  [[nodiscard]] std::string notice() const;

 private:
  bool inside_box_ = false;
  std::optional<Death> crash_report_;
  std::string notices_;
};

}  // namespace takt::pipeline
