#include "pipeline/config/devices.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/error.hpp"
#include "pipeline/config/place_keys.hpp"
#include "pipeline/config/stage_reader.hpp"
#include "pipeline/config/written_parameters.hpp"

namespace takt::pipeline {

namespace {

constexpr std::string_view device_example = "expected {tasks: [spectra, beams], units: 2}";

std::string owner_of(std::string_view device) {
  return fmt::format("'deployment': device '{}'", device);
}

NamedDevice device_of(const YamlNode& name, const YamlNode& node, const Parameters& values) {
  NamedDevice device{.name = std::string(name.text()),
                     .tasks = {},
                     .units = static_cast<std::size_t>(values.integer("units")),
                     .host = values.text("host"),
                     .where = name.where()};
  device.rank = number_of(values, "rank", "the number of a rank, from 0 on");
  if (device.rank && !device.host.empty())
    values.refuse("host", "a rank has its host: expected 'rank' or 'host'");
  const YamlNode tasks = node["tasks"];
  if (tasks.is_list())
    for (const YamlNode& task : tasks) device.tasks.push_back({std::string(task.text()), task.where()});
  else
    device.tasks.push_back({std::string(tasks.text()), tasks.where()});
  if (device.tasks.empty()) values.refuse("tasks", "expected a task");
  return device;
}

void set_place(const NamedDevice& device, const SourceLocation& where, Stage& stage, ErrorList& errors) {
  if (!device.rank && device.host.empty()) return;
  if (stage.place && (stage.place->rank || !stage.place->host.empty()))
    return errors.add(where,
                      fmt::format("{}: task '{}' has a 'place' on a rank or host, too: the device gives it "
                                  "one",
                                  owner_of(device.name), stage.name));
  if (!stage.place) stage.place = Place{.where = device.where};
  stage.place->rank = device.rank;
  stage.place->host = device.host;
}

}  // namespace

const std::vector<ParameterSpec>& device_keys() {
  static const std::vector<ParameterSpec> specification{
      {.name = "tasks", .type = ParameterType::texts, .help = "asynchronous tasks that work on the device"},
      {.name = "units",
       .type = ParameterType::integer,
       .fallback = "1",
       .help = "frames on which it works at once",
       .minimum = 1,
       .maximum = 1024},
      {.name = "rank",
       .fallback = "",
       .help = "number of the rank that owns it, for a device of one process"},
      {.name = "host",
       .fallback = "",
       .help = "name of its host, for ranks on several: its tasks run on ranks there"}};
  return specification;
}

std::vector<NamedDevice> read_devices(const YamlNode& deployment, ErrorList& errors) {
  std::vector<NamedDevice> devices;
  const YamlNode node = deployment["devices"];
  if (!node) return devices;
  if (!node.is_mapping()) {
    errors.add(node.where(),
               fmt::format("'deployment': 'devices' must be a mapping from names to devices, not {}: "
                           "{}",
                           describe(node.kind()), device_example));
    return devices;
  }
  for (const YamlNode::Pair& pair : node.pairs()) {
    const YamlNode &name = pair.key, &device = pair.value;
    if (!is_name(name.text()))
      errors.add(name.where(),
                 fmt::format("'{}' is not a valid name: expected letters, digits, _ and -", name.text()));
    if (!device.is_mapping()) {
      errors.add(device.where(), fmt::format("{} must be a mapping, not {}: {}", owner_of(name.text()),
                                             describe(device.kind()), device_example));
      continue;
    }
    const std::optional<Parameters> values =
        read_parameters(device, device_keys(), {}, {}, name.where(), owner_of(name.text()), errors);
    if (values) errors.attempt([&] { devices.push_back(device_of(name, device, *values)); });
  }
  return devices;
}

void assign_devices(Pipeline& pipeline, ErrorList& errors) {
  const std::vector<NamedDevice>& devices = pipeline.deployment.devices;
  std::vector<std::string_view> names;
  for (const Stage& stage : pipeline.stages)
    if (stage.depth > 0) names.push_back(stage.name);
  for (std::size_t i = 0; i < devices.size(); ++i)
    for (const NamedDevice::TaskName& task : devices[i].tasks) {
      const std::string& name = task.name;
      const auto stage = std::ranges::find(pipeline.stages, name, &Stage::name);
      const auto refuse = [&](const std::string& why) {
        errors.add(task.where, fmt::format("{}: {}", owner_of(devices[i].name), why));
      };
      if (stage == pipeline.stages.end())
        refuse(unknown_name("asynchronous task", name, names));
      else if (stage->depth == 0)
        refuse(fmt::format("{} '{}' ({}) is not asynchronous: it works on its rank",
                           stage->kind == StageKind::kernel ? "task" : name_of(stage->kind), name,
                           stage->type));
      else if (stage->device)
        refuse(fmt::format("task '{}' is on device '{}' already", name, devices[*stage->device].name));
      else {
        stage->device = i;
        set_place(devices[i], task.where, *stage, errors);
      }
    }
}

}  // namespace takt::pipeline
