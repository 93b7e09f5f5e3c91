// What an element makes of typed text: {uid, words, takes, why, isOneLine, isSecret, value}. `takes` is whether it
// takes any, `why` why not, `value` the text in it now, at most 100,000 characters of it.
(lib, element) => {
  const NOT_TYPED = /^(button|submit|reset|checkbox|radio|file|image|hidden|range|color)$/;
  const { localName, type } = element;
  const isInput = localName === "input" && !NOT_TYPED.test(type);
  const isField = isInput || localName === "textarea";
  let why = "";
  if (isField && element.matches(":disabled")) why = "it is disabled";
  else if (isField && element.readOnly) why = "it is read-only";
  else if (!isField && !element.isContentEditable && document.designMode !== "on") why = "it takes no text";
  return {
    ...lib.fn.named(element),
    takes: why === "",
    why,
    isOneLine: isInput,
    isSecret: type === "password",
    value: (isField ? element.value : element.innerText).slice(0, 100_000),
  };
}
