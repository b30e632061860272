#include "sensors/streams/zmq_source.hpp"

#include <optional>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "sensors/option_error.hpp"
#include "sensors/streams/gnuradio_tags.hpp"
#include "sensors/streams/item_framer.hpp"
#include "sensors/streams/wire.hpp"

namespace takt::sensors {

namespace {

FrameType type_of(const ZmqSourceOptions& options) {
  validate(options);
  return options.format == ZmqFormat::takt ? options.type : with_sample_flags(options.type);
}

/// Frames that one message may complete: a message may hold any number of items.
constexpr std::size_t frames_of_message = 16;

}  // namespace

void validate(const ZmqSourceOptions& options) {
  validate(static_cast<const StreamOptions&>(options));
  validate(options.socket);
  validate(WireReception{.longest_gap = options.longest_gap});
  if (options.format != ZmqFormat::takt) (void)stream_rows(options.type);
  if (options.replays &&
      (!options.socket.is_pipeline || options.socket.binds || options.format != ZmqFormat::takt))
    throw OptionError("replay",
                      "'replay' requests frames by number from one sender, which binds: expected the socket "
                      "pull without bind, and takt's own format");
}

class ZmqSource::Impl {
 public:
  explicit Impl(const ZmqSourceOptions& options) : options_(options) {}

  void open(FrameQueue& queue, const FrameType& type) {
    if (options_.format == ZmqFormat::takt)
      decoder_.emplace(type, options_.source, queue,
                       WireReception{.may_repeat = options_.replays,
                                     // A bound endpoint accepts any sender.
                                     .has_one_sender = !options_.socket.binds,
                                     .longest_gap = options_.longest_gap});
    else
      framer_.emplace(type, options_.source, queue);
    socket_ = open_zmq(context_, options_.socket, options_.replays ? ZmqEnd::replays : ZmqEnd::receives);
    socket_.set(zmq::sockopt::rcvtimeo, 50);
  }

  /// Processes the last part of a message; returns false at the end of the stream.
  bool take(const zmq::message_t& message, std::int64_t now) {
    const std::span<const std::byte> bytes(static_cast<const std::byte*>(message.data()), message.size());
    if (!decoder_) return take_items(bytes, now), true;
    if (read_gnuradio_header(bytes)) tagged_.add();
    const bool goes_on = decoder_->take(bytes, now);
    if (decoder_->last()) good_.set(1);
    return goes_on;
  }

  /// Only the first bytes show whether the sender passes tags, or is a takt sink.
  void take_items(std::span<const std::byte> bytes, std::int64_t now) {
    const std::optional<GnuradioHeader> header = read_gnuradio_header(bytes);
    const bool passes_tags = options_.format == ZmqFormat::gnuradio_tags;
    if (wire_type(bytes)) {
      frames_.add();
    } else if (header && !passes_tags) {
      tagged_.add();
    } else if (!header && passes_tags) {
      untagged_.add();
    } else if (const std::span<const std::byte> items = bytes.subspan(header ? header->bytes : 0);
               items.size() % framer_->sample_bytes() != 0) {
      refused_bytes_.set(items.size());
      refused_size_.add();
    } else {
      good_.add();
      if (header)
        framer_->take(header->offset, items, now);
      else
        framer_->take_next(items, now);
    }
  }

  SourceCounters counters() const {
    SourceCounters counters = decoder_ ? decoder_->counters() : framer_->counters();
    if (decoder_) return counters;
    counters.details.push_back(
        {"refused_header", "messages", tagged_.value() + untagged_.value() + frames_.value()});
    counters.details.push_back({"refused_size", "messages", refused_size_.value()});
    return counters;
  }

  /// Returns what to change if sender and source use different formats.
  std::vector<std::string> warnings() const {
    std::vector<std::string> all;
    if (decoder_) all = decoder_->warnings(options_.socket.endpoint);
    if (const std::uint64_t count = tagged_.value())
      all.push_back(
          fmt::format("{} messages from {} have the header of tagged messages, since the sender has 'Pass "
                      "Tags' on: expected 'format: gnuradio_tags'",
                      count, options_.socket.endpoint));
    // Below this number, messages are damaged.
    if (const std::uint64_t count = untagged_.value(); count > good_.value())
      all.push_back(
          fmt::format("{} messages from {} have no header of tagged messages: if the sender has 'Pass Tags' "
                      "off, use 'format: gnuradio'",
                      count, options_.socket.endpoint));
    if (const std::uint64_t count = frames_.value())
      all.push_back(fmt::format("{} messages from {} are frames of takt's: expected 'format: takt'", count,
                                options_.socket.endpoint));
    if (const std::uint64_t count = refused_size_.value())
      all.push_back(
          fmt::format("{} messages from {}, the last one of {} bytes, are not a whole number of samples of "
                      "{} bytes: see 'element' and 'axes'{}",
                      count, options_.socket.endpoint, refused_bytes_.value(), framer_->sample_bytes(),
                      options_.format == ZmqFormat::gnuradio ? ", or 'format'" : ""));
    return all;
  }

