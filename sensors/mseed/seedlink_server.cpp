#include "sensors/mseed/seedlink_server.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/system/quiet_thread.hpp"
#include "sensors/mseed/synthesis.hpp"
#include "sensors/transport/tcp_listener.hpp"

namespace takt::sensors {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_clients = 64, longest_line = 512, most_requests = 1000;
/// Bytes queued for a client's socket.
constexpr std::size_t most_waiting = 64 << 10;
constexpr int look_around_ms = 100;
constexpr std::chrono::milliseconds last_patience = 60s, look_at_stop = 20ms;
constexpr std::uint64_t number_mask = 0xFFFFFF;

/// A client's request: `NET.STA`, location and channel; `?` matches any character.
struct Selection {
  std::string station;
  std::vector<std::pair<std::optional<std::string>, std::string>> selected;
  std::uint64_t from = 0;
};

struct ServedRecord {
  std::string station, location, channel;
  std::vector<std::byte> bytes;
};

bool matches(std::string_view pattern, std::string_view text) {
  return pattern.size() == text.size() &&
         std::equal(pattern.begin(), pattern.end(), text.begin(),
                    [](char wanted, char is) { return wanted == '?' || wanted == is; });
}

bool is_wanted(const Selection& selection, const ServedRecord& record, std::uint64_t number) {
  if (number < selection.from || (!selection.station.empty() && selection.station != record.station))
    return false;
  return selection.selected.empty() || std::ranges::any_of(selection.selected, [&](const auto& selected) {
           return (!selected.first || matches(*selected.first, record.location)) &&
                  matches(selected.second, record.channel);
         });
}

/// Parses `BHZ`, `00BHZ`, `--BHZ` (no location) or `00BHZ.D`; returns nothing for any other text.
std::optional<std::pair<std::optional<std::string>, std::string>> read_selector(std::string text) {
  if (text.size() > 2 && text[text.size() - 2] == '.' && text.back() == 'D') text.resize(text.size() - 2);
  const bool is_plain = std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '?' || c == '-'; });
  if (!is_plain || (text.size() != 3 && text.size() != 5)) return {};
  if (text.size() == 3) return std::pair(std::optional<std::string>(), text);
  std::string location = text.substr(0, 2);
  if (location == "--") location.clear();
  return std::pair(std::optional(location), text.substr(2));
}

ServedRecord served(std::span<const std::byte> bytes) {
  const std::string name = channel_in_header(bytes);
  ServedRecord record{.bytes = {bytes.begin(), bytes.end()}};
  std::array<std::string, 4> words;
  std::size_t word = 0;
  for (const char c : name)
    if (c == '.' && word < 3)
      ++word;
    else
      words[word] += c;
  record.station = words[0] + '.' + words[1];
  record.location = words[2];
  record.channel = words[3];
  return record;
}

}  // namespace

class SeedlinkServer::Impl {
 public:
  explicit Impl(const SeedlinkServerOptions& options)
      : keep_(std::max<std::size_t>(options.keep, 1)),
        patience_(options.patience),
        listener_(options.address, options.port) {
    for (const std::string& channel : options.channels)
      stations_.push_back(channel.substr(0, channel.find('.', channel.find('.') + 1)));
    wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    thread_ = quiet_thread([this] { serve(); });
  }

  ~Impl() {
    stopping_ = true;
    wake();
    thread_.join();
    for (const Client& client : clients_) ::close(client.socket);
    ::close(wake_);
  }

  void wait_for_clients(std::size_t clients, const std::atomic<bool>& stop) {
    std::unique_lock lock(mutex_);
    while (!stop && count_streaming() < clients) changed_.wait_for(lock, look_at_stop);
  }

  void put(const LanePacket& packet) {
    if (packet.bytes.size() != seedlink_record_bytes)
      throw WorkError(
          fmt::format("a record of {} bytes: expected {}", packet.bytes.size(), seedlink_record_bytes));
    {
      std::unique_lock lock(mutex_);
      if (records_.size() == keep_) {
        if (!changed_.wait_for(lock, patience_, [&] { return slowest() > first_; })) give_up_slowest();
        records_.pop_front();
        ++first_;
      }
      records_.push_back(served(packet.bytes));
      ++put_;
    }
    wake();
  }

  void finish(const std::atomic<bool>& stop) {
    std::unique_lock lock(mutex_);
    is_over_ = true;
    wake();
    const auto latest = std::chrono::steady_clock::now() + last_patience;
    while (!stop && !std::ranges::all_of(clients_, is_done) && std::chrono::steady_clock::now() < latest)
      changed_.wait_for(lock, look_at_stop);
  }

