// Asks the page for its groups of tools; runs in the page's own world, like the two files that use what it leaves.
//
// `window.__dtmcp` is what pages and agents' scripts know: `toolGroups`, made anew by each call, and `executeTool(name,
// params)`. What is no group is said in `bridge[Symbol.for("pagelens.skipped")]`. Groups that come later than anyone
// waits are taken all the same: `executeTool` finds their tools.
() => {
  const LONGEST_SCHEMA = 100000;
  const MOST = 50;
  const isObject = (value) => value !== null && typeof value === "object";
  const words = (value) => (value === null ? "null" : Array.isArray(value) ? "a list" : typeof value);

  if (!isObject(window.__dtmcp)) window.__dtmcp = {};
  const bridge = window.__dtmcp;
  const groups = [];
  const skipped = [];
  bridge.toolGroups = groups;
  Object.defineProperty(bridge, Symbol.for("pagelens.skipped"), { value: skipped, configurable: true });
  bridge.executeTool = async (name, params) => {
    for (const group of bridge.toolGroups) {
      const tool = group.tools.find((each) => each.name === name);
      if (tool !== undefined) return await tool.execute(params === undefined ? {} : params);
    }
    throw new Error(`The page offers no tool ${name}`);
  };

  const skip = (why) => {
    if (skipped.length < MOST) skipped.push(String(why).slice(0, 300));
  };
  const toolFault = (tool, names) => {
    if (!isObject(tool)) return `is ${words(tool)}, no object`;
    if (typeof tool.name !== "string" || tool.name === "") return "has no name";
    if (names.has(tool.name)) return "has the name of an earlier one";
    if (typeof tool.execute !== "function") return "has no execute function";
    if (tool.description !== undefined && typeof tool.description !== "string") return "has a description that is no text";
    if (tool.inputSchema === undefined || tool.inputSchema === null) return "";
    if (!isObject(tool.inputSchema) || Array.isArray(tool.inputSchema)) return "has an inputSchema that is no object";
    try {
      const text = JSON.stringify(tool.inputSchema);
      return text.length > LONGEST_SCHEMA ? `has an inputSchema of ${text.length} characters` : "";
    } catch (error) {
      return "has an inputSchema that is no JSON";
    }
  };
  const take = (group) => {
    if (!isObject(group) || Array.isArray(group)) return skip(`an answer that is ${words(group)}, no group`);
    if (typeof group.name !== "string" || group.name === "") return skip("a group without a name");
    if (!Array.isArray(group.tools)) return skip(`the group ${group.name}: its tools are no list`);
    if (groups.length >= MOST) return skip(`the group ${group.name}: there are ${MOST} already`);
    const names = new Set();
    const tools = group.tools.filter((tool, index) => {
      const fault = toolFault(tool, names);
      if (fault === "") names.add(tool.name);
      else skip(`tool ${index + 1} of ${group.name}${isObject(tool) && tool.name ? ` (${tool.name})` : ""} ${fault}`);
      return fault === "";
    });
    const description = typeof group.description === "string" ? group.description : "";
    groups.push({ name: group.name, description, tools });
  };
  // An answer may be a promise of a group. Whatever is wrong with one costs the others nothing.
  const receive = (answer) => {
    try {
      take(answer);
    } catch (error) {
      skip(`a group that can't be read: ${error}`);
    }
  };

  const event = new CustomEvent("devtoolstooldiscovery");
  event.respondWith = (answer) => {
    if (isObject(answer) && typeof answer.then === "function") {
      Promise.resolve(answer).then(receive, (error) => skip(`an answer that failed: ${error}`));
    } else {
      receive(answer);
    }
  };
  window.dispatchEvent(event);
}
