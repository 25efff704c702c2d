const MCP = 'mcp__';

/** The parts of an MCP tool's name; a tool's own name may hold the separator too. */
export function mcpOf(name: string): { server: string; tool: string } | undefined {
  if (!name.startsWith(MCP)) return undefined;
  const end = name.indexOf('__', MCP.length + 1);
  const tool = end < 0 ? '' : name.slice(end + 2);
  return tool ? { server: name.slice(MCP.length, end), tool } : undefined;
}

/**
 * Every name that rules may have for an MCP tool whose host joins server and tool by a letter that both may
 * hold: nobody can tell where one ends, so all ways to part them count.
 */
export function mcpNamesOf(joined: string, separator: string): string[] {
  const parts = joined.split(separator);
  return parts
    .slice(1)
    .map((_, at) => [parts.slice(0, at + 1).join(separator), parts.slice(at + 1).join(separator)])
    .filter(([server, tool]) => server !== '' && tool !== '')
    .map(([server, tool]) => `${MCP}${server}__${tool}`);
}
