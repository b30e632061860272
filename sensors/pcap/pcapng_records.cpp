/// pcapng: blocks of a type and a length, in sections with their own byte order and interfaces. Source:
/// draft-ietf-opsawg-pcapng, "PCAP Now Generic (pcapng) Capture File Format".

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/pcap/capture_records.hpp"

namespace takt::sensors {

namespace {

__extension__ typedef unsigned __int128 WideTicks;

enum class Block : std::uint32_t {
  interface_description = 1,
  packet = 2,  // obsolete
  simple_packet = 3,
  name_resolution = 4,
  interface_statistics = 5,
  enhanced_packet = 6,
  irig_timestamp = 7,
  arinc_429 = 8,
  systemd_journal = 9,
  decryption_secrets = 10,
  custom = 0x00000BAD,
  custom_not_copied = 0x40000BAD,
  section_header = 0x0A0D0D0A,
};

/// Known blocks without packets, interfaces or counts, which are skipped.
bool is_passed_over(std::uint32_t type) {
  switch (static_cast<Block>(type)) {
    case Block::name_resolution:
    case Block::irig_timestamp:
    case Block::arinc_429:
    case Block::systemd_journal:
    case Block::decryption_secrets:
    case Block::custom:
    case Block::custom_not_copied:
      return true;
    default:
      return false;
  }
}

constexpr std::uint32_t byte_order_mark = 0x1A2B3C4D;
constexpr std::size_t block_head_bytes = 8, block_tail_bytes = 4, least_block_bytes = 12;
constexpr std::size_t section_fields_bytes = 16;
/// Largest block that is read whole: a packet and its options (INITIAL_MAX_BLOCKSIZE of libpcap).
constexpr std::uint32_t largest_block = 16 << 20;
/// Interfaces of a section: a damaged file may describe any number.
constexpr std::size_t most_interfaces = 65'536;

// Options by block.
constexpr unsigned if_tsresol = 9, if_tsoffset = 14;
constexpr unsigned packet_flags = 2, packet_drop_count = 4;
constexpr unsigned stats_if_drop = 5, stats_os_drop = 7;
/// Upper half of the flags: CRC errors, symbol errors, and similar ones.
constexpr std::uint32_t link_error_flags = 0xFFFF0000;

/// Unit and zero of an interface's timestamps.
class TickTime {
 public:
  void set_resolution(std::uint8_t resolution) {
    is_binary_ = (resolution & 0x80) != 0;
    exponent_ = resolution & 0x7F;
  }
  void set_offset(std::int64_t seconds) { offset_s_ = seconds; }

