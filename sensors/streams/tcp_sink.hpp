#pragma once
/// A sink of frames over TCP, in takt's framing, to all connecting receivers.

#include <cstdint>
#include <memory>
#include <string>

#include "core/saved_state.hpp"
#include "core/units.hpp"
#include "sensors/frames/frame_queue.hpp"
#include "sensors/sink.hpp"

namespace takt::sensors {

struct TcpSinkOptions {
  /// The listening address; port 0 selects any free one.
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  /// Receivers that must be connected before the first frame is sent.
  std::size_t receivers = 0;
  /// Largest number of frames waiting for a receiver, and the action for the next one.
  std::size_t depth = 8;
  WhenFull when_full = WhenFull::drop;
  /// Memory for the last frames, for receivers that request missed ones; 0: none.
  Bytes keep{0};
};

/// Throws OptionError.
void validate(const TcpSinkOptions& options);

/// `write` sends without waiting if frames may be dropped: a slow or absent receiver causes no back-pressure
/// and misses whole frames. Otherwise `write` waits for the slowest receiver. If frames are kept, it also
/// waits for the return of receivers that disconnected before they had everything.
class TcpSink final : public Sink {
 public:
  TcpSink(const TcpSinkOptions& options, const FrameType& type);
  ~TcpSink() override;

  /// Throws WorkError if the port cannot be opened.
  void open() override;
  void write(const FrameView& frame) override;
  /// Waits up to five seconds for unsent frames; a minute if it waits for receivers to return and to confirm
  /// that they have everything.
  void close() override;
  /// Has no state to continue from: repeated frames are sent twice.
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override { return saved(); }
  [[nodiscard]] std::string location() const override;
  /// Counts the frames sent to receivers and dropped for them, and the receivers that connected.
  [[nodiscard]] std::vector<Counter> counters() const override;

  /// Returns the port in use, once it is open.
  [[nodiscard]] std::uint16_t port() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
