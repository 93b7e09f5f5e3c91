// Resolves with true when the document has fired its load event (also when it has already), false after `ms`.
(lib, ms) =>
  new Promise((resolve) => {
    if (document.readyState === "complete") resolve(true);
    addEventListener("load", () => resolve(true), { once: true });
    setTimeout(() => resolve(false), ms);
  })
