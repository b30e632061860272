// Tests of files that run in one process, with one browser.
import { after, test } from "node:test";
import { launch } from "./browser.mjs";

// Tests of a file, before the first of which this is done.
export const testsAfter = (prepare) => {
  let prepared;
  return (name, body) => test(name, async () => {
    await (prepared ??= prepare());
    await body();
  });
};
after(async () => (await launch()).close());
