#include "pipeline/protocol/rank_link.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <zmq.hpp>

#include "core/error.hpp"
#include "pipeline/protocol/link_guard.hpp"

namespace takt::pipeline {

// ZeroMQ sockets: PUSH to PULL for messages of ranks, PUB to SUB for commands of the launcher, DEALER to
// ROUTER for acknowledged messages of ranks, REQ to REP for requests of other programs. Ranks receive one
// text: the first three endpoints, and the keys if there are any, separated by spaces, which none of them
// contains.

namespace {

constexpr const char* request_socket = "requests";

/// Contents of the launcher's text.
struct Endpoints {
  std::string ranks, launcher, assured;
  std::optional<LinkKeys> keys;

  explicit Endpoints(const std::string& text) {
    std::istringstream words(text);
    LinkKeys given;
    words >> ranks >> launcher >> assured;
    if (words >> given.launcher_public >> given.rank_public >> given.rank_secret) keys = given;
  }

  void connect(zmq::socket_t& socket, const std::string& endpoint) const {
    if (keys) guard_rank(socket, *keys);
    socket.connect(endpoint);
  }
};

/// Returns nothing if the message is not of this protocol.
std::optional<RankMessage> message_of(const zmq::message_t& header, const zmq::message_t& text) {
  const auto kind = kind_of<RankMessageKind>(header.to_string_view());
  if (!kind) return std::nullopt;
  return RankMessage{*kind, text.to_string()};
}

/// Returns the link of link_variable; null under a user's own mpirun.
template <typename Link>
std::unique_ptr<Link> link_of_environment() {
  const char* endpoints = std::getenv(link_variable);
  return endpoints == nullptr ? nullptr : std::make_unique<Link>(endpoints);
}

}  // namespace

struct LauncherLink::Sockets {
  zmq::context_t context;
  std::optional<LinkKeys> keys;
  // Shuts the context down when the sockets are closed.
  std::optional<LinkGuard> guard;
  zmq::socket_t pull{context, zmq::socket_type::pull};
  zmq::socket_t publish{context, zmq::socket_type::pub};
  zmq::socket_t assured{context, zmq::socket_type::router};
  zmq::socket_t requests{context, zmq::socket_type::rep};
  /// True while a program waits for an answer.
  bool is_asked = false;

  /// Acknowledges a message. Its parts: the sender's ZeroMQ identity, a number to send back, kind, text.
  std::optional<RankMessage> receive_assured() {
    std::array<zmq::message_t, 4> parts;
    for (zmq::message_t& part : parts)
      if (!assured.recv(part, zmq::recv_flags::dontwait) || part.more() != (&part != &parts.back()))
        return std::nullopt;
    assured.send(parts[0], zmq::send_flags::dontwait | zmq::send_flags::sndmore);
    assured.send(parts[1], zmq::send_flags::dontwait);
    return message_of(parts[2], parts[3]);
  }

