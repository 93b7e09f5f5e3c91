// Prepares or does the filling of a control with `value`, replacing what it holds.
//
// Returns {done, value, differs} when the value was set here; {insert} when the control has the focus, its
// content is selected, and the text must now be inserted as input from the keyboard; {click} when the
// control must be clicked to get the state; {empty} as {insert}, with nothing left to insert; or
// {problem, why, hint}.
(lib, element, value) => {
  const fail = (why, hint) => ({ problem: "unfit", why, hint });

  if (element.nodeType !== Node.ELEMENT_NODE) element = element.parentElement || element;
  if (!element.isConnected) return { problem: "gone" };
  if (element instanceof HTMLLabelElement && element.control) element = element.control;
  const tag = element.localName;
  const type = tag === "input" ? element.type : tag;
  lib.filled = new WeakRef(element);

  if (element.matches(":disabled")) {
    return { problem: "disabled", why: !element.disabled && element.closest("fieldset:disabled") ? "its fieldset is disabled" : "" };
  }
  const inert = element.closest("[inert]");
  if (inert) return { problem: "disabled", why: "it is inert, through " + lib.fn.named(inert).words };

  const announce = () => {
    element.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true, inputType: "insertReplacementText", data: null }));
    element.dispatchEvent(new Event("change", { bubbles: true }));
  };

  // -- switches -----------------------------------------------------------------------------------------

  const role = element.getAttribute("role");
  const isNativeSwitch = type === "checkbox" || type === "radio";
  if (isNativeSwitch || (tag !== "input" && /^(checkbox|switch|radio)$/.test(role || ""))) {
    const wanted = /^(true|on|yes|checked|1)$/i.test(value.trim()) ? true : /^(false|off|no|unchecked|0)$/i.test(value.trim()) ? false : null;
    if (wanted === null) return fail("it is a " + (role || type) + " and takes true or false", 'Pass "true" or "false".');
    const now = isNativeSwitch ? element.checked : element.getAttribute("aria-checked") === "true";
    if (now === wanted) return { done: true, value: String(now), differs: false };
    if (!wanted && (type === "radio" || role === "radio")) {
      return fail("a radio button can't be switched off", "Choose another one of its group.");
    }
    return { click: true };
  }

  const why = lib.fn.hidden_why(element);
  if (why) return { problem: "hidden", why };

  // -- choices ------------------------------------------------------------------------------------------

  if (tag === "select") {
    const options = [...element.options];
    const label = (option) => option.label.replace(/\s+/g, " ").trim();
    const wanted = value.replace(/\s+/g, " ").trim();
    const lower = wanted.toLowerCase();
    const rules = [
      (option) => label(option) === wanted,
      (option) => option.value === value,
      (option) => label(option).toLowerCase() === lower,
      (option) => option.value.toLowerCase() === lower,
      (option) => lower !== "" && label(option).toLowerCase().startsWith(lower),
    ];
    const list = () => {
      const shown = options.slice(0, 30).map((option) => JSON.stringify(label(option)) + (option.disabled ? " (disabled)" : ""));
      return shown.join(", ") + (options.length > 30 ? ` and ${options.length - 30} more` : "");
    };
    for (const rule of rules) {
      const found = options.filter(rule);
      if (found.length === 0) continue;
      const free = found.filter((option) => !option.disabled && !option.closest("optgroup:disabled"));
      if (free.length === 0) return fail("its choice " + JSON.stringify(label(found[0])) + " is disabled", "Choices: " + list());
      if (free.length > 1 && rule === rules[4]) {
        return fail(JSON.stringify(value) + " fits several of its choices", "Choose one: " + free.map((o) => JSON.stringify(label(o))).join(", "));
      }
      const result = lib.fn.choose_option(free[0]);
      if (result.problem) return result;
      const chosen = element.selectedOptions[0];
      return { done: true, value: chosen ? label(chosen) : "", differs: chosen !== free[0] };
    }
    return fail("it has no choice " + JSON.stringify(value.slice(0, 80)), options.length ? "Choices: " + list() : "It has no choices now.");
  }

  // -- text ---------------------------------------------------------------------------------------------

  if (element.readOnly && (tag === "textarea" || tag === "input")) {
    return { problem: "disabled", why: "it is read-only" };
  }
  const setNative = (text) => {
    // The setter of the class, so that a framework's own property on the element does not swallow the news.
    const proto = tag === "textarea" ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
    Object.getOwnPropertyDescriptor(proto, "value").set.call(element, text);
  };
  const FORMATS = {
    date: [/^\d{4,6}-\d\d-\d\d$/, "a date as YYYY-MM-DD, such as 2024-01-31"],
    time: [/^\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/, "a time as HH:MM, such as 09:05"],
    "datetime-local": [/^\d{4,6}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/, "YYYY-MM-DDTHH:MM, such as 2024-01-31T09:05"],
    month: [/^\d{4,6}-\d\d$/, "a month as YYYY-MM, such as 2024-01"],
    week: [/^\d{4,6}-W\d\d$/, "a week as YYYY-Www, such as 2024-W05"],
    color: [/^#[0-9a-f]{6}$/i, "a colour as #rrggbb, such as #ff8800"],
    range: [/^-?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i, "a number"],
    number: [/^-?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i, "a number such as 12.5"],
  };
  const format = FORMATS[type];
  if (format && value !== "") {
    if (!format[0].test(value)) return fail(JSON.stringify(value.slice(0, 80)) + " is not what its type (" + type + ") takes", "Pass " + format[1] + ".");
  } else if (format && (type === "color" || type === "range")) {
    return fail("its type (" + type + ") can't be empty", "Pass " + format[1] + ".");
  }
  if (format && type !== "number") {
    element.focus();
    const before = element.value;
    const wanted = type === "datetime-local" ? value.replace(" ", "T") : type === "color" ? value.toLowerCase() : value;
    setNative(wanted);
    if (wanted !== "" && element.value === "") {
      setNative(before);
      return fail(JSON.stringify(value) + " is no possible " + type, "Pass " + format[1] + ".");
    }
    if (element.value !== before) announce();
    // What Chrome itself makes of it ("09:05:00" becomes "09:05") is no difference; a limit that it applies is.
    const now = element.value;
    const same = now === wanted || (type === "range" ? Number(now) === Number(wanted) : now !== "" && wanted.startsWith(now));
    return { done: true, value: now, differs: !same };
  }

  const isField = tag === "textarea" || (tag === "input" && /^(text|search|url|tel|email|password|number)$/.test(type));
  if (tag === "input" && !isField) {
    if (type === "file") return fail("it is a file input", "Use upload_file.");
    return fail("it is a " + type + " button", "Use click.");
  }

  const active = (root) => {
    let found = root.activeElement;
    while (found && found !== element && found.shadowRoot && found.shadowRoot.activeElement) found = found.shadowRoot.activeElement;
    return found;
  };

  if (isField) {
    element.focus();
    const lines = value.split("\n").length;
    const isFocused = active(element.getRootNode()) === element;
    // Chrome inserts lines one by one, in quadratic time; and a page that gives the focus away would get the text elsewhere.
    if (lines > 20 || !isFocused) {
      setNative(value);
      announce();
      return lib.fn.fill_result(value);
    }
    element.select();
    if (value !== "") return { insert: true };
    if (element.value !== "") document.execCommand("delete");
    if (element.value !== "") {
      setNative("");
      announce();
    }
    return lib.fn.fill_result(value);
  }

  if (element.isContentEditable) {
    let host = element;
    while (host.parentElement && host.parentElement.isContentEditable) host = host.parentElement;
    lib.filled = new WeakRef(host);
    host.focus();
    const selection = host.ownerDocument.getSelection();
    const range = document.createRange();
    range.selectNodeContents(host);
    selection.removeAllRanges();
    selection.addRange(range);
    if (value !== "") return { insert: true };
    if (host.innerText.trim() !== "") document.execCommand("delete");
    return lib.fn.fill_result(value);
  }

  return fail("a <" + tag + "> takes no text", "Fill the input inside it, or click it and use press_key.");
}
