// The values meant by one text, for a control that takes several: a JSON list, else one a line.
(lib, text) => {
  if (/^\s*\[/.test(text)) {
    try {
      const list = JSON.parse(text);
      if (Array.isArray(list) && list.every((one) => typeof one === "string" || typeof one === "number")) return list.map(String);
    } catch {
      // a text that begins like a list
    }
  }
  return text.split(/\r?\n/).filter((one) => one.trim() !== "");
}
