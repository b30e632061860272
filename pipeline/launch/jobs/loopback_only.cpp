/// Restricts mpirun to the loopback when all ranks are on this computer. Open MPI 4.1 listens on
/// all addresses for daemons on other hosts, which do not exist then, and has no option for the
/// address.
///
/// A library preloaded into mpirun only (first name in LD_PRELOAD): programs that mpirun starts are not
/// affected.

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace {

using Bind = int (*)(int, const sockaddr*, socklen_t);

Bind system_bind() {
  static const auto bind = reinterpret_cast<Bind>(::dlsym(RTLD_NEXT, "bind"));
  return bind;
}

int bind_loopback(int socket, sockaddr_in address) {
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return system_bind()(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

/// Fallback without IPv6 on the loopback: the IPv4 address, mapped to IPv6.
int bind_loopback(int socket, sockaddr_in6 address) {
  address.sin6_addr = in6addr_loopback;
  const int done = system_bind()(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  if (done == 0 || errno != EADDRNOTAVAIL) return done;
  (void)::inet_pton(AF_INET6, "::ffff:127.0.0.1", &address.sin6_addr);
  return system_bind()(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

template <class Address>
Address copy_of(const sockaddr* address) {
  Address copy;
  std::memcpy(&copy, address, sizeof copy);
  return copy;
}

/// Restores the user's LD_PRELOAD for child processes.
__attribute__((constructor)) void touch_no_children() {
  const char* const all = std::getenv("LD_PRELOAD");
  if (all == nullptr) return;
  const char* const rest = std::strchr(all, ':');
  if (rest == nullptr)
    ::unsetenv("LD_PRELOAD");
  else
    ::setenv("LD_PRELOAD", rest + 1, 1);
}

}  // namespace

extern "C" int bind(int socket, const sockaddr* address, socklen_t length) {
  if (address != nullptr && address->sa_family == AF_INET && length >= sizeof(sockaddr_in)) {
    const auto wanted = copy_of<sockaddr_in>(address);
    if (wanted.sin_addr.s_addr == htonl(INADDR_ANY)) return bind_loopback(socket, wanted);
  }
  if (address != nullptr && address->sa_family == AF_INET6 && length >= sizeof(sockaddr_in6)) {
    const auto wanted = copy_of<sockaddr_in6>(address);
    if (IN6_IS_ADDR_UNSPECIFIED(&wanted.sin6_addr)) return bind_loopback(socket, wanted);
  }
  return system_bind()(socket, address, length);
}
