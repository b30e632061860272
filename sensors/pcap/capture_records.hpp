#pragma once
/// Readers of packets in pcap and pcapng capture files.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/error.hpp"
#include "sensors/files/input_stream.hpp"
#include "sensors/frames/counter.hpp"

namespace takt::sensors {

/// The largest snapshot length of capture programs (MAXIMUM_SNAPLEN of libpcap), in bytes.
inline constexpr std::uint32_t largest_capture = 262'144;

struct CapturedPacket {
  /// Nanoseconds since 1970; empty if the file has no time for it (simple packet blocks).
  std::optional<std::int64_t> utc_ns;
  /// LINKTYPE_ value of the interface.
  std::uint32_t link = 0;
  /// Valid until the next packet is read.
  std::span<const std::byte> bytes;
  /// Bytes on the wire that the snapshot length removed from the capture.
  std::size_t cut_bytes = 0;
};

/// A record contradicts the format, so that those after it cannot be found. The message is
/// `FILE: damaged at byte AT: WHAT`.
class CaptureDamage : public WorkError {
 public:
  using WorkError::WorkError;
};

/// Counts of a capture file. Any thread may read them while another one reads the file.
struct CaptureRecordCounts {
  Tally packets;
  /// Packets that the capture program reports as dropped by the interface, the kernel or itself.
  Tally dropped;
  /// Packets for which the file has no time (simple packet blocks).
  Tally without_time;
  /// Packets that the interface received with errors (epb_flags): not handed over.
  Tally link_errors;
  /// Blocks of unknown type, which a reader must skip, and the first of these types.
  Tally unknown_blocks, unknown_block;
  /// For an incomplete last record: its offset (0 if there is none), its available and its required bytes.
  Tally cut_at, cut_has, cut_needs;
};

/// Sequential input of a file; decompresses gzip and zstd streams.
class CaptureInput {
 public:
  /// Throws ConfigError if the file cannot be opened.
  explicit CaptureInput(std::filesystem::path path);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Returns why a compressed stream ended prematurely; otherwise empty.
  [[nodiscard]] std::string fault() const { return file_->fault(); }
  /// Returns the offset of the next byte, decompressed.
  [[nodiscard]] std::uint64_t at() const { return at_; }
  /// Reads the available bytes; returns their number. Throws WorkError if reading fails.
  std::size_t read(std::span<std::byte> to);
  /// Skips bytes; returns the number skipped.
  std::uint64_t skip(std::uint64_t bytes);
  /// Throws CaptureDamage.
  [[noreturn]] void damaged(std::uint64_t at, const std::string& what) const;

 private:
  std::filesystem::path path_;
  /// Never null.
  std::unique_ptr<InputStream> file_;
  std::uint64_t at_ = 0, size_ = 0;
};

/// The packets of one file format.
class CaptureRecords {
 public:
  virtual ~CaptureRecords() = default;
  /// Reads the next packet; returns false at the end. Counts an incomplete last record without handing it
  /// over. Throws CaptureDamage.
  [[nodiscard]] virtual bool next(CapturedPacket& packet) = 0;
  /// Returns why a compressed capture ended prematurely; otherwise empty.
  [[nodiscard]] virtual std::string fault() const = 0;
};

/// Reports whether captured_ip.hpp supports this link type.
[[nodiscard]] bool is_known_link(std::uint32_t link);
/// Returns `0, 1, 12, ...`, for messages.
[[nodiscard]] std::string known_links();

/// Opens pcap and pcapng, by the file's first bytes. `counts` must outlive the reader. Throws ConfigError if
/// the file is not readable, is neither, or has an unsupported version or link type.
[[nodiscard]] std::unique_ptr<CaptureRecords> open_capture(std::filesystem::path path,
                                                           CaptureRecordCounts& counts);

// The formats; the input is positioned after the first four bytes.
[[nodiscard]] std::unique_ptr<CaptureRecords> read_pcap(CaptureInput input, std::uint32_t magic,
                                                        CaptureRecordCounts& counts);
[[nodiscard]] std::unique_ptr<CaptureRecords> read_pcapng(CaptureInput input, CaptureRecordCounts& counts);

/// Returns an unsigned number of the file, in its byte order.
[[nodiscard]] inline std::uint64_t capture_number(std::span<const std::byte> bytes, bool is_big_endian) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[is_big_endian ? i : bytes.size() - 1 - i]);
  return value;
}

}  // namespace takt::sensors
