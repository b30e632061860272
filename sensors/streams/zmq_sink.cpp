#include "sensors/streams/zmq_sink.hpp"

#include <optional>

#include "core/system/outside_wait.hpp"
#include "sensors/option_error.hpp"
#include "sensors/streams/gnuradio_tags.hpp"
#include "sensors/streams/item_framer.hpp"
#include "sensors/streams/wire.hpp"
#include "sensors/streams/zmq_replay.hpp"

namespace takt::sensors {

void validate(const ZmqSinkOptions& options) {
  validate(options.socket);
  if (options.keep.count > 0 &&
      (!options.socket.is_pipeline || !options.socket.binds || options.format != ZmqFormat::takt))
    throw OptionError("keep",
                      "'keep' serves one receiver, which connects and requests frames by number: expected "
                      "the socket push with bind, and takt's own format");
}

class ZmqSink::Impl {
 public:
  Impl(const ZmqSinkOptions& options, const FrameType& type)
      : options_((validate(options), options)), encoder_(type), data_bytes_(type.data_size().count) {
    if (options.format != ZmqFormat::takt) rows_ = stream_rows(type);
    if (options.keep.count > 0) replay_.emplace(options.socket, options.keep, options.when_full);
  }

  void open() {
    if (replay_)
      replay_->open();
    else
      socket_ = open_zmq(context_, options_.socket, ZmqEnd::sends);
  }

  void write(const FrameView& frame) {
    const std::span<const std::byte> data = frame.bytes.first(data_bytes_);
    if (options_.format == ZmqFormat::takt) {
      encoder_.encode(frame, message_);
    } else {
      message_ = options_.format == ZmqFormat::gnuradio_tags
                     ? make_gnuradio_header(frame.header->sequence * rows_)
                     : std::vector<std::byte>();
      message_.insert(message_.end(), data.begin(), data.end());
    }
    if (replay_) return replay_->write(*frame.header, message_);
    (send() ? sent_ : dropped_).add();
  }

  void close() {
    if (replay_) return replay_->close();
    if (options_.format == ZmqFormat::takt) {
      message_ = WireEncoder::end();
      (void)send();
    }
    socket_.close();
    context_.close();
  }

  const ZmqSinkOptions options_;

  [[nodiscard]] std::vector<Counter> counters() const {
    if (replay_) return replay_->counters();
    return {{"frames_sent", "frames", sent_.value()}, {"frames_dropped", "frames", dropped_.value()}};
  }

 private:
  bool send() {
    const auto flags = options_.when_full == WhenFull::drop || !options_.socket.is_pipeline
                           ? zmq::send_flags::dontwait
                           : zmq::send_flags::none;
    if (!options_.socket.topic.empty() &&
        !send_part(zmq::buffer(options_.socket.topic), flags | zmq::send_flags::sndmore))
      return false;
    return send_part(zmq::buffer(message_), flags);
  }

  /// Sends a part; an OutsideWait reports that it waits for a receiver.
  bool send_part(zmq::const_buffer part, zmq::send_flags flags) {
    if (socket_.send(part, flags | zmq::send_flags::dontwait)) return true;
    if ((flags & zmq::send_flags::dontwait) != zmq::send_flags::none) return false;
    const OutsideWait waits("a receiver of " + options_.socket.endpoint);
    return socket_.send(part, flags).has_value();
  }

  const WireEncoder encoder_;
  const std::size_t data_bytes_;
  std::size_t rows_ = 0;
  Tally sent_, dropped_;
  /// Replaces the socket if frames are kept.
  std::optional<ZmqReplay> replay_;
  zmq::context_t context_{1};
  zmq::socket_t socket_;
  std::vector<std::byte> message_;
};

ZmqSink::ZmqSink(const ZmqSinkOptions& options, const FrameType& type)
    : impl_(std::make_unique<Impl>(options, type)) {}
ZmqSink::~ZmqSink() = default;

void ZmqSink::open() {
  impl_->open();
}
void ZmqSink::write(const FrameView& frame) {
  impl_->write(frame);
}
void ZmqSink::close() {
  impl_->close();
}
std::string ZmqSink::location() const {
  return impl_->options_.socket.endpoint;
}
std::vector<Counter> ZmqSink::counters() const {
  return impl_->counters();
}

}  // namespace takt::sensors
