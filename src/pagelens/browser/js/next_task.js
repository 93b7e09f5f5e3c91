// Resolves in the next task: what the page has put off to microtasks has run then. A task of this priority comes
// before frames and timers, so this costs next to nothing; a message to oneself waits for the frame.
(lib) => scheduler.postTask(() => {}, { priority: "user-blocking" })
