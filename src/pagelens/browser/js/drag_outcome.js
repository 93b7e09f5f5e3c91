// Whether a drop came since `drag_watch`, or comes within `ms`; ends the watch.
(lib, ms) =>
  new Promise((resolve) => {
    const { drop } = lib;
    const tell = () => {
      drop.end();
      resolve(drop.came);
    };
    drop.onCame = tell;
    if (drop.came || ms === 0) tell();
    else setTimeout(tell, ms);
  })
