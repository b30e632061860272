#pragma once
/// The computer that this process runs on.

#include <string>

namespace takt {

/// As the system knows it; empty where it has no name.
[[nodiscard]] std::string host_name();

}  // namespace takt
