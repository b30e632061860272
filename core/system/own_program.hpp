#pragma once
/// The path of this program, for starting further processes of it.

#include <filesystem>

namespace takt {

/// Determined by name: after an upgrade, the path of the new file.
[[nodiscard]] std::filesystem::path own_program();

}  // namespace takt
