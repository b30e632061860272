#include "sensors/transport/udp_sender.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t sender_batch = 64;  // also the largest number of segments (UDP_MAX_SEGMENTS)
/// Larger than any packet and than most networks accept.
constexpr std::size_t largest_datagram = 65'507;

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
  /// Index of the socket for its family.
  std::size_t socket = 0;
};

Address resolve(const Destination& destination) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const int error =
      ::getaddrinfo(destination.host.c_str(), std::to_string(destination.port).c_str(), &hints, &found);
  if (error != 0)
    throw ConfigError(fmt::format("cannot send to {}: {}", destination.to_string(), ::gai_strerror(error)));
  Address address;
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  address.length = found->ai_addrlen;
  ::freeaddrinfo(found);
  return address;
}

}  // namespace

std::string Destination::to_string() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return is_ipv6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

Destination parse_destination(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  Destination destination;
  const char* end = text.data() + text.size();
  const auto [rest, error] =
      std::from_chars(text.data() + (colon == std::string::npos ? 0 : colon + 1), end, destination.port);
  if (colon == std::string::npos || colon == 0 || error != std::errc{} || rest != end ||
      destination.port == 0)
    throw ConfigError(
        fmt::format("'{}' is not a destination: expected HOST:PORT, for example 127.0.0.1:16130", text));
  destination.host = text.substr(0, colon);
  if (destination.host.front() == '[' && destination.host.back() == ']')
    destination.host = destination.host.substr(1, destination.host.size() - 2);
  return destination;
}

class UdpSender::Impl {
 public:
  explicit Impl(const std::vector<Destination>& destinations) : destinations_(destinations) {
    for (const Destination& destination : destinations) {
      Address address = resolve(destination);
      address.socket = socket_of(address.storage.ss_family, destination);
      addresses_.push_back(address);
      const auto first = std::ranges::find_if(destinations, [&](const Destination& other) {
        return other.host == destination.host && other.port == destination.port;
      });
      first_of_.push_back(static_cast<std::size_t>(first - destinations.begin()));
    }
  }

  ~Impl() {
    for (const auto& [family, descriptor] : sockets_) ::close(descriptor);
  }

  void put(const LanePacket& packet) {
    const std::size_t size = std::min(packet.bytes.size(), largest_datagram);
    // Datagrams of a call go through one socket.
    if (count_ == sender_batch ||
        (count_ > 0 && addresses_[lanes_[0]].socket != addresses_[packet.lane].socket))
      flush();
    std::vector<std::byte>& memory = memory_[count_];
    memory.assign(packet.bytes.begin(), packet.bytes.begin() + static_cast<std::ptrdiff_t>(size));
    lanes_[count_++] = packet.lane;
  }

  void flush() {
    const std::size_t count = std::exchange(count_, 0);
    for (std::size_t done = 0; done < count;) {
      const std::size_t messages = prepare(done, count);
      const std::size_t lane = lanes_[done];
      const int sent = ::sendmmsg(sockets_[addresses_[lane].socket].second, messages_.data(),
                                  static_cast<unsigned>(messages), 0);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && may_segment_ &&
          (errno == EINVAL || errno == EIO || errno == EMSGSIZE || errno == EOPNOTSUPP)) {
        // The network card or the packets do not support it.
        may_segment_ = false;
        continue;
      }
      if (sent < 0)
        throw WorkError(
            fmt::format("cannot send to {}: {}", destinations_[lane].to_string(), std::strerror(errno)));
      for (std::size_t message = 0; message < static_cast<std::size_t>(sent); ++message)
        for (std::size_t i = messages_[message].msg_hdr.msg_iovlen; i > 0; --i)
          bytes_ += memory_[done++].size();
    }
    datagrams_ += count;
  }

  std::uint64_t datagrams_ = 0;
  std::uint64_t bytes_ = 0;

 private:
  /// The segment size of a message with several datagrams (UDP_SEGMENT).
  struct alignas(cmsghdr) Control {
    std::array<std::byte, CMSG_SPACE(sizeof(std::uint16_t))> bytes;
  };

  /// Prepares messages for the datagrams from `begin` on, in order; successive ones of one destination and
  /// length form one message if the kernel supports segmentation. Returns the number of messages.
  std::size_t prepare(std::size_t begin, std::size_t end) {
    std::size_t messages = 0;
    while (begin < end) {
      const std::size_t lane = lanes_[begin], size = memory_[begin].size();
      std::size_t last = begin + 1;
      while (may_segment_ && size > 0 && last < end && first_of_[lanes_[last]] == first_of_[lane] &&
             memory_[last].size() == size && (last + 1 - begin) * size <= largest_datagram)
        ++last;
      for (std::size_t i = begin; i < last; ++i) pieces_[i] = {memory_[i].data(), memory_[i].size()};
      msghdr& header = messages_[messages].msg_hdr;
      header = {};
      header.msg_name = &addresses_[lane].storage;
      header.msg_namelen = addresses_[lane].length;
      header.msg_iov = &pieces_[begin];
      header.msg_iovlen = last - begin;
      if (last - begin > 1) cut_apart(header, controls_[messages], static_cast<std::uint16_t>(size));
      ++messages;
      begin = last;
    }
    return messages;
  }

  static void cut_apart(msghdr& header, Control& control, std::uint16_t size) {
    header.msg_control = control.bytes.data();
    header.msg_controllen = control.bytes.size();
    cmsghdr* const told = CMSG_FIRSTHDR(&header);
    told->cmsg_level = SOL_UDP;
    told->cmsg_type = UDP_SEGMENT;
    told->cmsg_len = CMSG_LEN(sizeof size);
    std::memcpy(CMSG_DATA(told), &size, sizeof size);
  }

  std::size_t socket_of(int family, const Destination& destination) {
    for (std::size_t i = 0; i < sockets_.size(); ++i)
      if (sockets_[i].first == family) return i;
    const int descriptor = ::socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
      throw WorkError(fmt::format("cannot open a socket to send to {}: {}", destination.to_string(),
                                  std::strerror(errno)));
    sockets_.emplace_back(family, descriptor);
    return sockets_.size() - 1;
  }

  std::vector<Destination> destinations_;
  std::vector<Address> addresses_;
  /// The first lane with the same destination.
  std::vector<std::size_t> first_of_;
  std::vector<std::pair<int, int>> sockets_;
  std::array<std::vector<std::byte>, sender_batch> memory_;
  std::array<std::size_t, sender_batch> lanes_{};
  std::array<iovec, sender_batch> pieces_{};
  std::array<Control, sender_batch> controls_{};
  bool may_segment_ = true;
  std::array<mmsghdr, sender_batch> messages_{};
  std::size_t count_ = 0;
};

UdpSender::UdpSender(const std::vector<Destination>& destinations)
    : impl_(std::make_unique<Impl>(destinations)) {}
UdpSender::~UdpSender() = default;
void UdpSender::put(const LanePacket& packet) {
  impl_->put(packet);
}
void UdpSender::flush() {
  impl_->flush();
}
std::uint64_t UdpSender::datagrams() const {
  return impl_->datagrams_;
}
std::uint64_t UdpSender::bytes() const {
  return impl_->bytes_;
}

}  // namespace takt::sensors
