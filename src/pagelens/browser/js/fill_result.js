// What the control that `fill` worked on holds now, compared with what it should: {done, value, differs, reformatted,
// partly}. A page that is about to put it right gets two frames for that, one that has yet to turn its switch 50 ms.
//
// `reformatted`: it differs by nothing but separators put between the characters. `partly`: an editor that draws only
// some of its text shows a part of what it should hold.
async (lib, wanted) => {
  let isSwitch = false;
  const read = () => {
    const element = lib.filled && lib.filled.deref();
    if (!element || !element.isConnected) return { done: true, value: "", differs: true, gone: true };
    const type = element.localName === "input" ? element.type : element.localName;
    if (type === "checkbox" || type === "radio" || lib.fn.is_switch(element)) {
      isSwitch = true;
      const now = lib.fn.switch_state(element);
      return { done: true, value: now, differs: now !== wanted };
    }
    const isField = type === "textarea" || element.localName === "input";
    const now = isField ? element.value : element.innerText;
    // Line ends, and what an editor does to blanks and empty lines, are no difference.
    const plain = (text) =>
      isField ? text.replace(/\r\n?/g, "\n") : text.replace(/[\u00a0\u200b\ufeff]/g, (c) => (c === "\u00a0" ? " " : "")).replace(/\s+/g, " ").trim();
    const [is, should] = [plain(now), plain(wanted)];
    const same = type === "number" && now !== "" && wanted !== "" ? Number(now) === Number(wanted) : is === should;
    if (same) return { done: true, value: now, differs: false };
    if (!isField && is.length > 200 && should.includes(is.slice(0, 200))) return { done: true, value: now, differs: false, partly: true };
    let at = 0;
    let onlySeparators = should !== "";
    for (const char of is) {
      if (char === should[at]) at += 1;
      else if (/[\p{L}\p{N}.,]/u.test(char)) onlySeparators = false;
    }
    const cut = isField && element.maxLength >= 0 && is === should.slice(0, element.maxLength);
    return { done: true, value: now, differs: true, reformatted: onlySeparators && at === should.length, cut };
  };
  const first = read();
  if (!first.differs || first.cut) return first;
  await new Promise((resolve) => {
    if (!isSwitch) requestAnimationFrame(() => requestAnimationFrame(resolve));
    setTimeout(resolve, 50);
  });
  return read();
}
