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

  const TcpSourceOptions options_;
  const TcpAddress address_;
  TcpStream stream_;
  std::optional<WireDecoder> decoder_;
};

TcpSource::TcpSource(const TcpSourceOptions& options)
    : StreamSource((validate(options), options.type), options, 1), impl_(std::make_unique<Impl>(options)) {}

TcpSource::~TcpSource() {
  end();
}

void TcpSource::open() {
  impl_->decoder_.emplace(impl_->options_.type, impl_->options_.source, queue());
  impl_->connect();
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
