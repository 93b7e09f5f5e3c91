// Runs a tool that `third_party_ask` has found: (plain, index and name of its group, its name, params) => {found, value}.
// In the page's own world. Who else asks the page meanwhile may get its groups in another order.
async (plain, index, groupName, name, params) => {
  const groups = window.__dtmcp?.toolGroups ?? [];
  const group = groups[index]?.name === groupName ? groups[index] : groups.find((each) => each?.name === groupName);
  const tool = group?.tools?.find((each) => each?.name === name);
  if (typeof tool?.execute !== "function") return { found: false };
  return { found: true, value: plain(await tool.execute(params)) };
}