  [[nodiscard]] std::uint64_t put_so_far() const {
    const std::lock_guard lock(mutex_);
    return put_;
  }
  [[nodiscard]] std::uint16_t port() const { return listener_.port(); }

 private:
  enum class Phase : std::uint8_t { asking, streaming, ending };

  struct Client {
    int socket = -1;
    std::string said = {}, waiting = {};
    /// The last request is still being made; without a station it matches any.
    std::vector<Selection> selections = {};
    bool has_station = false;
    Phase phase = Phase::asking;
    /// The client receives the existing records only.
    bool fetches = false;
    std::uint64_t next = 0;
    bool is_gone = false;
  };

  void wake() {
    const std::uint64_t one = 1;
    (void)!::write(wake_, &one, sizeof one);
  }

  void serve() {
    while (!stopping_) {
      std::vector<pollfd> polled{{listener_.socket(), POLLIN, 0}, {wake_, POLLIN, 0}};
      {
        const std::lock_guard lock(mutex_);
        for (const Client& client : clients_)
          polled.push_back(
              {client.socket, static_cast<short>(client.waiting.empty() ? POLLIN : POLLIN | POLLOUT), 0});
      }
      (void)::poll(polled.data(), polled.size(), look_around_ms);
      std::uint64_t woken = 0;
      (void)!::read(wake_, &woken, sizeof woken);
      const std::lock_guard lock(mutex_);
      accept();
      for (Client& client : clients_) {
        hear(client);
        feed(client);
      }
      for (const Client& client : clients_)
        if (client.is_gone) ::close(client.socket);
      std::erase_if(clients_, [](const Client& client) { return client.is_gone; });
      changed_.notify_all();
    }
  }

  void accept() {
    for (int socket; (socket = listener_.accept()) >= 0;)
      if (clients_.size() < most_clients)
        clients_.push_back({.socket = socket});
      else
        ::close(socket);
  }

