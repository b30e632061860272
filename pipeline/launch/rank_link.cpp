#include "pipeline/launch/rank_link.hpp"

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
#include "pipeline/launch/link_guard.hpp"

namespace takt::pipeline {

// ZeroMQ's PUSH to PULL for what ranks say, PUB to SUB for the launcher's wishes, REQ to REP for what other
// programs ask. What ranks are told is one text, the first two endpoints, and the keys where there are any,
// with spaces between them: none has one in itself.

namespace {

constexpr std::string_view plan_word = "plan ", probe_word = "probe ";
constexpr const char* request_socket = "requests";
constexpr std::string_view prepare_word = "prepare ", begin_word = "begin ";

}  // namespace

struct LauncherLink::Sockets {
  zmq::context_t context;
  std::optional<LinkKeys> keys;
  // Shuts the context down when the sockets are closed.
  std::optional<LinkGuard> guard;
  zmq::socket_t pull{context, zmq::socket_type::pull};
  zmq::socket_t publish{context, zmq::socket_type::pub};
  zmq::socket_t requests{context, zmq::socket_type::rep};
  /// Whether somebody waits for an answer.
  bool is_asked = false;
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
    // Other programs of this user are on this computer.
    listen_here(sockets_->requests, request_socket);
    // The last answer may be given just before the end.
    sockets_->requests.set(zmq::sockopt::linger, 1000);
  } catch (const zmq::error_t& error) {
    throw WorkError(fmt::format("cannot listen to the ranks {} {}: {}", address ? "on" : "in",
                                address ? *address : folder.string(), error.what()));
  }
}

LauncherLink::~LauncherLink() = default;

std::string LauncherLink::endpoints() const {
  std::string text = sockets_->pull.get(zmq::sockopt::last_endpoint) + " " +
                     sockets_->publish.get(zmq::sockopt::last_endpoint);
  if (const auto& keys = sockets_->keys)
    text += fmt::format(" {} {} {}", keys->launcher_public, keys->rank_public, keys->rank_secret);
  return text;
}

void LauncherLink::wait(std::optional<int> child_output, std::chrono::milliseconds longest) {
  std::array<zmq::pollitem_t, 3> items{{{sockets_->pull.handle(), 0, ZMQ_POLLIN, 0},
                                        {sockets_->requests.handle(), 0, ZMQ_POLLIN, 0},
                                        {nullptr, child_output.value_or(0), ZMQ_POLLIN, 0}}};
  try {
    zmq::poll(items.data(), child_output ? 3 : 2, longest);
  } catch (const zmq::error_t& error) {
    if (error.num() != EINTR) throw;
  }
}

std::optional<RankMessage> LauncherLink::receive() {
  zmq::message_t kind, text;
  if (!sockets_->pull.recv(kind, zmq::recv_flags::dontwait)) return std::nullopt;
  if (!kind.more() || !sockets_->pull.recv(text, zmq::recv_flags::dontwait)) return std::nullopt;
  return RankMessage{kind.to_string(), text.to_string()};
}

void LauncherLink::ask_to_drain() {
  sockets_->publish.send(zmq::str_buffer("drain"), zmq::send_flags::dontwait);
}

void LauncherLink::ask_to_trigger() {
  sockets_->publish.send(zmq::str_buffer("trigger"), zmq::send_flags::dontwait);
}

void LauncherLink::ask_to_change_plan(const std::string& plan) {
  sockets_->publish.send(zmq::buffer(std::string(plan_word) + plan), zmq::send_flags::dontwait);
}

void LauncherLink::ask_to_prepare(const std::string& change) {
  sockets_->publish.send(zmq::buffer(std::string(prepare_word) + change), zmq::send_flags::dontwait);
}

void LauncherLink::ask_to_begin(std::uint32_t number) {
  sockets_->publish.send(zmq::buffer(std::string(begin_word) + std::to_string(number)),
                         zmq::send_flags::dontwait);
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
    throw WorkError("the run in " + folder.string() + " takes no requests");
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
    throw WorkError("cannot ask the run in " + folder.string() + ": " + error.what());
  }
}

void LauncherLink::ask_for_new_files() {
  sockets_->publish.send(zmq::str_buffer("new files"), zmq::send_flags::dontwait);
}

void LauncherLink::ask_to_hold(bool are_held) {
  const std::string text = are_held ? "hold" : "write";
  sockets_->publish.send(zmq::buffer(text), zmq::send_flags::dontwait);
}

void LauncherLink::ask_to_probe(std::optional<std::size_t> stage) {
  const std::string text = std::string(probe_word) + (stage ? std::to_string(*stage) : "");
  sockets_->publish.send(zmq::buffer(text), zmq::send_flags::dontwait);
}

struct RankLink::Sockets {
  zmq::context_t context;
  zmq::socket_t push{context, zmq::socket_type::push};
  zmq::socket_t subscriber{context, zmq::socket_type::sub};
};

RankLink::RankLink(const std::string& endpoints) : sockets_(std::make_unique<Sockets>()) {
  std::istringstream words(endpoints);
  std::string push, subscribe;
  LinkKeys keys;
  words >> push >> subscribe;
  if (words >> keys.launcher_public >> keys.rank_public >> keys.rank_secret)
    for (zmq::socket_t* socket : {&sockets_->push, &sockets_->subscriber}) guard_rank(*socket, keys);
  // Long enough for a last message to leave a busy machine, short enough when the launcher is gone.
  sockets_->push.set(zmq::sockopt::linger, 2000);
  sockets_->push.connect(push);
  sockets_->subscriber.set(zmq::sockopt::linger, 0);
  sockets_->subscriber.set(zmq::sockopt::subscribe, "");
  sockets_->subscriber.connect(subscribe);
}

RankLink::~RankLink() = default;

bool RankLink::send(const RankMessage& message) {
  constexpr auto at_once = zmq::send_flags::dontwait;
  return sockets_->push.send(zmq::buffer(message.kind), at_once | zmq::send_flags::sndmore) &&
         sockets_->push.send(zmq::buffer(message.text), at_once);
}

RankLink::Wishes RankLink::wishes() {
  Wishes wishes;
  zmq::message_t message;
  while (sockets_->subscriber.recv(message, zmq::recv_flags::dontwait)) {
    const std::string_view text = message.to_string_view();
    if (text == "drain") wishes.drain = true;
    if (text == "trigger") wishes.trigger = true;
    if (text.starts_with(plan_word)) wishes.plan = text.substr(plan_word.size());
    if (text.starts_with(prepare_word)) wishes.changes.emplace_back(text.substr(prepare_word.size()));
    if (text.starts_with(begin_word))
      wishes.begins = static_cast<std::uint32_t>(
          std::strtoul(std::string(text.substr(begin_word.size())).c_str(), nullptr, 10));
    if (text == "new files") wishes.begin_files = true;
    if (text == "hold") wishes.hold = true;
    if (text == "write") wishes.hold = false;
    if (text.starts_with(probe_word)) {
      const std::string stage(text.substr(probe_word.size()));
      wishes.probe = stage.empty() ? std::nullopt : std::optional<std::size_t>(std::stoul(stage));
    }
  }
  return wishes;
}

std::unique_ptr<RankLink> link_to_launcher() {
  const char* endpoints = std::getenv(link_variable);
  return endpoints == nullptr ? nullptr : std::make_unique<RankLink>(endpoints);
}

}  // namespace takt::pipeline
