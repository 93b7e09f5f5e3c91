// Fills a control with `value`, replacing what it holds, as far as a script can.
//
// Returns {done, value, differs, ...} as `fill_result` does when the value was set here; {problem, why, hint} when it
// can't be; or what is left to be done by hand: {click} when the control must be clicked to get the state, {keys}
// when an editor has the focus and all of it must be selected and replaced, {list} when a list must be opened and
// chosen from ("dropdown", "listbox"), or may have opened ("popup": the text is in).
async (lib, element, value) => {
  const plan = lib.fn.fill_check(element, value);
  if (plan.problem) return plan;
  const control = plan.element;
  lib.filled = new WeakRef(control);

  const setNative = (text) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(control, text);
  };
  switch (plan.kind) {
    case "switch":
      return plan.now === plan.wanted ? { done: true, value: plan.now, differs: false } : { click: plan.wanted, mixed: plan.now === "mixed" };

    case "select": {
      control.focus();
      const wanted = new Set(plan.options);
      if ([...control.options].some((option) => option.selected !== wanted.has(option))) {
        if (control.multiple) for (const option of control.options) option.selected = wanted.has(option);
        else plan.options[0].selected = true;
        control.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
        control.dispatchEvent(new Event("change", { bubbles: true }));
        await lib.fn.next_task();
      }
      // The page may have drawn its options anew: what they say counts.
      const says = (options) => options.map((option) => option.label.replace(/\s+/g, " ").trim()).join(", ");
      const now = says([...control.selectedOptions]);
      return { done: true, value: now, differs: now !== says(plan.options.sort((a, b) => a.index - b.index)) };
    }

    case "native": {
      control.focus();
      const before = control.value;
      setNative(plan.wanted);
      if (control.value !== before) {
        control.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true, inputType: "insertReplacementText", data: null }));
        control.dispatchEvent(new Event("change", { bubbles: true }));
        await lib.fn.next_task();
      }
      // What Chrome itself makes of it ("09:05:00" becomes "09:05") is no difference; a limit that it applies is.
      const now = control.value;
      const same = now === plan.wanted || (control.type === "range" ? Number(now) === Number(plan.wanted) : now !== "" && plan.wanted.startsWith(now));
      return { done: true, value: now, differs: !same };
    }

    case "text":
      lib.fn.popup_mark();
      lib.fn.fill_text(control, value);
      await lib.fn.next_task();
      if (plan.popup && value !== "") return { list: "popup" };
      return await lib.fn.fill_result(value);

    case "editor": {
      control.focus();
      const root = control.getRootNode();
      if (!control.contains(root.activeElement)) return { problem: "unfit", why: "it gives the focus away", hint: "Click it, then use type_text." };
      const selection = (root.getSelection ? root : control.ownerDocument).getSelection();
      const range = document.createRange();
      range.selectNodeContents(control);
      selection.removeAllRanges();
      selection.addRange(range);
      // Many lines go in at once, see fill_text.
      return { keys: true, paste: value.split("\n", 22).length > 20 };
    }

    case "proxy":
      control.focus();
      return { keys: true, proxy: true };

    default:
      lib.fn.popup_mark();
      return { list: plan.kind };
  }
}
