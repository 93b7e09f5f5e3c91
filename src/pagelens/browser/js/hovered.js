// Whether the mouse came to `element` since `hover_watch`, or is over it now: {lands, coverer}; ends the watch.
(lib, element) => {
  const { lands, coverer, end } = lib.hover ?? { lands: null, coverer: null, end: () => {} };
  end();
  return { lands: lands === true || element.matches(":hover"), coverer };
}
