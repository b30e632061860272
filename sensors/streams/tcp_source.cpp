#include "sensors/streams/tcp_source.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "sensors/option_error.hpp"
#include "sensors/streams/wire.hpp"
#include "sensors/transport/tcp_stream.hpp"

namespace takt::sensors {

void validate(const TcpSourceOptions& options) {
  validate(static_cast<const StreamOptions&>(options));
  try {
    (void)parse_tcp_address(options.server);
  } catch (const ConfigError& error) {
    throw OptionError("server", error.what());
  }
  validate(WireReception{.longest_gap = options.longest_gap});
}

namespace {

/// Frames that one message may complete: itself and the preceding one whose number needed confirmation.
constexpr std::size_t most_frames = 2;

}  // namespace

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

  /// Reconnects with growing pauses, so that a sender that is absent for long is not flooded.
  [[nodiscard]] bool reconnect(const std::function<bool()>& stopping) {
    constexpr std::int64_t nap_ns = 50'000'000, longest_pause_ns = 5'000'000'000;
    const std::int64_t end = now_ns() + options_.reconnect.count();
    for (std::int64_t pause = 100'000'000; now_ns() < end; pause = std::min(2 * pause, longest_pause_ns)) {
      for (const std::int64_t next = std::min(now_ns() + pause, end); now_ns() < next;) {
        if (stopping()) return false;
        std::this_thread::sleep_for(std::chrono::nanoseconds(nap_ns));
      }
      try {
        stream_.connect(address_, std::chrono::seconds(1));
        decoder_->begin_connection();
        reconnects_.add();
        if (!options_.replays) return true;
        if (const auto last = decoder_->last())
          command_ = {WireCommand::frames_after, last->first, last->second};
        stream_.send(wire_request(command_));
        return true;
      } catch (const WorkError&) {
        // The sender does not listen yet.
      }
    }
    return false;
  }

  /// The sender keeps frames until this confirmation.
  void confirm_end() {
    try {
      if (options_.replays && has_ended_ && stream_.is_open()) stream_.send(wire_request({}));
    } catch (const WorkError&) {
      // The sender has gone and has nothing to keep.
    }
  }

  const TcpSourceOptions options_;
  const TcpAddress address_;
  WireRequest command_{WireCommand::coming_frames, 0, 0};
  /// The pipeline has consumed the last frame.
  bool has_ended_ = false;
  TcpStream stream_;
  std::optional<WireDecoder> decoder_;
  Tally reconnects_;
};

TcpSource::TcpSource(const TcpSourceOptions& options)
    : StreamSource((validate(options), options.type), options, most_frames),
      impl_(std::make_unique<Impl>(options)) {}

TcpSource::~TcpSource() {
  end();
  impl_->confirm_end();
}

bool TcpSource::resume_after(const StreamPlace& place) {
  impl_->command_ = {place.frames > 0 ? WireCommand::frames_after : WireCommand::kept_frames,
                     place.last.epoch, place.last.sequence};
  return false;
}

SourceState TcpSource::poll(FrameView& frame) {
  const SourceState state = StreamSource::poll(frame);
  if (state == SourceState::ended) impl_->has_ended_ = true;
  return state;
}

void TcpSource::open() {
  impl_->decoder_.emplace(impl_->options_.type, impl_->options_.source, queue(),
                          WireReception{.longest_gap = impl_->options_.longest_gap});
  impl_->connect();
  if (impl_->options_.replays) impl_->stream_.send(wire_request(impl_->command_));
}

void TcpSource::finish(std::int64_t) {
  impl_->decoder_->finish();
}

void TcpSource::receive() {
  while (!receive_connection())
    if (!impl_->reconnect([this] { return stopping(); })) return;
}

bool TcpSource::receive_connection() {
  TcpStream& stream = impl_->stream_;
  const auto is_cut = [&] {
    impl_->decoder_->count_cut(!stream.received().empty());
    return stopping();
  };
  std::int64_t last_ns = now_ns();
  while (!stopping()) {
    const std::span<const std::byte> bytes = stream.received();
    if (bytes.size() >= wire_head_bytes) {
      const std::optional<std::size_t> length = wire_message_bytes(bytes, impl_->options_.type);
      if (!length)
        throw WorkError(fmt::format("{} sends other data than frames of takt", impl_->address_.to_string()));
      if (bytes.size() >= *length) {
        wait_for_room(most_frames);
        if (stopping() || !impl_->decoder_->take(bytes.first(*length), now_ns())) return true;
        stream.take(*length);
        continue;
      }
    }
    if (stream.receive(std::chrono::milliseconds(100)))
      last_ns = now_ns();
    else if (stream.is_over())
      return is_cut();
    const Time idle = stream_options().idle_timeout;
    if (idle > Time(0) && now_ns() - last_ns > idle.count()) {
      // Between two frames a silence is the configured end.
      if (!stream.received().empty()) (void)is_cut();
      return true;
    }
  }
  return true;
}

SourceCounters TcpSource::counted() const {
  SourceCounters counters = impl_->decoder_->counters();
  if (impl_->options_.reconnect > Time(0))
    counters.details.push_back({"reconnects", "times", impl_->reconnects_.value()});
  return counters;
}

std::vector<std::string> TcpSource::warned() const {
  return impl_->decoder_->warnings(impl_->address_.to_string());
}

}  // namespace takt::sensors
