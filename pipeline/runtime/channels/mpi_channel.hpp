#pragma once
/// Channels over MPI, with a window of preallocated messages at each end.
///
/// A sender has `depth` buffers and sends synchronously (MPI_Issend), so a buffer is free again only after
/// the receiver has received the message. A receiver has `depth` receives posted, and posts one again only
/// after its frame is processed. So at most 2 * depth frames wait between two ranks, whatever their size.
///
/// A large message is sent in two parts: its headers, which arrive without MPI calls, then its elements,
/// which MPI moves piecewise and only while both ends call it. So a receiver knows when it must not sleep.

#include <vector>

#include <mpi.h>

#include "core/system/clock.hpp"
#include "pipeline/runtime/channels/channel.hpp"
#include "sensors/frames/frame_memory.hpp"

namespace takt::pipeline {

class MpiSendChannel final : public SendChannel {
 public:
  MpiSendChannel(const ChannelPlan& plan, std::size_t depth, MPI_Comm communicator);

  [[nodiscard]] std::byte* message(std::uint64_t k) const override {
    return messages_.frame(k % depth()).data();
  }
  [[nodiscard]] std::uint64_t released() override;
  [[nodiscard]] bool is_shared() const override { return false; }
  void sleep_until_released(std::uint64_t /*released*/, std::int64_t latest_ns) override {
    sleep_until(latest_ns);
  }
  bool progress() override;
  [[nodiscard]] bool is_moving() override { return released_ < sent(); }

 private:
  /// Sends the message up to its last present part.
  void pass(const Envelope& envelope) override;

  MPI_Comm communicator_;
  sensors::FrameMemory messages_;
  /// By position in the window.
  std::vector<MPI_Request> heads_;
  std::vector<MPI_Request> requests_;
  /// Number of messages, in order, whose arrival MPI has confirmed.
  std::uint64_t released_ = 0;
};

class MpiReceiveChannel final : public ReceiveChannel {
 public:
  /// Posts all receives.
  MpiReceiveChannel(const ChannelPlan& plan, std::size_t depth, MPI_Comm communicator);
  /// Cancels the receives that are still posted.
  ~MpiReceiveChannel() override;

  [[nodiscard]] bool has_message() override;
  [[nodiscard]] const std::byte* message() const override { return messages_.frame(next_).data(); }
  void take() override;
  void release() override;
  [[nodiscard]] bool is_shared() const override { return false; }
  void sleep_until_message(std::int64_t latest_ns) override { sleep_until(latest_ns); }
  bool progress() override;
  [[nodiscard]] bool is_moving() override;

 private:
  void post(std::size_t index);

  MPI_Comm communicator_;
  sensors::FrameMemory messages_;
  /// By position in the window.
  std::vector<MPI_Request> heads_;
  std::vector<MPI_Request> requests_;
  /// Positions of the next message to read, and of the oldest one taken; the number of those.
  std::size_t next_ = 0, oldest_ = 0, taken_ = 0;
};

}  // namespace takt::pipeline
