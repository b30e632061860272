#pragma once
/// Beam search over partial chains that grow by a stage at a time.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedulers/relay/packing_problem.hpp"
#include "schedulers/relay/stages.hpp"
#include "schedulers/search/stage_search.hpp"

namespace takt::schedulers {

/// Values of the tasks in one attempt, and the time reserved for messages.
struct BeamWeights {
  Filling filling = Filling::from_sources;
  /// Bonus in % for a task as large as the largest one, and for the one that is farthest from the end.
  std::int64_t size = 0, level = 0;
  /// Number of messages that a stage receives, and sends.
  Time::rep messages = 1;
  /// Share in % of the cost of a task's data if all of it comes from and goes to other stages.
  std::int64_t data = 0;
};

/// Borrows the problem and the random numbers.
class BeamStages {
 public:
  /// `prices` of the items, none of them negative; or empty.
  BeamStages(const PackingProblem& problem, std::span<const double> prices, SearchRandom& random);

  /// Returns a chain that has all items within the period, with messages as in the weights, if one was found
  /// within the budget of examined tasks. Subtracts these from `looks`.
  [[nodiscard]] std::optional<Stages> fill(Time period, const BeamWeights& weights, std::uint64_t& looks);

 private:
  using Value = std::int64_t;

  /// One stage of a partial chain, and the previous one.
  struct Step {
    std::size_t before = 0;
    std::uint32_t processor_class = 0;
    std::vector<TaskId> items;
  };
  /// A partial chain.
  struct Partial {
    /// Per item: number of its predecessors that are not in the chain yet.
    std::vector<std::uint32_t> open;
    /// Possible next items, in the order of trial.
    std::vector<TaskId> ready;
    /// Per class: number of processors with a stage.
    std::vector<std::uint32_t> used;
    std::size_t item_count = 0;
    Value value = 0;
    /// Hash of its items and used processors: partial chains with the same ones have the same extensions.
    std::uint64_t code = 0;
    std::size_t step = 0;
  };
  /// Items that fill a stage.
  struct Load {
    Value value = 0;
    std::uint64_t code = 0;
    std::vector<TaskId> items;
  };
  struct Candidate {
    Value value = 0;
    std::uint64_t code = 0;
    std::size_t parent = 0;
    std::uint32_t processor_class = 0;
    Load load;
  };

  void begin(Time period, const BeamWeights& weights);
  void set_times();
  void set_values();
  [[nodiscard]] Value most_of(std::uint32_t c) const;
  [[nodiscard]] Partial empty_chain() const;
  void extend(std::size_t parent, Partial& chain);
  void find_loads(Partial& chain, std::uint32_t c);
  void add_items(Partial& chain, std::uint32_t c, std::size_t from, Time::rep room, Load& load);
  void keep(const Load& load);
  [[nodiscard]] Partial join(const Partial& parent, Candidate&& candidate);
  [[nodiscard]] Stages stages_of(const Partial& chain) const;

  const PackingProblem& problem_;
  SearchRandom& random_;
  /// Integers, so that sums are the same on every machine.
  std::vector<Value> prices_;
  std::vector<std::uint64_t> codes_;

  BeamWeights weights_;
  Time::rep room_ = 0;
  /// Per class and item; per item, and its position in the order of values; per class, the highest value.
  std::vector<std::vector<Time::rep>> times_;
  std::vector<Value> values_, most_;
  std::vector<std::uint32_t> ranks_;

  std::vector<Step> steps_;
  std::vector<Candidate> candidates_;
  std::vector<Load> loads_;
  std::vector<TaskId> next_;
  std::size_t nodes_ = 0;
  std::uint64_t looks_ = 0;
};

}  // namespace takt::schedulers
