// Adds the unused numbers first..last to the document's registry and says how many it has now.
(lib, first, last) => {
  lib.uids.give(first, last);
  return lib.uids.left();
}
