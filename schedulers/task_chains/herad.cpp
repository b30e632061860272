#include "schedulers/task_chains/herad.hpp"

#include <algorithm>
#include <limits>

namespace takt::schedulers {

namespace {

/// The best stages of the first tasks on some of the cores: their largest load, their cores, and the last
/// stage, with the cell of the previous stages.
struct Cell {
  double load = std::numeric_limits<double>::infinity();
  std::array<std::uint32_t, 2> used{};
  std::array<std::uint32_t, 2> before{};
  std::uint32_t begin = 0;
  std::uint32_t core_class = big_core;
};

bool is_no_worse(const Cell& cell, const Cell& other) {
  if (cell.load != other.load) return cell.load < other.load;
  const bool trades_big_for_little =
      cell.used[little_core] > other.used[little_core] && cell.used[big_core] < other.used[big_core];
  const bool uses_at_most =
      cell.used[little_core] <= other.used[little_core] && cell.used[big_core] <= other.used[big_core];
  return trades_big_for_little || uses_at_most;
}

class Table {
 public:
  Table(const CoreChain& chain, const CoreCounts& cores)
      : chain_(chain),
        cores_(cores),
        cells_(chain.size() * (cores[big_core] + 1) * (cores[little_core] + 1)) {
    for (std::size_t end = 1; end <= chain.size(); ++end) {
      fill_with_one_stage(end);
      if (end == 1) continue;
      for (std::size_t b = 0; b <= cores[big_core]; ++b)
        for (std::size_t l = b == 0 ? 1 : 0; l <= cores[little_core]; ++l) improve(end, b, l);
    }
  }

  [[nodiscard]] ChainStages stages() const {
    ChainStages stages;
    CoreCounts place = cores_;
    for (std::size_t end = chain_.size(); end > 0;) {
      const Cell& cell = at(end, place[big_core], place[little_core]);
      const std::uint32_t before =
          cell.begin == 0
              ? 0
              : at(cell.begin, cell.before[big_core], cell.before[little_core]).used[cell.core_class];
      stages.push_back({cell.begin, end, cell.used[cell.core_class] - before, cell.core_class});
      place = {cell.before[big_core], cell.before[little_core]};
      end = cell.begin;
    }
    std::ranges::reverse(stages);
    return stages;
  }

 private:
  [[nodiscard]] const Cell& at(std::size_t end, std::size_t b, std::size_t l) const {
    return cells_[((end - 1) * (cores_[big_core] + 1) + b) * (cores_[little_core] + 1) + l];
  }
  [[nodiscard]] Cell& at(std::size_t end, std::size_t b, std::size_t l) {
    return const_cast<Cell&>(std::as_const(*this).at(end, b, l));
  }

  [[nodiscard]] Cell one_stage(std::size_t end, std::size_t cores, std::uint32_t core_class) const {
    Cell cell{.load = chain_.load(0, end, cores, core_class), .core_class = core_class};
    cell.used[core_class] = static_cast<std::uint32_t>(chain_.usable(0, end, cores));
    return cell;
  }

  void fill_with_one_stage(std::size_t end) {
    for (std::size_t l = 1; l <= cores_[little_core]; ++l) at(end, 0, l) = one_stage(end, l, little_core);
    for (std::size_t b = 1; b <= cores_[big_core]; ++b)
      for (std::size_t l = 0; l <= cores_[little_core]; ++l) {
        const Cell on_big = one_stage(end, b, big_core);
        const Cell& on_little = at(end, 0, l);
        at(end, b, l) = on_big.load < on_little.load ? on_big : on_little;
      }
  }

  void improve(std::size_t end, std::size_t b, std::size_t l) {
    Cell best = at(end, b, l);
    const auto take = [&](const Cell& cell) {
      if (is_no_worse(cell, best)) best = cell;
    };
    if (l > 0) take(at(end, b, l - 1));
    if (b > 0) take(at(end, b - 1, l));
    // Loads of the last stage grow towards the front; those above the best so far are excluded.
    const auto may_be_taken = [&](std::size_t begin, std::size_t cores, std::size_t core_class) {
      return chain_.load(begin, end, cores, core_class) <= best.load;
    };
    for (std::size_t begin = end - 1;
         begin > 0 && (may_be_taken(begin, b, big_core) || may_be_taken(begin, l, little_core)); --begin) {
      for (std::size_t cores = 1; cores <= chain_.usable(begin, end, b); ++cores)
        if (may_be_taken(begin, cores, big_core))
          take(with_last_stage(at(begin, b - cores, l), begin, end, cores, big_core, b - cores));
      for (std::size_t cores = 1; cores <= chain_.usable(begin, end, l); ++cores)
        if (may_be_taken(begin, cores, little_core))
          take(with_last_stage(at(begin, b, l - cores), begin, end, cores, little_core, l - cores));
    }
    at(end, b, l) = best;
  }

  /// `left` are the cores of the class that the previous stages may use.
  [[nodiscard]] Cell with_last_stage(const Cell& before, std::size_t begin, std::size_t end,
                                     std::size_t cores, std::uint32_t core_class, std::size_t left) const {
    Cell cell{.load = std::max(before.load, chain_.load(begin, end, cores, core_class)),
              .used = before.used,
              .before = before.used,
              .begin = static_cast<std::uint32_t>(begin),
              .core_class = core_class};
    cell.used[core_class] += static_cast<std::uint32_t>(cores);
    cell.before[core_class] = static_cast<std::uint32_t>(left);
    return cell;
  }

  const CoreChain& chain_;
  CoreCounts cores_;
  std::vector<Cell> cells_;
};

/// Joins neighbouring stateless stages of one class.
ChainStages joined(const CoreChain& chain, const ChainStages& stages) {
  ChainStages joined;
  for (const ChainStage& stage : stages) {
    if (!joined.empty() && joined.back().core_class == stage.core_class &&
        chain.is_stateless(joined.back().begin, stage.end)) {
      joined.back().end = stage.end;
      joined.back().cores += stage.cores;
    } else {
      joined.push_back(stage);
    }
  }
  return joined;
}

}  // namespace

ChainStages herad_stages(const CoreChain& chain, const CoreCounts& cores) {
  return joined(chain, Table(chain, cores).stages());
}

}  // namespace takt::schedulers
