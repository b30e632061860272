#pragma once
/// The routes of data along a chain, and the timetable for stages and routes.

#include <cstdint>
#include <span>
#include <vector>

#include "core/schedule.hpp"
#include "schedulers/relay/stage_sequence.hpp"
#include "schedulers/relay/stages.hpp"
#include "schedulers/search/stage_loads.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// For each pair of stages with data from the first to the second: the receiver of these data, which is the
/// second stage, or a stage in between that forwards them. Relays and direct messages are the two extremes.
class ChainRoutes {
 public:
  ChainRoutes(std::size_t stages, Routing routing);

  [[nodiscard]] std::size_t stage_count() const { return stages_; }
  /// Returns the stage after `from` on the route to a later stage `to`.
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

/// Which data share a message over a link: all of an instance, or the outputs of one item. Many small
/// messages have more overhead but wait less, so that a gap between messages to one side is filled with
/// messages to the other one.
enum class Joining : std::uint8_t { all, of_item };

/// A message of one instance over a link of two stages.
struct StageMessage {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t instance = 0;
  /// The range of its data, among those of all messages.
  std::uint32_t first_datum = 0;
  std::uint32_t datum_count = 0;
  Bytes size;
};

/// A graph of some hundred thousand tasks may have millions of them.
struct StageMessages {
  std::vector<StageMessage> list;
  /// Data of the workload's items, message by message.
  std::vector<DatumId> data;

  [[nodiscard]] std::span<const DatumId> data_of(const StageMessage& message) const {
    return std::span(data).subspan(message.first_datum, message.datum_count);
  }
};

/// Returns the messages by sender, receiver and instance, and by item if items have messages of their own.
/// O((m + data * stages) log m).
[[nodiscard]] StageMessages find_messages(const Workload& workload, const Stages& stages,
                                          const ChainRoutes& routes, Joining joining = Joining::all);

/// Returns the largest load of a stage, as in StageLoads.
[[nodiscard]] Time load_of(const Workload& workload, const Stages& stages, const ChainRoutes& routes);

/// Improves the given routes, one pair of stages after the other, until no change helps. Deterministic.
/// Passes of O(stages^3) evaluations of load_of.
void improve_routes(const Workload& workload, const Stages& stages, ChainRoutes& routes);

/// Returns the timetable, with each stage's operations in the order of sequence_stages and the least period
/// for these orders. Shorter orders need not have a smaller period: a network's capacity is ignored.
[[nodiscard]] Schedule make_schedule(const Workload& workload, const Stages& stages,
                                     const ChainRoutes& routes, Joining joining = Joining::all,
                                     Sequencing sequencing = Sequencing::first);

}  // namespace takt::schedulers
