#include "schedulers/search/stage_search.hpp"

#include <algorithm>
#include <vector>

namespace takt::schedulers {

namespace {

/// Age, in steps, of the excess that a step is compared with.
constexpr std::size_t history_length = 500;
/// Items that are tested as the counterpart of a swap.
constexpr std::size_t swap_attempts = 4;

/// The items of each stage, with constant-time moves and random access.
class StageItems {
 public:
  explicit StageItems(const StageLoads& loads) : items_(loads.stage_count()) {
    place_.resize(loads.stages().size());
    for (std::size_t i = 0; i < loads.stages().size(); ++i) insert(TaskId(i), loads.stages()[i]);
  }
  void move(TaskId item, std::uint32_t from, std::uint32_t to) {
    std::vector<TaskId>& row = items_[from];
    const std::uint32_t place = place_[item.index()];
    row[place] = row.back();
    place_[row[place].index()] = place;
    row.pop_back();
    insert(item, to);
  }
  [[nodiscard]] const std::vector<TaskId>& of(std::size_t stage) const { return items_[stage]; }

 private:
  void insert(TaskId item, std::uint32_t stage) {
    place_[item.index()] = static_cast<std::uint32_t>(items_[stage].size());
    items_[stage].push_back(item);
  }
  std::vector<std::vector<TaskId>> items_;
  std::vector<std::uint32_t> place_;
};

class StageSearch {
 public:
  StageSearch(StageLoads& loads, Time::rep bound, std::uint64_t& budget, SearchRandom& random)
      : loads_(loads), items_(loads), bound_(bound), budget_(budget), random_(random) {}

  void run() {
    best_ = loads_.stages();
    best_period_ = loads_.repetition();
    aim_below(best_period_);
    std::size_t step = 0;
    while (budget_ > 0 && best_period_ > bound_) {
      --budget_;
      if (!try_step()) continue;
      const Time::rep excess = loads_.excess(limit_);
      Time::rep& late = history_[step++ % history_length];
      if (excess > excess_ && excess > late) {
        undo();
      } else {
        excess_ = excess;
        if (excess == 0) keep_best();
      }
      late = std::min(late, excess_);
    }
    for (std::size_t i = 0; i < best_.size(); ++i) restore(TaskId(i));
  }

 private:
  struct Move {
    TaskId item;
    std::uint32_t from = 0;
  };

  void aim_below(Time::rep period) {
    limit_ = std::max(bound_, period - 1);
    excess_ = loads_.excess(limit_);
    history_.assign(history_length, excess_);
  }
  void keep_best() {
    best_ = loads_.stages();
    best_period_ = loads_.repetition();
    aim_below(best_period_);
  }

  /// Moves a random item to a random stage of its range, and half of the time one of that stage back.
  bool try_step() {
    move_count_ = 0;
    const TaskId item = pick_item();
    const std::uint32_t from = loads_.stage_of(item);
    const auto [first, last] = loads_.range_of(item);
    if (first == last) return false;
    std::uint32_t to = first + static_cast<std::uint32_t>(random_.below(last - first));
    if (to >= from) ++to;
    apply(item, to);
    if (random_.below(2) == 0) swap_back(item, from, to);
    return true;
  }

  TaskId pick_item() {
    if (random_.below(2) == 0) {
      const std::size_t stage = random_.below(loads_.stage_count());
      const std::vector<TaskId>& row = items_.of(stage);
      if (!row.empty() && loads_.load(stage) > limit_) return row[random_.below(row.size())];
    }
    return TaskId(random_.below(best_.size()));
  }

  void swap_back(TaskId moved, std::uint32_t from, std::uint32_t to) {
    const std::vector<TaskId>& row = items_.of(to);
    for (std::size_t attempt = 0; attempt < swap_attempts; ++attempt) {
      const TaskId item = row[random_.below(row.size())];
      if (item == moved) continue;
      const auto [first, last] = loads_.range_of(item);
      if (from < first || last < from) continue;
      apply(item, from);
      return;
    }
  }

  void apply(TaskId item, std::uint32_t to) {
    const std::uint32_t from = loads_.stage_of(item);
    moves_[move_count_++] = {item, from};
    loads_.move(item, to);
    items_.move(item, from, to);
  }
  void undo() {
    while (move_count_ > 0) {
      const Move& move = moves_[--move_count_];
      items_.move(move.item, loads_.stage_of(move.item), move.from);
      loads_.move(move.item, move.from);
    }
  }
  void restore(TaskId item) { loads_.move(item, best_[item.index()]); }

  StageLoads& loads_;
  StageItems items_;
  Time::rep bound_;
  std::uint64_t& budget_;
  SearchRandom& random_;
  std::vector<std::uint32_t> best_;
  Time::rep best_period_ = 0, limit_ = 0, excess_ = 0;
  std::vector<Time::rep> history_;
  Move moves_[2];
  std::size_t move_count_ = 0;
};

}  // namespace

void improve_stages(StageLoads& loads, Time bound, std::uint64_t& budget, SearchRandom& random) {
  if (loads.stage_count() < 2 || loads.stages().empty()) return;
  StageSearch(loads, bound.count(), budget, random).run();
}

}  // namespace takt::schedulers
