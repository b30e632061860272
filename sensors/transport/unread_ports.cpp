#include "sensors/transport/unread_ports.hpp"

#include <utility>

#include <sys/socket.h>

namespace takt::sensors {

namespace {

/// One socket per port, with the smallest receive buffer that the kernel allows.
UdpOptions unread(UdpOptions options) {
  options.receivers = 1;
  options.socket_buffer = Bytes{1};
  return options;
}

}  // namespace

UnreadPorts::UnreadPorts(UdpOptions options)
    : options_(unread(std::move(options))), ports_(context_, options_) {
  ports_.open();
}

std::uint64_t UnreadPorts::packets() {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    char first = 0;
    while (::recv(ports_.socket(i).native_handle(), &first, sizeof first, MSG_DONTWAIT) >= 0) ++taken_;
  }
  return taken_ + ports_.count_drops();
}

}  // namespace takt::sensors
