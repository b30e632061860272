#include "sensors/transport/udp_ports.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace takt::sensors {

namespace asio = boost::asio;
using asio::ip::udp;

UdpPorts::UdpPorts(asio::io_context& context, const UdpOptions& options)
    : context_(context), options_(options) {
  for (const std::string& sender : options.senders) senders_.push_back(asio::ip::make_address(sender));
}

UdpEndpoint UdpPorts::endpoint(std::uint16_t port) const {
  return {.address = options_.address, .interface = options_.interface, .port = port, .senders = senders_};
}

void UdpPorts::check() const {
  asio::io_context context;
  for (const std::uint16_t port : options_.ports) (void)open_to_receive(context, endpoint(port));
}

void UdpPorts::open() {
  const std::size_t lanes = options_.ports.size();
  const bool has_groups = options_.receivers > lanes;
  // Port groups must not include foreign sockets: a port in use is detected while none is shared.
  if (has_groups) check();
  // Orders the datagrams of several threads' sockets by arrival, from the first datagram
  // on.
  std::optional<StampedArrivals> stamped;
  if (options_.receivers > 1) stamped.emplace();
  for (std::size_t i = 0; i < std::max(lanes, options_.receivers); ++i) {
    UdpEndpoint local = endpoint(i < lanes ? options_.ports[i] : port(i % lanes));
    local.is_shared = has_groups;
    open_socket(local);
  }
  if (stamped) (void)stamp();
}

void UdpPorts::open_socket(const UdpEndpoint& local) {
  udp::socket socket = open_to_receive(context_, local);
  const Bytes got = enlarge_receive_buffer(socket, options_.socket_buffer);
  if (sockets_.empty() || got < least_buffer_) least_buffer_ = got;
  if (got < options_.socket_buffer)
    warnings_.push_back(
        fmt::format("the receive buffer of port {} is {} instead of {}, so packets may be lost: raise it "
                    "with 'sysctl -w net.core.rmem_max={}'",
                    socket.local_endpoint().port(), to_string(got), to_string(options_.socket_buffer),
                    options_.socket_buffer.count));
  sockets_.push_back(std::move(socket));
  drops_.push_back(0);
}

std::vector<std::uint16_t> UdpPorts::ports() const {
  std::vector<std::uint16_t> ports;
  for (std::size_t i = 0; i < std::min(sockets_.size(), options_.ports.size()); ++i) ports.push_back(port(i));
  return ports;
}

bool UdpPorts::coalesce() {
  return std::ranges::all_of(sockets_, coalesce_datagrams);
}

bool UdpPorts::stamp() {
  return std::ranges::all_of(sockets_, stamp_datagrams);
}

std::uint64_t UdpPorts::count_drops() {
  for (std::size_t i = 0; i < sockets_.size(); ++i) {
    // The kernel's counter wraps.
    const std::uint32_t counted = kernel_drops(sockets_[i]);
    drops_[i] += counted - static_cast<std::uint32_t>(drops_[i]);
  }
  return std::accumulate(drops_.begin(), drops_.end(), std::uint64_t{0});
}

}  // namespace takt::sensors
