#pragma once
/// Reads the devices on which asynchronous tasks work: `deployment: devices`.

#include <string_view>
#include <vector>

#include "core/formats/yaml_tree.hpp"
#include "pipeline/config/named_device.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/parameters.hpp"

namespace takt::pipeline {

/// Returns the keys of one device.
[[nodiscard]] const std::vector<ParameterSpec>& device_keys();
/// Reads `devices: {gpu0: {tasks: [spectra, beams], units: 2}}` of a deployment, if present.
[[nodiscard]] std::vector<NamedDevice> read_devices(const YamlNode& deployment, ErrorList& errors);

/// Throws ConfigError if a device that a kernel of this type names is not valid.
void check_device(const KernelDevice& device, std::string_view kernel);

/// Gives the stages their devices (Stage::device), and their places on the devices' ranks or hosts. A task is
/// on the device that lists it, otherwise on that which its kernel names, with the file's units and links or,
/// where the file states none, those of the kernels. Reports tasks that are unknown, not asynchronous, or on
/// two devices, devices without a task, and kernels that contradict each other.
void assign_devices(Pipeline& pipeline, ErrorList& errors);

}  // namespace takt::pipeline
