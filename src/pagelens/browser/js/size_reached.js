// Resolves with [width, height] of the viewport when it has the wanted size; with what it is after `ms` if it has not.
(lib, width, height, ms) =>
  new Promise((resolve) => {
    const look = () => {
      if (innerWidth === width && innerHeight === height) done();
    };
    const done = () => {
      removeEventListener("resize", look);
      clearTimeout(timer);
      resolve([innerWidth, innerHeight]);
    };
    const timer = setTimeout(done, ms);
    addEventListener("resize", look);
    look();
  })
