#include "pipeline/protocol/link_guard.hpp"

#include <array>
#include <cerrno>
#include <thread>

#include <signal.h>

#include "core/error.hpp"

namespace takt::pipeline {

namespace {

constexpr std::size_t key_letters = 40;

std::pair<std::string, std::string> make_pair_of_keys() {
  std::array<char, key_letters + 1> open{}, secret{};
  if (::zmq_curve_keypair(open.data(), secret.data()) != 0)
    throw WorkError(
        "this ZeroMQ was built without CURVE encryption, which links to ranks on other hosts need: install a "
        "ZeroMQ with libsodium, such as Debian's");
  return {open.data(), secret.data()};
}

/// Returns the 32 bytes that a client presents.
std::string bytes_of(const std::string& key) {
  std::array<std::uint8_t, 32> bytes{};
  ::zmq_z85_decode(bytes.data(), key.c_str());
  return {bytes.begin(), bytes.end()};
}

/// Answers one request: version, number, domain, address, identity, mechanism, credentials of the mechanism.
void answer(zmq::socket_t& handler, const std::string& key) {
  std::vector<std::string> parts;
  bool has_more = true;
  while (has_more) {
    zmq::message_t part;
    if (!handler.recv(part)) return;
    parts.push_back(part.to_string());
    has_more = part.more();
  }
  const bool is_known = parts.size() == 7 && parts[5] == "CURVE" && parts[6] == key;
  const std::array<std::string, 6> reply{"1.0",
                                         parts.size() > 1 ? parts[1] : "",
                                         is_known ? "200" : "400",
                                         is_known ? "OK" : "not of this run",
                                         "",
                                         ""};
  for (std::size_t i = 0; i < reply.size(); ++i)
    handler.send(zmq::buffer(reply[i]),
                 i + 1 < reply.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
}

}  // namespace

LinkKeys LinkKeys::make() {
  const auto [launcher_public, launcher_secret] = make_pair_of_keys();
  const auto [rank_public, rank_secret] = make_pair_of_keys();
  return {launcher_public, launcher_secret, rank_public, rank_secret};
}

void guard_launcher(zmq::socket_t& socket, const LinkKeys& keys) {
  socket.set(zmq::sockopt::curve_server, 1);
  socket.set(zmq::sockopt::curve_secretkey, keys.launcher_secret);
}

void guard_rank(zmq::socket_t& socket, const LinkKeys& keys) {
  socket.set(zmq::sockopt::curve_serverkey, keys.launcher_public);
  socket.set(zmq::sockopt::curve_publickey, keys.rank_public);
  socket.set(zmq::sockopt::curve_secretkey, keys.rank_secret);
}

struct LinkGuard::Thread {
  zmq::context_t& context;
  zmq::socket_t handler;
  std::string key;
  std::jthread thread;

  void run() {
    try {
      while (true) answer(handler, key);
    } catch (const zmq::error_t&) {
      // The context is shut down.
      handler.close();
    }
  }
};

LinkGuard::LinkGuard(zmq::context_t& context, const LinkKeys& keys)
    : thread_(new Thread{
          context, zmq::socket_t(context, zmq::socket_type::rep), bytes_of(keys.rank_public), {}}) {
  thread_->handler.set(zmq::sockopt::linger, 0);
  thread_->handler.bind("inproc://zeromq.zap.01");
  // Other threads handle the signals.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_->thread = std::jthread([thread = thread_.get()] { thread->run(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LinkGuard::~LinkGuard() {
  thread_->context.shutdown();
}

}  // namespace takt::pipeline
