#pragma once
/// The program that a Python kernel's process runs: the text of host.py.

#include <string_view>

namespace takt::pipeline {

[[nodiscard]] std::string_view python_host();

}  // namespace takt::pipeline
