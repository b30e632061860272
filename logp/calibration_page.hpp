#pragma once
/// What a calibration measured, beside what was concluded from it.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/pictures/page.hpp"

namespace takt::logp {

/// Facts and pictures of the part `calibration` of a machine file (logp/calibration/calibration_text.hpp): of
/// each link the fitted lines by size with the measured points beside them, the trials against their
/// predictions, the fits with their intervals, the ranks. What a file lacks, as those written by earlier
/// versions lack the points, is left out. O(points + trials).
struct CalibrationPage {
  std::string says;
  std::vector<PageFact> facts;
  std::vector<View> views;
};
[[nodiscard]] CalibrationPage calibration_page(const nlohmann::ordered_json& calibration);

}  // namespace takt::logp
