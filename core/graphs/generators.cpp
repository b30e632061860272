#include "core/graphs/generators.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/graphs/casch.hpp"
#include "core/graphs/complexity.hpp"
#include "core/random.hpp"

namespace takt {

namespace {

// ---- the table ----

using Arguments = GeneratorArguments;

constexpr GeneratorParameter depth_parameter{"depth", "3", "layers below the first one"};
constexpr std::array depth_only{depth_parameter};
constexpr std::array length{GeneratorParameter{"depth", "3", "edges in the row"}};
constexpr std::array diamonds{GeneratorParameter{"depth", "3", "diamonds in the row"}};
constexpr std::array rounds_and_width{GeneratorParameter{"depth", "1", "forks in the row"},
                                      GeneratorParameter{"width", "3", "parallel tasks of a fork"}};
constexpr std::array depth_and_width{depth_parameter, GeneratorParameter{"width", "3", "tasks in a layer"}};
constexpr std::array matrix_size{GeneratorParameter{"size", "5", "rows and columns of the matrix"}};
constexpr std::array block_count{GeneratorParameter{"size", "4", "blocks of columns"}};
constexpr std::array grid_size{GeneratorParameter{"size", "4", "points on a side of the grid"}};
constexpr std::array bodies{GeneratorParameter{"size", "4", "groups of bodies on the ring"},
                            GeneratorParameter{"steps", "1", "time steps"}};
constexpr std::array block_grid{GeneratorParameter{"size", "4", "blocks on a side of the grid"},
                                GeneratorParameter{"steps", "4", "sweeps"}};
constexpr std::array body_groups{GeneratorParameter{"size", "4", "groups of bodies"},
                                 GeneratorParameter{"steps", "3", "time steps"}};
constexpr std::array recursion{GeneratorParameter{"depth", "1", "levels of recursion"}};
constexpr std::array layered_parameters{
    GeneratorParameter{"tasks", "100", "number of tasks"},
    GeneratorParameter{"width", "0.5",
                       "mean tasks per layer, as the exponent of tasks: 0 is a chain, 1 one layer"},
    GeneratorParameter{"regularity", "0.9", "similarity of the layers in size, 0 to 1"},
    GeneratorParameter{"density", "0.5", "share of the layer above that a task may depend on, 0 to 1"},
    GeneratorParameter{"degree", "", "instead of density: predecessors of each task below the first layer"},
    GeneratorParameter{"jump", "1", "largest number of layers that an edge spans"}};

Topology layered_from(const Arguments& arguments) {
  return layered_topology({.tasks = arguments.integer("tasks", 1),
                           .width = arguments.number("width", 1),
                           .regularity = arguments.number("regularity", 1),
                           .density = arguments.number("density", 1),
                           .degree = arguments.text("degree").empty()
                                         ? std::nullopt
                                         : std::optional(arguments.integer("degree", 1)),
                           .jump = arguments.integer("jump", 1),
                           .seed = arguments.integer("seed", 0)});
}

/// The only table of generators, used by help, validation and tests.
constexpr auto table = std::to_array<Generator>({
    {"chain", "tasks in a row", length,
     [](const Arguments& a) { return chain_topology(a.integer("depth", 0)); }},
    {"fork_join", "a task, parallel tasks, a task, and so on", rounds_and_width,
     [](const Arguments& a) { return fork_join_topology(a.integer("depth", 0), a.integer("width", 1)); }},
    {"diamond", "fork and join of two, in a row", diamonds,
     [](const Arguments& a) { return diamond_topology(a.integer("depth", 0)); }},
    {"send_tree", "binary tree from the root to the leaves", depth_only,
     [](const Arguments& a) { return send_tree_topology(a.integer("depth", 0)); }},
    {"receive_tree", "binary tree from the leaves to the root", depth_only,
     [](const Arguments& a) { return receive_tree_topology(a.integer("depth", 0)); }},
    {"fft", "butterfly of the fast Fourier transform over 2^depth points", depth_only,
     [](const Arguments& a) { return fft_topology(a.integer("depth", 0)); }},
    {"inverse_fft", "the butterfly reversed", depth_only,
     [](const Arguments& a) { return inverse_fft_topology(a.integer("depth", 0)); }},
    {"casch_fft", "the FFT program of CASCH over 2^depth columns, with its sections as data", depth_only,
     [](const Arguments& a) { return casch_fft_topology(a.integer("depth", 0)); }},
    {"casch_gauss", "Gaussian elimination by blocks as a program of CASCH, with its sections as data",
     block_count, [](const Arguments& a) { return casch_gauss_topology(a.integer("size", 1)); }},
    {"casch_laplace", "Laplace's equation by blocks in place as a program of CASCH", block_grid,
     [](const Arguments& a) { return casch_laplace_topology(a.integer("size", 1), a.integer("steps", 1)); }},
    {"casch_nbody", "forces of all pairs of groups of bodies as a program of CASCH", body_groups,
     [](const Arguments& a) { return casch_nbody_topology(a.integer("size", 1), a.integer("steps", 1)); }},
    {"wave", "layers in which each task feeds its neighbours below", depth_and_width,
     [](const Arguments& a) { return wave_topology(a.integer("depth", 0), a.integer("width", 1)); }},
    {"gauss", "Gaussian elimination by columns", matrix_size,
     [](const Arguments& a) { return gauss_topology(a.integer("size", 2)); }},
    {"laplace", "Gauss-Seidel sweep of Laplace's equation over a grid", grid_size,
     [](const Arguments& a) { return laplace_topology(a.integer("size", 1)); }},
    {"nbody", "forces of all pairs, groups of bodies travelling round a ring", bodies,
     [](const Arguments& a) { return nbody_topology(a.integer("size", 1), a.integer("steps", 1)); }},
    {"strassen", "Strassen's matrix multiplication", recursion,
     [](const Arguments& a) { return strassen_topology(a.integer("depth", 0)); }},
    {"layered", "random layers in the style of daggen", layered_parameters, layered_from},
});

constexpr std::array weights{
    GeneratorParameter{"cost", "1", "work of a task: one value, min..max at random, or one per task, 3/1/4"},
    GeneratorParameter{"data", "1", "size of an edge's data: one value, min..max at random, or one per edge"},
    GeneratorParameter{"ccr", "",
                       "instead of data: random sizes whose mean is ccr times the tasks' mean work"},
    GeneratorParameter{"seed", "1", "seed of all random values"},
    GeneratorParameter{"host", "0",
                       "1: a first task that distributes the data, and a last one that collects the results"},
    GeneratorParameter{"complexity", "",
                       "instead of cost and data, tasks on d doubles: linear, log, matrix or mixed"},
    GeneratorParameter{"alpha", "", "serial part of moldable tasks: one value, or min..max at random"},
    GeneratorParameter{"alike", "0", "1: complexity and alpha per layer, not per task"},
    GeneratorParameter{"shared", "0",
                       "1: each task has one result for all successors, of its largest edge's size"},
    GeneratorParameter{"stateless", "0",
                       "1: stateless tasks, which may run each frame on another processor"}};

/// Streams of the seed, one per use: a change of the costs leaves the sizes unchanged.
constexpr std::uint32_t cost_stream = 1, data_stream = 2, complexity_stream = 3, alpha_stream = 4;

// ---- reading the text ----

const Generator* find_generator(std::string_view name) {
  auto found = std::find_if(table.begin(), table.end(), [&](const Generator& g) { return g.name == name; });
  return found == table.end() ? nullptr : &*found;
}

std::string_view name_part(std::string_view text) {
  return text.substr(0, text.find(':'));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// Returns the generator's and the common parameters: the defaults, overridden by the text.
Arguments read_arguments(const Generator& generator, std::string_view text) {
  std::map<std::string_view, std::string_view> values;
  std::vector<std::string_view> known;
  for (const auto& parameters : {generator.parameters, weight_parameters()})
    for (const GeneratorParameter& parameter : parameters) {
      values[parameter.name] = parameter.fallback;
      known.push_back(parameter.name);
    }
  std::set<std::string_view> written;
  if (!text.empty())
    for (std::string_view part : split(text, ',')) {
      const std::size_t equals = part.find('=');
      const std::string_view name = part.substr(0, equals);
      if (!values.contains(name))
        throw ConfigError(unknown_name(fmt::format("parameter of {}", generator.name), name, known));
      if (equals == std::string_view::npos || equals + 1 == part.size())
        throw ConfigError(fmt::format("'{}' needs a value, for example {}=1", part, name));
      if (!written.insert(name).second) throw ConfigError(fmt::format("'{}' is given twice", name));
      values[name] = part.substr(equals + 1);
    }
  if (written.contains("ccr") && written.contains("data"))
    throw ConfigError("'ccr' and 'data' both set the sizes: expected one of them");
  for (const std::string_view other : {"cost", "data", "ccr"})
    if (written.contains("complexity") && written.contains(other))
      throw ConfigError(
          fmt::format("'complexity' and '{}' both set work or sizes: expected one of them", other));
  return Arguments(std::move(values));
}

/// Returns `count` values: one for all, `least..most` at random, or `a/b/c`, one each.
template <class Parse>
std::vector<std::int64_t> read_values(const Arguments& arguments, std::string_view name, std::size_t count,
                                      std::string_view owners, std::uint32_t stream, Parse parse) {
  const std::string_view text = arguments.text(name);
  const auto value_of = [&](std::string_view part) {
    try {
      return parse(part);
    } catch (const ConfigError&) {
      arguments.refuse(name, "one value, min..max, or values with / between them");
    }
  };
  if (const std::size_t dots = text.find(".."); dots != std::string_view::npos) {
    const std::int64_t least = value_of(text.substr(0, dots)), most = value_of(text.substr(dots + 2));
    if (least > most) arguments.refuse(name, "min..max with min not above max");
    Random random(arguments.integer("seed", 0), stream);
    std::vector<std::int64_t> values(count);
    for (std::int64_t& value : values) value = random.between(least, most);
    return values;
  }
  if (text.find('/') == std::string_view::npos) return std::vector<std::int64_t>(count, value_of(text));
  std::vector<std::int64_t> values;
  for (std::string_view part : split(text, '/')) values.push_back(value_of(part));
  if (values.size() != count)
    arguments.refuse(name,
                     fmt::format("{} values, one for each of the {}, not {}", count, owners, values.size()));
  return values;
}

std::int64_t parse_work(std::string_view text) {
  return parse_time(text).count();
}
std::int64_t parse_size(std::string_view text) {
  return static_cast<std::int64_t>(parse_bytes(text).count);
}

std::vector<std::int64_t> read_sizes(const Arguments& arguments, std::size_t edge_count,
                                     const std::vector<std::int64_t>& costs) {
  if (arguments.text("ccr").empty())
    return read_values(arguments, "data", edge_count, "edges", data_stream, parse_size);
  const double ratio = arguments.number("ccr", 1e6);
  double sum = 0;
  for (std::int64_t cost : costs) sum += static_cast<double>(cost);
  const double most = std::min(2 * ratio * sum / static_cast<double>(costs.size()), 1e15);
  Random random(arguments.integer("seed", 0), data_stream);
  std::vector<std::int64_t> sizes(edge_count);
  for (std::int64_t& size : sizes) size = random.between(0, std::llround(most));
  return sizes;
}

/// The group of each task for draws of complexity and alpha: its own, or that of its layer.
struct DrawGroups {
  std::vector<std::size_t> of_task;
  std::size_t count = 0;
};

DrawGroups draw_groups(const Arguments& arguments, const Topology& topology) {
  DrawGroups groups{std::vector<std::size_t>(topology.task_count, 0), topology.task_count};
  if (!arguments.truth("alike")) {
    std::iota(groups.of_task.begin(), groups.of_task.end(), std::size_t{0});
    return groups;
  }
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < topology.task_count; ++i) builder.add_task({fmt::format_int(i).str()});
  for (const auto& arc : topology.arcs) builder.add_edge(TaskId(arc.from), TaskId(arc.to), Bytes{1});
  const TaskGraph graph = std::move(builder).build();
  for (TaskId task : graph.topological_order())
    for (EdgeId edge : graph.in_edges(task))
      groups.of_task[task.index()] =
          std::max(groups.of_task[task.index()], groups.of_task[graph.edge(edge).from.index()] + 1);
  return groups;
}

/// Work of the tasks and sizes of the edges.
struct Loads {
  std::vector<std::int64_t> costs;
  std::vector<std::int64_t> sizes;
};

/// Returns the loads in the text, or those of data-parallel tasks on d doubles.
Loads read_loads(const Arguments& arguments, const Topology& topology, const DrawGroups& groups) {
  if (arguments.text("complexity").empty()) {
    Loads loads{read_values(arguments, "cost", topology.task_count, "tasks", cost_stream, parse_work), {}};
    loads.sizes = read_sizes(arguments, topology.arcs.size(), loads.costs);
    return loads;
  }
  const std::optional<Complexity> complexity = complexity_named(arguments.text("complexity"));
  if (!complexity) arguments.refuse("complexity", "linear, log, matrix or mixed");
  Random random(arguments.integer("seed", 0), complexity_stream);
  std::vector<DataParallelTask> drawn;
  for (std::size_t i = 0; i < groups.count; ++i) drawn.push_back(draw_task(*complexity, random));
  Loads loads;
  for (std::size_t group : groups.of_task) loads.costs.push_back(drawn[group].operations);
  for (const auto& arc : topology.arcs) loads.sizes.push_back(drawn[groups.of_task[arc.from]].bytes);
  return loads;
}

std::vector<Boxed<MoldableProfile>> read_profiles(const Arguments& arguments, const DrawGroups& groups) {
  std::vector<Boxed<MoldableProfile>> profiles(groups.of_task.size());
  const std::string_view text = arguments.text("alpha");
  if (text.empty()) return profiles;
  const auto value_of = [&](std::string_view part) {
    double value = 0;
    const auto [rest, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc{} || rest != part.data() + part.size() || !(value >= 0 && value <= 1))
      arguments.refuse("alpha", "a number from 0 to 1, or min..max");
    return value;
  };
  const std::size_t dots = text.find("..");
  const double least = value_of(text.substr(0, dots));
  const double most = dots == std::string_view::npos ? least : value_of(text.substr(dots + 2));
  if (least > most) arguments.refuse("alpha", "min..max with min not above max");
  Random random(arguments.integer("seed", 0), alpha_stream);
  std::vector<double> drawn(groups.count);
  for (double& alpha : drawn) alpha = least + (most - least) * random.unit();
  for (std::size_t i = 0; i < profiles.size(); ++i)
    profiles[i] = MoldableProfile{drawn[groups.of_task[i]], {}};
  return profiles;
}

/// Adds one datum per task with successors, of the largest of its edges' sizes, and edges that carry it.
void add_shared_results(TaskGraphBuilder& builder, const Topology& topology,
                        const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> largest(topology.task_count, -1);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    largest[topology.arcs[i].from] = std::max(largest[topology.arcs[i].from], sizes[i]);
  std::vector<std::optional<DatumId>> results(topology.task_count);
  for (std::size_t i = 0; i < largest.size(); ++i)
    if (largest[i] >= 0)
      results[i] = builder.add_datum(TaskId(i), Bytes{static_cast<std::uint64_t>(largest[i])});
  for (const auto& arc : topology.arcs) builder.add_edge(*results[arc.from], TaskId(arc.to));
}

/// Adds the data of a topology that says which arcs carry which, in the order of their first arcs; each has
/// the largest of its arcs' sizes.
void add_data(TaskGraphBuilder& builder, const Topology& topology, const std::vector<std::int64_t>& sizes) {
  std::map<std::size_t, std::size_t> places;
  std::vector<std::vector<std::size_t>> arcs_of;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto [place, is_new] = places.try_emplace(topology.datum_of[i], arcs_of.size());
    if (is_new) arcs_of.emplace_back();
    arcs_of[place->second].push_back(i);
  }
  for (const std::vector<std::size_t>& arcs : arcs_of) {
    std::int64_t size = 0;
    for (const std::size_t i : arcs) size = std::max(size, sizes[i]);
    const DatumId datum =
        builder.add_datum(TaskId(topology.arcs[arcs.front()].from), Bytes{static_cast<std::uint64_t>(size)});
    for (const std::size_t i : arcs) builder.add_edge(datum, TaskId(topology.arcs[i].to));
  }
}

TaskGraph build(const Generator& generator, std::string_view parameters) {
  const Arguments arguments = read_arguments(generator, parameters);
  const bool stateless = arguments.truth("stateless"), has_host = arguments.truth("host");
  Topology topology = generator.topology(arguments);
  if (has_host) topology = with_host(topology);
  const DrawGroups groups = draw_groups(arguments, topology);
  const Loads loads = read_loads(arguments, topology, groups);
  const std::vector<Boxed<MoldableProfile>> profiles = read_profiles(arguments, groups);
  const auto& [costs, sizes] = loads;

  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < costs.size(); ++i)
    builder.add_task({fmt::format_int(i).str(), Time(costs[i]), stateless, profiles[i]});
  if (arguments.truth("shared"))
    add_shared_results(builder, topology, sizes);
  else if (!topology.datum_of.empty())
    add_data(builder, topology, sizes);
  else
    for (std::size_t i = 0; i < sizes.size(); ++i)
      builder.add_edge(TaskId(topology.arcs[i].from), TaskId(topology.arcs[i].to),
                       Bytes{static_cast<std::uint64_t>(sizes[i])});
  return std::move(builder).build();
}

}  // namespace

