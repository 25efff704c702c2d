import { SourceMap } from 'node:module';

/** Tells of statements at the top of a bundle which file of `src` they are from, and how they are called there. */
export function originsIn(code, map) {
  const entries = new SourceMap(JSON.parse(map));
  const lines = [0];
  for (let at = code.indexOf('\n'); at >= 0; at = code.indexOf('\n', at + 1)) lines.push(at + 1);
  return ({ node, declares: [short] }) => {
    const place = (node.id ?? node).start;
    const line = lines.findLastIndex((start) => start <= place);
    const { originalSource = '', name = short } = entries.findEntry(line, place - lines[line]);
    const file = originalSource.split('/src/')[1];
    return file === undefined ? undefined : { file, name };
  };
}
