#include "pipeline/config/devices.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/units.hpp"
#include "pipeline/config/place_keys.hpp"
#include "pipeline/config/stage_reader.hpp"
#include "pipeline/config/written_parameters.hpp"

namespace takt::pipeline {

namespace {

constexpr std::string_view device_example = "expected {tasks: [spectra, beams], units: 2}";
constexpr std::size_t most_units = 1024;

std::string owner_of(std::string_view device) {
  return fmt::format("'deployment': device '{}'", device);
}

/// Returns the bytes/s of a key; nothing for an empty text.
std::optional<double> speed_of(const Parameters& values, std::string_view key) {
  const std::string text = values.text(key);
  constexpr std::string_view unit = "/s";
  if (text.empty()) return std::nullopt;
  try {
    if (text.ends_with(unit))
      if (const Bytes bytes = parse_bytes(std::string_view(text).substr(0, text.size() - unit.size()));
          bytes.count > 0)
        return static_cast<double>(bytes.count);
  } catch (const ConfigError&) {
    // The message below names the right form.
  }
  values.refuse(key,
                fmt::format("'{}' is not a speed: expected bytes per second above 0, such as 12 GB/s", text));
}

NamedDevice device_of(const YamlNode& name, const YamlNode& node, const Parameters& values) {
  NamedDevice device{.name = std::string(name.text()),
                     .to = speed_of(values, "to"),
                     .from = speed_of(values, "from"),
                     .host = values.text("host"),
                     .where = name.where()};
  if (node["units"]) device.units = static_cast<std::size_t>(values.integer("units"));
  device.rank = number_of(values, "rank", "the number of a rank, from 0 on");
  if (device.rank && !device.host.empty())
    values.refuse("host", "a rank has its host: expected 'rank' or 'host'");
  const YamlNode tasks = node["tasks"];
  if (tasks && tasks.is_list())
    for (const YamlNode& task : tasks) device.tasks.push_back({std::string(task.text()), task.where()});
  else if (tasks)
    device.tasks.push_back({std::string(tasks.text()), tasks.where()});
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

/// Assigns the tasks that the file lists.
void assign_listed(Pipeline& pipeline, ErrorList& errors) {
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

/// Assigns the other tasks whose kernels name a device.
void assign_by_kernels(Pipeline& pipeline, ErrorList& errors) {
  std::vector<NamedDevice>& devices = pipeline.deployment.devices;
  for (Stage& stage : pipeline.stages) {
    if (stage.device || !stage.kernel_device) continue;
    auto device = std::ranges::find(devices, stage.kernel_device->name, &NamedDevice::name);
    if (device == devices.end())
      device = devices.insert(device, NamedDevice{.name = stage.kernel_device->name, .where = stage.where});
    stage.device = static_cast<std::size_t>(device - devices.begin());
    device->tasks.push_back({stage.name, stage.where});
    set_place(*device, stage.where, stage, errors);
  }
}

/// Sets a value that the file does not state to that of the kernels, whose `0` is unknown.
template <class Value>
void fill_in(const Pipeline& pipeline, const NamedDevice& device, std::size_t number, std::string_view key,
             Value KernelDevice::*of_kernel, std::optional<Value>& value, ErrorList& errors) {
  if (value) return;
  const Stage* first = nullptr;
  for (const Stage& stage : pipeline.stages) {
    if (stage.device != number || !stage.kernel_device) continue;
    const Value own = (*stage.kernel_device).*of_kernel;
    if (own == Value{}) continue;
    if (first == nullptr) {
      first = &stage;
      value = own;
    } else if (own != *value) {
      errors.add(stage.where,
                 fmt::format("task '{}': its kernel states '{}: {}' of device '{}', that of task '{}' {}: "
                             "expected the same, or '{}' of the device in 'deployment': 'devices'",
                             stage.name, key, own, device.name, first->name, *value, key));
    }
  }
}

}  // namespace

const std::vector<ParameterSpec>& device_keys() {
  static const std::vector<ParameterSpec> specification{
      {.name = "tasks",
       .type = ParameterType::texts,
       .fallback = "",
       .help = "asynchronous tasks that work on the device, besides those whose kernels name it"},
      {.name = "units",
       .type = ParameterType::integer,
       .fallback = "1",
       .help = "frames on which it works at once; not stated: as kernels that name it state",
       .minimum = 1,
       .maximum = most_units},
      {.name = "to",
       .fallback = "",
       .help = "speed of its link from the memory of the rank, such as 12 GB/s; empty: as kernels state, or "
               "no link of its own"},
      {.name = "from", .fallback = "", .help = "speed of its link back"},
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

void check_device(const KernelDevice& device, std::string_view kernel) {
  const auto refuse = [&](std::string_view what) {
    throw ConfigError(fmt::format("kernel {} names the device '{}' {}", kernel, device.name, what));
  };
  if (!is_name(device.name)) refuse("whose name is not valid: expected letters, digits, _ and -");
  if (device.units < 1 || device.units > most_units)
    refuse(fmt::format("with {} units: expected 1 to {}", device.units, most_units));
  for (const double speed : {device.to, device.from})
    if (!std::isfinite(speed) || speed < 0)
      refuse(
          fmt::format("with a link of {} bytes/s: expected a speed above 0, or 0 if it is unknown", speed));
}

void assign_devices(Pipeline& pipeline, ErrorList& errors) {
  assign_listed(pipeline, errors);
  assign_by_kernels(pipeline, errors);
  std::set<std::string_view> names;
  for (const Stage& stage : pipeline.stages)
    if (stage.kernel_device) names.insert(stage.kernel_device->name);
  for (std::size_t i = 0; i < pipeline.deployment.devices.size(); ++i) {
    NamedDevice& device = pipeline.deployment.devices[i];
    if (device.tasks.empty())
      errors.add(device.where, fmt::format("{}: it has no task: expected 'tasks'{}{}", owner_of(device.name),
                                           names.empty() ? "" : ", or a device that a kernel names: ",
                                           fmt::join(names, ", ")));
    fill_in(pipeline, device, i, "units", &KernelDevice::units, device.units, errors);
    fill_in(pipeline, device, i, "to", &KernelDevice::to, device.to, errors);
    fill_in(pipeline, device, i, "from", &KernelDevice::from, device.from, errors);
  }
}

}  // namespace takt::pipeline
