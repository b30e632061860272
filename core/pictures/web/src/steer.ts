// Control commands for a running pipeline, for users with its token.

import { button, element } from "./text";

export class Steering {
  readonly root: HTMLElement;
  private readonly answer = element("span", { role: "status" });
  private readonly hold: HTMLButtonElement;
  private isHeld = false;
  private token = "";
  private readonly ask = element("label", {}, "token ");

  /// Visible if sinks have transient buffers.
  private readonly trigger = button("write transient buffers", "", () => this.post("trigger"));
  /// Visible if the run has changeable parameters.
  private readonly set = element("span");

  constructor() {
    this.takeToken();
    addEventListener("hashchange", () => this.takeToken());
    this.hold = button("stop writing", "Sinks stop writing until resumed; frames are counted as held back", () => this.post(this.isHeld ? "write" : "hold"));
    const input = element("input", { class: "secret", size: "20", spellcheck: "false", autocomplete: "off", placeholder: "token", title: "The token that takt run printed after the #" });
    input.addEventListener("change", () => (this.token = input.value.trim()));
    this.ask.append(input);
    let isSure = false;
    const end: HTMLButtonElement = button("end the run", "Ingested frames are still delivered", () => {
      // A confirmation protects a long run from a wrong click.
      if (isSure) return this.post("end");
      isSure = true;
      end.textContent = "really end the run";
      setTimeout(() => {
        isSure = false;
        end.textContent = "end the run";
      }, 4000);
    });
    this.trigger.hidden = true;
    const buttons = [this.hold, button("new files", "Sinks begin new files with their next frames", () => this.post("new-files")), this.trigger, end];
    this.root = element("div", { class: "controls", role: "group", "aria-label": "steering" }, ...buttons, this.set, this.ask, this.answer);
    fetch("parameters").then((answer) => answer.json()).then((names: string[]) => this.offer(names), () => undefined);
    fetch("transients").then((answer) => answer.json()).then((sinks: string[]) => this.offerTrigger(sinks), () => undefined);
  }

  private offerTrigger(sinks: string[]): void {
    this.trigger.hidden = sinks.length === 0;
    this.trigger.title = `Writes the buffered frames of ${sinks.join(", ")}`;
  }

  private offer(names: string[]): void {
    if (names.length === 0) return;
    const name = element("select", { "aria-label": "parameter" }, ...names.map((each) => element("option", {}, each)));
    const value = element("input", { size: "10", "aria-label": "new value", placeholder: "new value" });
    const send = (): void => this.post("set", `${name.value}=${value.value}`);
    value.addEventListener("keydown", (event) => event.key === "Enter" && send());
    this.set.append(name, " ", value, " ", button("set", "All ranks change the parameter at the same frame", send));
  }

  /// Keeps the token out of the history, of bookmarks and of copied addresses.
  private takeToken(): void {
    if (location.hash.length < 2) return;
    this.token = decodeURIComponent(location.hash.slice(1));
    history.replaceState(null, "", location.pathname);
    this.ask.hidden = true;
  }

  show(isHeld: boolean): void {
    if (isHeld === this.isHeld && this.hold.hasAttribute("aria-pressed")) return;
    this.isHeld = isHeld;
    const text = isHeld ? "start writing" : "stop writing";
    if (this.hold.textContent !== text) this.hold.textContent = text;
    this.hold.setAttribute("aria-pressed", String(isHeld));
  }

  post(path: string, body = ""): void {
    fetch(path, { method: "POST", body, headers: { Authorization: "Bearer " + this.token } })
      .then(async (answer) => (this.answer.textContent = answer.status === 202 ? "" : (await answer.text()).trim()), () => (this.answer.textContent = "the run does not respond"));
  }
}
