#pragma once
/// Report of a rank about a parameter update.

#include <cstdint>
#include <string>
#include <string_view>

namespace takt::pipeline {

/// A rank knows the update `number`, or has applied it from `frame` on (0 if it only knows the update).
struct UpdateReport {
  std::uint32_t number = 0;
  std::size_t rank = 0;
  std::uint64_t frame = 0;
  std::uint16_t epoch = 0;
  std::int64_t utc_ns = 0;
};

/// Converts to JSON, and back. Throws ConfigError.
[[nodiscard]] std::string to_text(const UpdateReport& report);
[[nodiscard]] UpdateReport update_report_from_text(std::string_view text);

}  // namespace takt::pipeline
