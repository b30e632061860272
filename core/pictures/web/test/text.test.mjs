// Do pages write figures as the program does (tests/core/pictures/figure_text_test.cpp)?
import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "esbuild";

const { outputFiles } = await build({ entryPoints: [new URL("../src/text.ts", import.meta.url).pathname], bundle: true, write: false, format: "esm", target: "es2020", tsconfigRaw: {} });
const text = await import("data:text/javascript;base64," + Buffer.from(outputFiles[0].contents).toString("base64"));

test("numbers have no powers of ten as C writes them", () => {
  for (const [value, says] of [[0, "0"], [-0, "0"], [999999, "999999"], [1e6, "1\u202f000\u202f000"], [-1234567.8, "-1\u202f234\u202f568"], [12345.678, "12346"],
    [0.0244140625, "0.02441"], [2.5e-7, "2.5\u00d710\u207b\u2077"], [-3e15, "-3\u00d710\u00b9\u2075"], [1e-5, "10\u207b\u2075"], [-1e-5, "-10\u207b\u2075"], [Infinity, "\u221e"], [NaN, "-"]])
    assert.equal(text.number(value), says);
});

test("times, sizes and rates take the unit that fits", () => {
  for (const [value, says] of [[0, "0 ns"], [999, "999 ns"], [12500, "12.5 us"], [-3e6, "-3 ms"], [7.2e12, "7200 s"]]) assert.equal(text.time(value, "ns"), says);
  assert.equal(text.time(12500, "ticks"), "12500");
  assert.equal(text.dataSize(4096, "ns"), "4 KiB");
  assert.equal(text.hertz(2441.40625), "2.44141 kHz");
});

test("cells are shown in the unit of their column", () => {
  for (const [kind, cell, says] of [[2, "1500", "1.5 us"], [5, "3.15e-04", "315 us"], [3, "2e6", "2 MHz"], [4, "2048", "2 KiB"], [6, "0.98084", "98.08 %"], [6, "4e-7", "< 0.01 %"], [6, "0", "0.00 %"], [2, "-", "-"], [0, "1e6", "1e6"], [1, "1e6", "1\u202f000\u202f000"], [1, "12.50", "12.50"]])
    assert.equal(text.cellText(kind, cell), says);
  assert.deepEqual(text.aligned(["9.57 us", "10.563 us", "371 ns", "1.89968 ms", "16.0201 ms", "-", "2.5", "a 7 us"]),
    ["9.570 us", "10.563 us", "371 ns", "1.8997 ms", "16.0201 ms", "-", "2.5", "a 7 us"]);
  assert.equal(text.rangesText([0, 1, 2, 5, 7, 8]), "P0-P2, P5, P7-P8");
});

test("axes take the unit of their values, and their marks can be told apart", () => {
  for (const [title, most, unit, size] of [["ns", 2e6, "ms", 1e6], ["seconds", 0.002, "ms", 1e-3], ["offered (Hz)", 48000, "offered (kHz)", 1e3], ["MHz", 1420, "MHz", 1], ["MHz", 2, "MHz", 1],
    ["MHz", 22000, "GHz", 1e3], ["MHz", 0.4, "kHz", 1e-3], ["frames/s", 48000, "frames/s", 1], ["ms", 0, "ms", 1]])
    assert.deepEqual(text.axisUnit(title, most), { title: unit, size });
  assert.deepEqual([1420.38, 1420.39, 1420.4].map((mark) => text.markText(mark, 0.01)), ["1420.38", "1420.39", "1420.40"]);
  assert.equal(text.markText(0.1 + 0.2, 0.1), "0.3");
  assert.equal(text.markText(-1e-17, 0.5), "0");
});