void GeneratorArguments::refuse(std::string_view name, std::string_view expected) const {
  throw ConfigError(fmt::format("{}={}: expected {}", name, text(name), expected));
}

std::uint64_t GeneratorArguments::integer(std::string_view name, std::uint64_t least) const {
  const std::string_view written = text(name);
  std::uint64_t value = 0;
  const auto [rest, error] = std::from_chars(written.data(), written.data() + written.size(), value);
  if (error != std::errc{} || rest != written.data() + written.size() || value < least)
    refuse(name, fmt::format("a whole number of at least {}", least));
  return value;
}

bool GeneratorArguments::truth(std::string_view name) const {
  if (text(name) != "0" && text(name) != "1") refuse(name, "0 or 1");
  return text(name) == "1";
}

double GeneratorArguments::number(std::string_view name, double most) const {
  const std::string_view written = text(name);
  double value = 0;
  const auto [rest, error] = std::from_chars(written.data(), written.data() + written.size(), value);
  if (error != std::errc{} || rest != written.data() + written.size() || !(value >= 0 && value <= most))
    refuse(name, fmt::format("a number from 0 to {}", most));
  return value;
}

std::span<const Generator> all_generators() {
  return table;
}

std::span<const GeneratorParameter> weight_parameters() {
  return weights;
}

bool names_generator(std::string_view text) {
  return find_generator(name_part(text)) != nullptr;
}

TaskGraph generate(std::string_view text) {
  const std::string_view name = name_part(text);
  const Generator* generator = find_generator(name);
  if (generator == nullptr) {
    std::vector<std::string_view> known;
    for (const Generator& each : table) known.push_back(each.name);
    throw ConfigError(unknown_name("graph generator", name, known));
  }
  try {
    return build(*generator, text.substr(std::min(name.size() + 1, text.size())));
  } catch (const ConfigError& error) {
    constexpr std::size_t shown = 60;
    throw ConfigError(
        fmt::format("{}{}: {}", text.substr(0, shown), text.size() > shown ? "..." : "", error.what()));
  }
}

}  // namespace takt
