#include "core/meshes/gmsh.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/place.hpp"

namespace takt {

namespace {

/// The words of a text with their places.
class Words {
 public:
  Words(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  [[nodiscard]] Place place() const { return place_; }
  [[noreturn]] void refuse(const std::string& message) const { refuse(place_, message); }
  [[noreturn]] void refuse(Place place, const std::string& message) const {
    throw ConfigError(place.in(file_), message);
  }

  /// Returns the next word, whose place is then place(); empty at the end of the text.
  std::string_view next() {
    while (!rest_.empty() && is_blank(rest_.front())) step();
    place_ = {line_, column_};
    const auto end = std::ranges::find_if(rest_, is_blank);
    const std::string_view word = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(word.size());
    column_ += static_cast<int>(word.size());
    return word;
  }
  void expect(std::string_view wanted) {
    if (const std::string_view word = next(); word != wanted) refuse_word(wanted, word);
  }
  /// Skips lines up to one with this word alone.
  void skip_to(const std::string& wanted) {
    const Place begin = place_;
    for (std::string_view word = next(); word != wanted; word = next())
      if (word.empty()) refuse(begin, fmt::format("expected {} below, found the end of the file", wanted));
  }

  std::int64_t whole(std::string_view what, std::int64_t least = 1,
                     std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
    const std::string expected = most == std::numeric_limits<std::int64_t>::max()
                                     ? fmt::format("{}, a whole number from {} on", what, least)
                                     : fmt::format("{}, a whole number from {} to {}", what, least, most);
    const auto value = number<std::int64_t>(expected);
    if (value < least || value > most) refuse(fmt::format("expected {}, found {}", expected, value));
    return value;
  }
  double real(std::string_view what) {
    // Sums and products of two coordinates stay finite.
    constexpr double most = 1e100;
    const double value = number<double>(what);
    if (!(std::abs(value) <= most))
      refuse(fmt::format("expected {}, a number from {} to {}, found {}", what, -most, most, value));
    return value;
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

  void step() {
    column_ = rest_.front() == '\n' ? 1 : column_ + 1;
    line_ += rest_.front() == '\n' ? 1 : 0;
    rest_.remove_prefix(1);
  }
  [[noreturn]] void refuse_word(std::string_view wanted, std::string_view word) const {
    refuse(fmt::format("expected {}, found {}", wanted,
                       word.empty() ? "the end of the file" : fmt::format("'{}'", excerpt(word))));
  }
  template <class Number>
  Number number(std::string_view what) {
    const std::string_view word = next();
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || error != std::errc{} || end != word.data() + word.size()) refuse_word(what, word);
    return value;
  }

  std::string_view rest_;
  const std::string& file_;
  int line_ = 1, column_ = 1;
  Place place_;
};

/// A kind of element: its number in the format, its nodes, and its corners, which come first (0: ignored).
struct ElementKind {
  std::int64_t number;
  std::size_t nodes, corners;
};
constexpr auto element_kinds = std::to_array<ElementKind>({
    {1, 2, 0},   // line
    {2, 3, 3},   // triangle
    {3, 4, 4},   // quadrangle
    {8, 3, 0},   // line of second order
    {9, 6, 3},   // triangle of second order
    {10, 9, 4},  // quadrangle of second order
    {15, 1, 0},  // point
    {16, 8, 4},  // quadrangle of second order without a node in its middle
});

class GmshReader {
 public:
  GmshReader(std::string_view text, const std::string& file) : words_(text, file) {}

  Mesh read() && {
    words_.expect("$MeshFormat");
    read_format();
    for (std::string_view word = words_.next(); !word.empty(); word = words_.next()) read_section(word);
    if (mesh_.cell_count() == 0)
      words_.refuse("the mesh has no triangle and no quadrangle: expected a mesh of surfaces (gmsh -2)");
    if (const auto third = find_sides(mesh_))
      words_.refuse(
          places_[*third],
          "two other elements have a side of this one: expected at most one neighbour at each side");
    return std::move(mesh_);
  }

