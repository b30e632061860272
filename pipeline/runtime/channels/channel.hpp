#pragma once
/// The two ends of a channel between ranks: messages in the order of the frames, a bounded number of them
/// under way, so that a slow rank slows its predecessors down instead of filling memory.
///
/// How messages travel is chosen when channels are opened (open_channels.hpp): in memory that both ranks
/// share on one node, over MPI between nodes. All transports behave alike.

#include <cstddef>
#include <cstdint>

#include "pipeline/program/envelope.hpp"
#include "pipeline/program/program.hpp"

namespace takt::pipeline {

class SendChannel {
 public:
  explicit SendChannel(const ChannelPlan& plan) : plan_(plan) {}
  SendChannel(const SendChannel&) = delete;
  SendChannel& operator=(const SendChannel&) = delete;
  virtual ~SendChannel() = default;

  [[nodiscard]] const ChannelPlan& plan() const { return plan_; }
  /// Messages that may be under way.
  [[nodiscard]] std::size_t depth() const { return depth_; }
  /// How many messages were sent.
  [[nodiscard]] std::uint64_t sent() const { return sent_; }

  /// The memory of message k, which is that of message k - depth.
  [[nodiscard]] virtual std::byte* message(std::uint64_t k) const = 0;
  /// The number of messages whose memory is free again, of those that were sent; from the first one on.
  [[nodiscard]] virtual std::uint64_t released() = 0;
  /// Whether the next message may be filled.
  [[nodiscard]] bool has_room() { return sent_ - known_released_ < depth_ || look_for_room(); }
  /// Sends what was filled in. Returns at once.
  void send(const Envelope& envelope) {
    hand_over(envelope);
    ++sent_;
  }
  /// Whether all memory is free again.
  [[nodiscard]] bool is_idle() { return released() == sent_; }
  /// Sleeps until more than `released` messages are released, where the transport notices that, until this
  /// moment (now_ns), or for no reason.
  virtual void sleep_until_released(std::uint64_t released, std::int64_t latest_ns) = 0;
  /// Whether its messages lie in memory that both ends share.
  [[nodiscard]] virtual bool is_shared() const = 0;
  /// Lets a transport go on that moves messages only inside its calls. Whether it was given the chance.
  virtual bool progress() { return false; }
  /// Whether a message is under way that needs such calls.
  [[nodiscard]] virtual bool is_moving() { return false; }

 protected:
  virtual void hand_over(const Envelope& envelope) = 0;
  void set_depth(std::size_t depth) { depth_ = depth; }

 private:
  [[nodiscard]] bool look_for_room() {
    known_released_ = released();
    return sent_ - known_released_ < depth_;
  }

  ChannelPlan plan_;
  std::size_t depth_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t known_released_ = 0;
};

class ReceiveChannel {
 public:
  explicit ReceiveChannel(const ChannelPlan& plan) : plan_(plan) {}
  ReceiveChannel(const ReceiveChannel&) = delete;
  ReceiveChannel& operator=(const ReceiveChannel&) = delete;
  virtual ~ReceiveChannel() = default;

  [[nodiscard]] const ChannelPlan& plan() const { return plan_; }

  /// Whether the next message is there; then `message` may be read until `release`.
  [[nodiscard]] virtual bool has_message() = 0;
  /// It begins with its Envelope.
  [[nodiscard]] virtual const std::byte* message() const = 0;
  /// Gives the message's memory back.
  virtual void release() = 0;
  /// Sleeps until the next message is there, where the transport notices that, until this moment (now_ns), or
  /// for no reason.
  virtual void sleep_until_message(std::int64_t latest_ns) = 0;
  /// See SendChannel.
  [[nodiscard]] virtual bool is_shared() const = 0;
  virtual bool progress() { return false; }
  [[nodiscard]] virtual bool is_moving() { return false; }

 private:
  ChannelPlan plan_;
};

}  // namespace takt::pipeline
