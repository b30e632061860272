#include "pipeline/pages/file_editor.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "core/pictures/page.hpp"
#include "core/system/file_digest.hpp"
#include "core/system/text_file.hpp"

namespace takt::pipeline {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// A file as a browser edits it: with line feeds at the ends of lines, and without a byte order mark.
struct EditedText {
  /// Empty for a file that does not exist.
  std::string version;
  std::string text;
  bool has_mark = false, has_carriage_returns = false;
};

std::string version_of(const std::string& file) {
  const auto digest = file_digest(file);
  return digest ? fmt::format("{:016x}", *digest) : "";
}

bool is_utf8(const std::string& text) {
  try {
    (void)nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

EditedText read_edited(const std::string& file) {
  // A version of earlier bytes than the text's refuses to save it; one of later bytes would lose them.
  EditedText read{.version = version_of(file)};
  if (!fs::exists(file)) return read;
  std::error_code none;
  if (const auto size = fs::file_size(file, none); !none && size > FileEditor::most_text)
    throw ConfigError({file}, fmt::format("has {} bytes: expected at most {} to edit it in a browser", size,
                                          FileEditor::most_text));
  read.text = read_text_file(file);
  read.has_mark = fs::file_size(file, none) == read.text.size() + byte_order_mark.size();
  if (!is_utf8(read.text)) throw ConfigError({file}, "is not UTF-8, and a browser would change it");
  const auto returns = std::ranges::count(read.text, '\r');
  if (returns == 0) return read;
  std::string plain;
  for (std::size_t i = 0; i < read.text.size(); ++i)
    if (read.text[i] != '\r' || i + 1 == read.text.size() || read.text[i + 1] != '\n') plain += read.text[i];
  if (std::ranges::count(plain, '\r') > 0 || std::ranges::count(plain, '\n') != returns)
    throw ConfigError({file},
                      "has Windows line ends in some lines only, and a browser would change them: "
                      "expected the same line ends everywhere");
  read.text = std::move(plain);
  read.has_carriage_returns = true;
  return read;
}

std::string written_form(const std::string& text, const EditedText& before) {
  std::string written(before.has_mark ? byte_order_mark : "");
  for (const char letter : text) {
    if (letter == '\n' && before.has_carriage_returns) written += '\r';
    written += letter;
  }
  return written;
}

std::string checked(std::string file) {
  (void)read_edited(file);
  expect_writable(file);
  return file;
}

}  // namespace

FileEditor::FileEditor(std::string file, Show show, const HttpAddress& address)
    : file_(checked(std::move(file))),
      show_(std::move(show)),
      server_(
          address,
          {{path,
            [page = live_page()] {
              return HttpAnswer{
                  .type = "text/html; charset=utf-8", .body = page, .policy = live_page_policy()};
            }}},
          {{"/read", {.does = [this](const std::string&) { return answer(); }}},
           // The version and its line end come first.
           {"/save",
            {.does = [this](const std::string& body) { return save(body); }, .most_body = most_text + 64}},
           {"/quit", {.does = [this](const std::string&) {
              has_to_quit_ = true;
              return HttpAnswer{.status = 202};
            }}}}) {}

HttpAnswer FileEditor::answer() const {
  const EditedText read = read_edited(file_);
  std::string page = "null", error;
  try {
    if (read.version.empty())
      error = fmt::format("{} does not exist yet: save creates it", file_);
    else
      page = show_();
  } catch (const std::exception& thrown) {
    error = thrown.what();
  }
  const nlohmann::ordered_json data{
      {"file", file_}, {"version", read.version}, {"text", read.text}, {"error", error}};
  std::string text = data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.pop_back();
  return {.type = "application/json", .body = fmt::format("{},\"page\":{}}}", text, page)};
}

HttpAnswer FileEditor::save(const std::string& body) const {
  const std::size_t end = body.find('\n');
  if (end == std::string::npos)
    throw ConfigError("expected the version that was read, a line end, and the text");
  const EditedText before = read_edited(file_);
  if (before.version != body.substr(0, end))
    return {
        .status = 409,
        .body = fmt::format("{} has changed on disk since this page read it: nothing was saved\n", file_)};
  write_text_file(file_, written_form(body.substr(end + 1), before));
  return answer();
}

void FileEditor::serve() {
  const auto stamp = [&] {
    std::error_code none;
    return std::pair(fs::file_size(file_, none), fs::last_write_time(file_, none));
  };
  auto known = stamp();
  constexpr std::chrono::milliseconds between{200};
  while (!has_to_quit_) {
    if (const auto now = stamp(); now != known) {
      known = now;
      server_.publish(version_of(file_), true);
    }
    std::this_thread::sleep_for(between);
  }
}

}  // namespace takt::pipeline
