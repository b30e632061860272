#pragma once
/// Damages files as an editor, a disk or a program may, for tests of readers.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "core/random.hpp"

namespace takt::test {

/// Returns the text with one to three defects.
inline std::string mutated(std::string text, Random& random) {
  for (std::uint64_t times = 1 + random.below(3); times > 0 && !text.empty(); --times) {
    const std::size_t at = random.below(text.size());
    const std::size_t line = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    // clang-format off
    static const std::vector<std::string> snippets{
        "-1", "99999999999999999999", "1e300", "1e400", "nan", "inf", "-0", "0x7fffffff", "1000000000", "4294967295", "9223372036854775807", "-9223372036854775808",
        "18446744073709551615", "{", "}", "[", "]", "\"", "'",
        "&a ", "*a ", "!!", "!!map ", ": ", "- ", ", ", "? ", "<<: ", "\t", "\n", "\n  ", "\r\n", "#", "|", ">", "%", "->", "<", "/*", "\\",
        "\\u0000", "---\n", "null", "~", "true", "2 Hz", "0..9e9", "name", "\xef\xbb\xbf", "\xff", std::string(1, '\0'),
        std::string(3000, '['), std::string(3000, '{')};
    // clang-format on
    switch (random.below(8)) {
      case 0:
        text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text.resize(at);
        break;
      case 2:
        text.insert(end, text.substr(line, end - line));
        break;
      case 3:
        text.erase(line, end - line);
        break;
      case 4:
        text.insert(at, snippets[random.below(snippets.size())]);
        break;
      case 5: {
        // Text from another position: a task among the edges, an edge from a task to itself.
        const std::size_t from = random.below(text.size());
        text.insert(at, text.substr(from, random.below(40)));
        break;
      }
      case 6: {
        // Replaces a value.
        const std::size_t value = std::min(text.find_first_of(":,[{", at), text.size() - 1) + 1;
        const std::size_t value_end = std::min(text.find_first_of(",]}\n", value), text.size());
        text.replace(std::min(value, value_end), value_end - std::min(value, value_end),
                     " " + snippets[random.below(snippets.size())]);
        break;
      }
      default:
        text.erase(at, 1 + random.below(5));
    }
  }
  return text;
}

/// Returns a number at or next to a limit of a field.
inline std::uint64_t number_at_bound(Random& random) {
  static constexpr std::uint64_t bounds[] = {0,           1,           0x7F,       0x80,       0xFF,
                                             0x7FFF,      0x8000,      0xFFFF,     0x7FFFFFFF, 0x80000000,
                                             0xFFFFFFFF,  1ULL << 47,  1ULL << 48, 1ULL << 62, 1ULL << 63,
                                             ~0ULL >> 1U, ~0ULL - 100, ~0ULL};
  return bounds[random.below(std::size(bounds))];
}

/// Replaces bytes by the lowest bytes of a number, in either byte order.
inline void put_number(std::string& bytes, std::size_t at, std::size_t size, std::uint64_t number,
                       bool is_big_endian) {
  for (std::size_t i = 0; i < size && at + i < bytes.size(); ++i)
    bytes[at + i] = static_cast<char>(number >> 8 * (is_big_endian ? size - 1 - i : i));
}

/// Returns bytes of a binary file or stream with one to three defects: bits and fields, mostly in the first
/// `head` bytes, and parts that are truncated, lost, repeated, foreign or moved.
inline std::string mutated_bytes(std::string bytes, std::size_t head, Random& random) {
  for (std::uint64_t times = 1 + random.below(3); times > 0 && !bytes.empty(); --times) {
    const std::size_t region = random.below(3) > 0 ? std::min(head, bytes.size()) : bytes.size();
    const std::size_t at = random.below(std::max<std::size_t>(region, 1));
    switch (random.below(10)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << random.below(8));
        break;
      case 1:
        bytes[at] = static_cast<char>(random.below(256));
        break;
      case 2:
      case 3:
      case 4:
        put_number(bytes, at, std::size_t{1} << random.below(4), number_at_bound(random),
                   random.below(2) == 0);
        break;
      case 5:
        bytes.resize(at);
        break;
      case 6:
        bytes.erase(at, 1 + random.below(random.below(4) == 0 ? 600 : 8));
        break;
      case 7: {
        std::string foreign(1 + random.below(8), '\0');
        for (char& byte : foreign) byte = static_cast<char>(random.below(256));
        bytes.insert(at, foreign);
        break;
      }
      case 8: {
        const std::string piece = bytes.substr(random.below(bytes.size()), random.below(600));
        bytes.insert(at, piece);
        break;
      }
      default:
        bytes.replace(at, random.below(16), bytes.substr(random.below(bytes.size()), random.below(16)));
    }
  }
  return bytes;
}

/// Returns how many damaged files a test tries: enough for a second, or TAKT_MUTATIONS for a longer search.
inline int mutation_count(int usual = 3000) {
  const char* wanted = std::getenv("TAKT_MUTATIONS");
  return wanted != nullptr ? std::stoi(wanted) : usual;
}

}  // namespace takt::test
