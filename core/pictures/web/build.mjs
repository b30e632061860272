// build.mjs OUTPUT: bundles src/ and writes it as a C++ source. Same input, same bytes, wherever and whenever.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const bundle = async (entry) => {
  const result = await build({
    absWorkingDir: here, entryPoints: [entry], bundle: true, minify: true, write: false, format: "iife", target: "es2020",
    charset: "ascii", tsconfigRaw: {}, legalComments: "none", logLevel: "warning",
  });
  // A closing tag inside would end the element that holds it.
  const text = result.outputFiles[0].text.trim();
  if (/<\/(script|style)/i.test(text)) throw new Error(`${entry}: closing tag in the bundle`);
  return text;
};
const literal = (text) => {
  // Compilers must take 64 KiB of one literal; neighbours are one string.
  const parts = [];
  for (let at = 0; at < text.length; at += 15000) parts.push(`R"takt(${text.slice(at, at + 15000)})takt"`);
  return parts.join("\n    ");
};
const hash = (text) => "sha256-" + createHash("sha256").update(text).digest("base64");
const script = await bundle("src/main.ts"), style = await bundle("src/style.css");
writeFileSync(process.argv[2], `// Made by core/pictures/web/build.mjs.
#include "core/pictures/page_bundle.hpp"

namespace takt {

const PageBundle& page_bundle() {
  static const PageBundle bundle{
    ${literal(script)},
    "${hash(script)}",
    ${literal(style)},
    "${hash(style)}"};
  return bundle;
}

}  // namespace takt
`);
