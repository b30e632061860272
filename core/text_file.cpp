#include "core/text_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "core/error.hpp"

namespace takt {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to_write(const fs::path& path, const std::string& reason) {
  throw WorkError(fmt::format("{}: cannot write the file: {}", path.string(), reason));
}

/// Returns the system's reason when it fails, 0 otherwise.
int write_through(const fs::path& path, std::string_view text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  return file ? 0 : errno == 0 ? EIO : errno;
}

/// Where a path leads in the end; a link to nothing stays one.
fs::path target_of(const fs::path& path) {
  std::error_code none;
  const fs::path target = fs::canonical(path, none);
  return none ? path : target;
}

}  // namespace

std::string read_text_file(const fs::path& path) {
  auto fail = [&](const char* reason) {
    throw ConfigError(fmt::format("{}: cannot read the file: {}", path.string(), reason));
  };
  std::error_code none;
  if (fs::is_directory(path, none)) fail("it is a directory");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(std::strerror(errno));
  // The size is a guess, so that a large file is in memory once: a pipe has none, and others may grow.
  constexpr std::size_t at_least = 4096;
  const std::uintmax_t size = fs::file_size(path, none);
  std::string content(none ? at_least : std::max<std::size_t>(size + 1, at_least), '\0');
  std::size_t length = 0;
  for (;;) {
    file.read(content.data() + length, static_cast<std::streamsize>(content.size() - length));
    length += static_cast<std::size_t>(file.gcount());
    if (!file) break;
    content.resize(2 * content.size());
  }
  if (file.bad()) fail(std::strerror(errno == 0 ? EIO : errno));
  content.resize(length);
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (content.starts_with("\xff\xfe") || content.starts_with("\xfe\xff"))
    fail("it is UTF-16, expected UTF-8");
  if (content.starts_with(byte_order_mark)) content.erase(0, byte_order_mark.size());
  return content;
}

void write_text_file(const fs::path& path, std::string_view text) {
  std::error_code error;
  const fs::path target = target_of(path);
  const fs::file_status before = fs::status(target, error);
  if (fs::is_directory(before)) fail_to_write(path, "it is a directory");
  if (fs::exists(before) && !fs::is_regular_file(before)) {
    if (const int reason = write_through(target, text)) fail_to_write(path, std::strerror(reason));
    return;
  }
  const fs::path partial = target.string() + fmt::format(".part{}", ::getpid());
  if (const int reason = write_through(partial, text)) {
    fs::remove(partial, error);
    fail_to_write(path, std::strerror(reason));
  }
  if (fs::exists(before)) fs::permissions(partial, before.permissions(), error);
  fs::rename(partial, target, error);
  if (!error) return;
  const std::string reason = error.message();
  fs::remove(partial, error);
  fail_to_write(path, reason);
}

void expect_writable(const fs::path& path) {
  if (path.empty()) return;
  const fs::path target = target_of(path);
  std::error_code none;
  const fs::file_status before = fs::status(target, none);
  const auto refuse = [&](std::string_view reason) {
    throw ConfigError(fmt::format("{}: cannot write the file: {}", path.string(), reason));
  };
  if (fs::is_directory(before)) refuse("it is a directory");
  // A regular file is replaced, which takes the right to write to its folder.
  const bool is_replaced = !fs::exists(before) || fs::is_regular_file(before);
  const fs::path asked = is_replaced ? fs::absolute(target).parent_path() : target;
  if (::access(asked.c_str(), is_replaced ? W_OK | X_OK : W_OK) != 0) refuse(std::strerror(errno));
}

}  // namespace takt
