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

#include "core/units.hpp"
#include "sensors/frames/frame.hpp"
#include "sensors/frames/frame_queue.hpp"
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
  std::optional<WireWish> command;
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

/// How a receiver takes a stream of messages.
struct WireReception {
  /// The sender may send frames again: those with a number, and a time, that is not after the last one's are
  /// left out.
  bool may_repeat = false;
  /// A first frame of another type ends the stream with an error, as its only sender means another stream.
  /// Otherwise it is counted and left out.
  bool has_one_sender = true;
  /// A longer step of the frames' numbers, in either direction, begins a new epoch.
  Time longest_gap = Time(10'000'000'000);
};

/// Throws OptionError.
void validate(const WireReception& reception);

/// Takes messages apart and hands the frames over.
///
/// Frames keep their sender's numbers and epochs as long as the numbers go on. A step by more than the
/// longest gap (2^20 frames, where the frames' rate is not known) is believed when two frames in a row agree
/// on it, and begins a new epoch, in which frames are numbered from 0: no number that a sender makes up
/// becomes a loss, or a gap in a file.
class WireDecoder {
 public:
  /// `source` goes into the frames' headers.
  WireDecoder(const FrameType& type, std::uint32_t source, FrameQueue& frames,
              const WireReception& reception = {});

  /// One message. False when it is the end of the stream. Throws WorkError when the first frame is of another
  /// type, where the stream has one sender.
  bool take(std::span<const std::byte> message, std::int64_t now_ns);

  /// Nothing more comes: a frame whose number is a step stays alone.
  void finish();

  /// So many frames are lost of which no number tells: before the first frame, or after the last one.
  void count_lost(std::uint64_t frames) { lost_.add(frames); }
  /// The stream has ended without its sender's end; in the midst of a frame, which is then lost, unless the
  /// numbers go on over a new connection and tell.
  void count_cut(bool is_in_frame);
  /// The next frame comes over a new connection: a number that is not after the last one's begins a new
  /// epoch, of a sender that was started again.
  void begin_connection() { is_new_connection_ = has_last_; }

  /// Frames that arrived, found no room, or are missing between those that came; messages refused by cause.
  [[nodiscard]] SourceCounters counters() const;
  /// One sentence each, of what the counters say. `from` names the sender.
  [[nodiscard]] std::vector<std::string> warnings(const std::string& from) const;
  /// The last frame that came whole; the sender's epoch and number.
  [[nodiscard]] std::optional<std::pair<std::uint16_t, std::uint64_t>> last() const;
  /// How often an epoch of its own began.
  [[nodiscard]] std::uint64_t jumps() const { return jumps_.value(); }

 private:
  [[nodiscard]] bool is_repeated(const FrameHeader& header) const;
  /// A frame whose number is a step, until another one agrees.
  struct Stepped {
    FrameHeader header;
    std::vector<std::byte> data;
  };

  [[nodiscard]] bool is_step(const FrameHeader& header) const;
  [[nodiscard]] bool agree(const FrameHeader& first, const FrameHeader& next) const;
  void begin_epoch(const FrameHeader& first);
  void go_on_with(const FrameHeader& sent, std::span<const std::byte> data, std::int64_t now_ns);
  void hand_over(const FrameHeader& header, std::span<const std::byte> data, std::int64_t now_ns);

  const FrameType type_;
  std::string type_text_;
  std::size_t frame_bytes_;
  std::uint16_t source_;
  FrameQueue& frames_;
  const WireReception reception_;
  /// Frames.
  const std::uint64_t longest_gap_;
  bool has_last_ = false, is_new_connection_ = false;
  /// A frame of which only a part came, and none after it.
  bool is_cut_in_frame_ = false;
  /// The sender's: of the last frame, and the number of the next one.
  std::uint16_t epoch_ = 0;
  std::uint64_t next_ = 0;
  /// Epochs that were begun here, and the number with which the present one begins.
  std::uint16_t own_epochs_ = 0;
  std::uint64_t base_ = 0;
  std::int64_t last_utc_ns_ = 0;
  std::optional<Stepped> stepped_;
  Tally received_, lost_, dropped_, incomplete_, refused_type_, refused_size_, refused_parts_, late_,
      repeated_, jumps_, cut_, refused_number_;
};

}  // namespace takt::sensors
