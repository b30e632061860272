#pragma once
/// Reads the devices on which asynchronous tasks work: `deployment: devices`.

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

/// Gives the stages their devices (Stage::device), and their places on the devices' ranks or hosts. Reports
/// tasks that are unknown, not asynchronous, or on two devices.
void assign_devices(Pipeline& pipeline, ErrorList& errors);

}  // namespace takt::pipeline
