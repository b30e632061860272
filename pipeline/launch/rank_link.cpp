#include "pipeline/launch/rank_link.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string_view>

#include <zmq.hpp>

#include "core/error.hpp"

namespace takt::pipeline {

// ZeroMQ's PUSH to PULL for what ranks say, PUB to SUB for the wish to stop. The two endpoints are one text,
// with a space between them: neither folder nor socket has one in its name.

namespace {

constexpr std::string_view plan_word = "plan ";

}  // namespace

struct LauncherLink::Sockets {
  zmq::context_t context;
  zmq::socket_t pull{context, zmq::socket_type::pull};
  zmq::socket_t publish{context, zmq::socket_type::pub};
};

LauncherLink::LauncherLink(const std::filesystem::path& folder) : sockets_(std::make_unique<Sockets>()) {
  const auto listen = [&](zmq::socket_t& socket, const char* name) {
    socket.set(zmq::sockopt::linger, 0);
    socket.bind("ipc://" + (folder / name).string());
  };
  try {
    listen(sockets_->pull, "ranks");
    listen(sockets_->publish, "launcher");
  } catch (const zmq::error_t& error) {
    throw WorkError("cannot listen to the ranks in " + folder.string() + ": " + error.what());
  }
}

LauncherLink::~LauncherLink() = default;

std::string LauncherLink::endpoints() const {
  return sockets_->pull.get(zmq::sockopt::last_endpoint) + " " +
         sockets_->publish.get(zmq::sockopt::last_endpoint);
}

void LauncherLink::wait(std::optional<int> child_output, std::chrono::milliseconds longest) {
  std::array<zmq::pollitem_t, 2> items{
      {{sockets_->pull.handle(), 0, ZMQ_POLLIN, 0}, {nullptr, child_output.value_or(0), ZMQ_POLLIN, 0}}};
  try {
    zmq::poll(items.data(), child_output ? 2 : 1, longest);
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

struct RankLink::Sockets {
  zmq::context_t context;
  zmq::socket_t push{context, zmq::socket_type::push};
  zmq::socket_t subscriber{context, zmq::socket_type::sub};
};

RankLink::RankLink(const std::string& endpoints) : sockets_(std::make_unique<Sockets>()) {
  const std::size_t space = endpoints.find(' ');
  // Long enough for a last message to leave a busy machine, short enough when the launcher is gone.
  sockets_->push.set(zmq::sockopt::linger, 2000);
  sockets_->push.connect(endpoints.substr(0, space));
  sockets_->subscriber.set(zmq::sockopt::linger, 0);
  sockets_->subscriber.set(zmq::sockopt::subscribe, "");
  sockets_->subscriber.connect(endpoints.substr(space + 1));
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
    if (text == "trigger") wishes.trigger = true;
    if (text == "drain") wishes.drain = true;
    if (text.starts_with(plan_word)) wishes.plan = text.substr(plan_word.size());
  }
  return wishes;
}

std::unique_ptr<RankLink> link_to_launcher() {
  const char* endpoints = std::getenv(link_variable);
  return endpoints == nullptr ? nullptr : std::make_unique<RankLink>(endpoints);
}

}  // namespace takt::pipeline
