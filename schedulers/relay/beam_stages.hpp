#pragma once
/// Partial chains, a stage longer each time, of which the best are kept.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedulers/relay/packing_problem.hpp"
#include "schedulers/relay/stages.hpp"
#include "schedulers/search/stage_search.hpp"

namespace takt::schedulers {

/// How one attempt values tasks, and what it keeps free for messages.
struct BeamWeights {
  Filling filling = Filling::from_sources;
  /// Per cent more for a task as large as the largest one, and for one that is as far from the end as can be.
  std::int64_t size = 0, level = 0;
  /// Messages that a stage receives, and sends.
  Time::rep messages = 1;
  /// Per cent of what a task's data would cost if all of it came from elsewhere and went elsewhere.
  std::int64_t data = 0;
};

/// Borrows the problem and the random numbers.
class BeamStages {
 public:
  /// `prices` of the items, none of them negative; or none.
  BeamStages(const PackingProblem& problem, std::span<const double> prices, SearchRandom& random);

  /// A chain that has all items within the period, as far as messages are as the weights have it; if one was
  /// found before so many tasks had been looked at. Lowers `looks` by those.
  [[nodiscard]] std::optional<Stages> fill(Time period, const BeamWeights& weights, std::uint64_t& looks);

 private:
  using Value = std::int64_t;

  /// One stage of a partial chain, and the one before it.
  struct Step {
    std::size_t before = 0;
    std::uint32_t processor_class = 0;
    std::vector<TaskId> items;
  };
  /// A partial chain.
  struct Partial {
    /// By item, how many of those that come before it are not in the chain yet.
    std::vector<std::uint32_t> open;
    /// Items that can come next, in the order in which they are tried.
    std::vector<TaskId> ready;
    /// By class, how many processors have a stage.
    std::vector<std::uint32_t> used;
    std::size_t item_count = 0;
    Value value = 0;
    /// Of its items and used processors: partial chains with the same ones go on alike.
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
  void go_on(Partial& chain, std::uint32_t c, std::size_t from, Time::rep room, Load& load);
  void keep(const Load& load);
  [[nodiscard]] Partial join(const Partial& parent, Candidate&& candidate);
  [[nodiscard]] Stages stages_of(const Partial& chain) const;

  const PackingProblem& problem_;
  SearchRandom& random_;
  /// Whole numbers, so that sums are the same on every machine.
  std::vector<Value> prices_;
  std::vector<std::uint64_t> codes_;

  BeamWeights weights_;
  Time::rep room_ = 0;
  /// By class and item; by item, and its place in the order of values; by class, the most that fits.
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