  /// Returns nanoseconds since 1970; nothing if they do not fit 64 bits.
  [[nodiscard]] std::optional<std::int64_t> utc_ns(std::uint64_t ticks) const {
    constexpr WideTicks most = std::numeric_limits<std::int64_t>::max();
    const WideTicks ns = is_binary_ ? of_binary(ticks) : of_decimal(ticks);
    if (ns > most) return {};
    std::int64_t sum = 0;
    if (__builtin_mul_overflow(offset_s_, std::int64_t{1'000'000'000}, &sum) ||
        __builtin_add_overflow(sum, static_cast<std::int64_t>(ns), &sum))
      return {};
    return sum;
  }

 private:
  /// Ticks of 2^-exponent s.
  [[nodiscard]] WideTicks of_binary(std::uint64_t ticks) const {
    // 64 bits of ticks and 30 of a second's nanoseconds fit 128.
    return WideTicks{ticks} * 1'000'000'000 >> exponent_;
  }
  /// Ticks of 10^-exponent s.
  [[nodiscard]] WideTicks of_decimal(std::uint64_t ticks) const {
    constexpr unsigned nano = 9;
    WideTicks ns = ticks;
    for (unsigned i = exponent_; i < nano; ++i) ns *= 10;
    for (unsigned i = nano; i < exponent_ && ns > 0; ++i) ns /= 10;
    return ns;
  }

  bool is_binary_ = false;
  unsigned exponent_ = 6;
  std::int64_t offset_s_ = 0;
};

struct Interface {
  std::uint32_t link = 0;
  /// 0: no limit.
  std::uint32_t snap_bytes = 0;
  TickTime time;
  /// Drop counts from packets and from statistics: of the same losses.
  std::uint64_t dropped_by_packets = 0, dropped_by_statistics = 0;
};

class PcapngRecords final : public CaptureRecords {
 public:
  /// Starts after the first four bytes, which are the type of a section header.
  PcapngRecords(CaptureInput input, CaptureRecordCounts& counts) : input_(std::move(input)), counts_(counts) {
    std::array<std::byte, 4> length{};
    try {
      if (input_.read(length) == length.size() && read_section_header(length)) return;
    } catch (const CaptureDamage& error) {
      throw ConfigError(error.what());
    }
    throw ConfigError(
        fmt::format("{}: not a pcapng file: it ends within its first block", input_.path().string()));
  }

  bool next(CapturedPacket& packet) override {
    for (;;) {
      begin_ = input_.at();
      std::array<std::byte, block_head_bytes> head{};
      const std::size_t count = input_.read(head);
      if (count == 0) return false;
      if (count < head.size()) return cut(count, least_block_bytes);
      const std::uint32_t type = number32(head);
      if (static_cast<Block>(type) == Block::section_header) {
        if (!read_section_header(std::span(head).subspan(4))) return false;
        continue;
      }
      const std::uint32_t length = number32(std::span(head).subspan(4));
      if (length < least_block_bytes || length % 4 != 0)
        damaged(fmt::format("a block of {} bytes: expected a multiple of 4 from {} on", length,
                            least_block_bytes));
      if (!holds_packets(type)) {
        if (!pass_over(type, length)) return false;
        continue;
      }
      if (length > largest_block)
        damaged(fmt::format("a block of {} bytes: expected {} at most", length, largest_block));
      if (!read_body(length)) return false;
      if (take_block(static_cast<Block>(type), packet)) return true;
    }
  }

  [[nodiscard]] std::string fault() const override { return input_.fault(); }

 private:
  [[nodiscard]] std::uint32_t number32(std::span<const std::byte> from) const {
    return static_cast<std::uint32_t>(capture_number(from.first(4), is_big_endian_));
  }
  [[nodiscard]] std::uint32_t number16(std::span<const std::byte> from) const {
    return static_cast<std::uint32_t>(capture_number(from.first(2), is_big_endian_));
  }
  [[noreturn]] void damaged(const std::string& what) const { input_.damaged(begin_, what); }

  bool cut(std::uint64_t there, std::uint64_t needed) {
    counts_.cut_at.set(begin_);
    counts_.cut_has.set(there);
    counts_.cut_needs.set(needed);
    return false;
  }

  static bool holds_packets(std::uint32_t type) {
    switch (static_cast<Block>(type)) {
      case Block::interface_description:
      case Block::packet:
      case Block::simple_packet:
      case Block::interface_statistics:
      case Block::enhanced_packet:
        return true;
      default:
        return false;
    }
  }

  /// Returns false if the file ends within the block.
  bool pass_over(std::uint32_t type, std::uint32_t length) {
    if (!is_passed_over(type)) {
      if (counts_.unknown_blocks.value() == 0) counts_.unknown_block.set(type);
      counts_.unknown_blocks.add();
    }
    const std::uint64_t rest = length - block_head_bytes;
    const std::uint64_t skipped = input_.skip(rest - block_tail_bytes);
    if (skipped < rest - block_tail_bytes) return cut(block_head_bytes + skipped, length);
    return read_tail(length);
  }

  /// Reads the repeated length after a block.
  bool read_tail(std::uint32_t length) {
    std::array<std::byte, block_tail_bytes> tail{};
    const std::size_t count = input_.read(tail);
    if (count < tail.size()) return cut(length - tail.size() + count, length);
    if (number32(tail) != length)
      damaged(fmt::format("a block of {} bytes ends with the length {}", length, number32(tail)));
    return true;
  }

  bool read_body(std::uint32_t length) {
    body_.resize(length - block_head_bytes - block_tail_bytes);
    if (const std::size_t count = input_.read(body_); count < body_.size())
      return cut(block_head_bytes + count, length);
    return read_tail(length);
  }

  /// `length_bytes` are read already.
  bool read_section_header(std::span<const std::byte> length_bytes) {
    std::array<std::byte, section_fields_bytes> fields{};
    if (const std::size_t count = input_.read(fields); count < fields.size())
      return cut(block_head_bytes + count, block_head_bytes + fields.size() + block_tail_bytes);
    is_big_endian_ = false;
    if (number32(fields) != byte_order_mark) {
      is_big_endian_ = true;
      if (number32(fields) != byte_order_mark)
        damaged(fmt::format("a section whose byte order is {:08x}: expected 1a2b3c4d in either order",
                            number32(fields)));
    }
    const std::uint32_t major = number16(std::span(fields).subspan(4)),
                        minor = number16(std::span(fields).subspan(6));
    // 1.2 has the same blocks.
    if (major != 1 || (minor != 0 && minor != 2))
      damaged(fmt::format("a section of pcapng version {}.{}: expected 1.0", major, minor));
    const std::uint32_t length = number32(length_bytes);
    const std::uint32_t known = block_head_bytes + section_fields_bytes + block_tail_bytes;
    if (length < known || length % 4 != 0)
      damaged(
          fmt::format("a section header of {} bytes: expected a multiple of 4 from {} on", length, known));
    interfaces_.clear();
    reported_drops_.clear();
    // Comments, hardware and program.
    const std::uint64_t options = length - known;
    if (const std::uint64_t skipped = input_.skip(options); skipped < options)
      return cut(known - block_tail_bytes + skipped, length);
    return read_tail(length);
  }

  /// Returns whether the block is a packet to hand over.
  bool take_block(Block type, CapturedPacket& packet) {
    switch (type) {
      case Block::interface_description:
        return describe_interface(), false;
      case Block::interface_statistics:
        return note_statistics(), false;
      case Block::simple_packet:
        return simple_packet(packet);
      default:
        return whole_packet(type == Block::enhanced_packet, packet);
    }
  }

  /// Calls `take(code, value)` for each option from this byte of the body on.
  template <class Take>
  void each_option(std::size_t at, Take take) const {
    std::span<const std::byte> rest = std::span(body_).subspan(std::min(at, body_.size()));
    while (rest.size() >= 4) {
      const std::uint32_t code = number16(rest), length = number16(rest.subspan(2));
      if (code == 0) return;
      const std::size_t padded = (std::size_t{length} + 3) / 4 * 4;
      if (rest.size() - 4 < padded)
        damaged(fmt::format("option {} of {} bytes is longer than its block", code, length));
      take(code, rest.subspan(4, length));
      rest = rest.subspan(4 + padded);
    }
  }

  [[nodiscard]] std::uint64_t option_number(unsigned code, std::span<const std::byte> value,
                                            std::size_t bytes) const {
    if (value.size() != bytes)
      damaged(fmt::format("option {} of {} bytes: expected {}", code, value.size(), bytes));
    return capture_number(value, is_big_endian_);
  }

  void need(std::size_t bytes, const char* what) const {
    if (body_.size() < bytes)
      damaged(fmt::format("{} of {} bytes: expected {} or more", what,
                          body_.size() + block_head_bytes + block_tail_bytes,
                          bytes + block_head_bytes + block_tail_bytes));
  }

  void describe_interface() {
    constexpr std::size_t fields = 8;
    need(fields, "an interface description");
    if (interfaces_.size() >= most_interfaces)
      damaged(fmt::format("more than {} interfaces", most_interfaces));
    Interface interface { .link = number16(body_), .snap_bytes = number32(std::span(body_).subspan(4)) };
    each_option(fields, [&](unsigned code, std::span<const std::byte> value) {
      if (code == if_tsresol)
        interface.time.set_resolution(static_cast<std::uint8_t>(option_number(code, value, 1)));
      if (code == if_tsoffset)
        interface.time.set_offset(static_cast<std::int64_t>(option_number(code, value, 8)));
    });
    interfaces_.push_back(interface);
  }

  void note_statistics() {
    constexpr std::size_t fields = 12;
    need(fields, "interface statistics");
    Interface& interface = interface_of(number32(body_));
    std::uint64_t dropped = 0;
    each_option(fields, [&](unsigned code, std::span<const std::byte> value) {
      if (code == stats_if_drop || code == stats_os_drop) dropped += option_number(code, value, 8);
    });
    interface.dropped_by_statistics = std::max(interface.dropped_by_statistics, dropped);
    note_drops(interface);
  }

  /// Both counts are of the same losses: uses the larger one, over the interfaces of all sections.
  void note_drops(Interface& interface) {
    const std::uint64_t dropped = std::max(interface.dropped_by_packets, interface.dropped_by_statistics);
    std::uint64_t& told = reported_drops_[&interface - interfaces_.data()];
    counts_.dropped.add(dropped - std::min(told, dropped));
    told = std::max(told, dropped);
  }

  Interface& interface_of(std::uint32_t number) {
    if (number >= interfaces_.size())
      damaged(
          fmt::format("interface {} is not described: expected less than {}", number, interfaces_.size()));
    if (reported_drops_.size() < interfaces_.size()) reported_drops_.resize(interfaces_.size());
    return interfaces_[number];
  }

  /// Reads an enhanced packet block, or the obsolete packet block.
  bool whole_packet(bool is_enhanced, CapturedPacket& packet) {
    constexpr std::size_t fields = 20;
    need(fields, "a packet block");
    const std::span<const std::byte> body(body_);
    Interface& interface = interface_of(is_enhanced ? number32(body) : number16(body));
    const std::uint64_t ticks = std::uint64_t{number32(body.subspan(4))} << 32 | number32(body.subspan(8));
    const std::uint32_t captured = number32(body.subspan(12)), original = number32(body.subspan(16));
    if (captured > largest_capture || captured > body.size() - fields)
      damaged(fmt::format("a packet of {} bytes in a block with room for {}: expected {} at most", captured,
                          body.size() - fields, largest_capture));
    std::uint64_t flags = 0, dropped = 0;
    if (!is_enhanced && number16(body.subspan(2)) != 0xFFFF) dropped = number16(body.subspan(2));
    each_option(fields + (std::size_t{captured} + 3) / 4 * 4,
                [&](unsigned code, std::span<const std::byte> value) {
                  if (code == packet_flags) flags = option_number(code, value, 4);
                  if (code == packet_drop_count && is_enhanced) dropped = option_number(code, value, 8);
                });
    interface.dropped_by_packets += dropped;
    if (dropped > 0) note_drops(interface);
    counts_.packets.add();
    if ((flags & link_error_flags) != 0) return counts_.link_errors.add(), false;
    packet = {.utc_ns = interface.time.utc_ns(ticks),
              .link = interface.link,
              .bytes = body.subspan(fields, captured),
              .cut_bytes = std::max(original, captured) - captured};
    if (!packet.utc_ns)
      damaged(fmt::format("the time of a packet, {} ticks, is beyond the year 2262", ticks));
    return true;
  }

  /// Belongs to interface 0, without a time.
  bool simple_packet(CapturedPacket& packet) {
    constexpr std::size_t fields = 4;
    need(fields, "a simple packet block");
    const Interface& interface = interface_of(0);
    const std::uint32_t original = number32(body_);
    const std::uint32_t captured =
        interface.snap_bytes > 0 ? std::min(original, interface.snap_bytes) : original;
    if (captured > largest_capture || captured > body_.size() - fields)
      damaged(fmt::format("a packet of {} bytes in a block with room for {}: expected {} at most", captured,
                          body_.size() - fields, largest_capture));
    counts_.packets.add();
    counts_.without_time.add();
    packet = {.utc_ns = std::nullopt,
              .link = interface.link,
              .bytes = std::span(body_).subspan(fields, captured),
              .cut_bytes = original - captured};
    return true;
  }

  CaptureInput input_;
  CaptureRecordCounts& counts_;
  /// Offset of the present block.
  std::uint64_t begin_ = 0;
  bool is_big_endian_ = false;
  std::vector<std::byte> body_;
  /// Of the present section.
  std::vector<Interface> interfaces_;
  std::vector<std::uint64_t> reported_drops_;
};

}  // namespace

std::unique_ptr<CaptureRecords> read_pcapng(CaptureInput input, CaptureRecordCounts& counts) {
  return std::make_unique<PcapngRecords>(std::move(input), counts);
}

}  // namespace takt::sensors
