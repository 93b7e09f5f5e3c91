// Which of `choices` ({label, value, disabled}) is meant by `wanted`: its label, else its value, else either in any
// case, else the only label that begins so. Returns {index}, or {why, hint} when none or several are.
(lib, choices, wanted) => {
  const fold = (text) => text.replace(/\s+/g, " ").trim();
  const name = fold(wanted);
  const lower = name.toLowerCase();
  const rules = [
    (choice) => fold(choice.label) === name,
    (choice) => choice.value === wanted,
    (choice) => fold(choice.label).toLowerCase() === lower,
    (choice) => (choice.value ?? "").toLowerCase() === lower && choice.value !== undefined,
    (choice) => lower !== "" && fold(choice.label).toLowerCase().startsWith(lower),
  ];
  const quoted = (choice) => JSON.stringify(fold(choice.label).slice(0, 80));
  const list = () => {
    const shown = choices.slice(0, 30).map((choice) => quoted(choice) + (choice.disabled ? " (disabled)" : ""));
    return shown.join(", ") + (choices.length > 30 ? ` and ${choices.length - 30} more` : "");
  };
  for (const rule of rules) {
    const found = choices.filter(rule);
    if (found.length === 0) continue;
    const free = found.filter((choice) => !choice.disabled);
    if (free.length === 0) return { why: "its choice " + quoted(found[0]) + " is disabled", hint: "Choices: " + list() };
    if (free.length > 1 && rule === rules[4]) {
      return { why: JSON.stringify(wanted) + " fits several of its choices", hint: "Choose one: " + free.map(quoted).join(", ") };
    }
    return { index: choices.indexOf(free[0]), exact: rule !== rules[4] };
  }
  return {
    none: true,
    why: "it has no choice " + JSON.stringify(wanted.slice(0, 80)),
    hint: choices.length ? "Choices: " + list() : "It has no choices now.",
  };
}
