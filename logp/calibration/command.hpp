#pragma once
/// What rank 0 tells other ranks to do, and what they answer.

#include <cstdint>
#include <vector>

#include "logp/calibration/replay.hpp"

namespace takt::logp {

enum class Action : std::uint64_t {
  /// RTT(size, 0), from either rank in turn.
  exchange,
  /// RTT(size, size), from the first rank.
  ping_pong,
  /// o_send and o_recv of messages that have arrived before, from either rank in turn.
  overheads,
  /// `count` messages in a row, a repetition each, from either rank in turn.
  burst,
  /// `count` messages from every rank but the first to the first one, which gives the sign to start.
  fan_in,
  /// Carry out the programs.
  replay,
  /// No more commands.
  stop
};

/// Something that several ranks do together, several times.
struct Command {
  Action action = Action::stop;
  /// Those that take part; the first one leads.
  std::vector<int> ranks;
  /// Of the messages; for `replay`, of the largest one.
  Bytes size;
  std::uint64_t count = 1;
  /// Uncounted ones before these.
  std::uint64_t warm_up = 0;
  /// Messages that are sent, and received, at once; `overheads` counts their mean.
  std::uint64_t batch = 1;
  /// Places in memory that messages go round, to and fro in each before the next one's turn. Bursts use as
  /// many as their messages fill without a rest, one for each message at least.
  std::uint64_t slots = 1;
  /// Uncounted repetitions, which fill the caches, and counted ones; one in either direction each at least,
  /// of bursts `bursts_one_way`.
  std::uint64_t lead_in = 2;
  std::uint64_t repeats = 2;
  /// Nanoseconds that a receiver waits until a message has certainly arrived.
  std::uint64_t settle = 0;
  /// Of each rank, for `replay`.
  std::vector<std::vector<ReplayStep>> programs;
};

/// How many bursts go one way before as many come back.
[[nodiscard]] std::uint64_t bursts_one_way(const Command& command);

/// One repetition as one rank saw it; times in nanoseconds, net of the clock's own time.
struct Block {
  /// How often this rank was taken from its core meanwhile.
  std::uint64_t switches = 0;
  /// exchange, ping_pong: round trips begun here. overheads: o_send. burst: from the start of a burst that
  /// went out from here to the empty answer to it. fan_in, on the first rank: from the sign to start to the
  /// last message. replay, on the first rank: the makespan.
  std::vector<double> times;
  /// overheads: o_recv.
  std::vector<double> other_times;
};

using Reply = std::vector<Block>;

/// Messages of 64-bit words between ranks of the same architecture; decode gives back what was encoded.
[[nodiscard]] std::vector<std::uint64_t> encode(const Command& command);
[[nodiscard]] Command decode_command(const std::vector<std::uint64_t>& words);
[[nodiscard]] std::vector<std::uint64_t> encode(const Reply& reply);
[[nodiscard]] Reply decode_reply(const std::vector<std::uint64_t>& words);

}  // namespace takt::logp
