#pragma once
/// Whether two files, on two computers, are the same.

#include <cstdint>
#include <filesystem>
#include <optional>

namespace takt {

/// FNV-1a (64 bits) of all bytes; nothing where the file cannot be read. Tells apart what differs by mistake;
/// whoever wants to can make two files with one digest. O(bytes), about 1 GB a second.
[[nodiscard]] std::optional<std::uint64_t> file_digest(const std::filesystem::path& path);

}  // namespace takt
