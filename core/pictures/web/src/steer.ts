// Control commands for a running pipeline, for users with its token.

import { button, element, sureButton } from "./text";
import { Token } from "./token";

export class Steering {
  readonly root: HTMLElement;
  private readonly answer = element("span", { role: "status" });
  private readonly hold: HTMLButtonElement;
  private isHeld = false;
  private readonly token = new Token();

  /// Visible if sinks have transient buffers.
  private readonly trigger = button("write transient buffers", "", () => this.post("trigger"));
  /// Visible if the run has changeable parameters.
  private readonly set = element("span");

  constructor() {
    this.hold = button("stop writing", "Sinks stop writing until resumed; frames are counted as held back", () => this.post(this.isHeld ? "write" : "hold"));
    // A confirmation protects a long run from a wrong click.
    const end = sureButton("end the run", "Ingested frames are still delivered", "really end the run", () => this.post("end"));
    this.trigger.hidden = true;
    const buttons = [this.hold, button("new files", "Sinks begin new files with their next frames", () => this.post("new-files")), this.trigger, end];
    this.root = element("div", { class: "controls", role: "group", "aria-label": "steering" }, ...buttons, this.set, this.token.root, this.answer);
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

  show(isHeld: boolean): void {
    if (isHeld === this.isHeld && this.hold.hasAttribute("aria-pressed")) return;
    this.isHeld = isHeld;
    const text = isHeld ? "start writing" : "stop writing";
    if (this.hold.textContent !== text) this.hold.textContent = text;
    this.hold.setAttribute("aria-pressed", String(isHeld));
  }

  post(path: string, body = ""): void {
    this.token.post(path, body)
      .then(async (answer) => (this.answer.textContent = answer.status === 202 ? "" : (await answer.text()).trim()), () => (this.answer.textContent = "the run does not respond"));
  }
}
