#include "core/formats/graph_lines.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "core/formats/yaml_lines.hpp"
#include "core/graph_limits.hpp"

namespace takt {

namespace {

/// Numbers of more digits are left to those who know what does not fit.
constexpr std::size_t most_digits = 18;

std::optional<std::uint64_t> plain_number(std::string_view word) {
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || rest != word.data() + word.size() || word.size() > most_digits)
    return std::nullopt;
  return number;
}

/// A line's values by their keys; empty where it does not have one.
template <std::size_t N>
using ValuesOfKeys = std::array<std::string_view, N>;

class GraphLines {
 public:
  /// `next` gives some whole lines, in the end none.
  explicit GraphLines(std::function<std::string_view()> next) : next_(std::move(next)) {}

  std::optional<TaskGraph> read() {
    if (!has_line() || !take("tasks:\n")) return std::nullopt;
    if (!read_list<3>({"name", "work", "stateless"}, [this](const auto& values) { return add_task(values); }))
      return std::nullopt;
    if (has_line() && !(take("edges:\n") && read_list<3>({"from", "to", "size"}, [this](const auto& values) {
                          return add_edge(values);
                        })))
      return std::nullopt;
    if (has_line()) return std::nullopt;
    try {
      return std::move(builder_).build();
    } catch (const GraphError&) {
      return std::nullopt;
    }
  }

 private:
  /// Whether there is another line, where one has ended. What was read before is then gone.
  bool has_line() {
    if (rest_.empty()) rest_ = next_();
    return !rest_.empty();
  }
  bool take(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  [[nodiscard]] std::size_t spaces() const { return std::min(rest_.find_first_not_of(' '), rest_.size()); }
  void skip_spaces() { rest_.remove_prefix(spaces()); }
  std::string_view take_word() {
    const std::string_view word = plain_word(rest_);
    rest_.remove_prefix(word.size());
    return word;
  }

  /// One line or more up to the next one at the margin, all equally far from it.
  template <std::size_t N, class Add>
  bool read_list(const ValuesOfKeys<N>& keys, Add add) {
    if (!has_line()) return false;
    const std::size_t indentation = spaces();
    do {
      ValuesOfKeys<N> values;
      if (spaces() != indentation) return false;
      rest_.remove_prefix(indentation);
      if (!take("- {") || !read_line(keys, values) || !add(values)) return false;
    } while (has_line() && (rest_.front() == ' ' || rest_.front() == '-'));
    return true;
  }

  /// What follows the brace, with the end of the line.
  template <std::size_t N>
  bool read_line(const ValuesOfKeys<N>& keys, ValuesOfKeys<N>& values) {
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

  bool add_task(const ValuesOfKeys<3>& values) {
    const auto [name, work, stateless] = values;
    const std::optional<std::uint64_t> ticks = plain_number(work);
    if (name.empty() || !ticks || (!stateless.empty() && stateless != "true" && stateless != "false"))
      return false;
    builder_.add_task(Task{std::string(name), Time(static_cast<Time::rep>(*ticks)), stateless == "true"});
    return true;
  }

  bool add_edge(const ValuesOfKeys<3>& values) {
    const auto [from, to, size] = values;
    const std::optional<std::uint64_t> bytes = size.empty() ? 1 : plain_number(size);
    const std::optional<TaskId> sender = find(from, sender_), receiver = find(to, receiver_);
    if (!bytes || !sender || !receiver || ++edges_ > largest_edge_count) return false;
    builder_.add_edge(*sender, *receiver, Bytes{*bytes});
    return true;
  }

  /// The task of a name. Edges often stand in the order of their tasks: the one that was found last and the
  /// next one are looked at first, which saves most reads from memory. Of two tasks of one name, either will
  /// do: such a graph cannot be built.
  std::optional<TaskId> find(std::string_view name, TaskId& last) {
    const std::span<const Task> tasks = builder_.tasks();
    for (std::size_t i = last.index(); i < std::min(last.index() + 2, tasks.size()); ++i)
      if (tasks[i].name == name) return last = TaskId(i);
    const std::optional<TaskId> found = builder_.find(name);
    if (found) last = *found;
    return found;
  }

  std::function<std::string_view()> next_;
  /// What is left of the lines that next_ gave last.
  std::string_view rest_;
  TaskGraphBuilder builder_;
  std::size_t edges_ = 0;
  /// Of the edge that was read last.
  TaskId sender_{0}, receiver_{0};
};

}  // namespace

std::optional<TaskGraph> graph_from_lines(std::string_view text) {
  return GraphLines([&text] { return std::exchange(text, {}); }).read();
}

std::optional<TaskGraph> graph_from_lines(TextParts& parts) {
  return GraphLines([&parts] { return parts.next(); }).read();
}

}  // namespace takt
