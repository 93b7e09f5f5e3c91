// The node of a uid, null when it no longer exists or has left its document.
(lib, number) => {
  const node = lib.uids.node(number);
  return node && node.isConnected ? node : null;
}
