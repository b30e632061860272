// The page of a trace file that grows: asks the program for it whenever it has become longer.

import { UnitsView } from "./data";
import { button, element, setText } from "./text";
import { UnitReplay } from "./unit_replay";

export function follow(root: HTMLElement): void {
  const title = element("h1", {}, "takt"), state = element("p", { role: "status" }, "No event yet.");
  const section = element("section", { "aria-label": "Units" });
  const quit = button("quit", "ends the program that serves this page; the replay works on", () => void fetch("quit", { method: "POST" }).catch(fail));
  root.append(title, state, quit, section);
  section.hidden = true;
  let replay: UnitReplay | undefined, isAsking = false, isStale = false;
  const ask = async (): Promise<void> => {
    if (isAsking) {
      isStale = true;
      return;
    }
    isAsking = true;
    do {
      isStale = false;
      const page = await fetch("data").then((answer) => answer.json()) as { title: string; notice: string; facts: [string, string, string][]; views: UnitsView[] };
      document.title = title.textContent = page.title;
      const view = page.views[0] as UnitsView | undefined;
      setText(state, page.notice || (view ? `${page.facts.map(([name, value]) => `${value} ${name}`).join(", ")}; follows the file` : "No event yet."));
      if (!view) continue;
      section.hidden = false;
      if (replay) replay.update(view);
      else {
        replay = new UnitReplay(view);
        section.append(element("p", {}, view.says), replay.root);
        replay.toEnd();
      }
    } while (isStale);
    isAsking = false;
    document.documentElement.dataset.ready = "yes";
  };
  const fail = (): void => {
    isAsking = false;
    quit.disabled = true;
    setText(state, "The program that serves this page has ended; the replay works on.");
  };
  const events = new EventSource("events?together=1");
  events.onmessage = () => void ask().catch(fail);
  events.onopen = () => void ask().catch(fail);
  events.onerror = fail;
}
