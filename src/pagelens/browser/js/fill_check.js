// What filling a control with `value` takes, found out without touching it.
//
// Returns {problem, why, hint}, or {kind, element, ...}:
//   "switch": `wanted` true or false, `now` what it is, `native` whether it is a check box or radio button of HTML;
//   "select": `options` to be chosen; "native": `wanted` for the setter of its class, `format` in words;
//   "text": an input or textarea that takes keys; "editor": an editing host; "proxy": a field that can't be seen and
//   takes the keys of an editor drawn beside it;
//   "dropdown": a widget that opens a list; "listbox": a list that is there.
// `popup` says that a "text" field offers a list of suggestions.
(lib, element, value) => {
  const fail = (why, hint) => ({ problem: "unfit", why, hint });

  if (element.nodeType !== Node.ELEMENT_NODE) element = element.parentElement || element;
  if (!element.isConnected) return { problem: "gone" };
  if (element instanceof HTMLLabelElement && element.control) element = element.control;
  const tag = element.localName;
  const type = tag === "input" ? element.type : tag;
  const role = (element.getAttribute("role") || "").trim().split(/\s+/)[0];

  if (element.matches(":disabled")) {
    return { problem: "disabled", why: !element.disabled && element.closest("fieldset:disabled") ? "its fieldset is disabled" : "" };
  }
  const inert = element.closest("[inert]");
  if (inert) return { problem: "disabled", why: "it is inert, through " + lib.fn.named(inert).words };
  if (tag !== "input" && tag !== "textarea" && tag !== "select" && element.ariaDisabled === "true") {
    return { problem: "disabled", why: "aria-disabled" };
  }

  // -- switches -----------------------------------------------------------------------------------------

  const native = type === "checkbox" || type === "radio";
  if (native || lib.fn.is_switch(element)) {
    const text = value.trim();
    const wanted = /^(true|on|yes|checked|1)$/i.test(text) ? true : /^(false|off|no|unchecked|0)$/i.test(text) ? false : null;
    if (wanted === null) return fail("it is a " + (role || type) + " and takes true or false", 'Pass "true" or "false".');
    const now = lib.fn.switch_state(element);
    if (!wanted && now !== "false" && (type === "radio" || role === "radio" || role === "menuitemradio")) {
      return fail("a radio button can't be switched off", "Choose another one of its group.");
    }
    return { kind: "switch", element, wanted: String(wanted), now, native };
  }

  const why = lib.fn.hidden_why(element);
  if (why) return { problem: "hidden", why };

  // -- choices ------------------------------------------------------------------------------------------

  if (tag === "select") {
    const options = [...element.options];
    const choices = options.map((option) => ({
      label: option.label,
      value: option.value,
      disabled: option.disabled || Boolean(option.closest("optgroup:disabled")),
    }));
    let wanted = [value];
    let found = [lib.fn.match_choice(choices, value)];
    if (element.multiple && found[0].index === undefined) {
      wanted = lib.fn.several_values(value);
      found = wanted.map((one) => lib.fn.match_choice(choices, one));
    }
    const wrong = found.find((one) => one.index === undefined);
    if (wrong) return fail(wrong.why, wrong.hint);
    return { kind: "select", element, options: found.map((one) => options[one.index]) };
  }
  const opensList =
    role === "combobox" || /^(listbox|true)$/.test(element.getAttribute("aria-haspopup") || "") || element.hasAttribute("aria-autocomplete");
  const isField = tag === "textarea" || (tag === "input" && /^(text|search|url|tel|email|password|number)$/.test(type));
  const isWritable = (isField && !element.readOnly) || element.isContentEditable;
  if (role === "listbox") return { kind: "listbox", element };
  if (!isWritable && (role === "combobox" || element.getAttribute("aria-haspopup") === "listbox")) {
    return element.ariaReadOnly === "true" ? { problem: "disabled", why: "it is read-only" } : { kind: "dropdown", element };
  }
  // The field of a combobox in its box, as in ARIA 1.0 and 1.1.
  const popup = isField && !element.list && (opensList || Boolean(element.closest("[role=combobox]")));

  // -- text ---------------------------------------------------------------------------------------------

  if ((tag === "textarea" || tag === "input") && element.readOnly) return { problem: "disabled", why: "it is read-only" };
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
  const format = tag === "input" ? FORMATS[type] : undefined;
  if (format && value !== "") {
    if (!format[0].test(value)) return fail(JSON.stringify(value.slice(0, 80)) + " is not what its type (" + type + ") takes", "Pass " + format[1] + ".");
  } else if (format && (type === "color" || type === "range")) {
    return fail("its type (" + type + ") can't be empty", "Pass " + format[1] + ".");
  }
  if (format && type !== "number") {
    const wanted = type === "datetime-local" ? value.replace(" ", "T") : type === "color" ? value.toLowerCase() : value;
    // Chrome says whether there is such a day; a copy, so that the page sees nothing.
    const probe = document.createElement("input");
    probe.type = type;
    probe.value = wanted;
    if (wanted !== "" && probe.value === "") return fail(JSON.stringify(value) + " is no possible " + type, "Pass " + format[1] + ".");
    return { kind: "native", element, wanted };
  }

  if (tag === "input" && !isField) {
    if (type === "file") return fail("it is a file input", "Use upload_file.");
    return fail("it is a " + type + " button", "Use click.");
  }
  if (isField) {
    if (tag === "textarea") {
      const box = element.getBoundingClientRect();
      if (box.width <= 4 || box.height <= 4 || getComputedStyle(element).opacity === "0") return { kind: "proxy", element };
    }
    return { kind: "text", element, popup };
  }

  if (element.isContentEditable) {
    let host = element;
    while (host.parentElement && host.parentElement.isContentEditable) host = host.parentElement;
    return { kind: "editor", element: host };
  }
  if (element.editContext) return { kind: "proxy", element };
  return fail("a <" + tag + "> takes no text", "Fill the input inside it, or click it and use press_key.");
}
