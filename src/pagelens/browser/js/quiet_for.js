// How many milliseconds ago the last long task, layout shift or new largest paint of this document was.
async (lib) => {
  if (!lib.quiet) {
    const quiet = (lib.quiet = { last: 0 });
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const end = entry.entryType === "longtask" ? entry.startTime + entry.duration : entry.startTime;
        quiet.last = Math.max(quiet.last, end);
      }
    });
    for (const type of ["longtask", "layout-shift", "largest-contentful-paint"]) {
      observer.observe({ type, buffered: true });
    }
  }
  // What was seen is told in a task of its own.
  await new Promise((resolve) => setTimeout(resolve, 0));
  return performance.now() - lib.quiet.last;
}
