#include "sensors/streams/wire_synthesis.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "sensors/option_error.hpp"
#include "sensors/packets/time_after.hpp"
#include "sensors/spead/format.hpp"
#include "sensors/spead/samples.hpp"

namespace takt::sensors {

namespace {

constexpr std::uint32_t made_stream = 1;
/// Offset of the message's length in a piece, after mark, stream and number. Offset of the frame's length in
/// a message, after mark and length of the type's text; then header and text.
constexpr std::size_t message_bytes_at = 16, frame_bytes_at = 8,
                      made_type_at = wire_head_bytes + written_header_bytes;
enum WireCause : std::uint8_t { header_cause, size_cause, type_cause, wire_causes };

std::size_t rows_of(const FrameType& type) {
  return !type.axes.empty() && type.axes.front().name == "time" ? type.axes.front().size : 1;
}

std::size_t made_message_bytes(const FrameType& type) {
  return wire_head_bytes + written_header_bytes + type.to_string().size() + type.size().count;
}

SampledSignal::Shape shape_of(const FrameType& type) {
  return {.channels = type.element_count() / rows_of(type), .parts = numbers_of(type.element)};
}

/// Sets the sky frequency of each channel: the user's values, or the coordinates of the channel axis.
WireSynthesisOptions with_frequencies(WireSynthesisOptions options) {
  const FrameType& type = options.type;
  std::size_t inner = 1;
  for (auto axis = type.axes.rbegin(); axis != type.axes.rend() && options.signal.channel_hz.empty();
       inner *= axis++->size)
    if ((axis->name == "channel" || axis->name == "beamlet") && axis->coordinates.size() == axis->size)
      for (std::size_t k = 0; k < shape_of(type).channels; ++k)
        options.signal.channel_hz.push_back(axis->coordinates[k / inner % axis->size]);
  return options;
}

const WireSynthesisOptions& valid(const WireSynthesisOptions& options) {
  if (!(options.type.rate_hz > 0))
    throw OptionError("rate", "the rate of the frames is not known: expected a rate");
  // In floating point: a size in bytes could overflow.
  double frame_bytes = static_cast<double>(size_of(options.type.element));
  for (const Axis& axis : options.type.axes) frame_bytes *= static_cast<double>(axis.size);
  if (frame_bytes >= 4e9)
    throw OptionError(
        "axes", fmt::format("frames of {:.3g} bytes are too large: expected less than 4 GB", frame_bytes));
  if (options.payload_bytes != 0 && (options.payload_bytes < made_type_at + options.type.to_string().size() ||
                                     options.payload_bytes > most_fragment_bytes))
    throw OptionError(
        "payload",
        fmt::format("a payload of {} bytes is not valid: expected {} (a frame's header and type) to {}",
                    options.payload_bytes, made_type_at + options.type.to_string().size(),
                    most_fragment_bytes));
  validate(options.signal, 1, false);
  return options;
}

/// The message in a packet, or the piece of it; and its offset in the packet.
struct PacketPlace {
  std::optional<FragmentHead> head;
  std::size_t begin = 0;
  [[nodiscard]] bool has_header() const { return !head || head->piece == 0; }
};

PacketPlace place_in(std::span<const std::byte> packet, bool is_piece) {
  if (!is_piece) return {};
  return {read_fragment(packet), fragment_head_bytes};
}

}  // namespace

WireSenderCodec::WireSenderCodec(const WireSynthesisOptions& options)
    : rate_hz_(options.type.rate_hz), first_utc_ns_(options.second * 1'000'000'000) {
  if (options.payload_bytes > 0)
    pieces_ = (made_message_bytes(options.type) + options.payload_bytes - 1) / options.payload_bytes;
}

double WireSenderCodec::packets_per_second() const {
  return rate_hz_ * static_cast<double>(std::max<std::size_t>(pieces_, 1));
}

std::optional<std::int64_t> WireSenderCodec::utc_of(std::span<const std::byte> packet) const {
  if (pieces_ > 0) {
    const std::optional<FragmentHead> head = read_fragment(packet);
    if (!head) return {};
    const double frames =
        static_cast<double>(head->message) + static_cast<double>(head->piece) / static_cast<double>(pieces_);
    return time_after(first_utc_ns_, frames / rate_hz_);
  }
  if (packet.size() < made_type_at) return {};
  FrameHeader header;
  std::memcpy(static_cast<void*>(&header), packet.data() + wire_head_bytes, written_header_bytes);
  return header.utc_ns;
}

std::span<const std::string_view> WireSenderCodec::causes() const {
  static constexpr std::array<std::string_view, wire_causes> names{"header", "size", "type"};
  return names;
}

std::size_t WireSenderCodec::damage(std::vector<std::byte>& packet, std::uint64_t choice) const {
  const auto cause = static_cast<std::size_t>(choice % wire_causes);
  return pieces_ > 0 ? damage_piece(packet, cause) : damage_message(packet, cause);
}

/// Leaves the length intact, so that the next message of a connection is found.
std::size_t WireSenderCodec::damage_message(std::vector<std::byte>& message, std::size_t cause) const {
  // An empty message is refused for its size.
  if (message.size() <= made_type_at) {
    message.clear();
    return size_cause;
  }
  if (cause == type_cause) {
    message[made_type_at] ^= std::byte{1};
    return type_cause;
  }
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, message.data() + frame_bytes_at, sizeof bytes);
  --bytes;
  std::memcpy(message.data() + frame_bytes_at, &bytes, sizeof bytes);
  message.pop_back();
  return size_cause;
}

