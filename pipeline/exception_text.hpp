#pragma once
/// What kernels' and plug-ins' exceptions say, for messages.

#include <exception>
#include <string>

namespace takt::pipeline {

/// In one line, and short enough for a sentence around it; never empty.
[[nodiscard]] std::string exception_text(const std::exception& error);

}  // namespace takt::pipeline
