# Writes takt.1 and takt-COMMAND.1 to ${mandir}. The program ${takt} lists its commands and generates the
# pages.
set(folder "$ENV{DESTDIR}${mandir}")
file(MAKE_DIRECTORY "${folder}")
execute_process(COMMAND "${takt}" help --man OUTPUT_VARIABLE page COMMAND_ERROR_IS_FATAL ANY)
file(WRITE "${folder}/takt.1" "${page}")
string(REGEX MATCHALL "takt\\\\-[a-z]+ \\(1\\)" commands "${page}")
foreach(command IN LISTS commands)
  string(REGEX REPLACE "takt\\\\-([a-z]+) .*" "\\1" name "${command}")
  message(STATUS "Installing: ${folder}/takt-${name}.1")
  execute_process(COMMAND "${takt}" help ${name} --man OUTPUT_FILE "${folder}/takt-${name}.1"
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
