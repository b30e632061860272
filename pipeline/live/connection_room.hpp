#pragma once
/// Chooses the connections that a full server closes for new ones: idle ones first.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>

namespace takt::pipeline {

/// What a connection is at.
enum class ConnectionState : std::uint8_t {
  /// Its request has not come, or not all of it.
  reading,
  /// Its answer is made: for as long as that takes.
  working,
  /// Its answer is sent, as far as the other end reads.
  answering,
  /// It is sent events.
  listening,
  /// All is said; the other end has not closed.
  ended
};

/// Base of a server's connections; of one thread.
class ServedConnection {
 public:
  [[nodiscard]] ConnectionState state() const { return state_; }
  /// In which it has been for so long.
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

  /// Whether there is room for one more: where there is not, one that does nothing makes it. Who has been
  /// answered goes first, then who asks for nothing, then who does not read; the oldest of each. O(most).
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
  /// An answer that is read for longer may be cut off where others wait for the connection.
  static constexpr std::chrono::seconds usual_answer{1};

  std::size_t most_;
  std::list<std::weak_ptr<Any>> connections_;
};

}  // namespace takt::pipeline
