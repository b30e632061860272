#include "core/system/file_digest.hpp"

#include <array>
#include <fstream>

namespace takt {

std::optional<std::uint64_t> file_digest(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::uint64_t digest = 14695981039346656037ULL;
  std::array<char, 65536> block{};
  while (file.read(block.data(), block.size()) || file.gcount() > 0)
    for (std::streamsize i = 0; i < file.gcount(); ++i)
      digest = (digest ^ static_cast<unsigned char>(block[static_cast<std::size_t>(i)])) * 1099511628211ULL;
  return digest;
}

}  // namespace takt
