#pragma once
/// Who may speak on a link that other computers reach: whoever has the key of this run.

#include <memory>
#include <string>

#include <zmq.hpp>

namespace takt::pipeline {

/// Keys of one run, as ZeroMQ writes them (Z85, 40 letters). Ranks get the launcher's public key and a pair
/// of their own, all ranks the same.
struct LinkKeys {
  std::string launcher_public, launcher_secret, rank_public, rank_secret;

  /// New ones. Throws WorkError where this ZeroMQ has no encryption.
  [[nodiscard]] static LinkKeys make();
};

/// Makes sockets encrypt what they send (CURVE, RFC 26 of ZeroMQ) and prove who they are.
void guard_launcher(zmq::socket_t& socket, const LinkKeys& keys);
void guard_rank(zmq::socket_t& socket, const LinkKeys& keys);

/// While it lives, the context's guarded sockets talk to owners of the ranks' key only (ZAP, RFC 27): all
/// others are turned away before anything of theirs is read. Made before the sockets are bound. Its
/// destructor shuts the context down: what the sockets have not sent by then is lost.
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
