#include "sensors/mseed/seedlink_source.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "sensors/mseed/records.hpp"
#include "sensors/option_error.hpp"
#include "sensors/tcp_stream.hpp"

namespace takt::sensors {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t seedlink_head = 8, seedlink_record = 512;
/// Samples that Steim-2 can hold in 512 bytes.
constexpr std::size_t most_samples_of_record = 6601;
constexpr auto answer_limit = 10s;
constexpr auto look_around = 100ms;

/// NET.STA.LOC.CHA.
std::array<std::string, 4> words_of(const std::string& channel) {
  std::array<std::string, 4> words;
  std::size_t word = 0;
  for (const char c : channel)
    if (c != '.')
      words[std::min<std::size_t>(word, 3)] += c;
    else if (++word > 3)
      break;
  if (word != 3 || words[0].empty() || words[1].empty() || words[3].empty() || words[0].size() > 2 ||
      words[1].size() > 5 || words[2].size() > 2 || words[3].size() > 3)
    throw OptionError(
        "channels", fmt::format("'{}' is no channel, expected NETWORK.STATION.LOCATION.CHANNEL, for example "
                                "NL.HGN.00.BHZ",
                                channel));
  return words;
}

}  // namespace

void validate(const SeedlinkOptions& options) {
  validate(static_cast<const StreamOptions&>(options));
  try {
    (void)parse_tcp_address(options.server);
  } catch (const ConfigError& error) {
    throw OptionError("server", error.what());
  }
  if (options.channels.empty()) throw OptionError("channels", "no channel is named");
  for (const std::string& channel : options.channels) {
    (void)words_of(channel);
    if (std::ranges::count(options.channels, channel) > 1)
      throw OptionError("channels", fmt::format("'{}' is named twice", channel));
  }
  validate(options.grid);
}

class SeedlinkSource::Client {
 public:
  explicit Client(const SeedlinkOptions& options)
      : options_(options), address_(parse_tcp_address(options.server)) {
    for (std::size_t i = 0; i < options.channels.size(); ++i) {
      const std::array<std::string, 4> words = words_of(options.channels[i]);
      stations_[words[0] + '.' + words[1]].selectors.push_back((words[2].empty() ? "--" : words[2]) +
                                                               words[3]);
      index_[options.channels[i]] = i;
    }
  }

  void connect() {
    stream_.connect(address_, answer_limit);
    stream_.send("HELLO\r\n");
    (void)line("HELLO");
    (void)line("HELLO");
    for (const auto& [name, station] : stations_) {
      const std::size_t dot = name.find('.');
      command(fmt::format("STATION {} {}", name.substr(dot + 1), name.substr(0, dot)));
      for (const std::string& selector : station.selectors) command("SELECT " + selector);
      command(station.next ? fmt::format("DATA {:06X}", *station.next) : "DATA");
    }
    stream_.send("END\r\n");
  }

  /// Until the connection is over, nothing came for long, or the source is stopped; whether the server ended
  /// the stream.
  template <class Stopping>
  bool receive(TraceJoiner& joiner, Stopping stopping) {
    std::int64_t last_ns = now_ns();
    while (!stopping()) {
      if (stream_.receive(look_around)) last_ns = now_ns();
      if (take_packets(joiner)) return true;
      if (stream_.is_over()) return false;
      if (options_.idle_timeout > Time(0) && now_ns() - last_ns > options_.idle_timeout.count()) return true;
    }
    return true;
  }

  const SeedlinkOptions options_;
  const TcpAddress address_;
  TcpStream stream_;
  TraceCounts counts_;
  Tally records_, damaged_, other_channel_, other_rate_, reconnects_, bytes_astray_;
  std::optional<TraceJoiner> joiner_;

 private:
  struct Station {
    std::vector<std::string> selectors;
    /// The number of the packet that comes next, once one has come.
    std::optional<std::uint32_t> next;
  };

