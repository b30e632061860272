#include "sensors/sigmf/archive.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t block_bytes = 512;
using TarBlock = std::array<char, block_bytes>;

/// Returns a field of a header up to its first NUL.
std::string_view block_field(const TarBlock& block, std::size_t at, std::size_t bytes) {
  const std::string_view text(block.data() + at, bytes);
  return text.substr(0, text.find('\0'));
}

/// Parses octal digits between blanks, or, with the highest bit set, a number of base 256.
std::optional<std::uint64_t> block_number(const TarBlock& block, std::size_t at, std::size_t bytes) {
  if ((static_cast<unsigned char>(block[at]) & 0x80U) != 0) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes - sizeof value; i < bytes; ++i)
      value = value << 8 | static_cast<unsigned char>(block[at + i]);
    return value >> 62 == 0 ? std::optional(value) : std::nullopt;
  }
  std::string_view text = block_field(block, at, bytes);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 8);
  const bool is_blank = text.find_first_not_of(' ') == std::string_view::npos;
  if (is_blank) return 0;
  if (error != std::errc{} || (end != text.data() + text.size() && *end != ' ')) return {};
  return value;
}

/// The sum of the header's bytes with its own field as blanks.
bool has_right_sum(const TarBlock& block) {
  constexpr std::size_t sum_at = 148, sum_bytes = 8;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < block.size(); ++i)
    sum += i >= sum_at && i < sum_at + sum_bytes ? ' ' : static_cast<unsigned char>(block[i]);
  return block_number(block, sum_at, sum_bytes) == sum;
}

/// Parses concatenated records `LENGTH KEY=VALUE\n`.
std::map<std::string, std::string> pax_records(std::string_view text) {
  std::map<std::string, std::string> records;
  while (!text.empty()) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    const auto begin = static_cast<std::size_t>(end - text.data());
    if (error != std::errc{} || length <= begin + 1 || length > text.size()) break;
    const std::string_view record = text.substr(begin + 1, length - begin - 2);
    if (const std::size_t equals = record.find('='); equals != std::string_view::npos)
      records[std::string(record.substr(0, equals))] = record.substr(equals + 1);
    text.remove_prefix(length);
  }
  return records;
}

class TarReader {
 public:
  explicit TarReader(const std::filesystem::path& path) : path_(path), file_(path, std::ios::binary) {
    if (!file_ || std::filesystem::is_directory(path))
      throw ConfigError(fmt::format("{}: cannot read the file: {}", path.string(), std::strerror(errno)));
  }

  std::vector<ArchiveMember> read() {
    std::vector<ArchiveMember> members;
    TarBlock block;
    std::uint64_t at = 0;
    // Properties of the next member from extended headers.
    std::string name;
    std::uint64_t size = 0;
    bool has_size = false;
    for (; read_at(at, block.data(), block.size()); at += block_bytes) {
      if (std::ranges::all_of(block, [](char byte) { return byte == 0; })) break;
      const auto told = block_number(block, 124, 12);
      if (!has_right_sum(block) || !told) refuse(at);
      const char type = block[156];
      const std::uint64_t bytes = has_size ? size : *told,
                          padded = (bytes + block_bytes - 1) / block_bytes * block_bytes;
      if (type == 'S')
        throw ConfigError(fmt::format("{}: a sparse member: expected plain ones", path_.string()));
      if (type == 'L') {
        name = text_at(at + block_bytes, *told);
        name.resize(std::min(name.find('\0'), name.size()));
      } else if (type == 'x') {
        auto records = pax_records(text_at(at + block_bytes, *told));
        if (records.contains("path")) name = records["path"];
        std::uint64_t value = 0;
        const std::string& text = records["size"];
        if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{} &&
            value >> 62 == 0)
          std::tie(size, has_size) = std::pair(value, true);
      } else {
        if (type == '0' || type == '\0' || type == '7')
          add({name.empty() ? name_of(block) : name, at + block_bytes, bytes}, members);
        name.clear();
        has_size = false;
      }
      at += type == 'L' || type == 'x' ? (*told + block_bytes - 1) / block_bytes * block_bytes : padded;
    }
    if (at == 0) refuse(0);
    return members;
  }

 private:
  bool read_at(std::uint64_t at, char* to, std::size_t bytes) {
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(at));
    return static_cast<bool>(file_.read(to, static_cast<std::streamsize>(bytes)));
  }
  /// Reads an extended header, which is short.
  std::string text_at(std::uint64_t at, std::uint64_t bytes) {
    constexpr std::uint64_t longest = 1 << 20;
    std::string text(std::min(bytes, longest), '\0');
    if (bytes > longest || !read_at(at, text.data(), text.size())) refuse(at);
    return text;
  }
  static std::string name_of(const TarBlock& block) {
    const std::string name(block_field(block, 0, 100));
    const bool is_ustar = std::string_view(block.data() + 257, 5) == "ustar";
    const std::string prefix(is_ustar && block[262] == 0 ? block_field(block, 345, 155) : "");
    return prefix.empty() ? name : prefix + '/' + name;
  }
  static void add(ArchiveMember member, std::vector<ArchiveMember>& members) {
    std::erase_if(members, [&](const ArchiveMember& each) { return each.name == member.name; });
    members.push_back(std::move(member));
  }
  [[noreturn]] void refuse(std::uint64_t at) const {
    throw ConfigError(fmt::format("{}: no tar archive at byte {}: expected an archive that is not compressed",
                                  path_.string(), at));
  }

  const std::filesystem::path path_;
  std::ifstream file_;
};

}  // namespace

std::vector<ArchiveMember> read_archive(const std::filesystem::path& file) {
  return TarReader(file).read();
}

}  // namespace takt::sensors
