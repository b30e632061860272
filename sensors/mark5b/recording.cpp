#include "sensors/mark5b/recording.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/mark5b/header.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t most_channels_of_mark5b = 16;

bool is_mark5b(std::span<const std::byte> head) {
  return decode_mark5b(head).sync_word == mark5b_sync_word;
}

/// Converts codes: for 1 bit, a set bit is -1, in VDIF 1. For 2 bits, sign and magnitude become VDIF's levels
/// by exchanging the bits.
std::uint32_t vdif_codes(std::uint32_t word, int bits) {
  if (bits == 1) return ~word;
  return (word & 0x55555555) << 1 | (word >> 1 & 0x55555555);
}

}  // namespace

VdifFormat vdif_format(const Mark5bFormat& format) {
  if (!std::has_single_bit(format.channels) || format.channels > most_channels_of_mark5b)
    throw OptionError("channels",
                      fmt::format("{} channels are not valid: expected 1, 2, 4, 8 or 16", format.channels));
  if (format.bits != 1 && format.bits != 2)
    throw OptionError("bits", fmt::format("samples of {} bits are not valid: expected 1 or 2", format.bits));
  VdifFormat vdif;
  vdif.channels = format.channels;
  vdif.bits = format.bits;
  vdif.payload_bytes = mark5b_payload_bytes;
  vdif.sample_hz = format.sample_hz;
  vdif.station = 0;
  return vdif;
}

std::vector<std::string> read_mark5b_description(const std::filesystem::path& file) {
  const std::vector<std::byte> head = FramedFile(file).peek(mark5b_header_bytes);
  if (head.size() < mark5b_header_bytes || !is_mark5b(head))
    throw ConfigError(
        fmt::format("{}: not a Mark 5B file: it does not begin with 0xABADDEED", file.string()));
  return {fmt::format("user: {:#06x}", decode_mark5b(head).user)};
}

Mark5bRecording::Mark5bRecording(const std::filesystem::path& file, const Mark5bFormat& format)
    : format_(format), vdif_(vdif_format(format)), codec_(vdif_), file_(file) {
  (void)read_mark5b_description(file);
  file_.expect(mark5b_frame_bytes, mark5b_header_bytes, is_mark5b);
}

std::optional<LanePacket> Mark5bRecording::next() {
  file_.read(piece_);
  if (piece_.empty()) return {};
  if (piece_.size() < mark5b_frame_bytes && file_.is_at_end()) left_over_.set(piece_.size());
  translate();
  return LanePacket{0, packet_};
}

void Mark5bRecording::translate() {
  // The builder refuses a packet without a valid header.
  packet_.assign(vdif_.packet_bytes(), std::byte{0});
  if (piece_.size() != mark5b_frame_bytes) {
    packet_.resize(std::min(piece_.size(), vdif_.packet_bytes() - 1));
    return;
  }
  const Mark5bHeader header = decode_mark5b(piece_);
  if (header.sync_word != mark5b_sync_word || !header.is_time_valid ||
      (header.checksum != 0 && header.checksum != mark5b_checksum(header))) {
    encode_vdif({.is_legacy = true}, packet_);
    return;
  }
  // Four decimals: the fraction is truncated or rounded.
  const double fraction = header.frame * 1e4 / static_cast<double>(vdif_.packets_per_second());
  if (std::abs(fraction - header.fraction) > 1.5) contradicting_.add();
  const VdifTime time = vdif_time_of_tai(tai_second(header, format_.near_unix_second));
  encode_vdif({.is_invalid = header.is_test_vector,
               .second = time.second,
               .epoch = time.epoch,
               .frame = header.frame,
               .log2_channels = static_cast<std::uint8_t>(std::countr_zero(format_.channels)),
               .frame_bytes = static_cast<std::uint32_t>(vdif_.packet_bytes()),
               .bits = format_.bits},
              packet_);
  for (std::size_t at = 0; at < mark5b_payload_bytes; at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, piece_.data() + mark5b_header_bytes + at, sizeof word);
    word = vdif_codes(word, format_.bits);
    std::memcpy(packet_.data() + vdif_header_bytes + at, &word, sizeof word);
  }
}

std::vector<Counter> Mark5bRecording::counters() const {
  return {{"bytes_left_over", "bytes", left_over_.value()}};
}

std::vector<std::string> Mark5bRecording::warnings() const {
  std::vector<std::string> lines;
  if (left_over_.value() > 0)
    lines.push_back(fmt::format("{}: the file ends within a frame: it has {} of {} bytes and was skipped",
                                file_.path().string(), left_over_.value(), mark5b_frame_bytes));
  if (contradicting_.value() > 0)
    lines.push_back(
        fmt::format("{}: the fraction of a second of {} Mark 5B frames contradicts their number: check "
                    "channels, bits and sample_rate",
                    file_.path().string(), contradicting_.value()));
  if (const std::string fault = file_.fault(); !fault.empty()) lines.push_back(fault);
  return lines;
}

}  // namespace takt::sensors
