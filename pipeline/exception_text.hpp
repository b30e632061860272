#pragma once
/// Formats the exceptions of kernels and plug-ins for messages.

#include <exception>
#include <string>

namespace takt::pipeline {

/// Returns the exception's text in one line, short enough to be quoted in a sentence; never empty.
[[nodiscard]] std::string exception_text(const std::exception& error);

}  // namespace takt::pipeline
