#include "sensors/streams/gnuradio_tags.hpp"

#include <cstring>

namespace takt::sensors {

namespace {

constexpr std::uint16_t tag_magic = 0x5FF0;
constexpr std::uint8_t tag_version = 1;
constexpr std::size_t fixed_bytes = 19;
/// Deeper nesting of PMTs is an attack.
constexpr int deepest_pmt = 32;

/// Skips over serialised PMTs; only their length matters.
class PmtReader {
 public:
  explicit PmtReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] std::size_t at() const { return at_; }

  bool skip(std::size_t count) {
    if (bytes_.size() - at_ < count) return false;
    at_ += count;
    return true;
  }

  bool pass(int depth = 0) {
    std::uint64_t kind = 0;
    if (depth > deepest_pmt || !number(1, kind)) return false;
    std::uint64_t count = 0;
    switch (kind) {
      case 0x00:  // true
      case 0x01:  // false
      case 0x06:  // null
        return true;
      case 0x02:  // symbol
        return number(2, count) && skip(count);
      case 0x03:  // int32
        return skip(4);
      case 0x04:  // double
      case 0x0B:  // uint64
        return skip(8);
      case 0x05:  // complex
        return skip(16);
      case 0x07:  // pair
      case 0x09:  // dict
        return pass(depth + 1) && pass(depth + 1);
      case 0x08:  // vector
      case 0x0C:  // tuple
        if (!number(4, count)) return false;
        for (; count > 0; --count)
          if (!pass(depth + 1)) return false;
        return true;
      case 0x0A:
        return uniform_vector();
      default:
        return false;
    }
  }

 private:
  bool uniform_vector() {
    std::uint64_t element = 0, count = 0, padding = 0;
    if (!number(1, element) || !number(4, count) || !number(1, padding) || !skip(padding)) return false;
    constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 16};
    return element < std::size(sizes) && skip(count * sizes[element]);
  }

  bool number(std::size_t count, std::uint64_t& value) {
    if (bytes_.size() - at_ < count) return false;
    value = 0;
    for (std::size_t i = 0; i < count; ++i)
      value = value << 8 | std::to_integer<std::uint64_t>(bytes_[at_ + i]);
    at_ += count;
    return true;
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<GnuradioHeader> read_gnuradio_header(std::span<const std::byte> message) {
  if (message.size() < fixed_bytes) return {};
  std::uint16_t magic = 0;
  GnuradioHeader header;
  std::memcpy(&magic, message.data(), sizeof magic);
  std::memcpy(&header.offset, message.data() + 3, sizeof header.offset);
  std::memcpy(&header.tags, message.data() + 11, sizeof header.tags);
  if (magic != tag_magic || message[2] != std::byte{tag_version}) return {};
  PmtReader reader(message.subspan(fixed_bytes));
  for (std::uint64_t tag = 0; tag < header.tags; ++tag)
    if (!reader.skip(8) || !reader.pass() || !reader.pass() || !reader.pass()) return {};
  header.bytes = fixed_bytes + reader.at();
  return header;
}

std::vector<std::byte> make_gnuradio_header(std::uint64_t offset) {
  std::vector<std::byte> bytes(fixed_bytes);
  std::memcpy(bytes.data(), &tag_magic, sizeof tag_magic);
  bytes[2] = std::byte{tag_version};
  std::memcpy(bytes.data() + 3, &offset, sizeof offset);
  return bytes;
}

}  // namespace takt::sensors
