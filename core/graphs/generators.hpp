#pragma once
/// Task graphs generated from a line of text: `fft:depth=4,cost=1..100,seed=7,data=10`.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/graphs/task_graph.hpp"
#include "core/graphs/topologies.hpp"

namespace takt {

/// One parameter of a generator, as displayed by the help.
struct GeneratorParameter {
  std::string_view name;
  /// The default value; empty if the parameter is then unused.
  std::string_view fallback;
  std::string_view summary;
};

/// The values of one generator's parameters, given or default.
class GeneratorArguments {
 public:
  /// `values` holds every parameter of the generator.
  explicit GeneratorArguments(std::map<std::string_view, std::string_view> values)
      : values_(std::move(values)) {}

  /// Returns a whole number of at least `least`. Throws ConfigError.
  [[nodiscard]] std::uint64_t integer(std::string_view name, std::uint64_t least) const;
  /// Returns a number in [0, most]. Throws ConfigError.
  [[nodiscard]] double number(std::string_view name, double most) const;
  /// Returns 0 or 1. Throws ConfigError.
  [[nodiscard]] bool truth(std::string_view name) const;
  [[nodiscard]] std::string_view text(std::string_view name) const { return values_.at(name); }
  /// Throws ConfigError about a parameter's value.
  [[noreturn]] void refuse(std::string_view name, std::string_view expected) const;

 private:
  std::map<std::string_view, std::string_view> values_;
};

/// A kind of graph.
struct Generator {
  std::string_view name;
  /// One line for the help.
  std::string_view summary;
  /// Its own parameters, in addition to those of `weight_parameters()`.
  std::span<const GeneratorParameter> parameters;
  Topology (*topology)(const GeneratorArguments&);
};

/// Returns all generators, in the order of the help.
[[nodiscard]] std::span<const Generator> all_generators();

/// Returns the parameters that every generator has: `cost data ccr seed host stateless`.
[[nodiscard]] std::span<const GeneratorParameter> weight_parameters();

/// Reports whether the text has the form `name` or `name:...` with the name of a generator.
[[nodiscard]] bool names_generator(std::string_view text);

/// Returns the graph for a text such as `send_tree:depth=3,cost=1`. Tasks are named by their numbers, 0
/// first; each edge has its own datum, except in the graphs of CASCH programs. Equal texts produce
/// equal graphs on every machine. O(n + m). Throws ConfigError for an unknown generator or parameter (nearest
/// name first), a wrong value, and a graph that would be too large, before anything is allocated.
[[nodiscard]] TaskGraph generate(std::string_view text);

}  // namespace takt
