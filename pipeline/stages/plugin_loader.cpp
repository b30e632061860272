#include <string>
#include <string_view>

#include <dlfcn.h>
#include <fmt/format.h>

#include "pipeline/c_program/register_calls.hpp"
#include "pipeline/kernel.hpp"

namespace takt::pipeline {

namespace {

template <class Pointer>
Pointer symbol(void* library, const char* name) {
  return reinterpret_cast<Pointer>(::dlsym(library, name));
}

/// Explains missing symbols: a plug-in must be linked with takt.
std::string_view advice_on(std::string_view reason) {
  const bool lacks_ours = reason.find("undefined symbol: _ZN4takt") != std::string_view::npos ||
                          reason.find("undefined symbol: _ZNK4takt") != std::string_view::npos ||
                          reason.find("undefined symbol: _ZTIN4takt") != std::string_view::npos;
  return lacks_ours ? "; link it with takt::plugin (docs/reference/plugins.md)" : "";
}

}  // namespace

void KernelRegistry::load_plugin(const std::string& path) {
  // dlopen searches a path without a slash in the system's directories, never in the working directory.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const std::string reason = ::dlerror();
    throw ConfigError(fmt::format("cannot load the plug-in '{}': {}{}", path, reason, advice_on(reason)));
  }

  if (const auto* const program = symbol<const takt_program*>(library, "takt_calls"))
    return register_calls(*this, file, *program);
  const auto* const interface = symbol<const unsigned*>(library, "takt_kernel_interface");
  const auto register_kernels = symbol<void (*)(KernelRegistry&)>(library, "takt_register_kernels");
  if (register_kernels == nullptr)
    throw ConfigError(fmt::format("'{}' is not a plug-in: it does not export takt_register_kernels", path));
  if (interface == nullptr || *interface != takt_kernel_interface)
    throw ConfigError(
        fmt::format("the plug-in '{}' was built against kernel interface {}, this program has {}: rebuild it",
                    path, interface == nullptr ? 0 : *interface, takt_kernel_interface));
  register_kernels(*this);
}

}  // namespace takt::pipeline
