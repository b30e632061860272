#pragma once
/// Interface of the two ends of a channel between ranks. Messages keep the order of the frames, and a bounded
/// number is in flight, so that a slow rank exerts back-pressure instead of filling memory.
///
/// open_channels.hpp chooses the transport of each channel: shared memory between ranks of one node, MPI
/// between nodes. All transports behave alike.

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
  /// Returns the largest number of messages in flight.
  [[nodiscard]] std::size_t depth() const { return depth_; }
  /// Returns the number of sent messages.
  [[nodiscard]] std::uint64_t sent() const { return sent_; }

  /// Returns the memory of message k, which is also that of message k - depth.
  [[nodiscard]] virtual std::byte* message(std::uint64_t k) const = 0;
  /// Returns the number of sent messages, counted from the first one, whose memory is free again.
  [[nodiscard]] virtual std::uint64_t released() = 0;
  /// True if the next message may be filled.
  [[nodiscard]] bool has_room() { return sent_ - known_released_ < depth_ || look_for_room(); }
  /// Sends the filled message without waiting.
  void send(const Envelope& envelope) {
    pass(envelope);
    ++sent_;
  }
  /// True if the memory of all messages is free.
  [[nodiscard]] bool is_idle() { return released() == sent_; }
  /// Sleeps until more than `released` messages are released (on transports that can wait for this), or until
  /// `latest_ns` (now_ns). May return earlier.
  virtual void sleep_until_released(std::uint64_t released, std::int64_t latest_ns) = 0;
  /// True if both ends share the memory of the messages.
  [[nodiscard]] virtual bool is_shared() const = 0;
  /// Advances a transport that moves messages only during calls. Returns whether there was one to advance.
  virtual bool progress() { return false; }
  /// True if a message in flight needs such calls.
  [[nodiscard]] virtual bool is_moving() { return false; }

 protected:
  virtual void pass(const Envelope& envelope) = 0;
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

  /// True if the next message has arrived; `message` may then be read.
  [[nodiscard]] virtual bool has_message() = 0;
  /// Returns the next message, which begins with its Envelope.
  [[nodiscard]] virtual const std::byte* message() const = 0;
  /// Goes on to the message after it. The memory of this one stays as it is until `release`.
  virtual void take() = 0;
  /// Frees the memory of the oldest message taken.
  virtual void release() = 0;
  /// Sleeps until the next message has arrived (on transports that can wait for this), or until `latest_ns`
  /// (now_ns). May return earlier.
  virtual void sleep_until_message(std::int64_t latest_ns) = 0;
  /// See SendChannel.
  [[nodiscard]] virtual bool is_shared() const = 0;
  virtual bool progress() { return false; }
  [[nodiscard]] virtual bool is_moving() { return false; }

 private:
  ChannelPlan plan_;
};

}  // namespace takt::pipeline
