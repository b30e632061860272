#include "core/pictures/layered_layout.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

namespace takt {

namespace {

using Index = std::uint32_t;

/// Rows of numbers, one after the other.
struct Adjacency {
  std::vector<Index> first, others;

  Adjacency(std::size_t count, const std::vector<std::pair<Index, Index>>& edges, bool is_upward)
      : first(count + 1), others(edges.size()) {
    const auto ends = [&](const auto& edge) {
      return is_upward ? std::pair(edge.second, edge.first) : std::pair(edge.first, edge.second);
    };
    for (const auto& edge : edges) ++first[ends(edge).first + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<Index> next(first.begin(), first.end() - 1);
    for (const auto& edge : edges) others[next[ends(edge).first]++] = ends(edge).second;
  }
  [[nodiscard]] std::span<const Index> of(Index node) const {
    return {others.data() + first[node], others.data() + first[node + 1]};
  }
};

/// Returns the longest path from an entry, in edges; entries are directly above their first successor, unless
/// they stay first.
std::vector<Index> layers_by_longest_path(std::size_t count,
                                          const std::vector<std::pair<Index, Index>>& edges,
                                          const std::vector<bool>& stays_first) {
  const Adjacency down(count, edges, false), up(count, edges, true);
  std::vector<Index> layers(count), missing(count), order;
  order.reserve(count);
  for (Index node = 0; node < count; ++node)
    if ((missing[node] = static_cast<Index>(up.of(node).size())) == 0) order.push_back(node);
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const Index next : down.of(order[i])) {
      layers[next] = std::max(layers[next], layers[order[i]] + 1);
      if (--missing[next] == 0) order.push_back(next);
    }
  for (const Index node : order) {
    if (!up.of(node).empty() || down.of(node).empty() || (!stays_first.empty() && stays_first[node]))
      continue;
    Index nearest = static_cast<Index>(count);
    for (const Index next : down.of(node)) nearest = std::min(nearest, layers[next]);
    layers[node] = nearest - 1;
  }
  return layers;
}

/// Counts inversions.
class Fenwick {
 public:
  explicit Fenwick(std::size_t size) : sums_(size + 1) {}
  void add(std::size_t at) {
    for (++at; at < sums_.size(); at += at & (~at + 1)) ++sums_[at];
  }
  /// Sum of the counts added before this place.
  [[nodiscard]] std::uint64_t below(std::size_t at) const {
    std::uint64_t sum = 0;
    for (; at > 0; at &= at - 1) sum += sums_[at];
    return sum;
  }

 private:
  std::vector<std::uint64_t> sums_;
};

/// Nodes and the points of long edges, in layers to be ordered.
class LayerOrder {
 public:
  LayerOrder(const LayeredGraph& graph, std::vector<Index> layers, double distance)
      : layers_(std::move(layers)), widths_(graph.widths), distance_(distance) {
    split_long_edges(graph);
    down_.emplace(widths_.size(), edges_, false);
    up_.emplace(widths_.size(), edges_, true);
    const Index last = layers_.empty() ? 0 : *std::ranges::max_element(layers_);
    rows_.resize(layers_.empty() ? 0 : last + 1);
    place_.resize(widths_.size());
    start_order();
  }

  void sort() {
    std::uint64_t fewest = count_crossings();
    std::vector<std::vector<Index>> best = rows_;
    const int sweeps = widths_.size() < most_thorough ? 24 : widths_.size() < 200'000 ? 6 : 3;
    int since_better = 0;
    for (int sweep = 0; sweep < sweeps && fewest > 0 && since_better < 6; ++sweep) {
      sweep_barycentres(sweep % 2 == 0);
      if (widths_.size() < most_thorough) swap_neighbours();
      const std::uint64_t now = count_crossings();
      ++since_better;
      if (now >= fewest) continue;
      fewest = now;
      best = rows_;
      since_better = 0;
    }
    rows_ = std::move(best);
    for (const std::vector<Index>& row : rows_) number(row);
  }

