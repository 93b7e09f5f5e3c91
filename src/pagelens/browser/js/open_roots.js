// The document and all open shadow roots in it, outermost first.
(lib) => {
  const roots = [document];
  for (const root of roots) {
    for (const element of root.querySelectorAll("*")) if (element.shadowRoot) roots.push(element.shadowRoot);
  }
  return roots;
}
