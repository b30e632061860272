#include "pipeline/launch/jobs/network_address.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <memory>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"

namespace takt::pipeline {

namespace {

std::string text_of(in_addr address) {
  std::array<char, INET_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET, &address, text.data(), text.size());
  return text.data();
}

/// In host byte order.
std::optional<std::uint32_t> address_of(std::string_view text) {
  in_addr address{};
  if (::inet_pton(AF_INET, std::string(text).c_str(), &address) != 1) return std::nullopt;
  return ntohl(address.s_addr);
}

std::uint32_t mask_of(int prefix) {
  return prefix == 0 ? 0 : ~std::uint32_t{0} << (32 - prefix);
}

/// Parses `10.0.0.0/24` into address and prefix.
std::optional<std::pair<std::uint32_t, int>> parse_network(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto address = address_of(text.substr(0, slash));
  int prefix = -1;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + slash + 1, end, prefix);
  if (!address || error != std::errc{} || rest != end || prefix < 0 || prefix > 32) return std::nullopt;
  return std::pair{*address, prefix};
}

struct FreeAddresses {
  void operator()(ifaddrs* list) const { ::freeifaddrs(list); }
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

}  // namespace

std::vector<Interface> own_interfaces() {
  ifaddrs* first = nullptr;
  std::vector<Interface> interfaces;
  if (::getifaddrs(&first) != 0) return interfaces;
  const std::unique_ptr<ifaddrs, FreeAddresses> list(first);
  for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || entry->ifa_netmask == nullptr ||
        entry->ifa_addr->sa_family != AF_INET || (entry->ifa_flags & IFF_UP) == 0)
      continue;
    const auto bits = [](const sockaddr* address) {
      return reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
    };
    interfaces.push_back(
        {entry->ifa_name, text_of(bits(entry->ifa_addr)), std::popcount(bits(entry->ifa_netmask).s_addr)});
  }
  return interfaces;
}

std::string network_of(const Interface& interface) {
  const std::uint32_t bits = address_of(interface.address).value_or(0) & mask_of(interface.prefix);
  return fmt::format("{}/{}", text_of(in_addr{htonl(bits)}), interface.prefix);
}

Interface choose_interface(const std::vector<Interface>& interfaces, std::string_view wanted) {
  const auto network = parse_network(wanted);
  for (const Interface& interface : interfaces) {
    if (interface.name == wanted || interface.address == wanted) return interface;
    const std::uint32_t address = address_of(interface.address).value_or(0);
    if (network && ((address ^ network->first) & mask_of(network->second)) == 0) return interface;
  }
  std::vector<std::string> known;
  for (const Interface& interface : interfaces)
    known.push_back(fmt::format("{} ({}/{})", interface.name, interface.address, interface.prefix));
  throw ConfigError(fmt::format(
      "this computer is not in network '{}': expected an interface, an address or a network of {}",
      excerpt(wanted), fmt::join(known, ", ")));
}

std::optional<std::string> address_towards(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  // The port does not matter: connecting a datagram socket only selects a route and sends nothing.
  if (::getaddrinfo(host.c_str(), "9", &hints, &found) != 0) return std::nullopt;
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in own{};
  socklen_t size = sizeof(own);
  const bool is_known = socket >= 0 && ::connect(socket, found->ai_addr, found->ai_addrlen) == 0 &&
                        ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) == 0;
  if (socket >= 0) ::close(socket);
  if (!is_known) return std::nullopt;
  return text_of(own.sin_addr);
}

}  // namespace takt::pipeline
