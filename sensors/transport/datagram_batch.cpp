#include "sensors/transport/datagram_batch.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>

#include <netinet/in.h>
#include <netinet/udp.h>

namespace takt::sensors {

namespace {

/// The largest coalesced message of the kernel, and its largest number of datagrams (UDP_MAX_SEGMENTS).
constexpr std::size_t largest_message = 65'536;
constexpr std::size_t most_segments = 128;
/// Number of coalesced messages per call: their memory should stay in the cache.
constexpr std::size_t most_coalesced_messages = 16;

}  // namespace

DatagramBatch::DatagramBatch(const BatchShape& shape)
    : shape_(shape),
      most_messages_(std::min(shape.is_coalesced ? most_coalesced_messages : most,
                              shape.most_messages > 0 ? shape.most_messages : most)),
      rest_bytes_(shape.is_coalesced ? largest_message
                  : is_scattered()   ? shape.largest_packet + 1 - packet_bytes()
                                     : shape.largest_packet + 1),
      headers_(most * shape.header_bytes),
      payloads_(most * shape.payload_bytes),
      rests_(most_messages_ * rest_bytes_),
      pieces_(2 * most + most_messages_),
      messages_(most_messages_),
      senders_(most_messages_),
      controls_(most_messages_) {
  places_.reserve(most);
  const std::size_t datagrams = shape.is_coalesced ? most_messages_ * most_segments : most;
  datagrams_.reserve(datagrams);
  message_of_.reserve(datagrams);
}

std::size_t DatagramBatch::messages_for(std::size_t datagrams) const {
  return std::clamp<std::size_t>(datagrams / segments_, 1, most_messages_);
}

std::span<std::byte*> DatagramBatch::places(std::size_t datagrams) {
  wanted_ = messages_for(datagrams);
  places_.assign(is_scattered() ? wanted_ * segments_ : 0, nullptr);
  return places_;
}

int DatagramBatch::receive(int socket) {
  for (std::size_t message = 0; message < wanted_; ++message) prepare(message);
  datagrams_.clear();
  message_of_.clear();
  first_utc_ns_.reset();
  const int count =
      ::recvmmsg(socket, messages_.data(), static_cast<unsigned>(wanted_), MSG_DONTWAIT, nullptr);
  was_full_ = count == static_cast<int>(wanted_);
  if (count <= 0) return count;
  std::size_t each = 0, bytes = 0;
  for (std::size_t message = 0; message < static_cast<std::size_t>(count); ++message) {
    bytes = messages_[message].msg_len;
    each = coalesced_bytes(message);
    split(message, bytes, each);
  }
  // Expects the next messages to be like these.
  if (is_scattered() && shape_.is_coalesced)
    segments_ = std::clamp<std::size_t>(each == 0 ? 1 : bytes / each, 1, most);
  return static_cast<int>(datagrams_.size());
}

void DatagramBatch::prepare(std::size_t message) {
  iovec* const first = pieces_.data() + message * (2 * segments_ + 1);
  iovec* piece = first;
  for (std::size_t i = message * segments_; is_scattered() && i < (message + 1) * segments_; ++i) {
    *piece++ = {header(i), shape_.header_bytes};
    *piece++ = {places_[i] ? places_[i] : payloads_.data() + i * shape_.payload_bytes, shape_.payload_bytes};
  }
  *piece++ = {rest(message), rest_bytes_};
  msghdr& header = messages_[message].msg_hdr;
  header = {};
  header.msg_iov = first;
  header.msg_iovlen = static_cast<std::size_t>(piece - first);
  if (shape_.has_senders) {
    header.msg_name = &senders_[message];
    header.msg_namelen = sizeof senders_[message];
  }
  if (shape_.is_coalesced || (shape_.has_timestamps && message == 0)) {
    header.msg_control = controls_[message].bytes.data();
    header.msg_controllen = controls_[message].bytes.size();
  }
}

/// Returns the length of the datagrams in a coalesced message, 0 for a single datagram. Also reads the time.
std::size_t DatagramBatch::coalesced_bytes(std::size_t message) {
  msghdr& header = messages_[message].msg_hdr;
  std::size_t each = 0;
  if (!header.msg_control) return each;
  for (cmsghdr* told = CMSG_FIRSTHDR(&header); told; told = CMSG_NXTHDR(&header, told)) {
    if (told->cmsg_level == SOL_UDP && told->cmsg_type == UDP_GRO) {
      int value = 0;
      std::memcpy(&value, CMSG_DATA(told), sizeof value);
      each = static_cast<std::size_t>(std::max(value, 0));
    } else if (message == 0 && told->cmsg_level == SOL_SOCKET && told->cmsg_type == SCM_TIMESTAMPNS) {
      timespec time{};
      std::memcpy(&time, CMSG_DATA(told), sizeof time);
      first_utc_ns_ = static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
    }
  }
  return each < messages_[message].msg_len ? each : 0;
}

void DatagramBatch::add(std::size_t message, std::span<std::byte> whole, std::size_t bytes) {
  const std::size_t in_header = is_scattered() ? std::min(shape_.header_bytes, whole.size()) : whole.size();
  datagrams_.push_back({whole.first(in_header), whole.subspan(in_header), bytes, false});
  message_of_.push_back(static_cast<std::uint16_t>(message));
}

void DatagramBatch::split(std::size_t message, std::size_t bytes, std::size_t each) {
  if (is_scattered() && (each == 0 || each == packet_bytes())) {
    std::size_t left = bytes, segment = 0;
    do {
      // A longer single datagram is not divided.
      const std::size_t size = each == 0 ? left : std::min(left, each);
      if (segment < segments_) {
        const std::size_t index = message * segments_ + segment;
        const std::size_t in_header = std::min(size, shape_.header_bytes);
        const std::size_t in_payload = std::min(size - in_header, shape_.payload_bytes);
        std::byte* const own = payloads_.data() + index * shape_.payload_bytes;
        const bool is_placed = places_[index] != nullptr && datagrams_.size() < most;
        // Payloads not handed to the builder together with the first ones must not occupy their places.
        if (places_[index] && !is_placed) std::memcpy(own, places_[index], in_payload);
        datagrams_.push_back(
            {{header(index), in_header}, {is_placed ? places_[index] : own, in_payload}, size, is_placed});
        message_of_.push_back(static_cast<std::uint16_t>(message));
      } else {
        add(message, {rest(message) + (segment - segments_) * each, size}, size);
      }
      left -= size;
      ++segment;
    } while (left > 0);
    return;
  }
  std::byte* whole = rest(message);
  if (is_scattered()) {
    put_together(message, bytes);
    whole = together_.data() + message * largest_message;
  }
  std::size_t at = 0;
  do {
    const std::size_t size = each == 0 ? bytes : std::min(each, bytes - at);
    add(message, {whole + at, size}, size);
    at += size;
  } while (at < bytes);
}

/// Reassembles datagrams of another length, which were scattered as if they were packets.
void DatagramBatch::put_together(std::size_t message, std::size_t bytes) {
  // Allocated once, and only if a sender sends such datagrams.
  if (together_.empty()) together_.resize(most_messages_ * largest_message);
  std::byte* to = together_.data() + message * largest_message;
  const msghdr& header = messages_[message].msg_hdr;
  for (std::size_t i = 0; i < header.msg_iovlen && bytes > 0; ++i) {
    const std::size_t size = std::min(bytes, header.msg_iov[i].iov_len);
    std::memcpy(to, header.msg_iov[i].iov_base, size);
    to += size;
    bytes -= size;
  }
}

}  // namespace takt::sensors
