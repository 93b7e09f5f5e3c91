// Notes what there is before an action, for `effect_seen` to compare with what is there after it.
//
// What counts is what a person would act on next: controls, surfaces such as dialogs and menus, what the page says aloud
// (alerts, live regions), where the focus is, and the state of the control acted on (`acted`, told by `hit_test`). Texts
// that change are told too, except where the page changes them by itself: the watch goes on for a while after the action,
// and what changes then, or has changed before the input came, is noise.
(lib) => {
  const CONTROLS =
    "a[href],button,input,select,textarea,summary,[contenteditable=''],[contenteditable=true],[role=button],[role=link]," +
    "[role=checkbox],[role=radio],[role=switch],[role=tab],[role^=menuitem],[role=option],[role=combobox],[role=textbox]," +
    "[role=slider],[role=spinbutton],[role=treeitem]";
  const SURFACES = "dialog,[popover],[role=dialog],[role=alertdialog],[role=menu],[role=listbox],[role=tooltip]";
  const BOTH = CONTROLS + "," + SURFACES;
  const LIVE = "output,[role=alert],[role=status],[aria-live=polite],[aria-live=assertive]";
  // In larger documents looking at all of them would cost more than it tells.
  const MOST = 800;
  const VISIBLE = { visibilityProperty: true };
  const INPUT = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "keydown", "keyup", "input", "change", "drop"];
  // What changes the page's look without a mutation.
  const SILENT = /^(input|change|toggle|drop)$/;
  const AFTER = 2000;

  const textOf = (node) => node.textContent.slice(0, 400).replace(/\s+/g, " ").trim();
  const deepFocus = () => {
    let node = document.activeElement;
    while (node && node.shadowRoot && node.shadowRoot.activeElement) node = node.shadowRoot.activeElement;
    return node === document.body || node === document.documentElement ? null : node;
  };
  const controlOf = (node) => {
    const one = node.closest("summary") || node.closest("label") || node.closest(CONTROLS) || node;
    return (one instanceof HTMLLabelElement && one.control) || one;
  };
  const stateOf = (node) => {
    const state = {};
    if (node.matches("input[type=checkbox], input[type=radio]")) {
      state.checked = node.indeterminate ? "mixed" : String(node.checked);
    } else if (node.matches("input:not([type=password]), textarea, select")) state.value = node.value.slice(0, 200);
    for (const name of ["expanded", "pressed", "selected", "checked"]) {
      const value = node.getAttribute("aria-" + name);
      if (value !== null) state[name] = value;
    }
    if (node.localName === "summary" && node.parentElement) state.expanded = String(node.parentElement.open);
    state.disabled = String(node.matches(":disabled"));
    if (!node.matches("input, textarea, select") && node.textContent.length < 200) state.text = textOf(node);
    return state;
  };
  const look = () => {
    const all = document.querySelectorAll(BOTH);
    if (all.length > MOST) return null;
    const shown = new Set();
    const said = new Map();
    for (const node of all) if (node.checkVisibility(VISIBLE)) shown.add(node);
    for (const node of document.querySelectorAll(LIVE)) if (node.checkVisibility(VISIBLE)) said.set(node, textOf(node));
    return { shown, said };
  };
  const hovered = () => [...document.querySelectorAll(":hover")].at(-1);

  let watch = lib.effect;
  if (!watch) {
    const channel = new MessageChannel();
    const noise = new WeakSet();
    watch = lib.effect = { stateOf, deepFocus, hovered, look, SURFACES, noise, spoken: new WeakMap(), since: 0 };
    let isInput = false;
    channel.port1.onmessage = () => (isInput = false);
    const onInput = (event) => {
      if (!event.isTrusted) return;
      if (SILENT.test(event.type)) watch.dirty = true;
      if (event.type === "toggle") return;
      isInput = true;
      watch.began ||= performance.now();
      channel.port2.postMessage(0);
    };
    watch.observer = new MutationObserver((records) => {
      watch.dirty = true;
      if (records.length > 500) records.length = 500;
      for (const { target, type } of records) {
        if (type === "attributes") continue;
        const node = target.nodeType === Node.TEXT_NODE ? target.parentElement : target;
        if (!node || node.nodeType !== Node.ELEMENT_NODE) continue;
        if (watch.touched && (isInput || watch.began)) {
          if (!noise.has(node) && watch.touched.size < 50) watch.touched.set(node, watch.touched.get(node) || isInput);
        } else noise.add(node);
      }
    });
    watch.connect = () => {
      clearTimeout(watch.timer);
      if (watch.since) return;
      watch.since = performance.now();
      watch.observer.observe(document, { childList: true, characterData: true, attributes: true, subtree: true });
      for (const kind of [...INPUT, "toggle"]) window.addEventListener(kind, onInput, { capture: true, passive: true });
    };
    watch.release = () => {
      watch.observer.disconnect();
      watch.since = 0;
      for (const kind of [...INPUT, "toggle"]) window.removeEventListener(kind, onInput, { capture: true });
    };
    // The action is over: what happens from now on the page does by itself.
    watch.rest = () => {
      watch.touched = watch.before = watch.acted = null;
      watch.began = 0;
      watch.restedAt = performance.now();
      watch.timer = setTimeout(watch.release, AFTER);
    };
  }
  clearTimeout(watch.resting);
  // Where the page changes texts by itself is known once it has been watched for a while without an action.
  watch.knowsNoise ||= watch.restedAt !== undefined && performance.now() > watch.restedAt + 300;
  const before = look();
  for (const [node, text] of before ? before.said : []) {
    const known = watch.spoken.get(node);
    if (known !== undefined && known !== text) watch.noise.add(node); // a clock, a counter
  }
  watch.connect();
  watch.touched = new Map();
  watch.began = 0;
  watch.dirty = false;
  watch.hover = hovered();
  watch.before = before;
  watch.focus = deepFocus();
  watch.acted = null;
  watch.act = (element) => {
    const node = controlOf(element);
    watch.acted = { node, state: stateOf(node) };
  };
  if (watch.focus) watch.act(watch.focus);
  return lib.uids.left();
}
