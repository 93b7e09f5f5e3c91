// Runs a tool that `third_party_ask` has found: (plain, group, tool, params) => {found, value}. In the page's own world.
async (plain, group, name, params) => {
  const tool = window.__dtmcp?.toolGroups?.[group]?.tools?.find((each) => each?.name === name);
  if (typeof tool?.execute !== "function") return { found: false };
  return { found: true, value: plain(await tool.execute(params)) };
}
