#include "core/formats/graph_lines.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/formats/yaml_lines.hpp"
#include "core/graphs/graph_limits.hpp"
#include "core/system/in_parallel.hpp"

namespace takt {

namespace {

/// Numbers with more digits are left to the general reader, which reports overflows.
constexpr std::size_t most_digits = 18;

std::optional<std::uint64_t> plain_number(std::string_view word) {
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || rest != word.data() + word.size() || word.size() > most_digits)
    return std::nullopt;
  return number;
}

/// A line's values by their keys; empty if it lacks the key.
using Keys = std::array<std::string_view, 3>;
using Values = std::array<std::string_view, 3>;
constexpr Keys keys_of_task{"name", "work", "stateless"}, keys_of_edge{"from", "to", "size"};

/// Lines of one of the two lists.
class ListLines {
 public:
  explicit ListLines(std::string_view lines) : rest_(lines) {}

  /// Indentation of the first line.
  [[nodiscard]] std::size_t spaces() const { return std::min(rest_.find_first_not_of(' '), rest_.size()); }

  /// Calls add(values) for each line. Returns false if a line has another form or indentation, or add()
  /// returns false.
  template <class Add>
  bool read(const Keys& keys, std::size_t indentation, Add add) {
    while (!rest_.empty()) {
      Values values;
      if (spaces() != indentation) return false;
      rest_.remove_prefix(indentation);
      if (!take("- {") || !read_line(keys, values) || !add(values)) return false;
    }
    return true;
  }

 private:
  bool take(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  void skip_spaces() { rest_.remove_prefix(spaces()); }
  std::string_view take_word() {
    const std::string_view word = plain_word(rest_);
    rest_.remove_prefix(word.size());
    return word;
  }

  /// Parses the rest of the line after the brace.
  bool read_line(const Keys& keys, Values& values) {
    do {
      skip_spaces();
      const std::string_view key = take_word();
      const auto found = std::find(keys.begin(), keys.end(), key);
      if (found == keys.end() || !take(": ")) return false;
      skip_spaces();
      std::string_view& value = values[static_cast<std::size_t>(found - keys.begin())];
      if (!value.empty()) return false;
      value = take_word();
      if (value.empty()) return false;
      skip_spaces();
    } while (take(","));
    if (!take("}")) return false;
    skip_spaces();
    return rest_.empty() || take("\n");
  }

  std::string_view rest_;
};

/// Compares two names: most have 4 to 16 characters, which two possibly overlapping integers hold.
bool are_same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  const auto are_ends_same = [&]<class Letters>(Letters) {
    const auto letters = [](const char* at) {
      Letters read;
      std::memcpy(&read, at, sizeof read);
      return read;
    };
    const std::size_t last = a.size() - sizeof(Letters);
    return letters(a.data()) == letters(b.data()) && letters(a.data() + last) == letters(b.data() + last);
  };
  if (a.size() > 2 * sizeof(std::uint64_t) || a.size() < sizeof(std::uint32_t)) return a == b;
  return a.size() < sizeof(std::uint64_t) ? are_ends_same(std::uint32_t{}) : are_ends_same(std::uint64_t{});
}

/// The contents of some lines, parsed in parallel with others.
struct Piece {
  std::string_view lines;
  std::vector<Task> tasks;
  struct WrittenEdge {
    TaskId from, to;
    Bytes size;
  };
  std::vector<WrittenEdge> edges;
  bool is_right = true;
  /// Ends of the last edge.
  TaskId sender{0}, receiver{0};
};

/// Returns whole lines of at least this many characters from the beginning of the rest.
std::string_view take_lines(std::string_view& rest, std::size_t at_least) {
  const std::size_t end = at_least < rest.size() ? rest.find('\n', at_least) : std::string_view::npos;
  const std::string_view lines = rest.substr(0, end == std::string_view::npos ? end : end + 1);
  rest.remove_prefix(lines.size());
  return lines;
}

class GraphLines {
 public:
  /// `next` returns some whole lines, at the end none; `letters` is the approximate number of characters.
  GraphLines(std::function<std::string_view()> next, std::size_t letters)
      : next_(std::move(next)), letters_(letters) {}

  std::optional<TaskGraph> read() {
    if (!has_lines() || !take("tasks:\n")) return std::nullopt;
    if (!read_list([this](Piece& piece) { return read_tasks(piece); })) return std::nullopt;
    if (has_lines()) {
      if (!take("edges:\n")) return std::nullopt;
      builder_.index_names();
      if (!read_list([this](Piece& piece) { return read_edges(piece); })) return std::nullopt;
    }
    if (has_lines()) return std::nullopt;
    try {
      return std::move(builder_).build();
    } catch (const GraphError&) {
      return std::nullopt;
    }
  }

