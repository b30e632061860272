#!/bin/sh
# run.sh FOLDER: the browser tests, with their packages installed in FOLDER; TAKT_PROGRAM is the program. 77: not possible here.
web=$(cd "$(dirname "$0")/.." && pwd)
for each in node npm "${TAKT_CHROMIUM:-/usr/bin/chromium}"; do
  command -v "$each" >/dev/null || { echo "skipped: there is no $each (Debian: nodejs npm chromium)"; exit 77; }
done
"$TAKT_PROGRAM" view "$web/../../../configs/first.yaml" --format html >/dev/null 2>&1 || { echo "skipped: this takt was built without the page"; exit 77; }
mkdir -p "$1" && cp -r "$web"/package.json "$web"/package-lock.json "$web"/.npmrc "$web"/src "$web"/tsconfig.json "$web"/build.mjs "$web"/test "$1" && cd "$1" || exit 1
lock=node_modules/.$(sha256sum package-lock.json | cut -c1-16)
[ -e "$lock" ] || { npm ci --ignore-scripts --prefer-offline --no-audit --no-fund >/dev/null 2>&1 && touch "$lock"; } ||
  { echo "skipped: npm cannot install playwright-core and axe-core"; exit 77; }
node_modules/.bin/tsc --noEmit && node --test test/*.test.mjs