 private:
  struct Node {
    double x = 0, y = 0, z = 0;
    Place place;
    /// Corner of the mesh, once a cell has it.
    std::optional<std::uint32_t> corner;
  };

  void read_format() {
    const double version = words_.real("the version of the format");
    is_new_ = version == 4.1;
    if (!is_new_ && std::floor(version) != 2)
      words_.refuse(
          fmt::format("unsupported version {}: expected 2 or 4.1 (gmsh FILE -save -format msh41)", version));
    if (words_.whole("the kind of file", 0, 1) == 1)
      words_.refuse("the file is binary: expected ASCII (gmsh FILE -save -format msh41)");
    (void)words_.whole("the size of a number");
    words_.expect("$EndMeshFormat");
  }

  void read_section(std::string_view name) {
    if (name == "$Nodes") return is_new_ ? read_node_blocks() : read_nodes();
    if (name == "$Elements") return is_new_ ? read_element_blocks() : read_elements();
    // Names, geometry and values at nodes do not change the mesh.
    constexpr std::array<std::string_view, 11> others{
        "$PhysicalNames",    "$Entities", "$PartitionedEntities", "$Periodic",        "$GhostElements",
        "$Parametrizations", "$NodeData", "$ElementData",         "$ElementNodeData", "$InterpolationScheme",
        "$Comments"};
    if (std::ranges::find(others, name) == others.end())
      words_.refuse(fmt::format("unknown section '{}': expected $Nodes, $Elements or another section of Gmsh",
                                excerpt(name)));
    words_.skip_to(fmt::format("$End{}", name.substr(1)));
  }

  // ---- nodes ----

  void read_nodes() {
    for (std::int64_t left = words_.whole("the number of nodes", 0); left > 0; --left) {
      const std::int64_t tag = words_.whole("the number of a node");
      const Place place = words_.place();
      add_node(tag, place);
    }
    words_.expect("$EndNodes");
  }
  void read_node_blocks() {
    std::int64_t blocks = words_.whole("the number of blocks", 0);
    const std::int64_t announced = words_.whole("the number of nodes", 0);
    const Place place = words_.place();
    (void)words_.whole("the least number of a node", 0);
    (void)words_.whole("the largest number of a node", 0);
    const std::size_t before = nodes_.size();
    for (; blocks > 0; --blocks) {
      const std::int64_t dimension = words_.whole("the dimension of a block", 0, 3);
      (void)words_.whole("the number of an entity", std::numeric_limits<std::int64_t>::min());
      const bool has_parameters = words_.whole("whether nodes have parameters", 0, 1) == 1;
      const std::int64_t count = words_.whole("the number of nodes of a block", 0);
      std::vector<std::pair<std::int64_t, Place>> tags;
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t tag = words_.whole("the number of a node");
        tags.emplace_back(tag, words_.place());
      }
      for (const auto& [tag, at] : tags) {
        add_node(tag, at);
        for (std::int64_t i = 0; has_parameters && i < dimension; ++i) (void)words_.real("a parameter");
      }
    }
    check_count(place, "nodes", announced, nodes_.size() - before);
    words_.expect("$EndNodes");
  }
  void add_node(std::int64_t tag, Place place) {
    Node node{.place = place};
    node.x = words_.real("x");
    node.y = words_.real("y");
    node.z = words_.real("z");
    if (!nodes_.emplace(tag, node).second) words_.refuse(place, fmt::format("node {} exists already", tag));
  }

  // ---- elements ----

