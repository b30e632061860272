#pragma once
/// The messages of a rank: receives, sends, room for outputs, and the waits for them.

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
    /// True if this rank's thread is pinned to a processor.
    bool is_pinned = false;
    /// True if this rank reorders frames (reorder_loop.hpp).
    bool reorders = false;
    /// Sources to advance while the rank waits; null if there are none.
    JoinedSources* joined = nullptr;
  };
  /// All arguments but the channels must outlive it.
  MessageIo(RankState& state, RankMemory& memory, EndOfStream& end, Channels channels, Options options);

  void receive(const Step& step);
  void send(const Step& step);
  /// Releases the memory of the messages that no later iteration reads.
  void release_messages();
  /// Releases the memory of all messages, after the last iteration.
  void release_all();
  /// Returns whether every channel has carried its last message.
  [[nodiscard]] bool has_ended() const;
  /// Waits until the other ranks have read all messages.
  void wait_until_read();

  /// Returns the memory for an output. Waits for room if that memory is in a message.
  [[nodiscard]] FrameBuffer output_buffer(std::size_t slot, std::size_t bytes);
  /// Returns the number of messages whose memory is free again.
  [[nodiscard]] std::uint64_t released(std::size_t send_channel) {
    return channels_.sends[send_channel]->released();
  }
  /// Return the channel of a receive, and whether its last message was received.
  [[nodiscard]] ReceiveChannel& receiver(std::size_t channel) { return *channels_.receives[channel]; }
  [[nodiscard]] bool has_closed(std::size_t channel) const { return receives_[channel].closed; }
  /// Returns how long this rank has waited for messages of a channel.
  [[nodiscard]] Tally& starved_at(std::size_t channel) {
    return state_.tally.waits[state_.program.receives[channel].peer]["starved"];
  }
  /// Takes the memory into which sources receive; called after the executor has ended.
  [[nodiscard]] NodeMemory take_memory() { return std::move(channels_.memory); }

  /// Returns whether this rank has to call MPI repeatedly for messages to move.
  [[nodiscard]] bool polls_mpi() const { return waits_.policy().naps; }
  /// Lets MPI make progress, which it does only inside its calls. Returns whether a message is under way.
  bool progress();
  [[nodiscard]] RankWaits& waits() { return waits_; }
  /// Waits as RankWaits::until does, with progress.
  template <class TallyOf, class IsOver, class Sleep>
  RankWaits::Interval wait_until(Use use, Use next, const TallyOf& tally, const IsOver& is_over,
                                 const Sleep& sleep, Arrivals* arrivals = nullptr) {
    return waits_.until(
        use, next, tally, [this] { return progress(); }, is_over, sleep, arrivals);
  }

 private:
  struct Sending {
    /// True if the next message may be filled.
    bool acquired = false;
    bool closed = false;
  };
  struct Receiving {
    /// Messages received and not released. The number of the oldest one is that of its iteration.
    std::uint64_t held = 0, oldest = 0;
    /// If messages are needed after the iteration that receives them: the offset of the last step that needs
    /// them; otherwise 0.
    std::uint64_t last_use = 0;
    bool closed = false;
    /// Closed by a pause.
    bool paused = false;
    Arrivals arrivals;
    /// True if its sender used this rank's processor for the last message: polling would keep the sender off
    /// that processor.
    bool shares_processor = false;
  };
  void wait_for_message(std::size_t channel);
  void note_arrival(std::size_t channel, const RankWaits::Interval& wait);
  /// Returns whether no rank still reads the memory of the next message.
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
