#include "sensors/streams/zmq_sink.hpp"

#include "sensors/option_error.hpp"
#include "sensors/streams/gnuradio_tags.hpp"
#include "sensors/streams/item_framer.hpp"
#include "sensors/streams/wire.hpp"

namespace takt::sensors {

class ZmqSink::Impl {
 public:
  Impl(const ZmqSinkOptions& options, const FrameType& type)
      : options_(options), encoder_(type), data_bytes_(type.data_size().count) {
    validate(options.socket);
    if (options.format != ZmqFormat::takt) rows_ = stream_rows(type);
  }

  void open() { socket_ = open_zmq(context_, options_.socket, false); }

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
    (send() ? sent_ : dropped_).add();
  }

  void close() {
    if (options_.format == ZmqFormat::takt) {
      message_ = WireEncoder::end();
      (void)send();
    }
    socket_.close();
    context_.close();
  }

  const ZmqSinkOptions options_;
  Tally sent_, dropped_;

 private:
  bool send() {
    const auto flags = options_.when_full == WhenFull::drop || !options_.socket.is_pipeline
                           ? zmq::send_flags::dontwait
                           : zmq::send_flags::none;
    if (!options_.socket.topic.empty() &&
        !socket_.send(zmq::buffer(options_.socket.topic), flags | zmq::send_flags::sndmore))
      return false;
    return socket_.send(zmq::buffer(message_), flags).has_value();
  }

  const WireEncoder encoder_;
  const std::size_t data_bytes_;
  std::size_t rows_ = 0;
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
  return {{"frames_sent", "frames", impl_->sent_.value()},
          {"frames_dropped", "frames", impl_->dropped_.value()}};
}

}  // namespace takt::sensors
