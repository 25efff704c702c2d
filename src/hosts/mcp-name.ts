const MCP = 'mcp__';

/** The parts of an MCP tool's name; a tool's own name may hold the separator too. */
export function mcpOf(name: string): { server: string; tool: string } | undefined {
  if (!name.startsWith(MCP)) return undefined;
  const end = name.indexOf('__', MCP.length + 1);
  const tool = end < 0 ? '' : name.slice(end + 2);
  return tool ? { server: name.slice(MCP.length, end), tool } : undefined;
}
