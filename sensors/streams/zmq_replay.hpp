#pragma once
/// Frames over ZeroMQ for a receiver that may disconnect and return.

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <zmq.hpp>

#include "core/units.hpp"
#include "sensors/frames/counter.hpp"
#include "sensors/frames/frame_queue.hpp"
#include "sensors/streams/wire.hpp"
#include "sensors/streams/zmq_socket.hpp"

namespace takt::sensors {

/// Sends whole messages to one receiver, which names the frame after which to continue (wire.hpp), and keeps
/// the last ones for its successor. The latest requester is the receiver: its predecessor may have vanished
/// silently. A sent message is discarded when its memory is needed. If nothing may be dropped, `write` waits
/// while `high_water` messages are unsent, or none can be discarded.
class ZmqReplay {
 public:
  ZmqReplay(const ZmqOptions& options, Bytes keep, WhenFull when_full)
      : options_(options), keep_(keep), when_full_(when_full) {}

  /// Throws WorkError.
  void open();
  void write(const FrameHeader& header, std::vector<std::byte> message);
  /// Waits up to five seconds for unsent messages; if nothing may be dropped, up to a minute for the
  /// receiver's confirmation that it has everything.
  void close();
  [[nodiscard]] std::vector<Counter> counters() const;

 private:
  struct Kept {
    std::uint16_t epoch;
    std::uint64_t sequence;
    zmq::message_t message;
  };

  /// Waits briefly for a request, processes all requests, and sends what can be
  /// sent.
  void step(std::chrono::milliseconds patience);
  /// A ROUTER socket does not report that space is available again.
  [[nodiscard]] std::chrono::milliseconds nap() const;
  void hear(const zmq::message_t& who, std::span<const std::byte> said);
  /// Returns the number of the message at which this receiver continues.
  [[nodiscard]] std::uint64_t first_for(const WireRequest& request) const;
  /// Returns false if the receiver has no space or is gone.
  [[nodiscard]] bool send(const zmq::message_t& message);
  void let_go();
  [[nodiscard]] std::uint64_t end() const { return first_ + kept_.size(); }
  [[nodiscard]] bool is_full(std::size_t more) const { return bytes_ + more > keep_.count && !kept_.empty(); }

  const ZmqOptions options_;
  const Bytes keep_;
  const WhenFull when_full_;
  zmq::context_t context_{1};
  zmq::socket_t socket_;
  /// The receiver's ZeroMQ identity.
  std::optional<std::string> receiver_;
  std::deque<Kept> kept_;
  std::uint64_t bytes_ = 0;
  /// Indices among all messages, from 0: the first one kept, the receiver's next one, and the first one never
  /// sent.
  std::uint64_t first_ = 0, next_ = 0, unsent_ = 0;
  bool is_over_ = false, was_end_sent_ = false, has_all_ = false;
  Tally sent_, dropped_, replayed_, came_, refused_;
};

}  // namespace takt::sensors
