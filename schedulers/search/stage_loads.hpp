#pragma once
/// Incremental loads of a chain of processors under moves of items between its stages.

#include <cstdint>
#include <span>
#include <vector>

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// Routes of data from the producing stage to later stages of the chain.
enum class Routing : std::uint8_t {
  /// From stage to stage: one message per boundary, with all data that later stages need.
  relay,
  /// Directly to each stage that needs them: one message for each pair of stages.
  direct,
  /// The same, and data may also move up the chain, so that every item may have every stage.
  any_direction,
};

/// The stage of each item, and the load of each stage of a chain.
///
/// Except with Routing::any_direction, data may only move down the chain: an item's stage is never before
/// that of its predecessor. Stage k is processor chain[k]. Its load is the largest of: the time of its items
/// and of its sends and receives, the gaps of its sends, the gaps of its receives. With relays, and if the
/// gaps of direct messages can be filled with work, that is the least period of the stage; data of different
/// instances travel in different messages. With Routing::any_direction, the links of a network have loads,
/// too: the times of the messages that pass them on shortest routes.
///
/// Borrows the workload. Memory O(n + m), and with direct messages O(stages^2) for each instance.
class StageLoads {
 public:
  /// `stage_of` is the stage of each item.
  StageLoads(const Workload& workload, std::vector<ProcessorId> chain, std::vector<std::uint32_t> stage_of,
             Routing routing);

  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] const std::vector<ProcessorId>& chain() const { return chain_; }
  [[nodiscard]] Routing routing() const { return routing_; }
  [[nodiscard]] std::size_t stage_count() const { return chain_.size(); }

  [[nodiscard]] std::uint32_t stage_of(TaskId item) const { return stage_of_[item.index()]; }
  [[nodiscard]] const std::vector<std::uint32_t>& stages() const { return stage_of_; }
  /// Returns the possible stages of an item: from the last one of its predecessors to the first one of its
  /// successors, or all if data may move in any direction. O(degree).
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> range_of(TaskId item) const;
  /// Moves an item to a stage of its range, without allocation: O(degree * stages with needs of a datum),
  /// with relays O(degree * stages).
  void move(TaskId item, std::uint32_t stage);

  [[nodiscard]] Time::rep load(std::size_t stage) const {
    const Stage& s = load_[stage];
    return std::max({s.busy, s.send_gap, s.receive_gap});
  }
  /// Returns the largest load. O(stages + links).
  [[nodiscard]] Time::rep repetition() const;
  /// Returns the sum of the loads' excesses over a limit. O(stages + links).
  [[nodiscard]] Time::rep excess(Time::rep limit) const;

 private:
  struct Stage {
    Time::rep busy = 0, send_gap = 0, receive_gap = 0;
  };
  /// The message of one instance over a link.
  struct Load {
    std::uint32_t data = 0;
    Bytes size;
    Time::rep send = 0, receive = 0, send_gap = 0, receive_gap = 0;
  };

  /// A stage that needs a datum, and its number of edges for it.
  struct Need {
    std::uint32_t stage = 0, edges = 0;
  };
  [[nodiscard]] std::span<Need> needs(DatumId datum) {
    return {needs_.data() + need_offsets_[datum.index()], need_counts_[datum.index()]};
  }
  [[nodiscard]] std::uint32_t last_need_from(DatumId datum, std::uint32_t stage);
  void prepare_needs();
  void connect(DatumId datum, std::uint32_t from, std::uint32_t to, bool add);
  void change_link(DatumId datum, std::uint32_t from, std::uint32_t to, bool add);
  void add_to_links(std::uint32_t from, std::uint32_t to, Bytes size, Time::rep sign);
  void find_routes();
  void add_need(DatumId datum, std::uint32_t maker, std::uint32_t stage);
  void remove_need(DatumId datum, std::uint32_t maker, std::uint32_t stage);
  void move_maker(DatumId datum, std::uint32_t from, std::uint32_t to);

  const Workload& workload_;
  std::vector<ProcessorId> chain_;
  std::vector<std::uint32_t> stage_of_;
  Routing routing_;
  bool counts_messages_;
  std::vector<Stage> load_;
  /// The stages that need each datum, in rows with one more entry than the datum has edges, and their
  /// numbers; then the last of them (at least its producer's).
  std::vector<std::uint32_t> need_offsets_, need_counts_;
  std::vector<Need> needs_;
  std::vector<std::uint32_t> last_need_;
  /// By sender, receiver and instance.
  std::vector<Load> messages_;
  /// The load of each link of a network, and the links from each stage to each other one; empty if unused.
  std::vector<Time::rep> link_load_;
  std::vector<std::vector<LinkId>> routes_;
  /// The distinct data that each item produces, in rows.
  std::vector<std::uint32_t> made_offsets_;
  std::vector<DatumId> made_;
};

}  // namespace takt::schedulers
