#include "sensors/streams/udp_sink.hpp"

#include <chrono>
#include <limits>

#include <fmt/format.h>
#include <unistd.h>

#include "sensors/option_error.hpp"
#include "sensors/synthetic/split_mix.hpp"

namespace takt::sensors {

namespace {

/// Any datagram may be lost, including the last one.
constexpr int end_repetitions = 3;

/// Returns a stream number that is unlikely to be another sender's.
std::uint32_t new_stream() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return static_cast<std::uint32_t>(
      SplitMix(static_cast<std::uint64_t>(now), static_cast<std::uint64_t>(::getpid())).next());
}

}  // namespace

UdpSink::UdpSink(const UdpSinkOptions& options, const FrameType& type) : options_(options), encoder_(type) {
  if (options.payload_bytes <= wire_head_bytes || options.payload_bytes > most_fragment_bytes)
    throw OptionError(
        "payload", fmt::format("a payload of {} bytes is not valid: expected {} to {}", options.payload_bytes,
                               wire_head_bytes + 1, most_fragment_bytes));
  if (type.size().count > std::numeric_limits<std::uint32_t>::max() / 2)
    throw OptionError("input", fmt::format("frames of {} are too large for this framing over UDP: expected "
                                           "2 GiB at most",
                                           to_string(type.size())));
}

void UdpSink::open() {
  sender_.emplace(std::vector{options_.to});
  stream_ = new_stream();
}

void UdpSink::write(const FrameView& frame) {
  encoder_.encode(frame, message_);
  send();
  sent_.add();
}

void UdpSink::close() {
  if (!sender_) return;
  message_ = WireEncoder::end();
  for (int i = 0; i < end_repetitions; ++i) {
    send();
    // The same message again.
    --number_;
  }
}

void UdpSink::send() {
  FragmentHead head{.stream = stream_,
                    .message = number_++,
                    .message_bytes = static_cast<std::uint32_t>(message_.size()),
                    .piece_bytes = static_cast<std::uint32_t>(options_.payload_bytes)};
  for (std::size_t begin = 0; begin < message_.size(); begin += options_.payload_bytes, ++head.piece) {
    make_fragment(head, message_, datagram_);
    sender_->put({0, datagram_});
  }
  sender_->flush();
}

std::string UdpSink::location() const {
  return "udp://" + options_.to.to_string();
}

std::vector<Counter> UdpSink::counters() const {
  return {{"frames_sent", "frames", sent_.value()},
          {"datagrams_sent", "datagrams", sender_ ? sender_->datagrams() : 0}};
}

}  // namespace takt::sensors
