#pragma once
/// takt's own framing: one frame as a message, over TCP, ZeroMQ or anything else that carries bytes.
///
/// Little-endian: u32 0x31464B54 (`TKF1`), u32 bytes of the type's text, u64 bytes of the frame, the frame's
/// header (56 bytes, as the sink `raw` writes it), the text of its type
/// (`complex_float32[time=32][channel=64]`), the elements, and the flags behind them. The end of a stream:
/// u32 0x31454B54 (`TKE1`), then 12 bytes of zeros.
///
/// Whoever receives over TCP, or ZeroMQ, may ask for what he has missed, by 16 bytes: u32 0x31524B54
/// (`TKR1`), u16 what (WireWish), u16 epoch and u64 number of the last frame that he has; and says at last
/// that he has everything: u32 0x31444B54 (`TKD1`), then 12 bytes of zeros.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sensors/frame.hpp"
#include "sensors/frame_queue.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

inline constexpr std::size_t wire_head_bytes = 16;

/// Makes messages of one stream's frames.
class WireEncoder {
 public:
  explicit WireEncoder(const FrameType& type);
  /// The whole message.
  void encode(const FrameView& frame, std::vector<std::byte>& message) const;
  [[nodiscard]] static std::vector<std::byte> end();

 private:
  std::string type_;
  std::size_t frame_bytes_;
};

enum class WireWish : std::uint16_t { what_comes, all_that_is_kept, what_is_behind };

/// What a receiver says.
struct WireRequest {
  /// Nothing: he has everything.
  std::optional<WireWish> wish;
  std::uint16_t epoch = 0;
  std::uint64_t sequence = 0;
};
[[nodiscard]] std::string wire_request(const WireRequest& request);
/// Nothing where the wire_head_bytes bytes are none.
[[nodiscard]] std::optional<WireRequest> read_wire_request(std::span<const std::byte> bytes);

/// How long the message is that begins with these wire_head_bytes bytes; nothing where none does, or one that
/// is longer than a frame of this type can be.
[[nodiscard]] std::optional<std::size_t> wire_message_bytes(std::span<const std::byte> head,
                                                            const FrameType& type);

/// The text of the type in the beginning of a message, where it is one of a frame and the text is there.
[[nodiscard]] std::optional<std::string_view> wire_type(std::span<const std::byte> beginning);

/// Takes messages apart and hands the frames over.
class WireDecoder {
 public:
  /// `source` goes into the frames' headers. Where the sender may say things twice, frames that came before
  /// are left out: those with a number, and a time, that is not behind the last one's.
  WireDecoder(const FrameType& type, std::uint32_t source, FrameQueue& frames, bool may_repeat = false);

  /// One message. False when it is the end of the stream. Throws WorkError when the first frame is of another
  /// type: whoever sends means another stream.
  bool take(std::span<const std::byte> message, std::int64_t now_ns);

  /// Frames that arrived, found no room, or are missing between those that came; messages refused by cause.
  [[nodiscard]] SourceCounters counters() const;
  /// The last frame that came whole; epoch and number.
  [[nodiscard]] std::optional<std::pair<std::uint16_t, std::uint64_t>> last() const;

 private:
  [[nodiscard]] bool is_repeated(const FrameHeader& header) const;
  void count_gap(const FrameHeader& header);

  const FrameType type_;
  std::string type_text_;
  std::size_t frame_bytes_;
  std::uint16_t source_;
  FrameQueue& frames_;
  const bool may_repeat_;
  bool has_last_ = false;
  std::uint16_t epoch_ = 0;
  std::uint64_t next_ = 0;
  std::int64_t last_utc_ns_ = 0;
  Tally received_, lost_, dropped_, incomplete_, refused_type_, refused_size_, refused_parts_, late_,
      repeated_;
};

}  // namespace takt::sensors
