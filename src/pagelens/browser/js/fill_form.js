// Fills one control after the other, until one needs a hand: returns what `fill` returned for each of them, the last
// of them perhaps with something left to do. Between two, the page gets to run what the first has caused.
async (lib, numbers, values) => {
  const results = [];
  for (let index = 0; index < numbers.length; index += 1) {
    const node = lib.uids.node(numbers[index]);
    const begun = performance.now();
    const result = node && node.isConnected ? await lib.fn.fill(node, values[index]) : { problem: "gone" };
    results.push(result);
    if (!result.done && !result.problem) break;
    if (result.differs && !result.reformatted) break;
    // The page was held, perhaps by a dialog: whoever called may not be waiting any more.
    if (performance.now() - begun > 200) break;
  }
  return results;
}