  void hear(Client& client) {
    std::array<char, 4096> bytes{};
    const ssize_t count = ::recv(client.socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
      client.is_gone = true;
    if (count > 0) client.said.append(bytes.data(), static_cast<std::size_t>(count));
    for (std::size_t end; (end = client.said.find_first_of("\r\n")) != std::string::npos;) {
      const std::string line = client.said.substr(0, end);
      client.said.erase(0, end + 1);
      if (line.size() > longest_line)
        client.is_gone = true;
      else if (!line.empty() && !client.is_gone)
        obey(client, line);
    }
    if (client.said.size() > longest_line || client.waiting.size() > 2 * most_waiting) client.is_gone = true;
  }

  void obey(Client& client, const std::string& line) {
    std::istringstream text(line);
    std::string command, first, second;
    text >> command >> first >> second;
    if (command == "BYE") {
      client.is_gone = true;
    } else if (client.phase != Phase::asking) {
      // Commands for information are not supported here.
    } else if (command == "HELLO") {
      client.waiting += "SeedLink v3.1 (takt) :: SLPROTO:3.1\r\ntakt send\r\n";
    } else if (command == "END" && client.has_station) {
      begin(client);
    } else {
      const bool is_right = command == "STATION"                      ? ask_for_station(client, first, second)
                            : command == "SELECT"                     ? select(client, first)
                            : command == "DATA" || command == "FETCH" ? ask_for_data(client, command, first)
                                                                      : false;
      // With a single station no confirmation follows: the next data are packets.
      if (client.phase == Phase::asking) client.waiting += is_right ? "OK\r\n" : "ERROR\r\n";
    }
  }

  [[nodiscard]] bool ask_for_station(Client& client, const std::string& station, const std::string& network) {
    const auto known = std::ranges::find_if(stations_, [&](const std::string& name) {
      const std::size_t dot = name.find('.');
      return name.substr(dot + 1) == station && (network.empty() || name.substr(0, dot) == network);
    });
    if (known == stations_.end() || client.selections.size() == most_requests) return false;
    client.has_station = true;
    client.selections.push_back({.station = *known, .from = next_number()});
    return true;
  }

  [[nodiscard]] bool select(Client& client, const std::string& text) {
    const auto selector = read_selector(text);
    if (!selector) return false;
    if (client.selections.empty()) client.selections.push_back({.from = next_number()});
    if (client.selections.back().selected.size() == most_requests) return false;
    client.selections.back().selected.push_back(*selector);
    return true;
  }

  [[nodiscard]] bool ask_for_data(Client& client, const std::string& command, const std::string& from) {
    std::uint64_t number = 0;
    const auto [rest, error] = std::from_chars(from.data(), from.data() + from.size(), number, 16);
    if (!from.empty() && (error != std::errc{} || rest != from.data() + from.size() || number > number_mask))
      return false;
    if (client.selections.empty()) client.selections.push_back({.from = next_number()});
    if (!from.empty()) client.selections.back().from = nearest(number);
    client.fetches = command == "FETCH";
    if (client.fetches && from.empty()) client.selections.back().from = first_;
    if (!client.has_station) begin(client);
    return true;
  }

  void begin(Client& client) {
    client.phase = Phase::streaming;
    client.next = std::ranges::min(client.selections, {}, &Selection::from).from;
  }

  [[nodiscard]] std::uint64_t next_number() const { return first_ + records_.size(); }

  /// Returns the last number with these digits that is not beyond the next one.
  [[nodiscard]] std::uint64_t nearest(std::uint64_t digits) const {
    const std::uint64_t next = next_number();
    const std::uint64_t back = (next - digits) & number_mask;
    return next > back ? next - back : first_;
  }

  [[nodiscard]] std::size_t count_streaming() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        clients_, [](const Client& client) { return client.phase == Phase::streaming; }));
  }

  /// Returns the oldest of the clients' next records.
  [[nodiscard]] std::uint64_t slowest() const {
    std::uint64_t oldest = next_number();
    for (const Client& client : clients_)
      if (client.phase == Phase::streaming) oldest = std::min(oldest, client.next);
    return oldest;
  }

  /// Skips the pending records of the slowest client, so that the other clients no longer wait for it.
  void give_up_slowest() {
    for (Client& client : clients_)
      if (client.phase == Phase::streaming && client.next <= first_) client.next = next_number();
  }

  /// Reports whether the client has everything, so that closing its socket loses nothing.
  [[nodiscard]] static bool is_done(const Client& client) {
    return client.phase == Phase::asking ||
           (client.phase == Phase::ending && client.waiting.empty() && has_acknowledged(client.socket));
  }

  void feed(Client& client) {
    do {
      fill(client);
      if (client.waiting.empty()) break;
      const ssize_t count =
          ::send(client.socket, client.waiting.data(), client.waiting.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0) {
        client.is_gone = client.is_gone || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
        return;
      }
      client.waiting.erase(0, static_cast<std::size_t>(count));
    } while (client.waiting.empty());
    // The client reads to the end, and closes.
    if (client.phase == Phase::ending && client.waiting.empty()) ::shutdown(client.socket, SHUT_WR);
  }

  void fill(Client& client) {
    if (client.phase != Phase::streaming) return;
    client.next = std::max(client.next, first_);
    for (; client.next < next_number() && client.waiting.size() < most_waiting; ++client.next) {
      const ServedRecord& record = records_[client.next - first_];
      const auto wants = [&](const Selection& selection) {
        return is_wanted(selection, record, client.next);
      };
      if (std::ranges::none_of(client.selections, wants)) continue;
      client.waiting += fmt::format("SL{:06X}", client.next & number_mask);
      client.waiting.append(reinterpret_cast<const char*>(record.bytes.data()), record.bytes.size());
    }
    if (client.next < next_number() || !(is_over_ || client.fetches)) return;
    client.waiting += "END";
    client.phase = Phase::ending;
  }

  const std::size_t keep_;
  const std::chrono::milliseconds patience_;
  std::vector<std::string> stations_;
  const TcpListener listener_;
  int wake_ = -1;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  /// The number of the oldest kept record.
  std::uint64_t first_ = 1, put_ = 0;
  std::deque<ServedRecord> records_;
  std::vector<Client> clients_;
  bool is_over_ = false;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

SeedlinkServer::SeedlinkServer(const SeedlinkServerOptions& options)
    : impl_(std::make_unique<Impl>(options)) {}
SeedlinkServer::~SeedlinkServer() = default;

void SeedlinkServer::wait_for_clients(std::size_t clients, const std::atomic<bool>& stop) {
  impl_->wait_for_clients(clients, stop);
}
void SeedlinkServer::put(const LanePacket& packet) {
  impl_->put(packet);
}
void SeedlinkServer::finish(const std::atomic<bool>& stop) {
  impl_->finish(stop);
}
std::uint16_t SeedlinkServer::port() const {
  return impl_->port();
}
std::uint64_t SeedlinkServer::datagrams() const {
  return impl_->put_so_far();
}
std::uint64_t SeedlinkServer::bytes() const {
  return impl_->put_so_far() * (8 + seedlink_record_bytes);
}

}  // namespace takt::sensors
