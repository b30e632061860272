#pragma once
/// The computer of this process.

#include <string>

namespace takt {

/// Name of the host; empty if it has none.
[[nodiscard]] std::string host_name();

/// Returns an identifier of the present boot; empty if unknown.
[[nodiscard]] std::string boot_id();

/// Returns the processor model: `Intel(R) Xeon(R) Gold 6130`; `unknown` if the system does not report it.
[[nodiscard]] std::string processor_name();

}  // namespace takt
