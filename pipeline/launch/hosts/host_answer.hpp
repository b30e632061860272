#pragma once
/// A survey's question and answers on their way, and how a host answers.

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
  /// Of the day, as it was sent.
  std::int64_t clock_ns = 0;
};

[[nodiscard]] HostAnswer host_answer_from_text(std::string_view text);

/// Nanoseconds of the day's clock since 1970.
[[nodiscard]] std::int64_t day_ns();

/// Whether this process was started to answer a survey; it answers, and its exit code is 0.
[[nodiscard]] bool is_asked_by_survey();
int answer_survey(const std::string& version);

}  // namespace takt::pipeline
