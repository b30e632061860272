#include "core/meshes/partition.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/meshes/distribution.hpp"

namespace takt {

namespace {

/// Processors in rows and columns.
struct Factors {
  std::size_t rows = 1, columns = 1;
};

/// Returns the factors whose cuts through an area of this size are the shortest together; of equal ones those
/// with fewer rows.
Factors factors_of(std::size_t processors, double width, double height) {
  Factors best{1, processors};
  const auto cuts = [&](const Factors& each) {
    return static_cast<double>(each.rows - 1) * width + static_cast<double>(each.columns - 1) * height;
  };
  for (std::size_t rows = 2; rows <= processors; ++rows)
    if (const Factors each{rows, processors / rows}; processors % rows == 0 && cuts(each) < cuts(best))
      best = each;
  return best;
}

std::string text_of(const Factors& factors) {
  return fmt::format("{} x {} blocks of rows and columns", factors.rows, factors.columns);
}

// ---- rows and columns of structured meshes ----

template <class OwnerOfCell>
Partition structured(const Mesh& mesh, std::string name, std::string says, const OwnerOfCell& owner) {
  Partition partition{std::move(name), std::move(says), {}};
  for (std::size_t r = 0; r < mesh.rows; ++r)
    for (std::size_t c = 0; c < mesh.columns; ++c) partition.owner.push_back(owner(r, c));
  return partition;
}

void add_structured(const Mesh& mesh, std::size_t processors, std::vector<Partition>& partitions) {
  const std::size_t rows = mesh.rows, columns = mesh.columns;
  const Factors factors = factors_of(processors, static_cast<double>(columns), static_cast<double>(rows));
  const auto by_row = [&](Distribution distribution) {
    return [=](std::size_t r, std::size_t) { return owner_of(distribution, r, rows, processors); };
  };
  const auto by_both = [&](Distribution distribution) {
    return [=](std::size_t r, std::size_t c) {
      return owner_of(distribution, r, rows, factors.rows) * static_cast<std::uint32_t>(factors.columns) +
             owner_of(distribution, c, columns, factors.columns);
    };
  };
  partitions = {
      structured(mesh, "rows", "Neighbouring rows form a block.", by_row(Distribution::block)),
      structured(
          mesh, "columns", "Neighbouring columns form a block.",
          [&](std::size_t, std::size_t c) { return owner_of(Distribution::block, c, columns, processors); }),
      structured(mesh, "blocks", text_of(factors) + ".", by_both(Distribution::block)),
      structured(mesh, "cyclic rows", "Rows go to the processors in turn.", by_row(Distribution::cyclic)),
      structured(mesh, "block-cyclic rows", "Blocks of rows go to the processors in turn, two to each.",
                 by_row(Distribution::block_cyclic)),
      structured(mesh, "block-cyclic blocks", text_of(factors) + ", repeated twice in both directions.",
                 by_both(Distribution::block_cyclic))};
}

// ---- places of cells ----

/// Cells by their centres, from left to right or from top to bottom.
class Centres {
 public:
  using Cells = std::span<std::uint32_t>;

  explicit Centres(const Mesh& mesh) {
    for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) centres_.push_back(mesh.centre_of(cell));
  }

  [[nodiscard]] std::vector<std::uint32_t> cells() const {
    std::vector<std::uint32_t> all(centres_.size());
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }
  /// Moves the first `count` cells in the direction to the front.
  void divide(Cells cells, bool is_across, std::size_t count) const {
    if (count == 0 || count == cells.size()) return;
    std::ranges::nth_element(cells, cells.begin() + static_cast<std::ptrdiff_t>(count), {},
                             [&](std::uint32_t cell) {
                               const auto [x, y] = centres_[cell];
                               return is_across ? std::tuple(x, -y, cell) : std::tuple(-y, x, cell);
                             });
  }
  /// Returns the width and the height of the area.
  [[nodiscard]] std::pair<double, double> extent(Cells cells) const {
    const auto size = [&](auto coordinate) {
      const auto [least, most] =
          std::ranges::minmax(cells, {}, [&](std::uint32_t cell) { return centres_[cell].*coordinate; });
      return centres_[most].*coordinate - centres_[least].*coordinate;
    };
    return {size(&MeshPoint::x), size(&MeshPoint::y)};
  }

