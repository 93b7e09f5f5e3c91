// The whole address that the element with this number leads to or shows, "" when there is none.
(lib, number) => {
  const node = lib.uids.node(number);
  if (node === null || !["a", "area", "iframe", "frame", "img", "video", "audio", "embed", "object"].includes(node.localName)) return "";
  const address = node.href || node.currentSrc || node.src || node.data || "";
  return typeof address === "string" ? address.replace(/\s+/g, "%20") : address.baseVal || ""; // of SVG
}
