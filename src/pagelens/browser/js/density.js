// Pixels of the screen for one CSS pixel, a pinch zoom left aside.
(lib) => devicePixelRatio
