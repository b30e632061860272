#include "sensors/streams/zmq_source.hpp"

#include <optional>

#include <fmt/format.h>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "sensors/streams/gnuradio_tags.hpp"
#include "sensors/streams/item_framer.hpp"
#include "sensors/streams/wire.hpp"

namespace takt::sensors {

namespace {

FrameType type_of(const ZmqSourceOptions& options) {
  validate(options);
  return options.format == ZmqFormat::takt ? options.type : with_sample_flags(options.type);
}

/// Frames that one message may complete: of items any number may be in it.
constexpr std::size_t frames_of_message = 16;

}  // namespace

void validate(const ZmqSourceOptions& options) {
  validate(static_cast<const StreamOptions&>(options));
  validate(options.socket);
  if (options.format != ZmqFormat::takt) (void)stream_rows(options.type);
}

class ZmqSource::Impl {
 public:
  explicit Impl(const ZmqSourceOptions& options) : options_(options) {}

  void open(FrameQueue& queue, const FrameType& type) {
    if (options_.format == ZmqFormat::takt)
      decoder_.emplace(type, options_.source, queue);
    else
      framer_.emplace(type, options_.source, queue);
    socket_ = open_zmq(context_, options_.socket, true);
    socket_.set(zmq::sockopt::rcvtimeo, 50);
  }

  /// One message of one part or two; false at the end of the stream.
  bool take(const zmq::message_t& message, std::int64_t now) {
    const std::span<const std::byte> bytes(static_cast<const std::byte*>(message.data()), message.size());
    if (decoder_) return decoder_->take(bytes, now);
    if (options_.format == ZmqFormat::gnuradio) {
      framer_->take_next(bytes, now);
      return true;
    }
    const std::optional<GnuradioHeader> header = read_gnuradio_header(bytes);
    if (!header)
      refused_.add();
    else
      framer_->take(header->offset, bytes.subspan(header->bytes), now);
    return true;
  }

  const ZmqSourceOptions options_;
  zmq::context_t context_{1};
  zmq::socket_t socket_;
  std::optional<WireDecoder> decoder_;
  std::optional<ItemFramer> framer_;
  Tally refused_;
};

ZmqSource::ZmqSource(const ZmqSourceOptions& options)
    : StreamSource(type_of(options), options, frames_of_message), impl_(std::make_unique<Impl>(options)) {}

ZmqSource::~ZmqSource() {
  end();
}

void ZmqSource::open() {
  impl_->open(queue(), type());
}

void ZmqSource::receive() {
  const std::int64_t started = now_ns();
  std::int64_t last = 0;
  while (!stopping()) {
    wait_for_room(frames_of_message);
    zmq::message_t message;
    const bool came = impl_->socket_.recv(message, zmq::recv_flags::none).has_value();
    const std::int64_t now = now_ns();
    if (came) {
      // A topic, or GNU Radio's key, is in a part before.
      while (message.more() && impl_->socket_.recv(message, zmq::recv_flags::none)) {
      }
      last = now;
      if (!impl_->take(message, now)) return;
      continue;
    }
    const Time idle = stream_options().idle_timeout, start = impl_->options_.start_timeout;
    if (last > 0 && idle > Time(0) && now - last > idle.count()) return;
    if (last == 0 && start > Time(0) && now - started > start.count())
      throw WorkError(fmt::format("nothing came from {} within {}", impl_->options_.socket.endpoint,
                                  takt::to_string(start)));
  }
}

void ZmqSource::finish(std::int64_t now_ns) {
  if (impl_->framer_) impl_->framer_->finish(now_ns);
}

SourceCounters ZmqSource::counted() const {
  SourceCounters counters = impl_->decoder_ ? impl_->decoder_->counters() : impl_->framer_->counters();
  counters.details.push_back({"refused_header", "messages", impl_->refused_.value()});
  return counters;
}

}  // namespace takt::sensors