  void publish_command(CommandKind kind, std::string_view text = {}) {
    publish.send(zmq::buffer(header_of(kind).append(text)), zmq::send_flags::dontwait);
  }
};

LauncherLink::LauncherLink(const std::filesystem::path& folder, const std::optional<std::string>& address)
    : sockets_(std::make_unique<Sockets>()) {
  if (address) {
    sockets_->keys = LinkKeys::make();
    sockets_->guard.emplace(sockets_->context, *sockets_->keys);
  }
  const auto listen_here = [&](zmq::socket_t& socket, const char* name) {
    socket.bind("ipc://" + (folder / name).string());
  };
  const auto listen = [&](zmq::socket_t& socket, const char* name) {
    socket.set(zmq::sockopt::linger, 0);
    if (!address) return listen_here(socket, name);
    guard_launcher(socket, *sockets_->keys);
    socket.bind(fmt::format("tcp://{}:*", *address));
  };
  try {
    listen(sockets_->pull, "ranks");
    listen(sockets_->publish, "launcher");
    listen(sockets_->assured, "assured");
    // Only programs of this user on this computer send requests.
    listen_here(sockets_->requests, request_socket);
    // The last answer may be sent just before the end.
    sockets_->requests.set(zmq::sockopt::linger, 1000);
  } catch (const zmq::error_t& error) {
    throw WorkError(fmt::format("cannot listen for the ranks {} {}: {}", address ? "on" : "in",
                                address ? *address : folder.string(), error.what()));
  }
}

LauncherLink::~LauncherLink() = default;

std::string LauncherLink::endpoints() const {
  std::string text = fmt::format("{} {} {}", sockets_->pull.get(zmq::sockopt::last_endpoint),
                                 sockets_->publish.get(zmq::sockopt::last_endpoint),
                                 sockets_->assured.get(zmq::sockopt::last_endpoint));
  if (const auto& keys = sockets_->keys)
    text += fmt::format(" {} {} {}", keys->launcher_public, keys->rank_public, keys->rank_secret);
  return text;
}

void LauncherLink::wait(std::optional<int> child_output, std::chrono::milliseconds longest) {
  std::array<zmq::pollitem_t, 4> items{{{sockets_->pull.handle(), 0, ZMQ_POLLIN, 0},
                                        {sockets_->assured.handle(), 0, ZMQ_POLLIN, 0},
                                        {sockets_->requests.handle(), 0, ZMQ_POLLIN, 0},
                                        {nullptr, child_output.value_or(0), ZMQ_POLLIN, 0}}};
  try {
    zmq::poll(items.data(), child_output ? 4 : 3, longest);
  } catch (const zmq::error_t& error) {
    if (error.num() != EINTR) throw;
  }
}

std::optional<RankMessage> LauncherLink::receive() {
  if (auto message = sockets_->receive_assured()) return message;
  zmq::message_t header, text;
  while (sockets_->pull.recv(header, zmq::recv_flags::dontwait)) {
    if (!header.more() || !sockets_->pull.recv(text, zmq::recv_flags::dontwait)) continue;
    if (auto message = message_of(header, text)) return message;
  }
  return std::nullopt;
}

void LauncherLink::ask_to_drain() {
  sockets_->publish_command(CommandKind::drain);
}

void LauncherLink::ask_to_leave() {
  sockets_->publish_command(CommandKind::leave);
}

void LauncherLink::ask_to_trigger() {
  sockets_->publish_command(CommandKind::trigger);
}

void LauncherLink::ask_to_change_plan(const std::string& plan) {
  sockets_->publish_command(CommandKind::change_plan, plan);
}

void LauncherLink::ask_to_prepare(const std::string& change) {
  sockets_->publish_command(CommandKind::prepare, change);
}

void LauncherLink::ask_to_begin(std::uint32_t number) {
  sockets_->publish_command(CommandKind::begin, std::to_string(number));
}

void LauncherLink::ask_for_new_files() {
  sockets_->publish_command(CommandKind::new_files);
}

void LauncherLink::ask_to_hold(bool are_held) {
  sockets_->publish_command(are_held ? CommandKind::hold : CommandKind::write);
}

void LauncherLink::ask_to_probe(std::optional<std::size_t> stage) {
  sockets_->publish_command(CommandKind::probe, stage ? std::to_string(*stage) : "");
}

std::optional<std::string> LauncherLink::request() {
  zmq::message_t message;
  if (sockets_->is_asked || !sockets_->requests.recv(message, zmq::recv_flags::dontwait)) return std::nullopt;
  sockets_->is_asked = true;
  return message.to_string();
}

void LauncherLink::answer(const std::string& text) {
  if (!std::exchange(sockets_->is_asked, false)) return;
  sockets_->requests.send(zmq::buffer(text), zmq::send_flags::dontwait);
}

std::optional<std::string> ask_run(const std::filesystem::path& folder, const std::string& request,
                                   std::chrono::milliseconds longest) {
  const std::filesystem::path socket_file = folder / request_socket;
  if (!std::filesystem::exists(socket_file))
    throw WorkError("the run in " + folder.string() + " accepts no requests");
  try {
    zmq::context_t context;
    zmq::socket_t socket{context, zmq::socket_type::req};
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::rcvtimeo, static_cast<int>(longest.count()));
    socket.connect("ipc://" + socket_file.string());
    socket.send(zmq::buffer(request), zmq::send_flags::none);
    zmq::message_t answer;
    if (!socket.recv(answer)) return std::nullopt;
    return answer.to_string();
  } catch (const zmq::error_t& error) {
    throw WorkError("cannot contact the run in " + folder.string() + ": " + error.what());
  }
}

struct RankLink::Sockets {
  zmq::context_t context;
  zmq::socket_t push{context, zmq::socket_type::push};
  zmq::socket_t subscriber{context, zmq::socket_type::sub};
};

