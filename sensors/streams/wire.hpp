#pragma once
/// takt's own framing: one frame per message, over TCP, ZeroMQ or any other byte transport.
///
/// Little-endian: u32 0x31464B54 (`TKF1`), u32 bytes of the type's text, u64 bytes of the frame, the frame's
/// header (56 bytes, as the sink `raw` writes it), the text of its type
/// (`complex_float32[time=32][channel=64]`), the elements, and the flags after them. The end of a stream: u32
/// 0x31454B54 (`TKE1`), then 12 bytes of zeros.
///
/// A receiver over TCP or ZeroMQ may request missed frames by 16 bytes: u32 0x31524B54 (`TKR1`), u16 command
/// (WireCommand), u16 epoch and u64 number of its last frame. At last it confirms that it has everything: u32
/// 0x31444B54 (`TKD1`), then 12 bytes of zeros.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units.hpp"
#include "sensors/frames/frame.hpp"
#include "sensors/frames/frame_queue.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

inline constexpr std::size_t wire_head_bytes = 16;

/// Encodes the frames of one stream as messages.
class WireEncoder {
 public:
  explicit WireEncoder(const FrameType& type);
  /// Encodes the whole message.
  void encode(const FrameView& frame, std::vector<std::byte>& message) const;
  [[nodiscard]] static std::vector<std::byte> end();

 private:
  std::string type_;
  std::size_t frame_bytes_;
};

enum class WireCommand : std::uint16_t { coming_frames, kept_frames, frames_after };

/// A request of a receiver.
struct WireRequest {
  /// Empty: the receiver has everything.
  std::optional<WireCommand> command;
  std::uint16_t epoch = 0;
  std::uint64_t sequence = 0;
};
[[nodiscard]] std::string wire_request(const WireRequest& request);
/// Parses wire_head_bytes bytes; returns nothing if they are no request.
[[nodiscard]] std::optional<WireRequest> read_wire_request(std::span<const std::byte> bytes);

/// Returns the length of the message that begins with these wire_head_bytes bytes. Empty if they begin no
/// message, or one longer than a frame of this type can be.
[[nodiscard]] std::optional<std::size_t> wire_message_bytes(std::span<const std::byte> head,
                                                            const FrameType& type);

/// Returns the text of the type at the beginning of a frame's message, if it is complete.
[[nodiscard]] std::optional<std::string_view> wire_type(std::span<const std::byte> beginning);

/// The rules by which a receiver accepts messages.
struct WireReception {
  /// The sender may repeat frames: those with a number and a time not after the last one's are
  /// discarded.
  bool may_repeat = false;
  /// A first frame of another type ends the stream with an error, since its only sender sends another stream.
  /// Otherwise the frame is counted and discarded.
  bool has_one_sender = true;
  /// A longer step of the frames' numbers, in either direction, begins a new epoch.
  Time longest_gap = Time(10'000'000'000);
};

/// Throws OptionError.
void validate(const WireReception& reception);

/// Decodes messages and hands the frames over.
///
/// Frames keep their sender's numbers and epochs while the numbers continue. A step longer than the longest
/// gap (2^20 frames if the rate is unknown) is accepted when two successive frames agree on it. It begins a
/// new epoch, in which frames are numbered from 0: an invented number becomes neither a loss nor a gap in a
/// file.
class WireDecoder {
 public:
  /// `source` is written to the frame headers.
  WireDecoder(const FrameType& type, std::uint32_t source, FrameQueue& frames,
              const WireReception& reception = {});

  /// Decodes one message. Returns false at the end of the stream. Throws WorkError if the first frame has
  /// another type and the stream has one sender.
  bool take(std::span<const std::byte> message, std::int64_t now_ns);

  /// Ends the stream: a frame whose number is a step remains unconfirmed.
  void finish();

  /// Counts lost frames that no number reveals: before the first frame, or after the last one.
  void count_lost(std::uint64_t frames) { lost_.add(frames); }
  /// Records that the stream ended without its end message. A frame in transit is then lost, unless the
  /// numbers continue over a new connection and reveal the loss.
  void count_cut(bool is_in_frame);
  /// Announces a new connection: a number not after the last one's then begins a new epoch of a restarted
  /// sender.
  void begin_connection() { is_new_connection_ = has_last_; }

  /// Counts frames that arrived, were dropped for lack of space, or are missing; messages refused by cause.
  [[nodiscard]] SourceCounters counters() const;
  /// Returns warnings derived from the counters, one sentence each. `from` names the sender.
  [[nodiscard]] std::vector<std::string> warnings(const std::string& from) const;
  /// Returns the sender's epoch and number of the last complete frame.
  [[nodiscard]] std::optional<std::pair<std::uint16_t, std::uint64_t>> last() const;
  /// Returns the number of epochs that the decoder itself began.
  [[nodiscard]] std::uint64_t jumps() const { return jumps_.value(); }

 private:
  [[nodiscard]] bool is_repeated(const FrameHeader& header) const;
  /// A frame whose number is a step, until a second one confirms it.
  struct Stepped {
    FrameHeader header;
    std::vector<std::byte> data;
  };

  [[nodiscard]] bool is_step(const FrameHeader& header) const;
  [[nodiscard]] bool agree(const FrameHeader& first, const FrameHeader& next) const;
  void begin_epoch(const FrameHeader& first);
  void resume_with(const FrameHeader& sent, std::span<const std::byte> data, std::int64_t now_ns);
  void deliver(const FrameHeader& header, std::span<const std::byte> data, std::int64_t now_ns);

  const FrameType type_;
  std::string type_text_;
  std::size_t frame_bytes_;
  std::uint16_t source_;
  FrameQueue& frames_;
  const WireReception reception_;
  /// In frames.
  const std::uint64_t longest_gap_;
  bool has_last_ = false, is_new_connection_ = false;
  /// Only a part of the last frame arrived.
  bool is_cut_in_frame_ = false;
  /// The sender's values: of the last frame, and the number of the next one.
  std::uint16_t epoch_ = 0;
  std::uint64_t next_ = 0;
  /// Epochs begun by the decoder, and the first number of the present one.
  std::uint16_t own_epochs_ = 0;
  std::uint64_t base_ = 0;
  std::int64_t last_utc_ns_ = 0;
  std::optional<Stepped> stepped_;
  Tally received_, lost_, dropped_, incomplete_, refused_type_, refused_size_, refused_parts_, late_,
      repeated_, jumps_, cut_, refused_number_;
};

}  // namespace takt::sensors
