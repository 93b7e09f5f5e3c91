// What a control is as a file input: {problem, opens: whether a
// click on it may open a file chooser} or {multiple, directory}.
(lib, control) => {
  if (control.localName !== "input" || control.type !== "file") {
    const type = control.localName === "input" ? " type=" + control.type : "";
    const holds = control.matches("textarea,select,input:not([type=button],[type=submit],[type=image])");
    return { problem: "is no file input: it is <" + control.localName + type + ">", opens: !holds };
  }
  return { disabled: control.matches(":disabled"), multiple: control.multiple, directory: control.webkitdirectory };
}
