#pragma once
/// Frames over ZeroMQ for a receiver that may go away and come back.

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

/// Sends whole messages to one receiver, who says behind which frame he wants to go on (wire.hpp), and keeps
/// the last ones for his successor. Who has asked last is the receiver: the one before may be gone without a
/// word. A message is let go when it has been sent and others need its place; where nothing may be dropped,
/// `write` waits while `high_water` messages have not been sent, or none can be let go.
class ZmqReplay {
 public:
  ZmqReplay(const ZmqOptions& options, Bytes keep, WhenFull when_full)
      : options_(options), keep_(keep), when_full_(when_full) {}

  /// Throws WorkError.
  void open();
  void write(const FrameHeader& header, std::vector<std::byte> message);
  /// Waits up to five seconds for what has not been sent; where nothing may be dropped, up to a minute until
  /// a receiver says that he has everything.
  void close();
  [[nodiscard]] std::vector<Counter> counters() const;

 private:
  struct Kept {
    std::uint16_t epoch;
    std::uint64_t sequence;
    zmq::message_t message;
  };

  /// Waits a little for somebody to say something, unless he has; takes what was said, and sends what can be
  /// sent.
  void step(std::chrono::milliseconds patience);
  /// A socket of this kind does not tell that there is room again.
  [[nodiscard]] std::chrono::milliseconds nap() const;
  void hear(const zmq::message_t& who, std::span<const std::byte> said);
  /// Where who says that is to go on.
  [[nodiscard]] std::uint64_t first_for(const WireRequest& request) const;
  /// False where he has no room, or is gone.
  [[nodiscard]] bool send(const zmq::message_t& message);
  void let_go();
  [[nodiscard]] std::uint64_t end() const { return first_ + kept_.size(); }
  [[nodiscard]] bool is_full(std::size_t more) const { return bytes_ + more > keep_.count && !kept_.empty(); }

  const ZmqOptions options_;
  const Bytes keep_;
  const WhenFull when_full_;
  zmq::context_t context_{1};
  zmq::socket_t socket_;
  /// As ZeroMQ knows him.
  std::optional<std::string> receiver_;
  std::deque<Kept> kept_;
  std::uint64_t bytes_ = 0;
  /// Of all messages that there were, counted from 0: the first one that is kept, the next one for the
  /// receiver, and the first one that nobody has been sent.
  std::uint64_t first_ = 0, next_ = 0, unsent_ = 0;
  bool is_over_ = false, was_end_sent_ = false, has_all_ = false;
  Tally sent_, dropped_, replayed_, came_, refused_;
};

}  // namespace takt::sensors