  std::string line(const std::string& command) {
    const std::int64_t end = now_ns() + std::chrono::nanoseconds(answer_limit).count();
    while (now_ns() < end) {
      const std::span<const std::byte> bytes = stream_.received();
      const auto stop = std::ranges::find(bytes, std::byte{'\n'});
      if (stop != bytes.end()) {
        const auto length = static_cast<std::size_t>(stop - bytes.begin());
        std::string text(reinterpret_cast<const char*>(bytes.data()), length);
        stream_.take(length + 1);
        if (text.ends_with('\r')) text.pop_back();
        return text;
      }
      if (!stream_.receive(look_around) && stream_.is_over()) break;
    }
    throw WorkError(
        fmt::format("the SeedLink server {} does not answer to {}", address_.to_string(), command));
  }

  void command(const std::string& text) {
    stream_.send(text + "\r\n");
    if (const std::string answer = line(text); answer != "OK")
      throw WorkError(fmt::format("the SeedLink server {} answers '{}' to {}", address_.to_string(),
                                  excerpt(answer), text));
  }

  /// Whether the server has ended the stream.
  bool take_packets(TraceJoiner& joiner) {
    for (;;) {
      const std::span<const std::byte> bytes = stream_.received();
      const auto at = [&](std::size_t i) { return std::to_integer<char>(bytes[i]); };
      if (bytes.size() >= 3 && at(0) == 'E' && at(1) == 'N' && at(2) == 'D') return true;
      if (bytes.size() < seedlink_head + seedlink_record) return false;
      std::uint32_t number = 0;
      const char* const digits = reinterpret_cast<const char*>(bytes.data()) + 2;
      const auto [rest, error] = std::from_chars(digits, digits + 6, number, 16);
      if (at(0) != 'S' || at(1) != 'L' || error != std::errc{} || rest != digits + 6) {
        // Byte by byte to the next packet.
        bytes_astray_.add();
        stream_.take(1);
        continue;
      }
      take_record(bytes.subspan(seedlink_head, seedlink_record), number, joiner);
      stream_.take(seedlink_head + seedlink_record);
    }
  }

  void take_record(std::span<const std::byte> bytes, std::uint32_t number, TraceJoiner& joiner) {
    const std::optional<TraceRecord> record = decode_record(bytes);
    if (!record) return damaged_.add();
    const std::size_t second_dot = record->channel.find('.', record->channel.find('.') + 1);
    if (const auto station = stations_.find(record->channel.substr(0, second_dot));
        station != stations_.end())
      station->second.next = (number + 1) & 0xFFFFFF;
    const auto channel = index_.find(record->channel);
    if (channel == index_.end()) return other_channel_.add();
    if (std::abs(record->rate_hz - options_.grid.rate_hz) > 1e-4 * options_.grid.rate_hz)
      return other_rate_.add();
    records_.add();
    joiner.take(channel->second, record->start_ns, record->samples, now_ns());
  }

  std::map<std::string, Station> stations_;
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
  client_ = std::make_unique<Client>(own);
}

SeedlinkSource::~SeedlinkSource() {
  end();
}

void SeedlinkSource::open() {
  client_->joiner_.emplace(client_->options_.grid, client_->counts_, queue());
  client_->connect();
}

void SeedlinkSource::receive() {
  while (!client_->receive(*client_->joiner_, [this] { return stopping(); })) {
    client_->stream_.close();
    const std::int64_t again = now_ns() + client_->options_.reconnect.count();
    while (now_ns() < again && !stopping()) std::this_thread::sleep_for(10ms);
    if (stopping()) return;
    client_->reconnects_.add();
    try {
      client_->connect();
    } catch (const WorkError&) {
      // A server that is away may come back: the count tells how often it was tried.
      client_->stream_.close();
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
  add("refused_channel", client_->other_channel_);
  add("refused_rate", client_->other_rate_);
  add("bytes_astray", client_->bytes_astray_, "bytes");
  add("reconnects", client_->reconnects_, "times");
  return counters;
}

std::vector<std::string> SeedlinkSource::warned() const {
  std::vector<std::string> warnings;
  if (const std::uint64_t count = client_->reconnects_.value())
    warnings.push_back(fmt::format("the connection to {} was lost and asked for again {} times",
                                   client_->address_.to_string(), count));
  if (const std::uint64_t count = client_->other_rate_.value())
    warnings.push_back(fmt::format("{} records have another sample rate than {} Hz and were not used", count,
                                   client_->options_.grid.rate_hz));
  return warnings;
}

}  // namespace takt::sensors
