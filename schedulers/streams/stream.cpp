#include "schedulers/streams/stream.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace takt::schedulers {

std::string stream_name(std::string name, const std::vector<std::string>& taken) {
  std::ranges::replace_if(
      name, [](char letter) { return letter == '#' || letter == '/'; }, '_');
  std::string unique = name;
  for (int number = 2; std::ranges::find(taken, unique) != taken.end(); ++number)
    unique = fmt::format("{}-{}", name, number);
  return unique;
}

}  // namespace takt::schedulers
