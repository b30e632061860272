#include "pipeline/config/place_keys.hpp"

#include <charconv>

#include <fmt/format.h>

#include "pipeline/config/written_parameters.hpp"

namespace takt::pipeline {

namespace {

constexpr const char* interface_word = "interface";

Place place_of(const Parameters& values, const SourceLocation& where, StageKind kind) {
  Place place{.host = values.text("host"), .where = where};
  place.rank = number_of(values, "rank", "the number of a rank, from 0 on");
  place.core = number_of(values, "core", "the number of a processor, from 0 on");
  place.is_at_interface = values.text("numa") == interface_word;
  if (place.is_at_interface && kind != StageKind::source)
    values.refuse("numa", "only a source has a network interface");
  if (!place.is_at_interface)
    place.numa = number_of(
        values, "numa",
        kind == StageKind::source ? "the number of a NUMA node, or interface" : "the number of a NUMA node");
  place.type = values.text("type");
  if (place.core && !place.type.empty())
    values.refuse("type", "a core has its type: expected 'core' or 'type'");
  if (place.core && (place.numa || place.is_at_interface))
    values.refuse("numa", "a core has its NUMA node: expected 'core' or 'numa'");
  return place;
}

}  // namespace

std::optional<std::size_t> number_of(const Parameters& values, std::string_view key,
                                     std::string_view expected) {
  const std::string text = values.text(key);
  if (text.empty()) return std::nullopt;
  constexpr std::size_t most = 65535;
  std::size_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || rest != text.data() + text.size() || number > most)
    values.refuse(key, fmt::format("expected {}, got '{}'", expected, text));
  return number;
}

const std::vector<ParameterSpec>& place_keys() {
  static const std::vector<ParameterSpec> specification{
      {.name = "rank", .fallback = "", .help = "number of the rank"},
      {.name = "host", .fallback = "", .help = "name of the host"},
      {.name = "core", .fallback = "", .help = "number of the processor, to which its rank is bound"},
      {.name = "numa",
       .fallback = "",
       .help = "number of the NUMA node to which its rank is bound; of a source also `interface`: that of "
               "its network interface"},
      {.name = "type", .fallback = "", .help = "type of the cores to which its rank is bound: `IntelAtom`"}};
  return specification;
}

void read_place(const YamlNode& stage, const std::filesystem::path& folder, Draft& draft, ErrorList& errors) {
  const YamlNode node = stage["place"];
  if (!node) return;
  const std::string owner = fmt::format("{}: 'place'", draft.title());
  if (!node.is_mapping() || node.size() == 0)
    return errors.add(node.where(),
                      fmt::format("{} must be a mapping such as {{host: node1, core: 3}}, not {}", owner,
                                  node.is_mapping() ? "an empty one" : describe(node.kind())));
  const std::optional<Parameters> values =
      read_parameters(node, place_keys(), {}, folder, node.where(), owner, errors);
  if (values) errors.attempt([&] { draft.place = place_of(*values, node.where(), draft.kind); });
}

}  // namespace takt::pipeline
