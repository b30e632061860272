#pragma once
/// Addresses of this computer, and which of them other hosts reach.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace takt::pipeline {

/// An interface that is up, with an IPv4 address of its own; one with several stands several times.
struct Interface {
  std::string name;
  std::string address;
  /// Bits of the address that name its network.
  int prefix = 32;
  friend bool operator==(const Interface&, const Interface&) = default;
};

[[nodiscard]] std::vector<Interface> own_interfaces();

/// `10.0.0.0/24`, as Open MPI takes it.
[[nodiscard]] std::string network_of(const Interface& interface);

/// The one that a user means: by name, address or network. Throws ConfigError, which lists those there are.
[[nodiscard]] Interface choose_interface(const std::vector<Interface>& interfaces, std::string_view wanted);

/// The own address from which packets to this host would leave; nothing where its name is not known or no way
/// leads there. Sends nothing.
[[nodiscard]] std::optional<std::string> address_towards(const std::string& host);

}  // namespace takt::pipeline
