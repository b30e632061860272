#pragma once
/// SigMF archives (`.sigmf`): tar files of recordings, whose samples are read in place.
///
/// Source: POSIX.1-2017, pax: ustar and pax interchange formats; GNU tar's long names and base-256 sizes.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace takt::sensors {

struct ArchiveMember {
  std::string name;
  /// Offset of its first byte in the archive.
  std::uint64_t offset = 0;
  /// Size according to the archive; a truncated archive has fewer.
  std::uint64_t bytes = 0;
};

/// Returns regular files in order; the last one of equal names, as tar unpacks them. Throws
/// ConfigError with the path if the file is no tar archive (or a compressed one), or a member is
/// sparse.
[[nodiscard]] std::vector<ArchiveMember> read_archive(const std::filesystem::path& file);

}  // namespace takt::sensors
