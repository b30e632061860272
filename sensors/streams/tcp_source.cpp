#include "sensors/streams/tcp_source.hpp"

#include <chrono>

#include <fmt/format.h>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "sensors/option_error.hpp"
#include "sensors/streams/wire.hpp"
#include "sensors/tcp_stream.hpp"

namespace takt::sensors {

void validate(const TcpSourceOptions& options) {
  validate(static_cast<const StreamOptions&>(options));
  try {
    (void)parse_tcp_address(options.server);
  } catch (const ConfigError& error) {
    throw OptionError("server", error.what());
  }
}

class TcpSource::Impl {
 public:
  explicit Impl(const TcpSourceOptions& options)
      : options_(options), address_(parse_tcp_address(options.server)) {}

  void connect() {
    const std::int64_t end = now_ns() + options_.connect_timeout.count();
    for (;;) try {
        return stream_.connect(address_, std::chrono::seconds(10));
      } catch (const WorkError&) {
        if (now_ns() >= end) throw;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
  }

  /// The sender keeps frames until it hears that.
  void say_that_all_is_here() {
    try {
      if (options_.replays && has_ended_ && stream_.is_open()) stream_.send(wire_request({}));
    } catch (const WorkError&) {
      // It has gone, and has nothing to keep.
    }
  }

  const TcpSourceOptions options_;
  const TcpAddress address_;
  WireRequest wish_{WireWish::what_comes, 0, 0};
  /// The pipeline has taken the last frame.
  bool has_ended_ = false;
  TcpStream stream_;
  std::optional<WireDecoder> decoder_;
};

TcpSource::TcpSource(const TcpSourceOptions& options)
    : StreamSource((validate(options), options.type), options, 1), impl_(std::make_unique<Impl>(options)) {}

TcpSource::~TcpSource() {
  end();
  impl_->say_that_all_is_here();
}

bool TcpSource::begin_behind(const StreamPlace& place) {
  impl_->wish_ = {place.frames > 0 ? WireWish::what_is_behind : WireWish::all_that_is_kept, place.last.epoch,
                  place.last.sequence};
  return false;
}

SourceState TcpSource::poll(FrameView& frame) {
  const SourceState state = StreamSource::poll(frame);
  if (state == SourceState::ended) impl_->has_ended_ = true;
  return state;
}

void TcpSource::open() {
  impl_->decoder_.emplace(impl_->options_.type, impl_->options_.source, queue());
  impl_->connect();
  if (impl_->options_.replays) impl_->stream_.send(wire_request(impl_->wish_));
}

void TcpSource::receive() {
  TcpStream& stream = impl_->stream_;
  std::int64_t last_ns = now_ns();
  while (!stopping()) {
    const std::span<const std::byte> bytes = stream.received();
    if (bytes.size() >= wire_head_bytes) {
      const std::optional<std::size_t> length = wire_message_bytes(bytes, impl_->options_.type);
      if (!length)
        throw WorkError(fmt::format("{} sends what is no frame of takt's", impl_->address_.to_string()));
      if (bytes.size() >= *length) {
        wait_for_room(1);
        if (stopping() || !impl_->decoder_->take(bytes.first(*length), now_ns())) return;
        stream.take(*length);
        continue;
      }
    }
    if (stream.receive(std::chrono::milliseconds(100)))
      last_ns = now_ns();
    else if (stream.is_over())
      return;
    const Time idle = stream_options().idle_timeout;
    if (idle > Time(0) && now_ns() - last_ns > idle.count()) return;
  }
}

SourceCounters TcpSource::counted() const {
  return impl_->decoder_->counters();
}

}  // namespace takt::sensors