 private:
  /// Returns whether another line follows a complete one. Earlier lines are then no longer available.
  bool has_lines() {
    if (rest_.empty()) {
      rest_ = next_();
      letters_ -= std::min(letters_, rest_.size());
    }
    return !rest_.empty();
  }
  bool take(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  /// Parses lines of equal indentation up to the next one at the margin, at least one: two pieces in
  /// parallel, while the previous ones are added to the graph.
  template <class Read>
  bool read_list(Read read) {
    if (!has_lines()) return false;
    indentation_ = ListLines(rest_).spaces();
    std::array<Piece, 2> pieces, before;
    bool is_right = true;
    const auto add_those_before = [&] {
      for (Piece& piece : before) is_right = is_right && add(piece);
    };
    for (bool is_first = true; is_right && has_lines() && !rest_.starts_with("edges:\n"); is_first = false) {
      // No other line at the margin is valid for this reader.
      const std::size_t end = std::min(rest_.find("\nedges:\n"), rest_.size() - 1) + 1;
      std::string_view lines = rest_.substr(0, end);
      rest_.remove_prefix(end);
      pieces[0].lines = take_lines(lines, lines.size() / 2);
      pieces[1].lines = lines;
      in_parallel_if(end >= many_letters, {[&] { pieces[0].is_right = read(pieces[0]); },
                                           [&] { pieces[1].is_right = read(pieces[1]); }, add_those_before});
      if (is_first) make_room(pieces, end);
      pieces.swap(before);
    }
    add_those_before();
    return is_right;
  }

  bool read_tasks(Piece& piece) const {
    return ListLines(piece.lines).read(keys_of_task, indentation_, [&](const Values& values) {
      const auto [name, work, stateless] = values;
      const std::optional<std::uint64_t> ticks = plain_number(work);
      if (name.empty() || !ticks || (!stateless.empty() && stateless != "true" && stateless != "false"))
        return false;
      piece.tasks.push_back({std::string(name), Time(static_cast<Time::rep>(*ticks)), stateless == "true"});
      return true;
    });
  }

  bool read_edges(Piece& piece) const {
    return ListLines(piece.lines).read(keys_of_edge, indentation_, [&](const Values& values) {
      const auto [from, to, size] = values;
      const std::optional<std::uint64_t> bytes = size.empty() ? 1 : plain_number(size);
      const std::optional<TaskId> sender = find(from, piece.sender), receiver = find(to, piece.receiver);
      if (!bytes || !sender || !receiver) return false;
      piece.edges.push_back({*sender, *receiver, Bytes{*bytes}});
      return true;
    });
  }

  /// Reserves memory for the estimated total of entries, extrapolated from the pieces read so far. Growth
  /// takes as long as reading.
  void make_room(std::span<const Piece> pieces, std::size_t read) {
    std::size_t tasks = 0, edges = 0;
    for (const Piece& piece : pieces) {
      tasks += piece.tasks.size();
      edges += piece.edges.size();
    }
    const double times = 1 + static_cast<double>(letters_) / static_cast<double>(read);
    const auto expected = [&](std::size_t count) {
      return static_cast<std::size_t>(times * static_cast<double>(count));
    };
    builder_.expect(expected(tasks), std::min(expected(edges), largest_edge_count));
  }

  /// Adds a piece to the graph. Returns false if it is invalid, or there are too many edges.
  bool add(Piece& piece) {
    if (!piece.is_right) return false;
    for (Task& task : piece.tasks) builder_.add_task(std::move(task));
    for (const auto& [from, to, size] : piece.edges) builder_.add_edge(from, to, size);
    edges_ += piece.edges.size();
    piece.tasks.clear();
    piece.edges.clear();
    return edges_ <= largest_edge_count;
  }

  /// Finds a task by its name. Edges are often in the order of their tasks: checking the last task found and
  /// its successor first saves most memory accesses. For duplicate names either task is acceptable: such a
  /// graph cannot be built.
  std::optional<TaskId> find(std::string_view name, TaskId& last) const {
    const std::span<const Task> tasks = builder_.tasks();
    for (std::size_t i = last.index(); i < std::min(last.index() + 2, tasks.size()); ++i)
      if (are_same(tasks[i].name, name)) return last = TaskId(i);
    const std::optional<TaskId> found = builder_.find_indexed(name);
    if (found) last = *found;
    return found;
  }

  /// Above this number of characters two threads parse them.
  static constexpr std::size_t many_letters = std::size_t{1} << 16;

  std::function<std::string_view()> next_;
  std::size_t letters_;
  /// The rest of the last lines from next_.
  std::string_view rest_;
  std::size_t indentation_ = 0;
  TaskGraphBuilder builder_;
  std::size_t edges_ = 0;
};

}  // namespace

std::optional<TaskGraph> graph_from_lines(std::string_view text) {
  return GraphLines([&text] { return take_lines(text, TextParts::usual_size); }, text.size()).read();
}

std::optional<TaskGraph> graph_from_lines(TextParts& parts) {
  return GraphLines([&parts] { return parts.next(); }, parts.size()).read();
}

}  // namespace takt
