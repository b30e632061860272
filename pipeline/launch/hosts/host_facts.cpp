#include "pipeline/launch/hosts/host_facts.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/formats/json.hpp"
#include "core/system/allowed_processors.hpp"
#include "core/system/available_memory.hpp"
#include "core/system/file_digest.hpp"
#include "core/system/host_name.hpp"

namespace takt::pipeline {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Interface, name, address, prefix)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WantedFile, path, is_compared)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostQuestion, folder, files, tries_mpi)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostFile, path, fault, digest)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostLimits, socket_buffer, locked_memory, open_files, free_memory,
                                   shared_memory, huge_pages, has_verbs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostFacts, host, version, program, mpi, system, processor, processors,
                                   folder_fault, interfaces, limits, files)

namespace {

namespace fs = std::filesystem;

std::string first_line(const char* path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

std::optional<std::uint64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (!(file >> number)) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> limit_of(int resource) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) return std::nullopt;
  return limit.rlim_cur;
}

/// Returns the word in brackets, as in `always [madvise] never`.
std::string chosen_word(const std::string& line) {
  const std::size_t open = line.find('['), close = line.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return line.substr(open + 1, close - open - 1);
}

HostLimits limits_of_this_host() {
  HostLimits limits{.socket_buffer = number_in("/proc/sys/net/core/rmem_max"),
                    .locked_memory = limit_of(RLIMIT_MEMLOCK),
                    .open_files = limit_of(RLIMIT_NOFILE),
                    .huge_pages = chosen_word(first_line("/sys/kernel/mm/transparent_hugepage/enabled"))};
  if (const auto free = available_memory()) limits.free_memory = free->count;
  struct statvfs room {};
  if (::statvfs("/dev/shm", &room) == 0) limits.shared_memory = room.f_bavail * room.f_frsize;
  std::error_code ignored;
  limits.has_verbs = fs::exists("/dev/infiniband/uverbs0", ignored);
  return limits;
}

std::string system_name() {
  utsname name{};
  ::uname(&name);
  return fmt::format("{} {}", name.sysname, name.release);
}

HostFile look_at(const WantedFile& wanted) {
  HostFile file{.path = wanted.path};
  std::error_code ignored;
  if (fs::is_directory(wanted.path, ignored))
    file.fault = "it is a folder";
  else if (::access(wanted.path.c_str(), R_OK) != 0)
    file.fault = std::strerror(errno);
  else if (wanted.is_compared)
    file.digest = file_digest(wanted.path);
  return file;
}

}  // namespace

HostFacts facts_of_this_host(const HostQuestion& question, const std::string& version) {
  HostFacts facts{.host = host_name(),
                  .version = version,
                  .program = file_digest("/proc/self/exe"),
                  .system = system_name(),
                  .processor = processor_name(),
                  .processors = allowed_processors(),
                  .interfaces = own_interfaces(),
                  .limits = limits_of_this_host()};
  if (::access(question.folder.c_str(), R_OK | X_OK) != 0) facts.folder_fault = std::strerror(errno);
  for (const WantedFile& file : question.files) facts.files.push_back(look_at(file));
  return facts;
}

std::string to_text(const HostFacts& facts) {
  return json_line(facts);
}
HostFacts host_facts_from_text(std::string_view text) {
  return value_from_json<HostFacts>(text);
}
std::string to_text(const HostQuestion& question) {
  return json_line(question);
}
HostQuestion host_question_from_text(std::string_view text) {
  return value_from_json<HostQuestion>(text);
}

}  // namespace takt::pipeline
