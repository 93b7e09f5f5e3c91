// What the page has answered to `third_party_ask`: {groups, skipped}, the schemas as JSON text. In the page's own world.
() => {
  const bridge = window.__dtmcp;
  const groups = bridge !== null && typeof bridge === "object" && Array.isArray(bridge.toolGroups) ? bridge.toolGroups : [];
  return {
    groups: groups.map(({ name, description, tools }) => ({
      name,
      description,
      tools: tools.map((tool) => ({
        name: tool.name,
        description: tool.description ?? "",
        schema: tool.inputSchema ? JSON.stringify(tool.inputSchema) : null,
      })),
    })),
    skipped: [...(bridge?.[Symbol.for("pagelens.skipped")] ?? [])],
  };
}
