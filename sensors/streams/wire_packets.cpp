#include "sensors/streams/wire_packets.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/option_error.hpp"
#include "sensors/streams/wire.hpp"

namespace takt::sensors {

namespace {

/// Longest description of a frame, in characters.
constexpr std::size_t longest_description = 4096;

std::size_t message_bytes_of(const FrameType& type) {
  return wire_head_bytes + written_header_bytes + type.to_string().size() + type.size().count;
}

class WireBuilder final : public FrameBuilder {
 public:
  WireBuilder(const WirePacketOptions& options, FrameQueue& frames)
      : type_(options.type.to_string()),
        decoder_(options.type, options.source, frames,
                 {.has_one_sender = false, .longest_gap = options.longest_gap}),
        joiner_(
            message_bytes_of(options.type), options.window,
            [this](std::span<const std::byte> message) { take_message(message); },
            [this](std::uint64_t messages) { unreported_ += messages; }) {}

  bool take(std::size_t, std::span<const std::byte> datagram, std::int64_t now_ns) override {
    now_ns_ = now_ns;
    if (is_of_other_type(datagram)) {
      refused_type_.add();
      return false;
    }
    if (joiner_.take(datagram, now_ns)) return true;
    // A repeated end message: pieces missing before it will not arrive any more.
    if (!is_over_ && is_end(datagram)) joiner_.finish();
    return false;
  }

  void finish(std::int64_t now_ns) override {
    now_ns_ = now_ns;
    joiner_.finish();
    decoder_.finish();
    decoder_.count_lost(std::exchange(unreported_, 0));
  }

  [[nodiscard]] bool is_over() const override { return is_over_; }

  [[nodiscard]] SourceCounters counters() const override {
    SourceCounters counters = decoder_.counters();
    std::erase_if(counters.details,
                  [](const Counter& counter) { return counter.name.starts_with("refused_"); });
    for (Counter& counter : joiner_.counters()) counters.details.push_back(std::move(counter));
    counters.details.push_back({"refused_type", "packets", refused_type_.value()});
    return counters;
  }

  [[nodiscard]] std::vector<std::string> warnings(const std::vector<std::string>& lanes) const override {
    std::vector<std::string> all;
    if (refused_type_.value() > 0)
      all.push_back(fmt::format("frames of another type than {} arrived on {} (counter refused_type)", type_,
                                lanes.empty() ? "the port" : lanes.front()));
    for (std::string& warning : decoder_.warnings(lanes.empty() ? "the port" : lanes.front()))
      all.push_back(std::move(warning));
    return all;
  }

 private:
  void take_message(std::span<const std::byte> message) {
    const auto before = decoder_.last();
    const std::uint64_t jumps = decoder_.jumps();
    if (!decoder_.take(message, now_ns_)) is_over_ = true;
    const auto last = decoder_.last();
    if (!is_over_ && last == before) return;
    // Between two frames of an epoch their numbers reveal the loss.
    const bool is_known = !is_over_ && before && before->first == last->first && decoder_.jumps() == jumps;
    if (!is_known) decoder_.count_lost(unreported_);
    unreported_ = 0;
  }

  [[nodiscard]] bool is_end(std::span<const std::byte> datagram) const {
    const std::optional<FragmentHead> head = read_fragment(datagram);
    return head && joiner_.is_of(head->stream) &&
           std::ranges::equal(datagram.subspan(fragment_head_bytes), WireEncoder::end());
  }

  /// Checks the type in a frame's first piece; any sender can send a wrong one, so it does not end the run.
  [[nodiscard]] bool is_of_other_type(std::span<const std::byte> datagram) const {
    const std::optional<FragmentHead> head = read_fragment(datagram);
    if (!head || head->piece != 0) return false;
    const std::optional<std::string_view> type = wire_type(datagram.subspan(fragment_head_bytes));
    return type && *type != type_;
  }

  const std::string type_;
  WireDecoder decoder_;
  FragmentJoiner joiner_;
  std::int64_t now_ns_ = 0;
  bool is_over_ = false;
  /// Messages abandoned since the last frame.
  std::uint64_t unreported_ = 0;
  Tally refused_type_;
};

class WireCodec final : public PacketCodec {
 public:
  [[nodiscard]] double packets_per_second() const override { return 0; }
  [[nodiscard]] std::optional<std::int64_t> utc_of(std::span<const std::byte>) const override { return {}; }
  [[nodiscard]] std::span<const std::string_view> causes() const override {
    static constexpr std::array<std::string_view, 1> names{"header"};
    return names;
  }
  std::size_t damage(std::vector<std::byte>& packet, std::uint64_t) const override {
    packet.resize(packet.empty() ? 1 : packet.size() - 1);
    return 0;
  }
  [[nodiscard]] std::size_t coalesced(std::span<const std::byte> datagram, std::size_t usual) const override {
    return coalesced_by_headers(datagram, usual, fragment_bytes);
  }
};

}  // namespace

PacketFormat wire_packets(const WirePacketOptions& options) {
  if (options.payload_bytes <= wire_head_bytes || options.payload_bytes > most_fragment_bytes)
    throw OptionError(
        "payload", fmt::format("a payload of {} bytes is not valid: expected {} to {}", options.payload_bytes,
                               wire_head_bytes + 1, most_fragment_bytes));
  validate(WireReception{.longest_gap = options.longest_gap});
  if (options.window < 1 || options.window > 1024)
    throw OptionError("window",
                      fmt::format("a window of {} frames is not valid: expected 1 to 1024", options.window));
  if (options.type.size().count > std::numeric_limits<std::uint32_t>::max() - 2 * longest_description)
    throw OptionError("axes", fmt::format("frames of {} are too large: expected less than 4 GiB",
                                          to_string(options.type.size())));
  return {.name = "takt",
          .type = options.type,
          .largest_packet = fragment_head_bytes + options.payload_bytes,
          .open_frames = options.window,
          .window = options.window,
          .make_builder = [=](FrameQueue& frames) -> std::unique_ptr<FrameBuilder> {
            return std::make_unique<WireBuilder>(options, frames);
          }};
}

std::unique_ptr<const PacketCodec> wire_codec() {
  return std::make_unique<WireCodec>();
}

}  // namespace takt::sensors
