#pragma once
/// Embeds host.py, the program of a Python kernel's process.

#include <string_view>

namespace takt::pipeline {

[[nodiscard]] std::string_view python_host();

}  // namespace takt::pipeline
