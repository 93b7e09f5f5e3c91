// Resolves when the timers have run that were due when this was called, and those of no delay that they have set.
(lib) => new Promise((done) => setTimeout(() => setTimeout(done, 0), 0))
