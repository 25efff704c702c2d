// Turns a bundle that esbuild wrote as an ES module into CommonJS without esbuild's wrappers.
// Those define every export by a getter, ask for `node:fs` once for each source file, and look a
// function up in its module at every call; an event that lasts milliseconds feels each of the three.
import { parseSync } from 'oxc-parser';

/** The same code with one `require` for each module that it imports from, and plain assignments for its exports. */
export function toCommonJs(code) {
  const { module, errors } = parseSync('chunk.mjs', code);
  if (errors.length > 0) throw new Error(errors[0].message);
  const { staticImports, staticExports } = module;
  const names = new Set(staticImports.map((one) => one.moduleRequest.value));
  const head = [...names].map((name) => {
    const entries = staticImports
      .filter((one) => one.moduleRequest.value === name)
      .flatMap((one) => one.entries);
    return `{${entries.map(binding).join()}}=require(${JSON.stringify(name)})`;
  });
  const tail = staticExports.flatMap((one) =>
    one.entries.map(({ exportName, localName }) => `exports.${exportName.name}=${localName.name};`),
  );
  const body = without(code, [...staticImports, ...staticExports]);
  return `"use strict";${head.length > 0 ? `const ${head.join()};` : ''}${body}${tail.join('')}\n`;
}

function binding({ importName, localName }) {
  if (importName.kind !== 'Name')
    throw new Error(`only named imports are expected here, not ${localName.value}`);
  return `${importName.name}:${localName.value}`;
}

function without(code, spans) {
  const ends = [0, ...spans.map(({ end }) => end)].sort((a, b) => a - b);
  const starts = [...spans.map(({ start }) => start), code.length].sort((a, b) => a - b);
  return ends.map((end, index) => code.slice(end, starts[index])).join('');
}
