#pragma once
/// The file of this program, for processes that are to be others of its kind.

#include <filesystem>

namespace takt {

/// By its name: where the file was replaced meanwhile (an upgrade), the one that is there now.
[[nodiscard]] std::filesystem::path own_program();

}  // namespace takt
