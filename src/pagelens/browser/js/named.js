// What to call an element in a message: {uid, words}, e.g. {uid: 12, words: '<div#overlay> "Accept cookies"'}.
// uid is 0 when the document has no unused number left.
(lib, element) => {
  const mark = element.id
    ? "#" + element.id
    : element.classList && element.classList.length > 0
      ? "." + element.classList[0]
      : "";
  const text = (element.getAttribute("aria-label") || element.innerText || element.alt || element.title || "")
    .slice(0, 400)
    .replace(/\s+/g, " ")
    .trim();
  const shown = text.length > 60 ? text.slice(0, 59) + "…" : text;
  return {
    uid: lib.uids.of(element),
    words: "<" + element.localName + mark.slice(0, 60) + ">" + (shown ? " " + JSON.stringify(shown) : ""),
  };
}
