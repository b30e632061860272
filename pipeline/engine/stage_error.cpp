#include "pipeline/engine/stage_error.hpp"

#include "core/error.hpp"
#include "pipeline/exception_text.hpp"

namespace takt::pipeline {

void throw_of_stage(std::size_t stage) {
  try {
    throw;
  } catch (const ConfigError& error) {
    throw StageError(stage, error.what(), true);
  } catch (const std::exception& error) {
    throw StageError(stage, exception_text(error));
  } catch (...) {
    throw StageError(stage, "threw an exception of unknown type");
  }
}

}  // namespace takt::pipeline