  /// Returns the horizontal centre of every element.
  [[nodiscard]] std::vector<double> places_across() const {
    std::vector<double> x(widths_.size());
    for (const std::vector<Index>& row : rows_) {
      double at = 0;
      for (const Index node : row) {
        x[node] = at + widths_[node] / 2;
        at += widths_[node] + distance_;
      }
      for (const Index node : row) x[node] -= at / 2;
    }
    const int rounds = widths_.size() < 200'000 ? 8 : 4;
    for (int round = 0; round < rounds; ++round) {
      const bool goes_down = round % 2 == 0;
      for (std::size_t i = 1; i < rows_.size(); ++i)
        pull(rows_[goes_down ? i : rows_.size() - 1 - i], goes_down ? *up_ : *down_, x);
    }
    // A second pass with both sides, so that chains are straight.
    for (const std::vector<Index>& row : rows_) pull(row, x);
    return x;
  }

  [[nodiscard]] const std::vector<Index>& layers() const { return layers_; }
  /// Returns the range of edge e's points.
  [[nodiscard]] std::pair<Index, Index> points_of(std::size_t edge) const {
    return {first_point_[edge], first_point_[edge + 1]};
  }

 private:
  static constexpr std::size_t most_points = 1'000'000, most_thorough = 3000;
  static constexpr double point_width = 6;

  void split_long_edges(const LayeredGraph& graph) {
    std::size_t needed = 0;
    for (const auto& [from, to] : graph.edges) needed += layers_[to] - layers_[from] - 1;
    const bool is_too_much = needed > most_points;
    for (const auto& [from, to] : graph.edges) {
      first_point_.push_back(static_cast<Index>(widths_.size()));
      if (layers_[to] - layers_[from] == 1) edges_.emplace_back(from, to);
      if (layers_[to] - layers_[from] == 1 || is_too_much) continue;
      Index last = from;
      for (Index layer = layers_[from] + 1; layer < layers_[to]; ++layer) {
        const auto point = static_cast<Index>(widths_.size());
        widths_.push_back(point_width);
        layers_.push_back(layer);
        edges_.emplace_back(last, point);
        last = point;
      }
      edges_.emplace_back(last, to);
    }
    first_point_.push_back(static_cast<Index>(widths_.size()));
  }

  /// Orders depth first, so that connected elements begin together.
  void start_order() {
    std::vector<bool> seen(widths_.size());
    std::vector<Index> stack;
    for (Index start = 0; start < widths_.size(); ++start) {
      if (!up_->of(start).empty()) continue;
      stack.push_back(start);
      while (!stack.empty()) {
        const Index node = stack.back();
        stack.pop_back();
        if (seen[node]) continue;
        seen[node] = true;
        rows_[layers_[node]].push_back(node);
        const auto next = down_->of(node);
        for (auto each = next.rbegin(); each != next.rend(); ++each)
          if (!seen[*each]) stack.push_back(*each);
      }
    }
    for (const std::vector<Index>& row : rows_) number(row);
  }

  void number(const std::vector<Index>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) place_[row[i]] = static_cast<Index>(i);
  }

  void sweep_barycentres(bool goes_down) {
    const Adjacency& sides = goes_down ? *up_ : *down_;
    std::vector<std::pair<double, Index>> keys;
    for (std::size_t i = 1; i < rows_.size(); ++i) {
      std::vector<Index>& row = rows_[goes_down ? i : rows_.size() - 1 - i];
      keys.clear();
      for (const Index node : row) {
        double sum = 0;
        for (const Index other : sides.of(node)) sum += place_[other];
        const auto count = static_cast<double>(sides.of(node).size());
        // An element without neighbours there keeps its approximate place.
        keys.emplace_back(count > 0 ? sum / count : place_[node], node);
      }
      std::ranges::stable_sort(keys, {}, &std::pair<double, Index>::first);
      for (std::size_t k = 0; k < row.size(); ++k) row[k] = keys[k].second;
      number(row);
    }
  }

