// The page of a file that is edited: its text, and what it shows. The program that serves it reads and writes the file.

import { Page } from "./data";
import { facts, section } from "./sections";
import { button, element, setText, sureButton } from "./text";
import { TextPane } from "./text_pane";
import { Token } from "./token";

/// Answer of the server (pipeline/pages/file_editor.hpp).
interface State { file: string; version: string; text: string; error: string; page: Page | null }

export function startEditing(root: HTMLElement): void {
  const token = new Token(), pane = new TextPane();
  const title = element("h1", {}, "takt"), status = element("span", { class: "notice", role: "status" }, "reads the file");
  const body = element("div"), text = element("section", { "aria-label": "Text", class: "half" }, element("h2", {}, "Text"));
  let file = "", version = "", isBusy = false, announced: string | undefined;
  const says = (what: string): void => setText(status, what);

  const take = (state: State, isTyped: boolean): void => {
    ({ file, version } = state);
    document.title = title.textContent = state.page?.title ?? file.slice(file.lastIndexOf("/") + 1);
    pane.keep(state.text, !isTyped);
    pane.report(file, state.error);
    const { page } = state;
    if (page) pane.move(() => {
      pane.onLine = pane.onErrors = undefined;
      const hasSource = page.views.some((view) => view.kind === "source");
      text.hidden = hasSource;
      pane.root.hidden = false;
      body.replaceChildren(facts(page), ...page.views.map((view) => section(view, pane)));
      if (!hasSource) text.append(pane.root);
    });
    says(pane.isChanged ? "not saved" : state.error === "" ? "saved" : body.childElementCount > 0 ? "saved, with errors; pictures are of the last text without errors" : "errors");
    document.documentElement.dataset.ready = "yes";
  };
  const ask = async (path: string, sent: string, isForced: boolean): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    says(path === "save" ? "saves" : "reads the file");
    const typed = pane.text;
    try {
      const answer = await token.post(path, sent);
      token.root.hidden = answer.status !== 401;
      const isTyped = pane.text !== typed;
      if (!answer.ok) says((await answer.text()).trim() + (answer.status === 409 ? "; reload shows it" : ""));
      else if (path === "read" && isTyped && !isForced) says(elsewhere);
      else take(await answer.json() as State, isTyped);
    } catch {
      says(gone);
    }
    isBusy = false;
    compare();
  };
  const elsewhere = "the file has changed on disk: reload shows it, and drops the changes here", gone = "the program that serves this page has ended or does not respond";
  const read = (isForced: boolean): Promise<void> => ask("read", "", isForced), save = (): Promise<void> => ask("save", `${version}\n${pane.text}`, false);

  /// Follows the file, unless that would drop changes.
  const compare = (): void => {
    const heard = announced;
    announced = undefined;
    if (heard === undefined || heard === version) return;
    if (pane.isChanged) says(elsewhere);
    else void read(false);
  };

  root.append(title, element("div", { class: "controls", role: "group", "aria-label": "file" },
    button("save", "Write the file, and show it (Ctrl+S)", () => void save()),
    sureButton("reload", "Read the file again; changes here are lost", "really drop the changes", () => void read(true), () => pane.isChanged),
    button("quit", "End the program that serves this page", () => void token.post("quit").then(() => says(gone), () => says(gone))), token.root, status), text, body);
  text.append(pane.root);
  pane.onInput = () => says(pane.isChanged ? "not saved" : "saved");
  token.onChange = () => void read(false);
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key !== "s") return;
    event.preventDefault();
    void save();
  });
  addEventListener("beforeunload", (event) => pane.isChanged && event.preventDefault());
  // A graph or network that was edited in its picture.
  root.addEventListener("yaml", (event) => {
    if (!/\.ya?ml$/.test(file)) return;
    event.preventDefault();
    pane.replace((event as CustomEvent<string>).detail);
  });
  const events = new EventSource("events?together=1");
  events.onopen = () => void (version === "" && read(false));
  events.onmessage = (event) => {
    announced = event.data as string;
    if (!isBusy) compare();
  };
  events.onerror = () => says(gone);
}
