// Makes the snapshot of this document. Returns one string, whose first line is a word:
//   text TITLE  the lines follow
//   uids N      N more numbers are needed; call `resume` with them
//   roots N     N elements may have a closed shadow root; look them up and call again
(lib, verbose, withoutRoots) => {
  const walk = lib.fn.collect();
  if (!withoutRoots && walk.candidates.length > 0) {
    lib.cache.set("candidates", walk.candidates);
    return `roots ${walk.candidates.length}`;
  }
  lib.fn.roles(walk);
  lib.fn.include(walk);
  lib.fn.names(walk);
  return lib.fn.print(lib.fn.lines(walk, verbose));
}
