// Pixels of the screen for one CSS pixel, a pinch zoom included.
(lib) => devicePixelRatio * visualViewport.scale