RankLink::RankLink(const std::string& endpoints) : sockets_(std::make_unique<Sockets>()) {
  const Endpoints launcher(endpoints);
  // Long enough for a last message to leave a busy machine, short enough when the launcher is gone.
  sockets_->push.set(zmq::sockopt::linger, 2000);
  launcher.connect(sockets_->push, launcher.ranks);
  sockets_->subscriber.set(zmq::sockopt::linger, 0);
  sockets_->subscriber.set(zmq::sockopt::subscribe, "");
  launcher.connect(sockets_->subscriber, launcher.launcher);
}

RankLink::~RankLink() = default;

bool RankLink::send(const RankMessage& message) {
  constexpr auto at_once = zmq::send_flags::dontwait;
  return sockets_->push.send(zmq::buffer(header_of(message.kind)), at_once | zmq::send_flags::sndmore) &&
         sockets_->push.send(zmq::buffer(message.text), at_once);
}

RankLink::Commands RankLink::commands() {
  Commands commands;
  zmq::message_t message;
  while (sockets_->subscriber.recv(message, zmq::recv_flags::dontwait)) {
    const auto kind = kind_of<CommandKind>(message.to_string_view());
    if (!kind) continue;
    const std::string text(message.to_string_view().substr(header_of(*kind).size()));
    switch (*kind) {
      case CommandKind::drain:
        commands.drain = true;
        break;
      case CommandKind::leave:
        commands.leave = true;
        break;
      case CommandKind::trigger:
        commands.trigger = true;
        break;
      case CommandKind::change_plan:
        commands.plan = text;
        break;
      case CommandKind::prepare:
        commands.changes.push_back(text);
        break;
      case CommandKind::begin:
        commands.begins = static_cast<std::uint32_t>(std::strtoul(text.c_str(), nullptr, 10));
        break;
      case CommandKind::new_files:
        commands.begin_files = true;
        break;
      case CommandKind::hold:
        commands.hold = true;
        break;
      case CommandKind::write:
        commands.hold = false;
        break;
      case CommandKind::probe:
        commands.probe =
            text.empty() ? std::nullopt : std::optional<std::size_t>(std::strtoul(text.c_str(), nullptr, 10));
        break;
      case CommandKind::count:
        break;
    }
  }
  return commands;
}

struct AssuredLink::Sockets {
  zmq::context_t context;
  zmq::socket_t dealer{context, zmq::socket_type::dealer};
  /// Numbers of the last message and of the last acknowledged one.
  std::uint64_t sent = 0, answered = 0;

  void take_answers() {
    for (std::uint64_t number = 0;
         dealer.recv(zmq::buffer(&number, sizeof number), zmq::recv_flags::dontwait);)
      answered = number;
  }

  void await_answer(std::chrono::milliseconds longest) {
    const auto deadline = std::chrono::steady_clock::now() + longest;
    while (answered < sent) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      if (left.count() <= 0) return;
      zmq::pollitem_t item{dealer.handle(), 0, ZMQ_POLLIN, 0};
      try {
        zmq::poll(&item, 1, left);
      } catch (const zmq::error_t& error) {
        if (error.num() != EINTR) throw;
      }
      take_answers();
    }
  }
};

AssuredLink::AssuredLink(const std::string& endpoints) : sockets_(std::make_unique<Sockets>()) {
  const Endpoints launcher(endpoints);
  sockets_->dealer.set(zmq::sockopt::linger, 2000);
  launcher.connect(sockets_->dealer, launcher.assured);
}

AssuredLink::~AssuredLink() = default;

bool AssuredLink::send(const RankMessage& message, std::chrono::milliseconds longest) {
  constexpr auto at_once = zmq::send_flags::dontwait;
  Sockets& sockets = *sockets_;
  sockets.take_answers();
  const bool is_worth_waiting = sockets.answered == sockets.sent;
  const std::uint64_t number = sockets.sent + 1;
  if (!sockets.dealer.send(zmq::buffer(&number, sizeof number), at_once | zmq::send_flags::sndmore) ||
      !sockets.dealer.send(zmq::buffer(header_of(message.kind)), at_once | zmq::send_flags::sndmore) ||
      !sockets.dealer.send(zmq::buffer(message.text), at_once))
    return false;
  sockets.sent = number;
  if (is_worth_waiting) sockets.await_answer(longest);
  return sockets.answered == sockets.sent;
}

std::unique_ptr<RankLink> link_to_launcher() {
  return link_of_environment<RankLink>();
}

std::unique_ptr<AssuredLink> assured_link_to_launcher() {
  return link_of_environment<AssuredLink>();
}

}  // namespace takt::pipeline
