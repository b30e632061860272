#pragma once
/// Messages of a host survey, and the answer of a host.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/launch/hosts/host_facts.hpp"

namespace takt::pipeline {

/// Environment variable that holds the question.
inline constexpr const char* question_variable = "TAKT_QUESTION";

struct HostAnswer {
  std::size_t rank = 0;
  std::optional<HostFacts> facts = {};
  /// Time of day when it was sent.
  std::int64_t clock_ns = 0;
};

[[nodiscard]] HostAnswer host_answer_from_text(std::string_view text);

/// Returns the time of day in nanoseconds since 1970.
[[nodiscard]] std::int64_t day_ns();

/// Returns true if this process was started to answer a survey; after answering it exits with 0.
[[nodiscard]] bool is_asked_by_survey();
int answer_survey(const std::string& version);

}  // namespace takt::pipeline
