#pragma once
/// Which of a source's or sink's options is wrong.

#include <string>
#include <utility>

#include "core/error.hpp"

namespace takt::sensors {

/// A ConfigError that names the option, by its name in a pipeline file; who reads such a file adds the place.
class OptionError : public ConfigError {
 public:
  OptionError(std::string option, const std::string& message)
      : ConfigError(message), option_(std::move(option)) {}
  [[nodiscard]] const std::string& option() const { return option_; }

 private:
  std::string option_;
};

}  // namespace takt::sensors
