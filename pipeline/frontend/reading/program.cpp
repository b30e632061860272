#include "pipeline/frontend/reading/program.hpp"

namespace takt::frontend {

std::string Program::text_of(CallId id) const {
  const Call& call = calls[id.index()];
  std::string text = procedure(call).name + "(";
  for (const Argument& argument : call.arguments) {
    if (&argument != &call.arguments.front()) text += ", ";
    text += argument.text;
  }
  return text + ")";
}

}  // namespace takt::frontend
