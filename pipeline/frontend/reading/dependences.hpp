#pragma once
/// Which calls wrote the bytes that a call reads, and in which order calls must stay.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/frontend/reading/program.hpp"

namespace takt::frontend {

/// The last writers and the readers of every byte of the arrays, in intervals of equal history.
///
/// An array that is never updated in place has one writer a byte (single assignment). An update makes a new
/// version of its section: later calls read that one, and the update follows the readers of the earlier
/// one where one rank executes both.
class Dependences {
 public:
  explicit Dependences(Program& program) : program_(program) {}

  /// Adds the last call of the program, whose arguments are complete. Returns its violations of the rules:
  /// sections that overlap each other, are read before they are written, or are written twice.
  [[nodiscard]] std::vector<Violation> add_last_call();

 private:
  /// What wrote an interval: an argument of a call, or the program's text.
  struct Writer {
    CallId call;
    std::uint32_t argument = 0;
    bool is_initial = false;
    friend auto operator<=>(const Writer&, const Writer&) = default;
  };
  struct Interval {
    std::uint64_t end = 0;
    Writer writer;
    std::vector<CallId> readers;
  };
  using History = std::map<std::uint64_t, Interval>;

  [[nodiscard]] History& history(ArrayId array);
  /// Cuts intervals so that none crosses this position.
  static void cut(History& history, std::uint64_t position);
  [[nodiscard]] std::optional<Violation> read(CallId call, std::uint32_t argument);
  [[nodiscard]] std::optional<Violation> write(CallId call, std::uint32_t argument, Access access);
  void add_flow(const Writer& writer, std::vector<Section> sections, CallId reader, std::uint32_t argument);
  void precede(CallId before, CallId after);

  Program& program_;
  std::vector<History> histories_;
  std::map<std::pair<CallId, std::vector<Section>>, FlowId> flows_;
  std::set<std::pair<CallId, CallId>> preceding_;
  std::optional<CallId> last_in_environment_;
};

/// Returns runs of an array, in ascending order, as few sections: neighbours joined, and equal runs at equal
/// distances as one section of several rows.
[[nodiscard]] std::vector<Section> as_sections(
    ArrayId array, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& runs);

/// Returns the violation of a call that writes a section which another of its arguments names.
[[nodiscard]] std::optional<Violation> aliasing_of(const Program& program, const Call& call);

/// Returns an argument's text; without one that of its section.
[[nodiscard]] std::string text_of(const Program& program, const Argument& argument);

/// Return the violations of a call that reads `missing`, which no call has written, or writes what an earlier
/// call has written.
[[nodiscard]] Violation read_before_written(const Program& program, const Call& call, std::size_t argument,
                                            const Section& missing);
[[nodiscard]] Violation written_twice(const Program& program, const Call& call, std::size_t argument,
                                      const std::string& earlier, Place place);

/// Reports whether two sections have a byte in common.
[[nodiscard]] bool overlap(const Section& a, const Section& b);

/// Returns the array, sub-array or element that a section is, as C: `data[3][0]`; nothing for other sections.
[[nodiscard]] std::optional<std::string> sub_array(const Array& array, const Section& section);

/// Returns a section as C for comments: `data[3][0]`, `&a[10..17]`.
[[nodiscard]] std::string text_of(const Array& array, const Section& section);

}  // namespace takt::frontend
