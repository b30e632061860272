#pragma once
/// Display of a long command's progress on stderr.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace takt {

/// `automatic`: in place on a terminal, plain lines elsewhere.
enum class ProgressStyle : std::uint8_t { automatic, plain, none };

/// Parses `auto`, `plain` or `none`. Throws ConfigError with the nearest of them.
[[nodiscard]] ProgressStyle progress_style(std::string_view name);

/// Returns the approximate remaining time, `3 min 20 s`, when this share of the work took this time; empty
/// while the estimate is unreliable.
[[nodiscard]] std::string time_left(std::chrono::duration<double> passed, double share);

/// A line, or a table below it, that is overwritten on a terminal at most ten times per second. Plain lines
/// are printed every ten seconds, so that short commands print none.
class ProgressLine {
 public:
  explicit ProgressLine(ProgressStyle style = ProgressStyle::automatic);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  /// Displays the text, with the remaining time if the completed share is known. `table` is displayed on
  /// terminals only, as far as it fits.
  void show(const std::string& text, std::optional<double> share = {}, const std::string& table = {});
  /// Clears the display before other output.
  void clear();
  /// Reports whether a table would be displayed now.
  [[nodiscard]] bool wants_table() const;
  /// Returns the width of the table in characters.
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