 private:
  std::vector<MeshPoint> centres_;
};

/// Returns `part` of `parts` of a number, rounded.
std::size_t share_of(std::size_t count, std::size_t part, std::size_t parts) {
  return (2 * count * part + parts) / (2 * parts);
}

/// Divides the cells into strips of equal numbers, from the last one, and passes each to `action` with its
/// number.
template <class Action>
void into_strips(const Centres& centres, Centres::Cells cells, bool is_across, std::size_t strips,
                 const Action& action) {
  const std::size_t all = cells.size();
  for (std::size_t strip = strips; strip-- > 0;) {
    const std::size_t begin = share_of(all, strip, strips);
    centres.divide(cells, is_across, begin);
    action(strip, cells.subspan(begin));
    cells = cells.first(begin);
  }
}

/// Strips from left to right, each divided from top to bottom.
Partition blocks(const Centres& centres, std::string name, std::string says, const Factors& factors) {
  std::vector<std::uint32_t> cells = centres.cells();
  Partition partition{std::move(name), std::move(says), std::vector<std::uint32_t>(cells.size())};
  into_strips(centres, cells, true, factors.columns, [&](std::size_t column, Centres::Cells strip) {
    into_strips(centres, strip, false, factors.rows, [&](std::size_t row, Centres::Cells block) {
      for (const std::uint32_t cell : block)
        partition.owner[cell] = static_cast<std::uint32_t>(row * factors.columns + column);
    });
  });
  return partition;
}

void bisect(const Centres& centres, Centres::Cells cells, std::size_t first, std::size_t processors,
            std::vector<std::uint32_t>& owner) {
  if (cells.empty()) return;
  if (processors == 1) {
    for (const std::uint32_t cell : cells) owner[cell] = static_cast<std::uint32_t>(first);
    return;
  }
  const std::size_t half = processors / 2, count = share_of(cells.size(), half, processors);
  const auto [width, height] = centres.extent(cells);
  centres.divide(cells, width >= height, count);
  bisect(centres, cells.first(count), first, half, owner);
  bisect(centres, cells.subspan(count), first + half, processors - half, owner);
}

void add_unstructured(const Mesh& mesh, const Centres& centres, std::size_t processors,
                      std::vector<Partition>& partitions) {
  std::vector<std::uint32_t> cells = centres.cells();
  const auto [width, height] = centres.extent(cells);
  const Factors factors = factors_of(processors, width, height);
  partitions = {
      blocks(centres, "rows", "Strips with equal numbers of cells, from top to bottom.", {processors, 1}),
      blocks(centres, "columns", "Strips with equal numbers of cells, from left to right.", {1, processors}),
      blocks(centres, "blocks", text_of(factors) + ", with equal numbers of cells.", factors)};
  const auto by_number = [&](Distribution distribution, std::string_view says) {
    Partition partition{fmt::format("{} by number", name_of(distribution)), std::string(says), {}};
    for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell)
      partition.owner.push_back(owner_of(distribution, cell, mesh.cell_count(), processors));
    partitions.push_back(std::move(partition));
  };
  by_number(Distribution::block, "Cells that follow each other in the file form a block.");
  by_number(Distribution::cyclic, "Cells go to the processors in turn, in the order of the file.");
  by_number(Distribution::block_cyclic,
            "Blocks of cells in the order of the file go to the processors in turn, two to each.");
}

}  // namespace

std::vector<Partition> partitions_of(const Mesh& mesh, std::size_t processors) {
  std::vector<Partition> partitions;
  const Centres centres(mesh);
  if (mesh.is_structured())
    add_structured(mesh, processors, partitions);
  else
    add_unstructured(mesh, centres, processors, partitions);
  std::vector<std::uint32_t> cells = centres.cells(), owner(cells.size());
  bisect(centres, cells, 0, processors, owner);
  partitions.push_back({"bisection", "Recursive coordinate bisection: halves, cut across the longer extent.",
                        std::move(owner)});
  return partitions;
}

std::size_t PartitionFigures::largest_load() const {
  return std::ranges::max(processors, {}, &PartFigures::cells).cells;
}

double PartitionFigures::imbalance() const {
  std::size_t all = 0;
  for (const PartFigures& each : processors) all += each.cells;
  return static_cast<double>(largest_load() * processors.size()) / static_cast<double>(all);
}

PartitionFigures figures_of(const Mesh& mesh, std::span<const std::uint32_t> owner, std::size_t processors) {
  PartitionFigures figures{.processors = std::vector<PartFigures>(processors)};
  for (const std::uint32_t each : owner) ++figures.processors[each].cells;
  /// Values by cell and receiver, and messages by sender and receiver.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> values, messages;
  for (const MeshSide& side : mesh.sides) {
    const std::uint32_t a = owner[side.a], b = owner[side.b];
    if (a == b) continue;
    ++figures.cut_sides;
    for (const std::uint32_t each : {a, b}) ++figures.processors[each].cut_sides;
    values.insert(values.end(), {{side.a, b}, {side.b, a}});
    messages.insert(messages.end(), {{a, b}, {b, a}});
  }
  for (auto* const list : {&values, &messages}) {
    std::ranges::sort(*list);
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  for (const auto& [cell, receiver] : values) ++figures.processors[owner[cell]].sent;
  for (const auto& [sender, receiver] : messages) ++figures.processors[sender].partners;
  figures.sent = values.size();
  figures.messages = messages.size();
  return figures;
}

}  // namespace takt
