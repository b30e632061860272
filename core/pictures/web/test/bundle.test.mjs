// Is the bundle the same bytes wherever and whenever it is made?
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { folder, takt } from "./browser.mjs";

const web = dirname(dirname(fileURLToPath(import.meta.url)));
const build = (name, environment, date) => {
  const place = join(folder, name), output = join(place, "bundle.cpp");
  mkdirSync(place, { recursive: true });
  for (const each of ["src", "build.mjs", "package.json"]) cpSync(join(web, each), join(place, each), { recursive: true });
  symlinkSync(join(web, "node_modules"), join(place, "node_modules"));
  utimesSync(join(place, "src", "main.ts"), date, date);
  execFileSync(process.execPath, ["build.mjs", output], { cwd: place, env: { ...process.env, ...environment } });
  return readFileSync(output, "utf8");
};

test("two folders, time zones, locales and dates give one bundle, which is the program's", () => {
  const first = build("one", { TZ: "UTC", LC_ALL: "C" }, new Date(2001, 1, 1));
  const second = build("another/place/further down", { TZ: "Pacific/Kiritimati", LC_ALL: "tr_TR.UTF-8", HOME: "/nowhere" }, new Date(2031, 6, 6));
  assert.equal(second, first);
  assert.ok(!first.includes(folder), "no path of the building computer");
  const hash = /"(sha256-[^"]+)"/.exec(first)[1];
  takt("graph", "chain:depth=2", "--output", "bundle.yaml");
  takt("view", "bundle.yaml", "--output", "bundle.html");
  assert.ok(readFileSync(join(folder, "bundle.html"), "utf8").includes(hash), "the program was built of these sources");
});
