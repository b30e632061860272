#pragma once
/// The computer that this process runs on.

#include <string>

namespace takt {

/// As the system knows it; empty where it has no name.
[[nodiscard]] std::string host_name();

/// Of its start: another one after each; empty where the system does not say.
[[nodiscard]] std::string boot_id();

/// The model of its processors: `Intel(R) Xeon(R) Gold 6130`; `unknown` where the system does not say.
[[nodiscard]] std::string processor_name();

}  // namespace takt
