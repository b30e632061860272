#include "pipeline/config/written_parameters.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace takt::pipeline {

namespace {

bool is_input_path(const std::vector<ParameterSpec>& specification, std::string_view name) {
  const auto spec = std::ranges::find(specification, name, &ParameterSpec::name);
  return spec != specification.end() && is_input(spec->type);
}

/// Returns the value's texts; nothing if it is neither a text nor a list of texts.
std::optional<std::vector<std::string>> texts_of(const YamlNode& node) {
  if (node.is_text()) return std::vector{std::string(node.text())};
  if (!node.is_list()) return std::nullopt;
  std::vector<std::string> texts;
  for (const YamlNode& item : node) {
    if (!item.is_text()) return std::nullopt;
    texts.emplace_back(item.text());
  }
  return texts;
}

std::string resolve(const std::string& path, const std::filesystem::path& folder) {
  return path.empty() ? path : (folder / path).lexically_normal().string();
}

}  // namespace

std::string input_path(const YamlNode& node, const std::filesystem::path& folder) {
  std::string path(node.text());
  return node.is_override() ? path : resolve(path, folder);
}

std::optional<Parameters> read_parameters(const YamlNode& map,
                                          const std::vector<ParameterSpec>& specification,
                                          std::span<const std::string_view> own_keys,
                                          const std::filesystem::path& folder, const SourceLocation& where,
                                          const std::string& owner, ErrorList& errors) {
  const std::size_t errors_before = errors.messages().size();
  std::map<std::string, Parameters::Value> written;
  // Unreadable parameters are excluded: they are not missing.
  std::vector<ParameterSpec> readable = specification;
  for (const auto& [key_node, value] : map.pairs()) {
    const std::string key(key_node.text());
    if (std::ranges::find(own_keys, key) != own_keys.end()) continue;
    auto texts = texts_of(value);
    if (!texts) {
      errors.add(value.where(),
                 fmt::format("{}: parameter '{}' must be a value or a list of values, not {}", owner, key,
                             value.is_list() ? "a list of lists or mappings" : describe(value.kind())));
      std::erase_if(readable, [&](const ParameterSpec& spec) { return spec.name == key; });
      continue;
    }
    if (is_input_path(specification, key) && !value.is_override())
      for (std::string& text : *texts) text = resolve(text, folder);
    written.emplace(key,
                    Parameters::Value{std::move(*texts), value.is_list(), value.where(), key_node.where()});
  }
  Parameters result(readable, std::move(written), where, errors, owner);
  if (errors.messages().size() != errors_before) return std::nullopt;
  return result;
}

}  // namespace takt::pipeline
