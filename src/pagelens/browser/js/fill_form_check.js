// For each uid number and its value: null when the element can be filled with it, else {problem, why, hint}.
(lib, numbers, values) =>
  numbers.map((number, index) => {
    const node = lib.uids.node(number);
    if (!node || !node.isConnected) return { problem: "gone" };
    const plan = lib.fn.fill_check(node, values[index]);
    return plan.problem ? { problem: plan.problem, why: plan.why, hint: plan.hint } : null;
  })
