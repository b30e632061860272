#pragma once
/// Task graphs made from a line of text: `fft:depth=4,cost=1..100,seed=7,data=10`.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/graphs/task_graph.hpp"
#include "core/graphs/topologies.hpp"

namespace takt {

/// One parameter of a generator, as help shows it.
struct GeneratorParameter {
  std::string_view name;
  /// The value when none is written; empty when the parameter is then not used at all.
  std::string_view fallback;
  std::string_view summary;
};

/// The values of one generator's parameters, written or fallback.
class GeneratorArguments {
 public:
  /// `values` holds every parameter of the generator.
  explicit GeneratorArguments(std::map<std::string_view, std::string_view> values)
      : values_(std::move(values)) {}

  /// A whole number of at least `least`. Throws ConfigError.
  [[nodiscard]] std::uint64_t integer(std::string_view name, std::uint64_t least) const;
  /// A number in [0, most]. Throws ConfigError.
  [[nodiscard]] double number(std::string_view name, double most) const;
  /// 0 or 1. Throws ConfigError.
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
  /// One line for people.
  std::string_view summary;
  /// Its own parameters; those of `weight_parameters()` come on top.
  std::span<const GeneratorParameter> parameters;
  Topology (*topology)(const GeneratorArguments&);
};

/// Every generator, in the order in which help shows them.
[[nodiscard]] std::span<const Generator> all_generators();

/// The parameters that every generator has: `cost data ccr seed host stateless`.
[[nodiscard]] std::span<const GeneratorParameter> weight_parameters();

/// Whether the text has the form of a generator, `name` or `name:...`, and the name is one.
[[nodiscard]] bool names_generator(std::string_view text);

/// The graph of a text such as `send_tree:depth=3,cost=1`. Tasks are named by their numbers, 0 first; each
/// edge has a datum of its own. The same text gives the same graph on every machine. O(n + m). Throws
/// ConfigError on an unknown generator or parameter (nearest name first), on a wrong value, and when the
/// graph would be too large, before anything is allocated.
[[nodiscard]] TaskGraph generate(std::string_view text);

}  // namespace takt