  /// Returns the crossings between the edges of two nodes of a row, the first to the left of the second.
  [[nodiscard]] std::int64_t crossings_of(Index left, Index right) const {
    std::int64_t count = 0;
    for (const Adjacency* sides : {&*up_, &*down_})
      for (const Index a : sides->of(left))
        for (const Index b : sides->of(right)) count += place_[a] > place_[b];
    return count;
  }

  void swap_neighbours() {
    constexpr int most_rounds = 3;
    constexpr std::size_t most_edges = 40;
    const auto degree = [&](Index node) { return up_->of(node).size() + down_->of(node).size(); };
    bool is_better = true;
    for (int round = 0; round < most_rounds && is_better; ++round) {
      is_better = false;
      for (std::vector<Index>& row : rows_)
        for (std::size_t i = 0; i + 1 < row.size(); ++i) {
          if (degree(row[i]) * degree(row[i + 1]) > most_edges * most_edges) continue;
          if (crossings_of(row[i], row[i + 1]) <= crossings_of(row[i + 1], row[i])) continue;
          std::swap(row[i], row[i + 1]);
          std::swap(place_[row[i]], place_[row[i + 1]]);
          is_better = true;
        }
    }
  }

  [[nodiscard]] std::uint64_t count_crossings() const {
    std::uint64_t count = 0;
    std::vector<Index> ends;
    for (std::size_t r = 0; r + 1 < rows_.size(); ++r) {
      Fenwick seen(rows_[r + 1].size());
      std::uint64_t total = 0;
      for (const Index node : rows_[r]) {
        ends.clear();
        for (const Index other : down_->of(node)) ends.push_back(place_[other]);
        for (const Index end : ends) count += total - seen.below(end + 1);
        for (const Index end : ends) seen.add(end);
        total += ends.size();
      }
    }
    return count;
  }

  void pull(const std::vector<Index>& row, const Adjacency& sides, std::vector<double>& x) const {
    move(row, x, [&](Index node) {
      double sum = 0;
      for (const Index other : sides.of(node)) sum += x[other];
      const auto count = static_cast<double>(sides.of(node).size());
      return std::pair(count > 0 ? sum / count : x[node], weight(node, count));
    });
  }
  void pull(const std::vector<Index>& row, std::vector<double>& x) const {
    move(row, x, [&](Index node) {
      double sum = 0, count = 0;
      for (const Adjacency* sides : {&*up_, &*down_})
        for (const Index other : sides->of(node)) {
          sum += x[other];
          ++count;
        }
      return std::pair(count > 0 ? sum / count : x[node], weight(node, count));
    });
  }
  /// Points of long edges have a larger weight: those edges are preferably straight.
  [[nodiscard]] double weight(Index node, double count) const {
    const double own = count > 0 ? count : 0.1;
    return node >= first_point_.front() ? 4 * own : own;
  }

  /// Moves a row to the places with the least weighted sum of squared distances from the targets, while it
  /// keeps its order and distances.
  template <class Target>
  void move(const std::vector<Index>& row, std::vector<double>& x, Target target) const {
    struct Block {
      double sum, weight;
      std::size_t end;
    };
    std::vector<Block> blocks;
    std::vector<double> shift(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) shift[i] = shift[i - 1] + (widths_[row[i - 1]] + widths_[row[i]]) / 2 + distance_;
      const auto [wished, weight] = target(row[i]);
      blocks.push_back({(wished - shift[i]) * weight, weight, i + 1});
      while (blocks.size() > 1) {
        const Block last = blocks.back();
        Block& before = blocks[blocks.size() - 2];
        if (before.sum / before.weight <= last.sum / last.weight) break;
        before = {before.sum + last.sum, before.weight + last.weight, last.end};
        blocks.pop_back();
      }
    }
    std::size_t i = 0;
    for (const Block& block : blocks)
      for (; i < block.end; ++i) x[row[i]] = block.sum / block.weight + shift[i];
  }

