#pragma once
/// Encrypts and authenticates links that other computers can reach, with keys of the run.

#include <memory>
#include <string>

#include <zmq.hpp>

namespace takt::pipeline {

/// Keys of one run, in the text form of ZeroMQ (Z85, 40 letters). All ranks get the launcher's public key and
/// the same pair of rank keys.
struct LinkKeys {
  std::string launcher_public, launcher_secret, rank_public, rank_secret;

  /// Makes new keys. Throws WorkError if this ZeroMQ has no encryption.
  [[nodiscard]] static LinkKeys make();
};

/// Makes sockets encrypt their messages and authenticate themselves (CURVE, RFC 26 of ZeroMQ).
void guard_launcher(zmq::socket_t& socket, const LinkKeys& keys);
void guard_rank(zmq::socket_t& socket, const LinkKeys& keys);

/// Restricts the context's guarded sockets, during its lifetime, to owners of the ranks' key (ZAP, RFC 27).
/// They reject other peers before they read their messages. Must be made before the sockets are bound. The
/// destructor shuts the context down: unsent messages are lost.
class LinkGuard {
 public:
  LinkGuard(zmq::context_t& context, const LinkKeys& keys);
  LinkGuard(const LinkGuard&) = delete;
  LinkGuard& operator=(const LinkGuard&) = delete;
  ~LinkGuard();

 private:
  struct Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace takt::pipeline
