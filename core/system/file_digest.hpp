#pragma once
/// A digest that compares files on different computers.

#include <cstdint>
#include <filesystem>
#include <optional>

namespace takt {

/// Returns FNV-1a (64 bits) of all bytes; empty if the file is not readable. Detects accidental differences
/// only; the hash is not cryptographic. O(bytes), about 1 GB/s.
[[nodiscard]] std::optional<std::uint64_t> file_digest(const std::filesystem::path& path);

}  // namespace takt
