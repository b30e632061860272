#pragma once
/// The error for an invalid option of a source or sink.

#include <string>
#include <utility>

#include "core/error.hpp"

namespace takt::sensors {

/// A ConfigError that names the option as a pipeline file does; the reader of the file adds the position.
class OptionError : public ConfigError {
 public:
  OptionError(std::string option, const std::string& message)
      : ConfigError(message), option_(std::move(option)) {}
  [[nodiscard]] const std::string& option() const { return option_; }

 private:
  std::string option_;
};

}  // namespace takt::sensors
