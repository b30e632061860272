#pragma once
/// A source of frames over TCP, in takt's framing.

#include <memory>
#include <string>

#include "sensors/transport/stream_source.hpp"

namespace takt::sensors {

struct TcpSourceOptions : StreamOptions {
  TcpSourceOptions() { when_full = WhenFull::block; }
  FrameType type;
  /// `host:port` of the sender, which listens.
  std::string server;
  /// How long `start` waits for the sender to listen.
  Time connect_timeout{10'000'000'000};
  /// How long to reconnect after a connection that ended without an end message; 0: the stream is then over.
  Time reconnect{0};
  /// A longer step of the frames' numbers begins a new epoch.
  Time longest_gap{10'000'000'000};
  std::uint32_t source = 0;
  /// Whether to request missed frames from the sender, which must keep them (TcpSinkOptions::keep).
  bool replays = false;
};

/// Throws OptionError.
void validate(const TcpSourceOptions& options);

/// The stream ends at the sender's end message. A connection that ends earlier is counted and reported, and
/// re-established if so configured. If the pipeline is slow, `block` applies back-pressure to the sender, and
/// `drop` drops new frames. Invalid bytes end the stream with an error, since the message boundaries are then
/// unknown.
class TcpSource final : public StreamSource {
 public:
  /// Throws OptionError.
  explicit TcpSource(const TcpSourceOptions& options);
  ~TcpSource() override;
  /// Requests the data after the place from the sender, which decides what it sends.
  [[nodiscard]] bool resume_after(const StreamPlace& place) override;
  [[nodiscard]] SourceState poll(FrameView& frame) override;

 protected:
  void open() override;
  void receive() override;
  void finish(std::int64_t now_ns) override;
  [[nodiscard]] SourceCounters counted() const override;
  [[nodiscard]] std::vector<std::string> warned() const override;

 private:
  class Impl;
  /// Receives until the connection is over; returns whether the stream is over.
  [[nodiscard]] bool receive_connection();
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
