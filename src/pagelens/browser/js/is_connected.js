// Whether a node is in a document.
(lib, node) => node.isConnected