  void read_elements() {
    for (std::int64_t left = words_.whole("the number of elements", 0); left > 0; --left) {
      (void)words_.whole("the number of an element");
      const Place place = words_.place();
      const ElementKind& kind = read_kind();
      for (std::int64_t tags = words_.whole("the number of tags", 0, 1000); tags > 0; --tags)
        (void)words_.whole("a tag", std::numeric_limits<std::int64_t>::min());
      add_element(kind, place);
    }
    words_.expect("$EndElements");
  }
  void read_element_blocks() {
    std::int64_t blocks = words_.whole("the number of blocks", 0);
    const std::int64_t announced = words_.whole("the number of elements", 0);
    const Place place = words_.place();
    (void)words_.whole("the least number of an element", 0);
    (void)words_.whole("the largest number of an element", 0);
    std::size_t read = 0;
    for (; blocks > 0; --blocks) {
      (void)words_.whole("the dimension of a block", 0, 3);
      (void)words_.whole("the number of an entity", std::numeric_limits<std::int64_t>::min());
      const ElementKind& kind = read_kind();
      for (std::int64_t left = words_.whole("the number of elements of a block", 0); left > 0;
           --left, ++read) {
        (void)words_.whole("the number of an element");
        add_element(kind, words_.place());
      }
    }
    check_count(place, "elements", announced, read);
    words_.expect("$EndElements");
  }
  const ElementKind& read_kind() {
    const std::int64_t number = words_.whole("the kind of an element");
    const auto found = std::ranges::find(element_kinds, number, &ElementKind::number);
    if (found == element_kinds.end())
      words_.refuse(
          fmt::format("elements of kind {} are not in a plane or have an unsupported order: expected "
                      "points (15), lines (1, 8), triangles (2, 9) and quadrangles (3, 10, 16)",
                      number));
    return *found;
  }
  void add_element(const ElementKind& kind, Place place) {
    std::array<std::uint32_t, 4> corners{};
    for (std::size_t i = 0; i < kind.nodes; ++i) {
      const std::int64_t tag = words_.whole("the number of a node");
      const auto found = nodes_.find(tag);
      if (found == nodes_.end()) words_.refuse(fmt::format("no node {} in $Nodes above", tag));
      if (i >= kind.corners) continue;
      corners.at(i) = corner_of(found->second);
      if (std::ranges::find(corners.begin(), corners.begin() + i, corners.at(i)) != corners.begin() + i)
        words_.refuse(fmt::format("node {} is two corners of the element", tag));
    }
    if (kind.corners == 0) return;
    if (mesh_.cell_count() == most_cells)
      words_.refuse(place, fmt::format("the mesh has more than {} triangles and quadrangles", most_cells));
    // Around the first corner: far from the origin products would lose the digits of a small element.
    const MeshPoint origin = mesh_.corners[corners[0]];
    double area = 0;
    for (std::size_t i = 1; i + 1 < kind.corners; ++i) {
      const MeshPoint &p = mesh_.corners[corners.at(i)], &q = mesh_.corners[corners.at(i + 1)];
      area += (p.x - origin.x) * (q.y - origin.y) - (q.x - origin.x) * (p.y - origin.y);
    }
    if (area == 0) words_.refuse(place, "the element has no area");
    mesh_.cell_corners.insert(mesh_.cell_corners.end(), corners.begin(), corners.begin() + kind.corners);
    mesh_.first.push_back(static_cast<std::uint32_t>(mesh_.cell_corners.size()));
    places_.push_back(place);
  }
  std::uint32_t corner_of(Node& node) {
    if (node.corner) return *node.corner;
    if (mesh_.corners.empty()) z_ = node.z;
    if (node.z != z_)
      words_.refuse(
          node.place,
          fmt::format("z is {} here, and {} at another corner: expected a mesh in a plane z = constant",
                      node.z, z_));
    node.corner = static_cast<std::uint32_t>(mesh_.corners.size());
    mesh_.corners.push_back({node.x, node.y});
    return *node.corner;
  }

  void check_count(Place place, std::string_view what, std::int64_t announced, std::size_t found) const {
    if (std::cmp_not_equal(announced, found))
      words_.refuse(place, fmt::format("expected {} {}, found {}", announced, what, found));
  }

  Words words_;
  bool is_new_ = false;
  std::unordered_map<std::int64_t, Node> nodes_;
  double z_ = 0;
  Mesh mesh_;
  /// Of each cell.
  std::vector<Place> places_;
};

}  // namespace

Mesh mesh_from_gmsh(std::string_view text, const std::string& file) {
  return GmshReader(text, file).read();
}

}  // namespace takt
