#include "pipeline/costs/nameless_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.hpp"

namespace takt::pipeline {

NamelessFile::NamelessFile()
    : descriptor_(
          ::open(std::filesystem::temp_directory_path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)) {
  if (descriptor_ < 0) descriptor_ = ::memfd_create("takt-trial", MFD_CLOEXEC);
  if (descriptor_ < 0) throw WorkError(fmt::format("cannot make a temporary file: {}", std::strerror(errno)));
}

NamelessFile::~NamelessFile() {
  ::close(descriptor_);
}

std::string NamelessFile::path() const {
  return fmt::format("/proc/self/fd/{}", descriptor_);
}

}  // namespace takt::pipeline
