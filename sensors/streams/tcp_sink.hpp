#pragma once
/// Frames over TCP, in takt's framing, to whoever connects.

#include <cstdint>
#include <memory>
#include <string>

#include "core/saved_state.hpp"
#include "core/units.hpp"
#include "sensors/frames/frame_queue.hpp"
#include "sensors/sink.hpp"

namespace takt::sensors {

struct TcpSinkOptions {
  /// Where it listens; port 0 takes any free one.
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  /// Receivers that must be there before the first frame is sent.
  std::size_t receivers = 0;
  /// Frames that may wait for a receiver, and what happens to the next one.
  std::size_t depth = 8;
  WhenFull when_full = WhenFull::drop;
  /// The last frames are kept in so much memory for receivers that ask for what they have missed; 0: none.
  Bytes keep{0};
};

/// Throws OptionError.
void validate(const TcpSinkOptions& options);

/// Sends as `write` is called, without waiting where frames may be dropped: a receiver that is slow or away
/// holds nobody up, and misses whole frames. Where they may not, `write` waits for the slowest receiver; and,
/// where frames are kept, for receivers that have gone without having everything to come back.
class TcpSink final : public Sink {
 public:
  TcpSink(const TcpSinkOptions& options, const FrameType& type);
  ~TcpSink() override;

  /// Throws WorkError when the port cannot be opened.
  void open() override;
  void write(const FrameView& frame) override;
  /// Waits up to five seconds for what has not been sent, and where it waits for receivers to come back a
  /// minute for them to have everything.
  void close() override;
  /// Nothing to go on with: what is sent again is sent twice.
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override { return saved(); }
  [[nodiscard]] std::string location() const override;
  /// Frames sent to receivers, and dropped for them; receivers that came.
  [[nodiscard]] std::vector<Counter> counters() const override;

  /// The port in use, once it is open.
  [[nodiscard]] std::uint16_t port() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
