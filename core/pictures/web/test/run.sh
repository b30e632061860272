#!/bin/sh
# run.sh FOLDER packages: prepares FOLDER for the tests of the pages.
# run.sh FOLDER types: checks the types of the pages' sources.
# run.sh FOLDER NAME...: runs test/NAME.test.mjs, all in one process.
# TAKT_PROGRAM is the program under test. Exit code 77: the tests are not possible here.
web=$(cd "$(dirname "$0")/.." && pwd)
folder=$1
shift
lock=node_modules/.$(sha256sum "$web/package-lock.json" | cut -c1-16)
if [ "$1" = packages ]; then
  for each in node npm "${TAKT_CHROMIUM:-/usr/bin/chromium}"; do
    command -v "$each" >/dev/null || { echo "skipped: there is no $each (Debian: nodejs npm chromium)"; exit 77; }
  done
  "$TAKT_PROGRAM" view "$web/../../../configs/first.yaml" --format html >/dev/null 2>&1 || { echo "skipped: this takt was built without pages"; exit 77; }
  mkdir -p "$folder" && cd "$folder" || exit 1
  # Removes old sources, some of which may no longer exist.
  rm -rf src test ready
  cp -r "$web"/package.json "$web"/package-lock.json "$web"/.npmrc "$web"/src "$web"/tsconfig.json "$web"/build.mjs "$web"/test . || exit 1
  [ -e "$lock" ] || { npm ci --ignore-scripts --prefer-offline --no-audit --no-fund >/dev/null 2>&1 && touch "$lock"; } ||
    { echo "skipped: npm cannot install playwright-core and axe-core"; exit 77; }
  touch ready
  exit
fi
cd "$folder" 2>/dev/null && [ -e ready ] || { echo "skipped: the packages are not there, see core.pages.packages"; exit 77; }
if [ "$1" = types ]; then exec node_modules/.bin/tsc --noEmit; fi
together=together-$1.mjs
for each; do echo "import \"./test/$each.test.mjs\";"; done >"$together"
exec node "$together"
