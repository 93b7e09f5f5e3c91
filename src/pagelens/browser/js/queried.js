// The first element that the last `query` found; null when it is gone.
(lib) => lib.queried?.[0]?.deref() ?? null
