#pragma once
/// Serves the page of a text file that is edited in a browser.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "pipeline/live/http_server.hpp"

namespace takt::pipeline {

/// Answers `/edit` with the page (core/pictures/web/src/file_editor.ts), and posts with the server's token:
///
/// * `/read`: the text of the file, a version of it, and what it shows, or why it cannot be shown;
/// * `/save`: the version that was read, a line end, and the new text. Refuses (409) if the file has another
///   version by now, otherwise writes it at once (write_text_file), and answers as `/read`;
/// * `/quit`: ends the service.
///
/// An event announces a version that another program has written. Line ends and a byte order mark stay as
/// they are.
class FileEditor {
 public:
  static constexpr const char* path = "/edit";
  /// Characters of the longest file.
  static constexpr std::size_t most_text = std::size_t{1} << 20;

  /// Returns the data of the page (page_json) that shows the file as it is. Throws ConfigError with the
  /// errors in the file. Called on the server's thread.
  using Show = std::function<std::string()>;

  /// The file may not exist yet: saving creates it. Throws ConfigError for a file that a browser would
  /// change: one that is not UTF-8, has unlike line ends, or is too long; and WorkError when it cannot listen
  /// there, or without pages.
  FileEditor(std::string file, Show show, const HttpAddress& address);

  [[nodiscard]] std::uint16_t port() const { return server_.port(); }
  [[nodiscard]] const std::string& token() const { return server_.token(); }
  /// Looks for changes of the file five times per second. Returns after a post to `/quit`; otherwise a signal
  /// ends the process.
  void serve();

 private:
  [[nodiscard]] HttpAnswer answer() const;
  [[nodiscard]] HttpAnswer save(const std::string& body) const;

  std::string file_;
  Show show_;
  std::atomic<bool> has_to_quit_ = false;
  /// The last member: its thread ends before what it uses.
  HttpServer server_;
};

}  // namespace takt::pipeline
