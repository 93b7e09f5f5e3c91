// What a control is as a file input: {problem} or {multiple, directory}.
(lib, control) => {
  if (control.localName !== "input" || control.type !== "file") {
    const type = control.localName === "input" ? " type=" + control.type : "";
    return { problem: "is no file input: it is <" + control.localName + type + ">" };
  }
  return { disabled: control.matches(":disabled"), multiple: control.multiple, directory: control.webkitdirectory };
}
