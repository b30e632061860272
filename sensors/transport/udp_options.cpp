#include "sensors/transport/udp_options.hpp"

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

boost::asio::ip::address address_among(const UdpOptions& options) {
  boost::system::error_code error;
  const boost::asio::ip::address address = boost::asio::ip::make_address(options.address, error);
  if (error)
    throw OptionError("address", fmt::format("'{}' is not an address to receive on: expected for example "
                                             "127.0.0.1 (from this computer) or 0.0.0.0 (from all)",
                                             options.address));
  return address;
}

void check_receivers(const UdpOptions& options, bool is_multicast) {
  if (options.receivers < 1 || options.receivers > most_receivers)
    throw OptionError("receivers", fmt::format("{} receiving threads are not valid: expected 1 to {}",
                                               options.receivers, most_receivers));
  if (is_multicast && options.receivers > options.ports.size())
    throw OptionError("receivers", fmt::format("{} threads for {} ports of a multicast group each receive "
                                               "every datagram: expected at most as many threads as ports",
                                               options.receivers, options.ports.size()));
  if (options.receiver_cores.empty()) return;
  if (options.receivers == 1)
    throw OptionError("receiver_cores", "'core' binds the only thread: expected 'receivers: 2' or more");
  if (options.receiver_cores.size() != options.receivers)
    throw OptionError("receiver_cores",
                      fmt::format("{} processors are given for {} receivers: expected one each, or none",
                                  options.receiver_cores.size(), options.receivers));
}

}  // namespace

void validate(const UdpOptions& options, std::size_t largest_packet) {
  if (options.ports.empty()) throw OptionError("ports", "no port is given: expected one per lane");
  for (std::size_t i = 0; i < options.ports.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (options.ports[i] != 0 && options.ports[i] == options.ports[j])
        throw OptionError("ports",
                          fmt::format("port {} is given twice: expected one per lane", options.ports[i]));
  const boost::asio::ip::address address = address_among(options);
  for (const std::string& sender : options.senders) {
    boost::system::error_code error;
    boost::asio::ip::make_address(sender, error);
    if (error)
      throw OptionError(
          "from", fmt::format("'{}' is not the address of a sender: expected for example 10.0.0.7", sender));
  }
  if (options.depth < 1) throw OptionError("depth", "a depth of 0 frames is not valid: expected 1 or more");
  if (options.socket_buffer.count < largest_packet || options.socket_buffer.count > (1u << 30))
    throw OptionError("socket_buffer",
                      fmt::format("a socket buffer of {} is out of range: expected {} to 1 GiB",
                                  to_string(options.socket_buffer), to_string(Bytes{largest_packet})));
  check_receivers(options, address.is_multicast());
}

}  // namespace takt::sensors
