// Resolves with what `wait_check` says as soon as a condition holds in this document; with null when it has not
// within `ms`, or when the watch was ended (`lib.waits.get(token)()`). `firstLook` in the answer: it held from the start.
//
// Looks again after whatever may change what is seen: mutations and events right away, in the next frame; what
// tells nobody (a value set by a script, a style sheet) within a quarter of a second. On a page where looking takes
// long it is done less often.
(lib, token, condition, ms) =>
  new Promise((resolve, reject) => {
    const waits = (lib.waits ??= new Map());
    const EVENTS = ["input", "change", "load", "toggle", "resize", "transitionend", "animationend", "readystatechange"];
    let isFirst = true;
    let isDue = false;
    let pause = 0;

    const end = (result) => {
      observer.disconnect();
      clearInterval(slow);
      clearTimeout(late);
      for (const kind of EVENTS) document.removeEventListener(kind, soon, true);
      waits.delete(token);
      resolve(result);
    };
    const look = () => {
      const start = performance.now();
      isDue = false;
      try {
        const result = lib.fn.wait_check(condition);
        if (result) {
          end({ ...result, firstLook: isFirst });
          return;
        }
        for (const root of lib.fn.open_roots()) {
          observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
        }
      } catch (error) {
        end(null);
        reject(error);
      }
      isFirst = false;
      pause = Math.min(4 * (performance.now() - start), 1000);
    };
    const soon = () => {
      if (isDue) return;
      isDue = true;
      const run = () => isDue && waits.has(token) && look();
      if (pause > 16) {
        setTimeout(run, pause);
      } else {
        requestAnimationFrame(run);
        setTimeout(run, 100); // a page that is not drawn has no frames
      }
    };
    const observer = new MutationObserver(soon);
    const slow = setInterval(soon, 250);
    const late = setTimeout(() => end(null), ms);
    for (const kind of EVENTS) document.addEventListener(kind, soon, true);
    waits.set(token, () => end(null));
    look();
  })
