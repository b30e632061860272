#pragma once
/// Page of a calibration: its measurements next to the fits.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/pictures/page.hpp"

namespace takt::pipeline {

/// Facts and pictures of the part `calibration` of a machine file (logp/calibration/calibration_text.hpp):
/// for each link the fitted lines by size with the measured points, the trials with their predictions, the
/// fits with their intervals, the ranks. Missing content, such as the points in files of earlier versions, is
/// left out. O(points + trials).
struct CalibrationPage {
  std::string says;
  std::vector<PageFact> facts;
  std::vector<View> views;
};
[[nodiscard]] CalibrationPage calibration_page(const nlohmann::ordered_json& calibration);

}  // namespace takt::pipeline
