#include "pipeline/parameters.hpp"
namespace takt::pipeline {
std::string_view name_of(ParameterType) { return {}; }
}  // namespace takt::pipeline
