// Ends what `guard_click` began.
(lib) => {
  if (lib.disarm) lib.disarm();
}
