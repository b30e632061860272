#pragma once
/// Measurement commands from rank 0 to other ranks, and their replies.

#include <cstdint>
#include <vector>

#include "logp/calibration/replay.hpp"

namespace takt::logp {

enum class Action : std::uint64_t {
  /// RTT(size, 0), alternately from either rank.
  exchange,
  /// RTT(size, size), from the first rank.
  ping_pong,
  /// o_send and o_recv of messages that have already arrived, alternately from either rank.
  overheads,
  /// `count` messages in a row, once per repetition, alternately from either rank.
  burst,
  /// `count` messages from every other rank to the first one, which sends the start signal.
  fan_in,
  /// Execute the programs.
  replay,
  /// No more commands.
  stop
};

/// A repeated measurement by several ranks.
struct Command {
  Action action = Action::stop;
  /// The participating ranks; the first one leads.
  std::vector<int> ranks;
  /// Size of the messages; for `replay`, of the largest one.
  Bytes size;
  std::uint64_t count = 1;
  /// Number of uncounted ones before these.
  std::uint64_t warm_up = 0;
  /// Number of messages sent, and received, in a row; `overheads` records their mean.
  std::uint64_t batch = 1;
  /// Number of memory slots that messages cycle through, with a round trip in each before the next one.
  /// Bursts use a multiple of their length, at least one slot for each message.
  std::uint64_t slots = 1;
  /// Numbers of uncounted repetitions, which fill the caches, and of counted ones; at least one in either
  /// direction each, for bursts `bursts_one_way`.
  std::uint64_t lead_in = 2;
  std::uint64_t repeats = 2;
  /// Nanoseconds that a receiver waits until a message has certainly arrived.
  std::uint64_t settle = 0;
  /// One program per rank, for `replay`.
  std::vector<std::vector<ReplayStep>> programs;
};

/// Returns the number of bursts in one direction before as many come back.
[[nodiscard]] std::uint64_t bursts_one_way(const Command& command);

/// One repetition as measured by one rank; times in nanoseconds, without the cost of reading the clock.
struct Block {
  /// Number of context switches of this rank meanwhile.
  std::uint64_t switches = 0;
  /// exchange, ping_pong: round trips begun here. overheads: o_send. burst: from the start of a burst sent
  /// from here to the empty answer. fan_in, on the first rank: from the start signal to the last message.
  /// replay, on the first rank: the makespan.
  std::vector<double> times;
  /// overheads: o_recv.
  std::vector<double> other_times;
};

using Reply = std::vector<Block>;

/// Messages of 64-bit words between ranks of the same architecture; decode inverts encode.
[[nodiscard]] std::vector<std::uint64_t> encode(const Command& command);
[[nodiscard]] Command decode_command(const std::vector<std::uint64_t>& words);
[[nodiscard]] std::vector<std::uint64_t> encode(const Reply& reply);
[[nodiscard]] Reply decode_reply(const std::vector<std::uint64_t>& words);

}  // namespace takt::logp
