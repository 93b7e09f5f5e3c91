// Waits for the options of the control that `fill` worked on, and finds those that are `wanted`.
//
// isField: the text was typed into it, and its options may be suggestions that come late. Otherwise the list is what
// it is once it has been at rest for a moment; one that is longer than it shows is scrolled through.
// Returns {found: how many elements `popup_choice` has to be clicked, labels: what will be chosen, several: whether the
// list takes several and stays open}, or {found: -1, why, hint, offered: the labels there are}.
async (lib, wanted, isField, timeout) => {
  const REST = 150;
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const control = lib.filled.deref();
  const fold = (text) => text.replace(/\s+/g, " ").trim();
  const described = (options) =>
    options.map((option) => ({
      label: fold(option.getAttribute("aria-label") || option.innerText || ""),
      value: option.dataset.value ?? (option.value === undefined ? undefined : String(option.value)),
      disabled: option.ariaDisabled === "true" || /(^|[-_ ])disabled/i.test(option.className),
    }));
  const isOn = (option) => option.ariaSelected === "true" || option.ariaChecked === "true";
  const chosen = (options, choices, found) => {
    const meant = found.map((one) => options[one.index]);
    const list = options[0].closest("[role=listbox]");
    const several = list !== null && list.ariaMultiSelectable === "true";
    const clicked = several ? options.filter((option) => meant.includes(option) !== isOn(option)) : meant.slice(0, 1);
    lib.choices = clicked.map((option) => new WeakRef(option));
    lib.chosen = meant.map((option) => new WeakRef(option));
    return { found: clicked.length, several, labels: found.map((one) => choices[one.index].label) };
  };

  const end = performance.now() + timeout;
  let options = [];
  let choices = [];
  let signature = null;
  let since = 0;
  for (;;) {
    if (!control || !control.isConnected) return { found: -1, gone: true, offered: [] };
    options = lib.fn.popup_options(control);
    choices = described(options);
    const found = wanted.map((one) => lib.fn.match_choice(choices, one));
    const now = performance.now();
    const drawn = JSON.stringify(choices);
    if (drawn !== signature) [signature, since] = [drawn, now];
    const rests = options.length > 0 && now - since >= REST;
    const isWhole = options.length > 0 && found.every((one) => one.index !== undefined);
    if (isWhole && (found.every((one) => one.exact) || rests)) return chosen(options, choices, found);
    if (now > end || (rests && !isField)) break;
    await sleep(10);
  }

  const all = new Map(choices.map((choice) => [choice.label, choice]));
  let scroller = isField || options.length === 0 ? null : options[0].parentElement;
  while (scroller && scroller.scrollHeight <= scroller.clientHeight + 2) scroller = scroller.parentElement;
  if (scroller && scroller !== document.scrollingElement && scroller !== document.body && wanted.length === 1) {
    scroller.scrollTop = 0;
    for (let step = 0; step < 60; step += 1) {
      await sleep(30);
      options = lib.fn.popup_options(control);
      choices = described(options);
      for (const choice of choices) all.set(choice.label, choice);
      const one = lib.fn.match_choice(choices, wanted[0]);
      if (one.index !== undefined && one.exact) return chosen(options, choices, [one]);
      const before = scroller.scrollTop;
      scroller.scrollTop += Math.max(20, scroller.clientHeight * 0.7);
      if (scroller.scrollTop === before) break;
    }
  }
  const offered = [...all.values()];
  const wrong = wanted.map((one) => lib.fn.match_choice(offered, one)).find((one) => one.index === undefined);
  const { why, hint } = wrong || { why: "its list did not stay", hint: "Try again." };
  return { found: -1, why, hint, offered: offered.map((choice) => choice.label).slice(0, 30) };
}
