#include "pipeline/calls/kernel_call.hpp"

#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::pipeline {

void throw_wrong_outcome(Outcome outcome, const char* function) {
  const bool is_finish = std::string_view(function) == "finish";
  throw WorkError(fmt::format(
      "its '{}' returned {}: expected Outcome::produced{} Outcome::absorbed{}", function,
      outcome == Outcome::more ? "Outcome::more" : fmt::format("an outcome of {}", static_cast<int>(outcome)),
      is_finish ? ", Outcome::more or" : " or", is_finish ? "" : "; only 'finish' may return Outcome::more"));
}

}  // namespace takt::pipeline
