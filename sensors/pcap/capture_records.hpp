#pragma once
/// Packets of a capture file, as the capture program recorded them, from pcap and pcapng files.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "sensors/files/input_stream.hpp"
#include "sensors/frames/counter.hpp"

namespace takt::sensors {

/// The largest snapshot length of capture programs (MAXIMUM_SNAPLEN of libpcap), in bytes.
inline constexpr std::uint32_t largest_capture = 262'144;

struct CapturedPacket {
  /// Nanoseconds since 1970; nothing where the file has no time for it (simple packet blocks).
  std::optional<std::int64_t> utc_ns;
  /// LINKTYPE_ value of the interface.
  std::uint32_t link = 0;
  /// Valid until the next packet is read.
  std::span<const std::byte> bytes;
  /// Bytes on the wire that the capture does not have: the snapshot length cut them off.
  std::size_t cut_bytes = 0;
};

/// What a capture file says about itself. Any thread may read it while another one reads the file.
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
  /// Where the file ends within a record; 0 where it does not. Bytes that the record has, and needs.
  Tally cut_at, cut_has, cut_needs;
};

/// A file that is read once from its beginning to its end; gzip and zstd streams are decompressed.
class CaptureInput {
 public:
  /// Throws ConfigError where the file cannot be opened.
  explicit CaptureInput(std::filesystem::path path);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Why a compressed stream ended before its own end; empty where it did not.
  [[nodiscard]] std::string fault() const { return file_->fault(); }
  /// The offset of the next byte, decompressed.
  [[nodiscard]] std::uint64_t at() const { return at_; }
  /// Reads as many bytes as there are; how many. Throws WorkError where reading fails.
  std::size_t read(std::span<std::byte> to);
  /// Passes over so many bytes; how many there were.
  std::uint64_t skip(std::uint64_t bytes);
  /// Throws WorkError: `FILE: damaged at byte AT: WHAT`.
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
  /// The next packet; false at the end. A last record that is not whole is counted and not handed over.
  /// Throws WorkError with the offset where the file is damaged.
  [[nodiscard]] virtual bool next(CapturedPacket& packet) = 0;
  /// Why a compressed capture ended before its own end; empty where it did not.
  [[nodiscard]] virtual std::string fault() const = 0;
};

/// Whether IP packets are found behind this link's header (captured_ip.hpp).
[[nodiscard]] bool is_known_link(std::uint32_t link);
/// `0, 1, 12, ...`, for messages.
[[nodiscard]] std::string known_links();

/// pcap and pcapng, by the file's first bytes. `counts` must outlive the reader. Throws ConfigError where the
/// file cannot be read, is neither, or is of a version or link type that is not supported.
[[nodiscard]] std::unique_ptr<CaptureRecords> open_capture(std::filesystem::path path,
                                                           CaptureRecordCounts& counts);

// The formats; the input stands behind the first four bytes.
[[nodiscard]] std::unique_ptr<CaptureRecords> read_pcap(CaptureInput input, std::uint32_t magic,
                                                        CaptureRecordCounts& counts);
[[nodiscard]] std::unique_ptr<CaptureRecords> read_pcapng(CaptureInput input, CaptureRecordCounts& counts);

/// An unsigned number of the file, in its byte order.
[[nodiscard]] inline std::uint64_t capture_number(std::span<const std::byte> bytes, bool is_big_endian) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[is_big_endian ? i : bytes.size() - 1 - i]);
  return value;
}

}  // namespace takt::sensors
