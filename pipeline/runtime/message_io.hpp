#pragma once
/// The messages of a rank: receives, sends, room for outputs, and waiting for all of them.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pipeline/runtime/channels/open_channels.hpp"
#include "pipeline/runtime/end_of_stream.hpp"
#include "pipeline/runtime/joined_sources.hpp"
#include "pipeline/runtime/rank_memory.hpp"
#include "pipeline/runtime/rank_state.hpp"
#include "pipeline/runtime/rank_waits.hpp"

namespace takt::pipeline {

class MessageIo {
 public:
  struct Options {
    bool is_oversubscribed = false;
    /// Whether the processor of this rank's thread is fixed.
    bool is_pinned = false;
    /// Whether this rank reorders frames (reorder_loop.hpp).
    bool reorders = false;
    /// Sources that go on while the rank waits; null where there are none.
    JoinedSources* joined = nullptr;
  };
  /// All but the channels must outlive it.
  MessageIo(RankState& state, RankMemory& memory, EndOfStream& end, Channels channels, Options options);

  void receive(const Step& step);
  void send(const Step& step);
  /// Gives the memory of all messages back that this iteration has received.
  void release_messages();
  /// Whether every channel has carried its last message.
  [[nodiscard]] bool has_ended() const;
  /// Until the other ranks have read all messages.
  void wait_until_read();

  /// Where an output is to be made; waits for room where that is in a message.
  [[nodiscard]] FrameBuffer output_buffer(std::size_t slot, std::size_t bytes);
  /// Messages whose memory is free again.
  [[nodiscard]] std::uint64_t released(std::size_t send_channel) {
    return channels_.sends[send_channel]->released();
  }
  /// The channel of a receive, and whether its last message was received.
  [[nodiscard]] ReceiveChannel& receiver(std::size_t channel) { return *channels_.receives[channel]; }
  [[nodiscard]] bool has_closed(std::size_t channel) const { return receives_[channel].closed; }
  /// How long this rank has waited for messages of a channel.
  [[nodiscard]] Tally& starved_at(std::size_t channel) {
    return state_.tally.waits[state_.program.receives[channel].peer]["starved"];
  }
  /// What sources receive into; once the executor has ended.
  [[nodiscard]] NodeMemory take_memory() { return std::move(channels_.memory); }

  /// Whether this rank has to call MPI again and again for messages to move.
  [[nodiscard]] bool polls_mpi() const { return waits_.policy().naps; }
  /// MPI moves messages only inside its calls: lets it go on. Whether a message is under way.
  bool progress();
  [[nodiscard]] RankWaits& waits() { return waits_; }
  /// RankWaits::until, with progress.
  template <class TallyOf, class IsOver, class Sleep>
  RankWaits::Interval wait_until(Use use, Use next, const TallyOf& tally, const IsOver& is_over,
                                 const Sleep& sleep, Arrivals* arrivals = nullptr) {
    return waits_.until(
        use, next, tally, [this] { return progress(); }, is_over, sleep, arrivals);
  }

 private:
  struct Sending {
    /// Whether the next message may be filled.
    bool acquired = false;
    bool closed = false;
  };
  struct Receiving {
    bool held = false;
    bool closed = false;
    /// By a pause.
    bool paused = false;
    Arrivals arrivals;
    /// Whether its sender ran on the processor of this rank when it sent last: polling would keep it from
    /// that.
    bool shares_processor = false;
  };
  void wait_for_message(std::size_t channel);
  void note_arrival(std::size_t channel, const RankWaits::Interval& wait);
  /// Whether no rank reads what lies in the memory of the next message.
  [[nodiscard]] bool has_room(std::size_t channel);
  void wait_for_room(std::size_t channel);
  void sleep_until_room(std::size_t channel, std::int64_t latest_ns);
  [[nodiscard]] Tally& blocked_at(std::size_t channel) {
    return state_.tally.waits[state_.program.sends[channel].peer]["blocked"];
  }

  RankState& state_;
  RankMemory& memory_;
  EndOfStream& end_;
  Channels channels_;
  Options options_;
  RankWaits waits_;
  std::vector<Sending> sends_;
  std::vector<Receiving> receives_;
};

}  // namespace takt::pipeline
