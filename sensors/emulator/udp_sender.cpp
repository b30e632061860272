#include "sensors/emulator/udp_sender.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t batch = 64;
/// More than any packet and most networks take.
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
        fmt::format("'{}' is not a destination, expected HOST:PORT, for example 127.0.0.1:16130", text));
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
    }
  }

  ~Impl() {
    for (const auto& [family, descriptor] : sockets_) ::close(descriptor);
  }

  void put(const LanePacket& packet) {
    const std::size_t size = std::min(packet.bytes.size(), largest_datagram);
    // Datagrams of a call go through one socket.
    if (count_ == batch || (count_ > 0 && addresses_[lanes_[0]].socket != addresses_[packet.lane].socket))
      flush();
    std::vector<std::byte>& memory = memory_[count_];
    memory.assign(packet.bytes.begin(), packet.bytes.begin() + static_cast<std::ptrdiff_t>(size));
    lanes_[count_++] = packet.lane;
  }

  void flush() {
    for (std::size_t i = 0; i < count_; ++i) {
      pieces_[i] = {memory_[i].data(), memory_[i].size()};
      messages_[i] = {};
      messages_[i].msg_hdr.msg_name = &addresses_[lanes_[i]].storage;
      messages_[i].msg_hdr.msg_namelen = addresses_[lanes_[i]].length;
      messages_[i].msg_hdr.msg_iov = &pieces_[i];
      messages_[i].msg_hdr.msg_iovlen = 1;
    }
    const std::size_t count = std::exchange(count_, 0);
    std::size_t sent = 0;
    while (sent < count) {
      const int now = ::sendmmsg(sockets_[addresses_[lanes_[sent]].socket].second, messages_.data() + sent,
                                 static_cast<unsigned>(count - sent), 0);
      if (now < 0 && errno == EINTR) continue;
      if (now < 0)
        throw WorkError(fmt::format("cannot send to {}: {}", destinations_[lanes_[sent]].to_string(),
                                    std::strerror(errno)));
      for (std::size_t i = sent; i < sent + static_cast<std::size_t>(now); ++i) bytes_ += memory_[i].size();
      sent += static_cast<std::size_t>(now);
    }
    datagrams_ += count;
  }

  std::uint64_t datagrams_ = 0;
  std::uint64_t bytes_ = 0;

 private:
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
  std::vector<std::pair<int, int>> sockets_;
  std::array<std::vector<std::byte>, batch> memory_;
  std::array<std::size_t, batch> lanes_{};
  std::array<iovec, batch> pieces_{};
  std::array<mmsghdr, batch> messages_{};
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
