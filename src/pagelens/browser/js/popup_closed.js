// Whether the list of the control that `fill` worked on is closed, or comes to be within `timeout` milliseconds: while
// it fades, it may lie over everything else.
async (lib, timeout) => {
  const control = lib.filled.deref();
  const end = performance.now() + timeout;
  for (;;) {
    const chosen = (lib.chosen || []).map((one) => one.deref());
    const isOpen = control && control.isConnected && chosen.some((option) => option && option.isConnected && option.checkVisibility({ visibilityProperty: true }));
    if (!isOpen && (!control || !control.isConnected || lib.fn.popup_options(control).length === 0)) return true;
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
