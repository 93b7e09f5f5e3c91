// The uid of an element; 0 when the document has no unused one left.
(lib, element) => lib.uids.of(element)
