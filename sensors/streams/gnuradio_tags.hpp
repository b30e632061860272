#pragma once
/// The tag header of GNU Radio's ZMQ blocks.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace takt::sensors {

struct GnuradioHeader {
  /// Number of the message's first item since the flow graph started.
  std::uint64_t offset = 0;
  std::uint64_t tags = 0;
  /// Bytes of the header with all its tags; items follow.
  std::size_t bytes = 0;
};

/// Parses u16 0x5FF0, u8 1, u64 offset, u64 number of tags, packed in the host's byte order. Then, for each
/// tag, u64 offset and three serialised PMTs (key, value, source), big-endian. Empty if the bytes are no such
/// header, or an incomplete one. Source: GNU Radio, gr-zeromq/lib/tag_headers.cc and
/// gnuradio-runtime/lib/pmt/pmt_serialize.cc.
[[nodiscard]] std::optional<GnuradioHeader> read_gnuradio_header(std::span<const std::byte> message);

/// Returns a header without tags.
[[nodiscard]] std::vector<std::byte> make_gnuradio_header(std::uint64_t offset);

}  // namespace takt::sensors