std::size_t WireSenderCodec::damage_piece(std::vector<std::byte>& piece, std::size_t cause) const {
  const std::optional<FragmentHead> head = read_fragment(piece);
  if (head && head->piece == 0 && cause == type_cause && piece.size() > fragment_head_bytes + made_type_at) {
    piece[fragment_head_bytes + made_type_at] ^= std::byte{1};
    return type_cause;
  }
  if (head && head->piece + 1 < pieces_ && cause == size_cause) {
    const std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
    std::memcpy(piece.data() + message_bytes_at, &most, sizeof most);
    return size_cause;
  }
  if (!piece.empty()) piece.pop_back();
  return header_cause;
}

bool WireSenderCodec::shift(std::span<std::byte> packet, std::int64_t packets) const {
  const PacketPlace place = place_in(packet, pieces_ > 0);
  if (!place.has_header()) return true;
  if (packet.size() < place.begin + made_type_at) return false;
  const auto frames =
      std::llround(static_cast<double>(packets) / static_cast<double>(std::max<std::size_t>(pieces_, 1)));
  FrameHeader header;
  std::byte* const at = packet.data() + place.begin + wire_head_bytes;
  std::memcpy(static_cast<void*>(&header), at, written_header_bytes);
  if (frames < 0 && header.sequence < static_cast<std::uint64_t>(-frames)) return false;
  header.sequence += static_cast<std::uint64_t>(frames);
  // A captured header may contain any time: the sum wraps.
  header.utc_ns = static_cast<std::int64_t>(
      static_cast<std::uint64_t>(header.utc_ns) +
      static_cast<std::uint64_t>(std::llround(static_cast<double>(frames) / rate_hz_ * 1e9)));
  std::memcpy(at, &header, written_header_bytes);
  return true;
}

WireSynthesis::WireSynthesis(WireSynthesisOptions options)
    : options_(valid(with_frequencies(std::move(options)))),
      codec_(options_),
      encoder_(options_.type),
      rows_(rows_of(options_.type)),
      signal_(options_.signal, options_.tone_hz, options_.type.rate_hz * static_cast<double>(rows_),
              options_.second, shape_of(options_.type),
              options_.type.element_count() * numbers_of(options_.type.element)),
      numbers_(options_.type.element_count() * numbers_of(options_.type.element)),
      data_(options_.type.size().count) {}

void WireSynthesis::make_message() {
  const std::uint64_t number = frames_++;
  signal_.make(number, number * rows_, 0, numbers_);
  encode_numbers(options_.type.element, false, numbers_,
                 std::span(data_).first(options_.type.data_size().count));
  const FrameHeader header{.sequence = number,
                           .utc_ns = options_.second * 1'000'000'000 +
                                     std::llround(static_cast<double>(number) / options_.type.rate_hz * 1e9),
                           .first_sample = number * rows_,
                           .parts = 1};
  encoder_.encode({&header, data_}, message_);
  piece_begin_ = 0;
}

std::optional<LanePacket> WireSynthesis::next() {
  if (piece_begin_ >= message_.size()) make_message();
  if (options_.payload_bytes == 0) {
    piece_begin_ = message_.size();
    return LanePacket{0, message_};
  }
  make_fragment({.stream = made_stream,
                 .message = frames_ - 1,
                 .message_bytes = static_cast<std::uint32_t>(message_.size()),
                 .piece_bytes = static_cast<std::uint32_t>(options_.payload_bytes),
                 .piece = static_cast<std::uint32_t>(piece_begin_ / options_.payload_bytes)},
                message_, packet_);
  piece_begin_ += options_.payload_bytes;
  return LanePacket{0, packet_};
}

LanePacket WireSynthesis::end() {
  const std::vector<std::byte> end = WireEncoder::end();
  if (options_.payload_bytes == 0) {
    packet_ = end;
    return {0, packet_};
  }
  make_fragment({.stream = made_stream,
                 .message = frames_,
                 .message_bytes = static_cast<std::uint32_t>(end.size()),
                 .piece_bytes = static_cast<std::uint32_t>(options_.payload_bytes)},
                end, packet_);
  return {0, packet_};
}

}  // namespace takt::sensors
