// The token with which a page may post to its server: behind the # of the address that takt printed, or typed in.

import { element } from "./text";

export class Token {
  /// A field for the token, hidden while the address has had one.
  readonly root: HTMLElement;
  private value = "";

  constructor() {
    const input = element("input", { class: "secret", size: "20", spellcheck: "false", autocomplete: "off", placeholder: "token", title: "The token that takt printed after the #" });
    this.root = element("label", {}, "token ", input);
    input.addEventListener("change", () => {
      this.value = input.value.trim();
      this.onChange?.();
    });
    this.take();
    addEventListener("hashchange", () => this.take());
  }
  onChange?: () => void;

  /// Keeps the token out of the history, of bookmarks and of copied addresses.
  private take(): void {
    if (location.hash.length < 2) return;
    this.value = decodeURIComponent(location.hash.slice(1));
    history.replaceState(null, "", location.pathname);
    this.root.hidden = true;
    this.onChange?.();
  }

  /// Posts to a path of the page's server.
  post(path: string, body = ""): Promise<Response> {
    return fetch(path, { method: "POST", body, headers: { Authorization: "Bearer " + this.value } });
  }
}
