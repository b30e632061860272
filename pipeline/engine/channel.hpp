#pragma once
/// The two ends of a channel between ranks: a window of preallocated messages over MPI.
///
/// Backpressure: a sender has `depth` buffers and sends synchronously (MPI_Issend), so a buffer is free again
/// only when the receiver has taken the message; a receiver has `depth` receives posted and posts one again
/// only when the frame has been worked off. So at most 2 * depth frames wait between two ranks, whatever
/// their size, and a slow rank slows its predecessors down instead of filling memory.

#include <cstddef>
#include <functional>
#include <vector>

#include <mpi.h>

#include "pipeline/program/envelope.hpp"
#include "pipeline/program/program.hpp"
#include "sensors/frame_memory.hpp"

namespace takt::pipeline {

class SendChannel {
 public:
  SendChannel(const ChannelPlan& plan, std::size_t depth, MPI_Comm communicator);
  SendChannel(const SendChannel&) = delete;
  SendChannel& operator=(const SendChannel&) = delete;

  [[nodiscard]] const ChannelPlan& plan() const { return plan_; }

  /// Whether the next message's memory is free; then `message` may be filled.
  [[nodiscard]] bool try_acquire();
  [[nodiscard]] std::byte* message() const { return message_ahead(0); }
  /// The memory of the message so many after the next one, where that is free too.
  [[nodiscard]] std::byte* message_ahead(std::size_t count) const {
    return messages_.frame((next_ + count) % requests_.size()).data();
  }
  /// Sends what was filled in, cut off behind the last part that is present. Returns at once.
  void send(const Envelope& envelope);
  /// Lets MPI go on with the sends under way.
  void progress();
  /// Whether every message has reached its receiver.
  [[nodiscard]] bool idle();

 private:
  ChannelPlan plan_;
  MPI_Comm communicator_;
  sensors::FrameMemory messages_;
  std::vector<MPI_Request> requests_;
  std::size_t next_ = 0;
};

class ReceiveChannel {
 public:
  /// Posts all receives.
  ReceiveChannel(const ChannelPlan& plan, std::size_t depth, MPI_Comm communicator);
  ReceiveChannel(const ReceiveChannel&) = delete;
  ReceiveChannel& operator=(const ReceiveChannel&) = delete;
  /// Cancels the receives that are still posted.
  ~ReceiveChannel();

  [[nodiscard]] const ChannelPlan& plan() const { return plan_; }

  /// Whether the next message has arrived; then `message` and `envelope` may be read until `release`.
  [[nodiscard]] bool try_receive();
  [[nodiscard]] std::byte* message() const { return messages_.frame(next_).data(); }
  [[nodiscard]] const Envelope& envelope() const;
  /// Gives the message's memory back to the window.
  void release();

 private:
  void post(std::size_t index);

  ChannelPlan plan_;
  MPI_Comm communicator_;
  sensors::FrameMemory messages_;
  std::vector<MPI_Request> requests_;
  std::size_t next_ = 0;
};

}  // namespace takt::pipeline
