#pragma once
/// How far a long command is, on stderr.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace takt {

/// `automatic`: in place on a terminal, plain lines elsewhere.
enum class ProgressStyle : std::uint8_t { automatic, plain, none };

/// `auto`, `plain` or `none`. Throws ConfigError with the nearest of them.
[[nodiscard]] ProgressStyle progress_style(std::string_view name);

/// `3 min 20 s`: about what is left when so much of the work has taken so long; nothing while that is a
/// guess.
[[nodiscard]] std::string time_left(std::chrono::duration<double> passed, double share);

/// A line, or a table below it, that is written over on a terminal, at most ten times a second. Plain lines
/// come every ten seconds, so that short commands write none.
class ProgressLine {
 public:
  explicit ProgressLine(ProgressStyle style = ProgressStyle::automatic);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  /// With the share of the work that is done, where that is known, also says what is left. `table` is shown
  /// on terminals only, as much of it as there is room for.
  void show(const std::string& text, std::optional<double> share = {}, const std::string& table = {});
  /// Takes it away, before something else is printed.
  void clear();
  /// Whether a table would be shown now.
  [[nodiscard]] bool wants_table() const;
  /// Letters of a line of it that the terminal has room for.
  [[nodiscard]] static std::size_t width();

 private:
  enum class Place : std::uint8_t { nowhere, terminal, lines };
  [[nodiscard]] bool is_due() const;

  Place place_;
  std::size_t lines_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<std::chrono::steady_clock::time_point> last_;
};

}  // namespace takt
