#pragma once
/// Lists the addresses of this computer and finds those that other hosts reach.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace takt::pipeline {

/// An active interface with an IPv4 address; interfaces with several addresses appear several times.
struct Interface {
  std::string name;
  std::string address;
  /// Length of the network prefix in bits.
  int prefix = 32;
  friend bool operator==(const Interface&, const Interface&) = default;
};

[[nodiscard]] std::vector<Interface> own_interfaces();

/// Returns `10.0.0.0/24`, in the notation of Open MPI.
[[nodiscard]] std::string network_of(const Interface& interface);

/// Returns the interface of this name, address or network. Throws ConfigError that lists the known ones.
[[nodiscard]] Interface choose_interface(const std::vector<Interface>& interfaces, std::string_view wanted);

/// Returns this computer's address on the route to a host; nothing if the name or the route is unknown. Sends
/// nothing.
[[nodiscard]] std::optional<std::string> address_towards(const std::string& host);

}  // namespace takt::pipeline
