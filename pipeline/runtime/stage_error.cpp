#include "pipeline/runtime/stage_error.hpp"

#include <new>
#include <optional>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/available_memory.hpp"
#include "pipeline/exception_text.hpp"

namespace takt::pipeline {

void throw_of_stage(std::size_t stage) {
  try {
    throw;
  } catch (const ConfigError& error) {
    throw StageError(stage, exception_text(error), true);
  } catch (const std::bad_alloc&) {
    const std::optional<Bytes> held = resident_memory();
    throw StageError(stage, fmt::format("out of memory{}: any task of its rank may use too much",
                                        held ? " where the rank holds " + takt::to_string(*held) : ""));
  } catch (const std::exception& error) {
    throw StageError(stage, exception_text(error));
  } catch (...) {
    throw StageError(stage, "threw an exception of unknown type");
  }
}

}  // namespace takt::pipeline
