#pragma once
/// SigMF archives (`.sigmf`): tar files of recordings, of which samples are read where they lie.
///
/// Source: POSIX.1-2017, pax: ustar and pax interchange formats; GNU tar's long names and base-256 sizes.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace takt::sensors {

struct ArchiveMember {
  std::string name;
  /// Of its first byte in the archive.
  std::uint64_t offset = 0;
  /// As the archive says; a cut archive has fewer.
  std::uint64_t bytes = 0;
};

/// Regular files in their order; of a name that is there several times the last one, as tar unpacks them.
/// Throws ConfigError with the path where the file is no tar archive (a compressed one), or a member is
/// sparse.
[[nodiscard]] std::vector<ArchiveMember> read_archive(const std::filesystem::path& file);

}  // namespace takt::sensors