  std::vector<Index> layers_;
  std::vector<double> widths_;
  double distance_;
  std::vector<Index> first_point_;
  std::vector<std::pair<Index, Index>> edges_;
  std::optional<Adjacency> down_, up_;
  std::vector<std::vector<Index>> rows_;
  std::vector<Index> place_;
};

}  // namespace

LayeredLayout lay_out(const LayeredGraph& graph, const LayerDistances& distances) {
  const std::size_t count = graph.widths.size();
  LayeredLayout layout;
  layout.layers = layers_by_longest_path(count, graph.edges, graph.stays_first);
  LayerOrder order(graph, layout.layers, distances.across);
  order.sort();
  const std::vector<double> x = order.places_across();

  double left = 0, right = 0;
  Index deepest = 0;
  for (Index node = 0; node < count; ++node) {
    const double half = graph.widths[node] / 2;
    left = node == 0 ? x[0] - half : std::min(left, x[node] - half);
    right = node == 0 ? x[0] + half : std::max(right, x[node] + half);
    deepest = std::max(deepest, layout.layers[node]);
  }
  for (std::size_t point = count; point < x.size(); ++point) {
    left = std::min(left, x[point]);
    right = std::max(right, x[point]);
  }
  const auto at = [&](Index node) {
    return PicturePoint{x[node] - left, (order.layers()[node] + 0.5) * distances.down};
  };
  for (Index node = 0; node < count; ++node) layout.nodes.push_back(at(node));
  for (std::size_t edge = 0; edge < graph.edges.size(); ++edge) {
    layout.first_bend.push_back(static_cast<Index>(layout.bends.size()));
    const auto [begin, end] = order.points_of(edge);
    for (Index point = begin; point < end; ++point) layout.bends.push_back(at(point));
  }
  layout.first_bend.push_back(static_cast<Index>(layout.bends.size()));
  layout.width = right - left;
  layout.height = count > 0 ? (deepest + 1) * distances.down : 0;
  return layout;
}

std::uint64_t crossings(const LayeredGraph& graph, const LayeredLayout& layout) {
  struct Line {
    double y, from, to;
  };
  std::vector<Line> lines;
  for (std::size_t edge = 0; edge < graph.edges.size(); ++edge) {
    PicturePoint last = layout.nodes[graph.edges[edge].first];
    const auto add = [&](PicturePoint next) {
      lines.push_back({last.y, last.x, next.x});
      last = next;
    };
    for (const PicturePoint& bend : layout.bends_of(edge)) add(bend);
    add(layout.nodes[graph.edges[edge].second]);
  }
  std::ranges::sort(lines, [](const Line& a, const Line& b) {
    return std::tie(a.y, a.from, a.to) < std::tie(b.y, b.from, b.to);
  });
  std::uint64_t count = 0;
  for (std::size_t begin = 0; begin < lines.size();) {
    std::size_t end = begin;
    while (end < lines.size() && lines[end].y == lines[begin].y) ++end;
    std::vector<double> own;
    for (std::size_t i = begin; i < end; ++i) own.push_back(lines[i].to);
    std::ranges::sort(own);
    own.erase(std::ranges::unique(own).begin(), own.end());
    Fenwick seen(own.size());
    for (std::size_t i = begin; i < end;) {
      // Lines from one point do not cross each other.
      std::size_t same = i;
      while (same < end && lines[same].from == lines[i].from) ++same;
      const auto place = [&](std::size_t k) {
        return static_cast<std::size_t>(std::ranges::lower_bound(own, lines[k].to) - own.begin());
      };
      for (std::size_t k = i; k < same; ++k) count += (i - begin) - seen.below(place(k) + 1);
      for (std::size_t k = i; k < same; ++k) seen.add(place(k));
      i = same;
    }
    begin = end;
  }
  return count;
}

}  // namespace takt