  std::string no_messages_message(const std::string& within) const {
    const std::string refused = refusals(counters().details);
    std::string message = fmt::format("no valid message from {}{} ({})", options_.socket.endpoint, within,
                                      refused.empty() ? "nothing received" : "refused: " + refused);
    for (const std::string& warning : warnings()) message += "; " + warning;
    return message;
  }

  /// Repeats the request: a restarted or reconnected sender does not know this receiver.
  void ask(std::int64_t now) {
    constexpr std::int64_t interval_ns = 500'000'000;
    if (!options_.replays || (asked_ns_ > 0 && now - asked_ns_ < interval_ns)) return;
    if (const auto last = decoder_->last()) command_ = {WireCommand::frames_after, last->first, last->second};
    // An absent sender is asked when it appears.
    if (say(command_)) asked_ns_ = now;
  }

  bool say(const WireRequest& request) {
    return socket_.send(zmq::buffer(wire_request(request)), zmq::send_flags::dontwait).has_value();
  }

  /// The sender keeps frames until this confirmation.
  void confirm_end() {
    if (!options_.replays || !has_ended_) return;
    try {
      socket_.set(zmq::sockopt::sndtimeo, 1000);
      (void)socket_.send(zmq::buffer(wire_request({})), zmq::send_flags::none);
    } catch (const zmq::error_t&) {
      // The sender has gone and has nothing to keep.
    }
  }

  const ZmqSourceOptions options_;
  WireRequest command_{WireCommand::coming_frames, 0, 0};
  std::int64_t asked_ns_ = 0;
  /// The pipeline has consumed the last frame.
  bool has_ended_ = false;
  zmq::context_t context_{1};
  zmq::socket_t socket_;
  std::optional<WireDecoder> decoder_;
  std::optional<ItemFramer> framer_;
  /// Accepted messages; for takt's frames only whether there was one.
  Tally good_;
  /// Messages with an unexpected tag header, without an expected one, and with takt's frames; messages that
  /// are not a whole number of samples, and the size of the last one.
  Tally tagged_, untagged_, frames_, refused_size_, refused_bytes_;
};

ZmqSource::ZmqSource(const ZmqSourceOptions& options)
    : StreamSource(type_of(options), options, frames_of_message), impl_(std::make_unique<Impl>(options)) {}

ZmqSource::~ZmqSource() {
  end();
  impl_->confirm_end();
}

bool ZmqSource::resume_after(const StreamPlace& place) {
  impl_->command_ = {place.frames > 0 ? WireCommand::frames_after : WireCommand::kept_frames,
                     place.last.epoch, place.last.sequence};
  return false;
}

SourceState ZmqSource::poll(FrameView& frame) {
  const SourceState state = StreamSource::poll(frame);
  if (state == SourceState::ended) impl_->has_ended_ = true;
  return state;
}

void ZmqSource::open() {
  impl_->open(queue(), type());
}

void ZmqSource::receive() {
  const std::int64_t started = now_ns();
  const Time idle = stream_options().idle_timeout, start = impl_->options_.start_timeout;
  std::int64_t last = 0;
  while (!stopping()) {
    wait_for_room(frames_of_message);
    impl_->ask(now_ns());
    zmq::message_t message;
    const bool came = impl_->socket_.recv(message, zmq::recv_flags::none).has_value();
    const std::int64_t now = now_ns();
    if (came) {
      // A topic, or GNU Radio's key, is in an earlier part.
      while (message.more() && impl_->socket_.recv(message, zmq::recv_flags::none)) {
      }
      last = now;
      if (!impl_->take(message, now)) return;
    }
    if (impl_->good_.value() == 0 && start > Time(0) && now - started > start.count())
      throw WorkError(impl_->no_messages_message(fmt::format(" within {}", takt::to_string(start))));
    if (came || last == 0 || idle == Time(0) || now - last <= idle.count()) continue;
    if (impl_->good_.value() == 0) throw WorkError(impl_->no_messages_message(""));
    return;
  }
}

void ZmqSource::finish(std::int64_t now_ns) {
  if (impl_->framer_) impl_->framer_->finish(now_ns);
  if (impl_->decoder_) impl_->decoder_->finish();
}

SourceCounters ZmqSource::counted() const {
  return impl_->counters();
}

std::vector<std::string> ZmqSource::warned() const {
  return impl_->warnings();
}

}  // namespace takt::sensors
