#pragma once
/// The ways of data along a chain, and the timetable that follows from stages and ways.

#include <cstdint>
#include <span>
#include <vector>

#include "core/schedule.hpp"
#include "schedulers/relay/stage_sequence.hpp"
#include "schedulers/relay/stages.hpp"
#include "schedulers/search/stage_loads.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// For each two stages of a chain where the one sends what the other one needs: to itself, or to a stage in
/// between, which sends it on. Relays and direct messages are the two extremes.
class ChainRoutes {
 public:
  ChainRoutes(std::size_t stages, Routing routing);

  [[nodiscard]] std::size_t stage_count() const { return stages_; }
  /// The stage after `from` on the way to a later stage `to`.
  [[nodiscard]] std::uint32_t next(std::uint32_t from, std::uint32_t to) const {
    return next_[from * stages_ + to];
  }
  void set_next(std::uint32_t from, std::uint32_t to, std::uint32_t next) {
    next_[from * stages_ + to] = next;
  }

 private:
  std::size_t stages_;
  std::vector<std::uint32_t> next_;
};

/// What shares a message over a link: everything of an instance, or what one item makes. Many small messages
/// cost more overhead, but wait for less, so that a gap between messages to one side is filled with messages
/// to the other one.
enum class Joining : std::uint8_t { all, of_item };

/// A message of one instance over a link of two stages.
struct StageMessage {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t instance = 0;
  /// Its data, among those of all messages.
  std::uint32_t first_datum = 0;
  std::uint32_t datum_count = 0;
  Bytes size;
};

/// Of a graph of some hundred thousand tasks there may be millions of them.
struct StageMessages {
  std::vector<StageMessage> list;
  /// Data of the workload's items, one message's after the other's.
  std::vector<DatumId> data;

  [[nodiscard]] std::span<const DatumId> data_of(const StageMessage& message) const {
    return std::span(data).subspan(message.first_datum, message.datum_count);
  }
};

/// The messages by sender, receiver, instance and item, where these have messages of their own. O((m + data *
/// stages) log m).
[[nodiscard]] StageMessages find_messages(const Workload& workload, const Stages& stages,
                                          const ChainRoutes& routes, Joining joining = Joining::all);

/// The largest load of a stage, as StageLoads has it.
[[nodiscard]] Time load_of(const Workload& workload, const Stages& stages, const ChainRoutes& routes);

/// Looks for better ways than the given ones, one pair of stages after the other, until none helps.
/// Deterministic. Rounds of O(stages^3) evaluations of load_of.
void improve_routes(const Workload& workload, const Stages& stages, ChainRoutes& routes);

/// The timetable, with each stage's operations in the order of sequence_stages and the least period for these
/// orders. Orders that take less time need not repeat sooner: a network's capacity is not looked at.
[[nodiscard]] Schedule make_schedule(const Workload& workload, const Stages& stages,
                                     const ChainRoutes& routes, Joining joining = Joining::all,
                                     Sequencing sequencing = Sequencing::first);

}  // namespace takt::schedulers
