#include "sensors/mseed/seedlink_source.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "sensors/frames/channel_latency.hpp"
#include "sensors/mseed/records.hpp"
#include "sensors/mseed/seedlink_session.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

using namespace std::chrono_literals;

constexpr auto look_around = 100ms;
std::int64_t time_of_last_sample(const TraceRecord& record) {
  const std::size_t after_first = std::max<std::size_t>(record.samples.size(), 1) - 1;
  return record.start_ns + std::llround(1e9 * static_cast<double>(after_first) / record.rate_hz);
}

/// Capacity of the longest Steim-2 record in samples: 15 words of 7 in every 64 bytes.
constexpr std::size_t most_samples_of_record = most_seedlink_payload / 64 * 105;

}  // namespace

void validate(const SeedlinkOptions& options) {
  validate(static_cast<const StreamOptions&>(options));
  if (options.channels.empty()) throw OptionError("channels", "no channel is given");
  for (const std::string& channel : options.channels) {
    if (channel.find_first_of("*?") != std::string::npos)
      throw OptionError(
          "channels",
          fmt::format("'{}': a live source needs the names of all channels: expected each by its full name",
                      channel));
    if (std::ranges::count(options.channels, channel) > 1)
      throw OptionError("channels", fmt::format("'{}' is given twice", channel));
  }
  validate(options.grid);
  std::vector<std::string> plain;
  std::ranges::transform(options.channels, std::back_inserter(plain), plain_channel);
  (void)SeedlinkSession(options.server, plain, options.version);
}

class SeedlinkSource::Client {
 public:
  explicit Client(const SeedlinkOptions& options)
      : options_(options),
        session_(options.server, options.channels, options.version),
        latencies_(options.channels.size()) {
    for (std::size_t i = 0; i < options.channels.size(); ++i) index_[options.channels[i]] = i;
  }

  /// Receives until the connection is over, no data came for long, or the source is stopped; returns whether
  /// the server ended the stream.
  template <class Stopping>
  bool receive(TraceJoiner& joiner, Stopping stopping) {
    std::int64_t last_ns = now_ns();
    while (!stopping()) {
      if (session_.receive(look_around)) last_ns = now_ns();
      while (const auto packet = session_.next()) take_packet(*packet, joiner);
      bytes_astray_.set(session_.bytes_astray());
      if (session_.has_ended()) return true;
      if (session_.is_over()) return false;
      if (options_.idle_timeout > Time(0) && now_ns() - last_ns > options_.idle_timeout.count()) return true;
    }
    return true;
  }

  const SeedlinkOptions options_;
  SeedlinkSession session_;
  TraceCounts counts_;
  Tally records_, damaged_, other_format_, other_channel_, other_rate_, reconnects_, bytes_astray_, version_,
      logs_;
  RecordMarkCounts marks_;
  /// By channel.
  std::vector<ChannelLatencyTally> latencies_;
  std::optional<TraceJoiner> joiner_;

 private:
  void take_packet(const SeedlinkSession::Packet& packet, TraceJoiner& joiner) {
    if (packet.format != '2' && packet.format != '3') return other_format_.add();
    const std::optional<TraceRecord> record = decode_record(packet.payload);
    // Damaged or unused packets need not be repeated either.
    std::string station(packet.station);
    if (station.empty() && record) {
      const std::size_t dot = record->channel.find('.');
      station = record->channel.substr(0, record->channel.find('.', dot + 1));
      std::ranges::replace(station, '.', '_');
    }
    session_.came(station, packet.number);
    if (!record) return damaged_.add();
    if (record->is_log) return logs_.add();
    const auto channel = index_.find(record->channel);
    if (channel == index_.end()) return other_channel_.add();
    if (std::abs(record->rate_hz - options_.grid.rate_hz) > 1e-4 * options_.grid.rate_hz)
      return other_rate_.add();
    records_.add();
    marks_.add(record->marks);
    latencies_[channel->second].count(time_of_last_sample(*record), utc_now_ns());
    joiner.take(channel->second, *record, {}, now_ns());
  }

  std::map<std::string, std::size_t> index_;
};

namespace {

TraceGrid grid_for(const SeedlinkOptions& options) {
  validate(options);
  TraceGrid grid = options.grid;
  grid.channels = options.channels.size();
  return grid;
}

}  // namespace

SeedlinkSource::SeedlinkSource(const SeedlinkOptions& options)
    : StreamSource(trace_frame_type(grid_for(options)), options,
                   TraceJoiner::open_frames(options.grid, most_samples_of_record) +
                       most_samples_of_record / options.grid.rows) {
  SeedlinkOptions own = options;
  own.grid = grid_for(options);
  std::ranges::transform(own.channels, own.channels.begin(), plain_channel);
  client_ = std::make_unique<Client>(own);
}

SeedlinkSource::~SeedlinkSource() {
  end();
}

void SeedlinkSource::open() {
  client_->joiner_.emplace(client_->options_.grid, client_->counts_, queue());
  client_->session_.connect();
  client_->version_.set(static_cast<std::uint64_t>(client_->session_.version()));
}

void SeedlinkSource::receive() {
  while (!client_->receive(*client_->joiner_, [this] { return stopping(); })) {
    client_->session_.close();
    const std::int64_t again = now_ns() + client_->options_.reconnect.count();
    while (now_ns() < again && !stopping()) std::this_thread::sleep_for(10ms);
    if (stopping()) return;
    client_->reconnects_.add();
    try {
      client_->session_.connect();
      client_->version_.set(static_cast<std::uint64_t>(client_->session_.version()));
    } catch (const WorkError&) {
      // An absent server may return: the count shows the number of attempts.
      client_->session_.close();
    }
  }
}

void SeedlinkSource::finish(std::int64_t now_ns) {
  client_->joiner_->finish(now_ns);
}

SourceCounters SeedlinkSource::counted() const {
  SourceCounters counters = client_->counts_.report();
  const auto add = [&](const char* name, const Tally& tally, const char* unit = "records") {
    counters.details.push_back({name, unit, tally.value()});
  };
  add("records_received", client_->records_);
  add("refused_damaged", client_->damaged_);
  add("refused_format", client_->other_format_);
  add("refused_channel", client_->other_channel_);
  add("refused_rate", client_->other_rate_);
  add("records_of_logs", client_->logs_);
  add("bytes_astray", client_->bytes_astray_, "bytes");
  add("reconnects", client_->reconnects_, "times");
  add("seedlink_version", client_->version_, "version");
  std::ranges::move(client_->marks_.report(), std::back_inserter(counters.details));
  for (std::size_t i = 0; i < client_->latencies_.size(); ++i)
    client_->latencies_[i].report(client_->options_.channels[i], counters.details);
  return counters;
}

std::vector<std::string> SeedlinkSource::warned() const {
  std::vector<std::string> warnings = client_->marks_.warnings();
  std::ranges::move(client_->counts_.warnings(client_->options_.grid.rate_hz), std::back_inserter(warnings));
  if (const std::uint64_t count = client_->reconnects_.value())
    warnings.push_back(
        fmt::format("lost the connection to {} and reconnected {} times", client_->session_.server(), count));
  if (const std::uint64_t count = client_->counts_.implausible.value())
    warnings.push_back(
        fmt::format("{} samples have a time far from the other channels and were discarded", count));
  if (const std::uint64_t count = client_->other_rate_.value())
    warnings.push_back(fmt::format("{} records have another sample rate than {} Hz and were discarded", count,
                                   client_->options_.grid.rate_hz));
  return warnings;
}

}  // namespace takt::sensors
