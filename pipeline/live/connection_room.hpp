#pragma once
/// Chooses the connections that a full server closes for new ones: idle ones first.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>

namespace takt::pipeline {

/// State of a connection.
enum class ConnectionState : std::uint8_t {
  /// The request is absent or incomplete.
  reading,
  /// The answer is under construction, without a limit of time.
  working,
  /// The answer is being sent.
  answering,
  /// The connection receives events.
  listening,
  /// The answer is complete; the client has not closed the connection.
  ended
};

/// Base of a server's connections; of one thread.
class ServedConnection {
 public:
  [[nodiscard]] ConnectionState state() const { return state_; }
  /// Time in this state.
  [[nodiscard]] std::chrono::steady_clock::duration age() const {
    return std::chrono::steady_clock::now() - since_;
  }

 protected:
  void enter(ConnectionState state) {
    state_ = state;
    since_ = std::chrono::steady_clock::now();
  }

 private:
  ConnectionState state_ = ConnectionState::reading;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

/// A server's connections, the oldest first. `Any` is a ServedConnection with `cut_off()`, which closes it.
template <class Any>
class ConnectionRoom {
 public:
  explicit ConnectionRoom(std::size_t most) : most_(most) {}

  void add(const std::shared_ptr<Any>& connection) { connections_.push_back(connection); }

  /// Returns whether there is room for one more connection, after closing one if necessary: first answered
  /// ones, then those without a request, then those that do not read; the oldest of each. O(most).
  [[nodiscard]] bool make() {
    std::erase_if(connections_, [](const auto& each) { return each.expired(); });
    if (connections_.size() < most_) return true;
    for (const ConnectionState state :
         {ConnectionState::ended, ConnectionState::reading, ConnectionState::answering}) {
      const auto idle = std::ranges::find_if(connections_, [&](const auto& weak) {
        const auto each = weak.lock();
        return each && each->state() == state &&
               (state != ConnectionState::answering || each->age() > usual_answer);
      });
      if (idle == connections_.end()) continue;
      if (const auto each = idle->lock()) each->cut_off();
      connections_.erase(idle);
      return true;
    }
    return false;
  }

  template <class Visitor>
  void for_each(const Visitor& visit) const {
    for (const auto& weak : connections_)
      if (const auto each = weak.lock()) visit(*each);
  }

 private:
  /// An answer that takes longer may be cut off for a new connection.
  static constexpr std::chrono::seconds usual_answer{1};

  std::size_t most_;
  std::list<std::weak_ptr<Any>> connections_;
};

}  // namespace takt::pipeline
