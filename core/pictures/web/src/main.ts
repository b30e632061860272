// The page: reads its data and creates its views.

import { Page } from "./data";
import { startEditing } from "./file_editor";
import { follow } from "./follow";
import { startLive } from "./live";
import { facts, section } from "./sections";
import { element } from "./text";

/// Returns the page's data as JSON, decompressed if necessary (core/pictures/packed.hpp).
async function textOf(data: Element): Promise<string> {
  const text = data.textContent!;
  if (data.getAttribute("type") === "application/json") return text;
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}

async function start(): Promise<void> {
  const data = document.getElementById("takt"), root = document.getElementById("page")!;
  if (!data) return location.pathname === "/trace" ? follow(root) : location.pathname === "/edit" ? startEditing(root) : startLive(root);
  const text = await textOf(data);
  const page = JSON.parse(text) as Page;
  document.title = page.title;
  root.append(element("h1", {}, page.title), element("p", {}, page.says), facts(page));
  for (const view of page.views) root.append(section(view));
  root.append(element("p", { class: "help" }, "Choose a picture to use keys: arrows select (with Shift: move), + and - zoom, 0 shows everything, Escape leaves. The wheel zooms a chosen picture."));
  document.documentElement.dataset.ready = "yes";
}

start().catch((error: unknown) => document.getElementById("page")!.append(element("p", { class: "notice", role: "alert" }, `Cannot show this page: ${String(error)}. It needs a browser of 2023 or later.`)));
